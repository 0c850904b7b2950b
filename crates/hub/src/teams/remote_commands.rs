//! Commands to a team that another instance orchestrates. They are written to its log here, and its
//! orchestrator continues from there.

use plexus_domain::{
    ChatId, Error as Refusal,
    team::{Proposal, TeamActor, TeamEvent},
};

use super::{log_store, mailbox::TeamCommand, orchestrator::ensure_log_capacity};
use crate::{Error, Hub, Result};

/// Attempts to append while other writers conflict.
const TRIES: usize = 5;

/// Sends a command to a team on any instance. Returns after it was applied or rejected.
pub(crate) async fn send_command(hub: &Hub, team: ChatId, command: TeamCommand) -> Result<()> {
    if hub.teams().has(team) || !hub.cluster_notifier().has_peers() {
        return hub.teams().send(team, command).await;
    }
    match command {
        TeamCommand::Event(by, event) => write(hub, team, by, event).await,
        TeamCommand::FormSubteam { .. } => {
            let words = "Another instance of this hub runs this team, and only that instance can form its \
                subteams. Try again, or leave the assignment to its member.";
            Err(Refusal::unavailable(words).into())
        }
    }
}

async fn write(hub: &Hub, team: ChatId, by: TeamActor, event: TeamEvent) -> Result<()> {
    let proposal = Proposal { team, by, event, proof: None };
    let mut tries = 1;
    loop {
        match try_write(hub, &proposal).await {
            Err(Error::Refused(Refusal::Unavailable { .. })) if tries < TRIES => tries += 1,
            done => return done,
        }
    }
}

async fn try_write(hub: &Hub, proposal: &Proposal) -> Result<()> {
    let mut conn = hub.store().read().await?;
    let (team, key) =
        (log_store::replay(&mut conn, proposal.team).await?, log_store::key(hub, &mut conn).await?);
    drop(conn);
    ensure_log_capacity(&team, Some(&proposal.event))?;
    let entries = team.propose(proposal, hub.env().now()).map_err(Refusal::from)?;
    log_store::commit(hub, &key, &team, &entries).await.map(drop)
}
