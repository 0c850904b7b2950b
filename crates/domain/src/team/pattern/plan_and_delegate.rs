use serde::{Deserialize, Serialize};

use super::{Kind, Next, Rules, Seat, Team, by_wish};

/// Whoever has the floor plans, hands out work and names who speaks next.
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
