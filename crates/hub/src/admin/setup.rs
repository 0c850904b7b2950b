//! Next steps after the installation of a hub, for its administrators. A step is done when its result exists.

use plexus_domain::{Timestamp, account::Role, page::PageSize};
use plexus_store::{Conn, accounts, admin, admin::RowRange, agents, audit, audit::AuditFilter, chats, teams};
use serde_json::{Value, json};

use super::TODAY;
use crate::{Caller, Hub, Result, backups::BACKUP_COMPLETE, caller::Person, model_providers};

/// Account preference: the administrator has dismissed the steps.
const DISMISSED: &str = "setup_dismissed";

/// A step of the setup, in the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupStep {
    ConnectModel,
    Chat,
    AddAgent,
    LaunchTeam,
    Invite,
    JoinNetwork,
    BackUp,
}

/// Progress of the setup.
#[derive(Clone, Debug)]
pub struct SetupProgress {
    /// Each step, and whether it is done.
    pub steps: Vec<(SetupStep, bool)>,
    pub is_dismissed: bool,
}

impl SetupProgress {
    pub fn done(&self) -> usize {
        self.steps.iter().filter(|(_, is_done)| *is_done).count()
    }

    /// Returns whether the steps should be offered: they are neither all done nor dismissed.
    pub fn is_open(&self) -> bool {
        !self.is_dismissed && self.done() < self.steps.len()
    }
}

/// Returns the progress of the setup, as far as it can be seen in the hub's data.
pub async fn setup(hub: &Hub, caller: &Caller) -> Result<SetupProgress> {
    let person = caller.require(Role::Admin)?;
    let has_models = model_providers::availability(hub).await?.has_models;
    let mut conn = hub.store().snapshot().await?;
    let has_agents =
        !agents::page_by_namespace(&mut conn, person.namespace, None, PageSize::new(1)?).await?.is_empty();
    let steps = vec![
        (SetupStep::ConnectModel, has_models),
        (SetupStep::Chat, chats::count_by_member(&mut conn, person.principal).await? > 0),
        (SetupStep::AddAgent, has_agents),
        (SetupStep::LaunchTeam, !teams::list_by_member(&mut conn, person.principal, 1).await?.is_empty()),
        (SetupStep::Invite, has_invited(hub, &mut conn).await?),
        (SetupStep::JoinNetwork, hub.config().federation.is_some()),
        (SetupStep::BackUp, last_backup(&mut conn).await?.is_some()),
    ];
    Ok(SetupProgress { steps, is_dismissed: is_dismissed(&mut conn, person).await? })
}

async fn has_invited(hub: &Hub, conn: &mut Conn) -> Result<bool> {
    let counts = admin::counts(conn, hub.env().now() - TODAY).await?;
    Ok(counts.accounts > 1 || !admin::invites(conn, 1).await?.is_empty())
}

/// Returns when the last complete backup was written.
pub(super) async fn last_backup(conn: &mut Conn) -> Result<Option<Timestamp>> {
    let filter = AuditFilter { actor: "", action: BACKUP_COMPLETE };
    let entries = audit::slice(conn, filter, RowRange { skip: 0, take: 1 }).await?;
    Ok(entries.first().map(|entry| entry.recorded_at))
}

async fn is_dismissed(conn: &mut Conn, person: &Person) -> Result<bool> {
    let account = accounts::find(conn, person.account).await?;
    Ok(account.is_some_and(|account| account.prefs.get(DISMISSED) == Some(&Value::Bool(true))))
}

/// Hides the steps from the caller's home page, or shows them again.
pub async fn set_setup_dismissed(hub: &Hub, caller: &Caller, is_dismissed: bool) -> Result<()> {
    let person = caller.require(Role::Admin)?;
    let mut tx = hub.store().write().await?;
    if let Some(account) = accounts::find(&mut tx, person.account).await? {
        let mut prefs = account.prefs;
        prefs[DISMISSED] = json!(is_dismissed);
        accounts::set_prefs(&mut tx, person.account, &prefs).await?;
    }
    Ok(tx.commit().await?)
}
