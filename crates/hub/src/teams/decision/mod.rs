//! Decisions in a team: made by rules, or by the model that the operator configured for teams.
//!
//! The orchestrator sends a question and does not wait. The result arrives later as a [`CompletedDecision`]. A
//! model can only choose among what the team allows. If its answer is unusable, the rules decide.
//! This module never changes a team.

mod model;
mod prompt;

use std::{
    collections::HashSet,
    future::pending,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use plexus_domain::{
    Timestamp,
    run::Usage,
    team::{AssignmentNo, Seat, Team, Utterance, member::Invitee},
};
use tokio::task::JoinSet;

use self::model::DecisionModel;
pub(super) use self::prompt::{CandidateList, DecisionPrompt};
use crate::Hub;

/// Concurrent questions per team; further ones wait.
const AT_ONCE: usize = 4;
/// Decisions without a valid answer, one after the other, after which a model is not asked any more.
const MAX_USELESS: u8 = 2;
/// Timeout of a decision. Half of the time until the team's next deadline applies if that is shorter.
const MAX_DURATION: Duration = Duration::from_mins(1);

/// Topic of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum DecisionTopic {
    /// Members to invite.
    Members { round: u8 },
    /// Utterance of a member in its turn.
    Speech { seat: Seat, turn: u32 },
    /// Helpers of a member for its assignment.
    Help { work: AssignmentNo },
}

/// Result of a decision by the model or the rules.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DecisionResult {
    Members(Vec<Invitee>),
    Speech(Utterance),
    /// Members of the subteam; `None` if the member works alone.
    Help(Option<Vec<Invitee>>),
}

pub(super) struct CompletedDecision {
    pub matter: DecisionTopic,
    pub choice: DecisionResult,
    pub usage: Usage,
    /// False if the rules chose, because the model gave no valid answer.
    pub by_model: bool,
}

/// Route of a decision: model, pending or rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecisionRoute {
    /// Send the question to the model.
    Asks,
    /// The model is working on it, or has no capacity.
    Thinks,
    /// The rules decide.
    Leaves,
}

/// Decision maker of one team.
pub(super) enum DecisionMaker {
    Rules,
    Model(Box<PendingDecision>),
}

pub(super) struct PendingDecision {
    model: DecisionModel,
    /// Topics sent to the model since the orchestrator started. Each is sent once.
    known: HashSet<DecisionTopic>,
    open: HashSet<DecisionTopic>,
    /// Decisions in a row without a valid answer. After [`MAX_USELESS`] the rules decide the rest.
    useless: u8,
    tasks: JoinSet<CompletedDecision>,
}

impl DecisionMaker {
    /// Returns the decision maker that the operator configured.
    pub fn of(hub: &Hub) -> Self {
        let name = hub.config().models.for_teams.clone();
        name.map_or(Self::Rules, |name| {
            let model =
                DecisionModel { hub: hub.clone(), name, takes_schema: Arc::new(AtomicBool::new(true)) };
            let (known, open, tasks) = (HashSet::new(), HashSet::new(), JoinSet::new());
            Self::Model(Box::new(PendingDecision { model, known, open, useless: 0, tasks }))
        })
    }

    /// Returns the route of a decision. Teams without remaining budget use the rules, which cost nothing.
    pub fn routes_to_model(&self, team: &Team, matter: DecisionTopic) -> DecisionRoute {
        let Self::Model(thinking) = self else { return DecisionRoute::Leaves };
        let left = team.remaining();
        if thinking.open.contains(&matter) {
            DecisionRoute::Thinks
        } else if thinking.known.contains(&matter)
            || thinking.useless >= MAX_USELESS
            || left.tokens == 0
            || left.cost_micro == 0
        {
            DecisionRoute::Leaves
        } else if thinking.open.len() >= AT_ONCE {
            DecisionRoute::Thinks
        } else {
            DecisionRoute::Asks
        }
    }

    /// Sends a question to the model, for a topic that is [routed](DecisionRoute::Asks) to it.
    pub fn ask(&mut self, team: &Team, now: Timestamp, matter: DecisionTopic, question: DecisionPrompt) {
        let Self::Model(thinking) = self else { return };
        let time = team.due().map_or(MAX_DURATION, |due| (due.since(now) / 2).min(MAX_DURATION));
        thinking.known.insert(matter);
        thinking.open.insert(matter);
        let model = thinking.model.clone();
        thinking.tasks.spawn(async move { model.choose(matter, question, time).await });
    }

    /// Returns the next decision of the model; pending while there is none. Cancel-safe.
    pub async fn next(&mut self) -> CompletedDecision {
        let Self::Model(thinking) = self else { return pending().await };
        loop {
            match thinking.tasks.join_next().await {
                Some(Ok(decision)) => {
                    thinking.open.remove(&decision.matter);
                    thinking.useless = if decision.by_model { 0 } else { thinking.useless.saturating_add(1) };
                    return decision;
                }
                // The rules decide the affected topics.
                Some(Err(error)) => {
                    tracing::error!(%error, "team decision task failed; falling back to rules");
                    thinking.open.clear();
                }
                None => return pending().await,
            }
        }
    }
}
