use serde::{Deserialize, Serialize};

use super::{Kind, Next, Rules, Seat, Team, next_with_turns_left};

/// Pattern: all members speak in seat order, `rounds` times; then the leader concludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundRobin {
    pub rounds: u8,
}

impl Rules for RoundRobin {
    fn allowed(&self, _: &Team, _: Seat) -> Vec<Kind> {
        vec![Kind::Discuss]
    }

    fn after(&self, team: &Team, seat: Seat, _: Option<Seat>) -> Next {
        let table: Vec<Seat> = team.active().collect();
        match next_with_turns_left(team, &table, seat, self.rounds) {
            Some(next) => Next::Floor(next),
            None => Next::Conclude(team.lead().unwrap_or(seat)),
        }
    }
}
