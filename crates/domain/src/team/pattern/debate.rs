use serde::{Deserialize, Serialize};

use super::{NextTurn, Seat, Team, TurnPolicy, UtteranceKind, next_with_turns_left};

/// Pattern: all members but the leader argue in turn, `rounds` times each; then the leader concludes as judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Debate {
    pub rounds: u8,
    /// If true, both members of a team of two argue. False in logs that were stored before 0.1, whose leader only judged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pair_argues: bool,
}

impl Debate {
    fn debaters(self, team: &Team) -> Vec<Seat> {
        let judges_only = usize::from(!self.is_pair(team));
        team.active().skip(judges_only).collect()
    }

    fn is_pair(self, team: &Team) -> bool {
        self.pair_argues && team.active().count() <= 2
    }
}

impl TurnPolicy for Debate {
    fn first(&self, team: &Team) -> Option<Seat> {
        self.debaters(team).first().copied().or_else(|| team.leader())
    }

    fn allowed(&self, team: &Team, seat: Seat) -> Vec<UtteranceKind> {
        let judges = team.leader() == Some(seat) && !self.is_pair(team);
        if judges { vec![UtteranceKind::Conclude] } else { vec![UtteranceKind::Discuss] }
    }

    fn after(&self, team: &Team, seat: Seat, _: Option<Seat>) -> NextTurn {
        match next_with_turns_left(team, &self.debaters(team), seat, self.rounds) {
            Some(next) => NextTurn::Speaker(next),
            None => NextTurn::Conclude(team.leader().unwrap_or(seat)),
        }
    }
}
