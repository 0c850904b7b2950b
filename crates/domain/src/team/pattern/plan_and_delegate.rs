use serde::{Deserialize, Serialize};

use super::{Kind, Next, Rules, Seat, Team, by_wish};

/// Pattern: the speaker plans, assigns work and names the next speaker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanAndDelegate {}

impl Rules for PlanAndDelegate {
    fn allowed(&self, _: &Team, _: Seat) -> Vec<Kind> {
        Kind::LEADING.to_vec()
    }

    fn after(&self, team: &Team, seat: Seat, named: Option<Seat>) -> Next {
        by_wish(team, seat, named)
    }
}
