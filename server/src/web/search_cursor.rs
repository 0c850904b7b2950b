//! Search cursors encoded as opaque text.

use plexus_domain::Error as Refusal;
use plexus_hub::listings::RowCursor;

pub fn token(place: RowCursor) -> String {
    format!("{}-{}", place.row, place.agent)
}

pub fn read(text: &str) -> Result<RowCursor, Refusal> {
    let parse = || {
        let (row, agent) = text.split_once('-')?;
        Some(RowCursor { row: row.parse().ok()?, agent: agent.parse().ok()? })
    };
    parse().ok_or_else(not_a_cursor)
}

pub fn not_a_cursor() -> Refusal {
    Refusal::invalid("after", "Invalid cursor. Use a cursor returned by this list.")
}
