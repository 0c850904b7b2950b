use serde::{Deserialize, Serialize};

use super::{NextTurn, Seat, Team, TurnPolicy, UtteranceKind, next_with_turns_left};

/// Pattern: all members speak in seat order, `rounds` times; then the leader concludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundRobin {
    pub rounds: u8,
}

impl TurnPolicy for RoundRobin {
    fn allowed(&self, _: &Team, _: Seat) -> Vec<UtteranceKind> {
        vec![UtteranceKind::Discuss]
    }

    fn after(&self, team: &Team, seat: Seat, _: Option<Seat>) -> NextTurn {
        let table: Vec<Seat> = team.active().collect();
        match next_with_turns_left(team, &table, seat, self.rounds) {
            Some(next) => NextTurn::Speaker(next),
            None => NextTurn::Conclude(team.leader().unwrap_or(seat)),
        }
    }
}
