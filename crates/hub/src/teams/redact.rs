//! Redacts a team view for holders of a share link: removes failure reasons (they may contain internal
//! addresses) and replaces the names of members that are not publicly listed by "Member N".

use std::collections::HashMap;

use plexus_domain::{Address, team::assignment::AssignmentOutcome};
use plexus_store::{
    Conn,
    agents::{self, AgentState},
};

use super::{TeamArtifact, TeamState, TeamView};
use crate::Result;

/// Returns the redacted view, and the replaced names with their replacements.
pub(super) async fn redact(
    conn: &mut Conn,
    mut view: TeamView,
) -> Result<(TeamView, HashMap<String, String>)> {
    let mut called = HashMap::new();
    for member in &mut view.members {
        member.reason = None;
        if !is_public(conn, &member.name).await? {
            let number = format!("Member {}", u32::from(member.seat.0) + 1);
            called.insert(std::mem::replace(&mut member.name, number.clone()), number);
            member.seed = None;
        }
    }
    // The owner wrote the reason for the members only.
    view.failure.take_if(|_| view.state == TeamState::Cancelled);
    for work in &mut view.assignments {
        let ended_without = AssignmentOutcome::ALL.iter().filter(|end| **end != AssignmentOutcome::Completed);
        work.text.take_if(|_| ended_without.map(|end| end.as_str()).any(|word| word == work.state));
    }
    Ok((view, called))
}

/// Replaces the same names in the artifacts.
pub(super) fn redact_artifacts(artifacts: &mut [TeamArtifact], called: &HashMap<String, String>) {
    for artifact in artifacts {
        if let Some(instead) = called.get(&artifact.by) {
            artifact.by.clone_from(instead);
        }
    }
}

async fn is_public(conn: &mut Conn, name: &str) -> Result<bool> {
    let Ok(address) = name.parse::<Address>() else { return Ok(false) };
    let found = agents::at(conn, &address).await?;
    Ok(found.is_some_and(|agent| agent.is_listed() && agent.state == AgentState::Active))
}
