use serde::{Deserialize, Serialize};

use super::{NextTurn, Seat, Team, TurnPolicy, UtteranceKind};

/// Pattern: the leader speaks and all others answer in parallel; repeated until the leader concludes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyToAll {}

impl TurnPolicy for ReplyToAll {
    fn allowed(&self, team: &Team, seat: Seat) -> Vec<UtteranceKind> {
        if team.leader() == Some(seat) {
            vec![UtteranceKind::Discuss, UtteranceKind::Vote, UtteranceKind::Conclude]
        } else {
            vec![UtteranceKind::Discuss]
        }
    }

    fn after(&self, team: &Team, seat: Seat, _: Option<Seat>) -> NextTurn {
        let lead = team.leader().unwrap_or(seat);
        let others: std::collections::BTreeSet<Seat> = team.active().filter(|&other| other != lead).collect();
        match others.is_empty() {
            true => NextTurn::Conclude(lead),
            false if seat == lead => NextTurn::AllMembers(others),
            false => NextTurn::Speaker(lead),
        }
    }
}
