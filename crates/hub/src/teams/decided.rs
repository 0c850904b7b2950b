//! Applies a decision to the team's log, if it is still needed.

use plexus_domain::{
    run::Usage,
    team::{Phase, TeamActor, TeamEvent},
};

use super::{
    decision::{CompletedDecision, DecisionResult, DecisionTopic},
    delegation, invite,
    orchestrator::TeamOrchestrator,
    turns,
};
use crate::Result;

/// Records the usage of the decision, then its result.
pub(super) async fn apply(orchestrator: &mut TeamOrchestrator, decision: CompletedDecision) -> Result<()> {
    let CompletedDecision { matter, choice, usage, .. } = decision;
    if usage != Usage::default() {
        orchestrator.propose_lenient(TeamActor::Home, TeamEvent::Decided { usage }).await?;
    }
    match (matter, choice) {
        (DecisionTopic::Members { round }, DecisionResult::Members(members)) => {
            match *orchestrator.team.phase() {
                Phase::Forming { round: now } if now == round => invite::invite(orchestrator, members).await,
                _ => Ok(()),
            }
        }
        (DecisionTopic::Speech { seat, turn }, DecisionResult::Speech(chosen)) => {
            turns::apply_decision(orchestrator, seat, turn, chosen).await
        }
        (DecisionTopic::Help { work }, DecisionResult::Help(members)) => {
            delegation::decided(orchestrator, work, members).await
        }
        (DecisionTopic::Members { .. } | DecisionTopic::Speech { .. } | DecisionTopic::Help { .. }, _) => {
            Ok(())
        }
    }
}
