//! Search cursors encoded as opaque text.

use plexus_domain::Error as Refusal;
use plexus_hub::listings::Place;

pub fn token(place: Place) -> String {
    format!("{}-{}", place.row, place.agent)
}

pub fn read(text: &str) -> Result<Place, Refusal> {
    let parse = || {
        let (row, agent) = text.split_once('-')?;
        Some(Place { row: row.parse().ok()?, agent: agent.parse().ok()? })
    };
    parse().ok_or_else(not_a_cursor)
}

pub fn not_a_cursor() -> Refusal {
    Refusal::invalid("after", "This is not a cursor that this list answered.")
}
