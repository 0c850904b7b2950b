use serde::{Deserialize, Serialize};

use super::{NextTurn, Seat, Team, TurnPolicy, UtteranceKind, requested_or_next};

/// Pattern: the speaker plans, assigns work and names the next speaker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanAndDelegate {}

impl TurnPolicy for PlanAndDelegate {
    fn allowed(&self, _: &Team, _: Seat) -> Vec<UtteranceKind> {
        UtteranceKind::LEADING.to_vec()
    }

    fn after(&self, team: &Team, seat: Seat, named: Option<Seat>) -> NextTurn {
        requested_or_next(team, seat, named)
    }
}
