use serde::{Deserialize, Serialize};

use super::{NextTurn, Seat, Team, TurnPolicy, UtteranceKind, next_with_turns_left};

/// Pattern: all members but the leader argue in turn,
/// `rounds` times each; then the leader concludes as judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Debate {
    pub rounds: u8,
}

impl TurnPolicy for Debate {
    fn first(&self, team: &Team) -> Option<Seat> {
        team.active().nth(1).or_else(|| team.leader())
    }

    fn allowed(&self, team: &Team, seat: Seat) -> Vec<UtteranceKind> {
        if team.leader() == Some(seat) { vec![UtteranceKind::Conclude] } else { vec![UtteranceKind::Discuss] }
    }

    fn after(&self, team: &Team, seat: Seat, _: Option<Seat>) -> NextTurn {
        let debaters: Vec<Seat> = team.active().skip(1).collect();
        match next_with_turns_left(team, &debaters, seat, self.rounds) {
            Some(next) => NextTurn::Speaker(next),
            None => NextTurn::Conclude(team.leader().unwrap_or(seat)),
        }
    }
}
