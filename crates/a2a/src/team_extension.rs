//! A2A team extension (`docs/teams.md`). An agent whose card declares it decides on its own turns in teams.

use plexus_domain::agent::A2aProtocol;

use crate::wire::v1::{Part, PartContent};

/// URI of the team extension, as declared in cards and listed in messages that use it.
pub const TEAM: &str = "urn:plexus:a2a:team:1";

/// Member of a data part that holds the URI of the extension it belongs to.
pub const MEMBER: &str = "extension";

/// Returns the HTTP header that lists the extensions used by a request (specification 1.0 section 3.2.6).
/// Version 0.3 has another name for it.
pub const fn header(protocol: A2aProtocol) -> &'static str {
    match protocol {
        A2aProtocol::V1 => "a2a-extensions",
        A2aProtocol::V03 => "x-a2a-extensions",
    }
}

/// Returns the extensions used by these parts. Derived from
/// the content, so it survives forwarding between hubs.
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
