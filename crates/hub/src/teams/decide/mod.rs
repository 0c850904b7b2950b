//! Who decides in a team: the rules, or a model that the operator named for it.
//!
//! A conductor that comes to something that a model decides asks, and goes on; what was chosen comes back as a
//! [`Decision`]. A model chooses out of what the team allows; where it gives nothing that can be used, the rules choose.
//! Nothing here changes a team.

mod model;
mod question;

use std::{collections::HashSet, future::pending, time::Duration};

use plexus_domain::{
    Timestamp,
    run::Usage,
    team::{Seat, Team, Utterance, WorkNo, member::Invitee},
};
use tokio::task::JoinSet;

use self::model::Model;
pub(super) use self::question::{List, Question};
use crate::Hub;

/// What one team asks at once; more waits.
const AT_ONCE: usize = 4;
/// No choice takes longer, nor longer than half of the time until the team's next deadline.
const LONGEST: Duration = Duration::from_mins(1);

/// What is to be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Matter {
    /// Whom to invite.
    Members { round: u8 },
    /// What a member says in its turn.
    Speech { seat: Seat, turn: u32 },
    /// Who helps a member with its assignment.
    Help { work: WorkNo },
}

/// What was chosen, by whomever.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Choice {
    Members(Vec<Invitee>),
    Speech(Utterance),
    /// The members of the team that does it; none where one member does it alone.
    Help(Option<Vec<Invitee>>),
}

pub(super) struct Decision {
    pub matter: Matter,
    pub choice: Choice,
    pub usage: Usage,
}

/// Whose affair a matter is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// The model wants to be asked.
    Asks,
    /// The model is at it, or at too much else.
    Thinks,
    /// The rules decide.
    Leaves,
}

/// Of one team.
pub(super) enum Decider {
    Rules,
    Model(Box<Thinking>),
}

pub(super) struct Thinking {
    model: Model,
    /// What it was asked in this team since the hub started; nothing is asked twice.
    known: HashSet<Matter>,
    open: HashSet<Matter>,
    tasks: JoinSet<Decision>,
}

impl Decider {
    /// As the operator decided.
    pub fn of(hub: &Hub) -> Self {
        let name = hub.config().models.as_ref().and_then(|models| models.for_teams.clone());
        name.map_or(Self::Rules, |name| {
            let model = Model { hub: hub.clone(), name };
            let (known, open, tasks) = (HashSet::new(), HashSet::new(), JoinSet::new());
            Self::Model(Box::new(Thinking { model, known, open, tasks }))
        })
    }

    /// A team that has used up what it may spend is left to the rules, which cost nothing.
    pub fn takes(&self, team: &Team, matter: Matter) -> Taken {
        let Self::Model(thinking) = self else { return Taken::Leaves };
        let left = team.left();
        if thinking.open.contains(&matter) {
            Taken::Thinks
        } else if thinking.known.contains(&matter) || left.tokens == 0 || left.cost_micro == 0 {
            Taken::Leaves
        } else if thinking.open.len() >= AT_ONCE {
            Taken::Thinks
        } else {
            Taken::Asks
        }
    }

    /// Asks the model, for a matter that it [takes](Taken::Asks).
    pub fn ask(&mut self, team: &Team, now: Timestamp, matter: Matter, question: Question) {
        let Self::Model(thinking) = self else { return };
        let time = team.due().map_or(LONGEST, |due| (due.since(now) / 2).min(LONGEST));
        thinking.known.insert(matter);
        thinking.open.insert(matter);
        let model = thinking.model.clone();
        thinking.tasks.spawn(async move {
            let (choice, usage) = model.choose(question, time).await;
            Decision { matter, choice, usage }
        });
    }

    /// The next choice that a model has made; none ever where nothing was asked. May be dropped and called again.
    pub async fn next(&mut self) -> Decision {
        let Self::Model(thinking) = self else { return pending().await };
        loop {
            match thinking.tasks.join_next().await {
                Some(Ok(decision)) => {
                    thinking.open.remove(&decision.matter);
                    return decision;
                }
                // What it was about is left to the rules.
                Some(Err(error)) => {
                    tracing::error!(%error, "a decision broke off");
                    thinking.open.clear();
                }
                None => return pending().await,
            }
        }
    }
}
