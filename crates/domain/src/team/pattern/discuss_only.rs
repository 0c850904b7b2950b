use serde::{Deserialize, Serialize};

use super::{NextTurn, Seat, Team, TurnPolicy, UtteranceKind, requested_or_next};

/// Pattern without assignments: members name the next speaker, vote and conclude.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscussOnly {}

impl TurnPolicy for DiscussOnly {
    fn allowed(&self, _: &Team, _: Seat) -> Vec<UtteranceKind> {
        vec![UtteranceKind::Discuss, UtteranceKind::Vote, UtteranceKind::Conclude]
    }

    fn after(&self, team: &Team, seat: Seat, named: Option<Seat>) -> NextTurn {
        requested_or_next(team, seat, named)
    }
}
