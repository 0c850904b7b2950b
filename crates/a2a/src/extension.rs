//! The team extension: an agent whose card declares it takes the floor in teams by itself (`docs/teams.md`).

use plexus_domain::agent::A2aProtocol;

use crate::wire::v1::{Part, PartContent};

/// What a card declares it by, and what a message names that makes use of it.
pub const TEAM: &str = "urn:plexus:a2a:team:1";

/// The member of a data part that names the extension to which it belongs.
pub const MEMBER: &str = "extension";

/// The HTTP header that says which extensions a request makes use of (specification 1.0 section 3.2.6; 0.3 calls it
/// otherwise).
pub const fn header(protocol: A2aProtocol) -> &'static str {
    match protocol {
        A2aProtocol::V1 => "a2a-extensions",
        A2aProtocol::V03 => "x-a2a-extensions",
    }
}

/// The extensions that a message of these parts makes use of: what it holds says so, however many hubs pass it on.
pub fn used(parts: &[Part]) -> Vec<String> {
    let is_turn = |part: &Part| matches!(&part.content, PartContent::Data(data) if data[MEMBER] == TEAM);
    if parts.iter().any(is_turn) { vec![TEAM.to_owned()] } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_turn_of_a_team_makes_use_of_it_and_other_data_does_not() {
        let data = |data| Part::from(PartContent::Data(data));
        for other in [json!([TEAM]), json!(TEAM), json!({ "extension": "urn:other" }), json!({ "x": TEAM })] {
            assert_eq!(used(&[Part::text(TEAM), data(other)]), Vec::<String>::new());
        }
        assert_eq!(used(&[Part::text("x"), data(json!({ "extension": TEAM }))]), [TEAM]);
    }
}
