use serde::{Deserialize, Serialize};

use super::{Kind, Next, Rules, Seat, Team};

/// Pattern: the leader speaks and all others answer in parallel; repeated until the leader concludes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyToAll {}

impl Rules for ReplyToAll {
    fn allowed(&self, team: &Team, seat: Seat) -> Vec<Kind> {
        if team.lead() == Some(seat) {
            vec![Kind::Discuss, Kind::Vote, Kind::Conclude]
        } else {
            vec![Kind::Discuss]
        }
    }

    fn after(&self, team: &Team, seat: Seat, _: Option<Seat>) -> Next {
        let lead = team.lead().unwrap_or(seat);
        let others: std::collections::BTreeSet<Seat> = team.active().filter(|&other| other != lead).collect();
        match others.is_empty() {
            true => Next::Conclude(lead),
            false if seat == lead => Next::Everybody(others),
            false => Next::Floor(lead),
        }
    }
}
