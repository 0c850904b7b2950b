use serde::{Deserialize, Serialize};

use super::{Kind, Next, Rules, Seat, Team, next_with_turns_left};

/// Pattern: all members but the leader argue in turn,
/// `rounds` times each; then the leader concludes as judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Debate {
    pub rounds: u8,
}

impl Rules for Debate {
    fn first(&self, team: &Team) -> Option<Seat> {
        team.active().nth(1).or_else(|| team.lead())
    }

    fn allowed(&self, team: &Team, seat: Seat) -> Vec<Kind> {
        if team.lead() == Some(seat) { vec![Kind::Conclude] } else { vec![Kind::Discuss] }
    }

    fn after(&self, team: &Team, seat: Seat, _: Option<Seat>) -> Next {
        let debaters: Vec<Seat> = team.active().skip(1).collect();
        match next_with_turns_left(team, &debaters, seat, self.rounds) {
            Some(next) => Next::Floor(next),
            None => Next::Conclude(team.lead().unwrap_or(seat)),
        }
    }
}
