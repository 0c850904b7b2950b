//! Members whose agent cards declare the team extension. They receive their turn as data, and their data
//! answer is applied as far as the team allows it.

use plexus_a2a::{Card, team_extension};
use plexus_domain::{
    Address, Part, PartBody,
    agent::Connector,
    team::decision::{DecisionError, DecisionRequest, schema},
};
use plexus_store::cards;
use serde_json::json;

use super::orchestrator::TeamOrchestrator;
use crate::{Error, Result, agents};

/// Returns whether the agent at this address supports the team extension.
pub(super) async fn supports_extension(orchestrator: &TeamOrchestrator, address: &Address) -> Result<bool> {
    let mut conn = orchestrator.hub.store().snapshot().await?;
    let version = match agents::resolve_callable(&mut conn, &orchestrator.requester, address).await {
        Ok(reached) => reached.version,
        Err(Error::Refused(_)) => return Ok(false),
        Err(fault) => return Err(fault),
    };
    if !matches!(version.connector, Connector::A2a { .. }) {
        return Ok(false);
    }
    let card = cards::find(&mut conn, &version.card).await?.and_then(|body| Card::read(&body).card);
    Ok(card.is_some_and(|card| card.capabilities.declares(team_extension::TEAM)))
}

/// Builds the turn message: the team from the member's view, its allowed actions,
/// and the error of its last answer.
pub(super) fn build_turn_message(request: &DecisionRequest, problem: Option<&DecisionError>) -> Vec<Part> {
    let seat = request.you.0;
    let words = match problem {
        None => format!("It is your turn, member {seat}."),
        Some(problem) => {
            format!("It is still your turn, member {seat}. What you said cannot be taken: {problem}")
        }
    };
    let mut data =
        json!({ team_extension::MEMBER: team_extension::TEAM, "team": request, "schema": schema(request) });
    if let Some(DecisionError(why)) = problem {
        data["problem"] = json!(why);
    }
    vec![Part::text(words), PartBody::Data { data }.into()]
}
