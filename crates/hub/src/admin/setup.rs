//! Next steps after the installation of a hub, for its administrators. A step is done when its result exists.

use plexus_domain::{account::Role, page::PageSize};
use plexus_store::{Conn, admin, agents, chats, teams};

use crate::{
    Caller, Hub, Result,
    accounts::{Preference, has_preference, set_preference},
    backups::last_backup,
    model_providers,
};

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
}

/// Returns the progress for the home page: nothing unless the caller is an administrator who has neither finished nor
/// dismissed the steps.
pub async fn unfinished_setup(hub: &Hub, caller: &Caller) -> Result<Option<SetupProgress>> {
    let Ok(person) = caller.require(Role::Admin) else { return Ok(None) };
    let mut conn = hub.store().read().await?;
    // Checked first: the steps take several queries, and the home page is the one that is opened most.
    if has_preference(&mut conn, person.account, Preference::SetupDismissed).await? {
        return Ok(None);
    }
    drop(conn);
    let progress = setup(hub, caller).await?;
    Ok((progress.done() < progress.steps.len()).then_some(progress))
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
        (SetupStep::Invite, has_invited(&mut conn).await?),
        (SetupStep::JoinNetwork, hub.config().federation.is_some()),
        (SetupStep::BackUp, last_backup(&mut conn).await?.is_some()),
    ];
    let is_dismissed = has_preference(&mut conn, person.account, Preference::SetupDismissed).await?;
    Ok(SetupProgress { steps, is_dismissed })
}

async fn has_invited(conn: &mut Conn) -> Result<bool> {
    Ok(admin::count_people(conn, "").await? > 1 || !admin::invites(conn, 1).await?.is_empty())
}

/// Hides the steps from the caller's home page, or shows them again.
pub async fn set_setup_dismissed(hub: &Hub, caller: &Caller, is_dismissed: bool) -> Result<()> {
    let person = caller.require(Role::Admin)?;
    set_preference(hub, person.account, Preference::SetupDismissed, is_dismissed).await
}
