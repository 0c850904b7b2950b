//! Quotas: how much an account and the whole hub may store. Deletion frees quota.
//!
//! Everything in a chat counts against the account that created it, including answers of agents: only that
//! account can delete it. Anonymous callers share a quota, and so do the users of each remote hub.
//!
//! A quota is checked in the transaction that stores, which does not see concurrent writes on Postgres. So an
//! account may exceed its quota by the amount of its concurrent writes.

mod bytes;
mod ledger;
mod usage;

use plexus_domain::{AgentId, Error as Refusal};
pub use plexus_store::usage::Top;
use plexus_store::{Conn, agents, stars, teams, usage as rows, webhooks};

pub(crate) use self::{
    bytes::{check_answer, check_bytes, check_chat, check_files, check_message, check_unsent, forget},
    ledger::Ledger,
};
pub use self::{
    bytes::{check_room, in_units},
    usage::{Used, used},
};
use crate::{Hub, Result, caller::Person, limits};

/// The quotas of a hub; `None` is unlimited.
#[derive(Clone, Copy, Debug)]
pub struct Quotas {
    pub agents: u64,
    pub agents_total: Option<u64>,
    /// Versions of all agents of an account, including deleted ones. Each has a card of at most 256 KiB.
    pub versions: u64,
    /// Bytes of the chats of an account, including files.
    pub bytes: u64,
    pub bytes_total: Option<u64>,
    /// Bytes of all anonymous callers together.
    pub bytes_anonymous: u64,
    /// Bytes of all users of one remote hub, or of all hubs on probation.
    pub bytes_per_hub: u64,
    pub chats: u64,
    pub stars: u64,
    /// Unfinished registrations of agents.
    pub drafts: u64,
    pub tokens: u64,
    /// Webhooks of all tasks of an account.
    pub webhooks: u64,
    /// Teams that work concurrently.
    pub teams: u64,
}

const GIB: u64 = 1 << 30;

impl Default for Quotas {
    fn default() -> Self {
        Self {
            agents: 100,
            agents_total: None,
            versions: 2_000,
            bytes: GIB,
            bytes_total: None,
            bytes_anonymous: GIB,
            bytes_per_hub: GIB,
            chats: 50_000,
            stars: 500,
            drafts: 30,
            tokens: 50,
            webhooks: 1_000,
            teams: 20,
        }
    }
}

/// Counts and returns a quota refusal with a message on what to do.
pub(crate) fn over(quota: &'static str, used: u64, limit: u64, message: String) -> Refusal {
    limits::refused(quota);
    Refusal::OverQuota { message, quota: quota.to_owned(), used, limit }
}

/// Refuses one more item if `used` has reached the limit.
fn one_more(quota: &'static str, used: u64, limit: u64, what: &str, remedy: &str) -> Result<(), Refusal> {
    if used < limit {
        return Ok(());
    }
    let message = format!("Your account has {used} of at most {limit} {what}. {remedy}");
    Err(over(quota, used, limit, message))
}

/// Checks the quotas of the account and of the hub for another agent.
pub(crate) async fn check_agent(hub: &Hub, conn: &mut Conn, person: &Person) -> Result<()> {
    let quotas = &hub.config().quotas;
    let used = rows::agents(conn, person.namespace).await?;
    let remedy = "Delete one that you do not need, or ask an administrator of this hub for more.";
    one_more("agents", used, quotas.agents, "agents", remedy)?;
    if let Some(limit) = quotas.agents_total {
        let used = rows::agents_total(conn).await?;
        if used >= limit {
            let message =
                format!("This hub has {used} of at most {limit} agents. Contact its administrators.");
            return Err(over("agents_total", used, limit, message).into());
        }
    }
    Ok(())
}

/// Checks the quota of the agent's owner for another version. The agent's row must exist.
pub(crate) async fn check_version(hub: &Hub, conn: &mut Conn, agent: AgentId) -> Result<()> {
    let Some(namespace) = agents::find(conn, agent).await?.and_then(|agent| agent.namespace) else {
        return Ok(());
    };
    let used = rows::versions(conn, namespace).await?;
    let remedy = "Versions of deleted agents count. Ask an administrator of this hub for more.";
    Ok(one_more("versions", used, hub.config().quotas.versions, "versions of agents", remedy)?)
}

/// Checks the quota of an account for another unfinished registration.
pub(crate) async fn check_draft(hub: &Hub, conn: &mut Conn, person: &Person) -> Result<()> {
    let used = rows::drafts(conn, person.account).await?;
    let remedy = "Finish or discard one, or wait: each expires a week after its last step.";
    Ok(one_more("drafts", used, hub.config().quotas.drafts, "registrations that are not finished", remedy)?)
}

/// Checks the quota of an account for another API token.
pub(crate) async fn check_token(hub: &Hub, conn: &mut Conn, person: &Person) -> Result<()> {
    let used = rows::tokens(conn, person.account).await?;
    let remedy = "Revoke a token that you do not use.";
    Ok(one_more("tokens", used, hub.config().quotas.tokens, "tokens", remedy)?)
}

/// Checks whether the star that was just inserted exceeds the quota. The account row must be locked.
pub(crate) async fn check_stars(hub: &Hub, conn: &mut Conn, person: &Person) -> Result<()> {
    let with_it = stars::count_by_account(conn, person.account).await?;
    let remedy = "Remove a star first.";
    Ok(one_more("stars", with_it.saturating_sub(1), hub.config().quotas.stars, "stars", remedy)?)
}

/// Checks the quota of an account for another team.
pub(crate) async fn check_team(hub: &Hub, conn: &mut Conn, person: &Person) -> Result<()> {
    let used = teams::count_open(conn, person.principal).await?;
    let remedy = "Wait for a team to end, or cancel one.";
    Ok(one_more("teams", used, hub.config().quotas.teams, "teams at work", remedy)?)
}

/// Checks the quota of an account for another webhook.
pub(crate) async fn check_webhook(hub: &Hub, conn: &mut Conn, person: &Person) -> Result<()> {
    let used = webhooks::count_by_caller(conn, person.principal).await?;
    let remedy = "Delete some, or the chats of the tasks that they belong to.";
    Ok(one_more("webhooks", used, hub.config().quotas.webhooks, "webhooks", remedy)?)
}
