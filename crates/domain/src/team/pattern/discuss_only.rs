use serde::{Deserialize, Serialize};

use super::{Kind, Next, Rules, Seat, Team, by_wish};

/// Pattern without assignments: members name the next speaker, vote and conclude.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscussOnly {}

impl Rules for DiscussOnly {
    fn allowed(&self, _: &Team, _: Seat) -> Vec<Kind> {
        vec![Kind::Discuss, Kind::Vote, Kind::Conclude]
    }

    fn after(&self, team: &Team, seat: Seat, named: Option<Seat>) -> Next {
        by_wish(team, seat, named)
    }
}
