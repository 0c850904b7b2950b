//! Launches a team.

use plexus_domain::{
    Address, ChatId, Digest, Error as Refusal, HubRowId, MessageId, Part, RunId, Text, Timestamp,
    chat::{ChatKind, Title},
    chat_event::Event as ChatEvent,
    message::{Message, MessageState},
    team::{
        LogEntry, Pattern, Proposal, Team, TeamActor, TeamEvent, TeamLimits, TeamSpec, member::Invitee,
        spec::Goal,
    },
};
use plexus_store::{
    Tx, runs,
    teams::{self, TeamState},
};

use super::{log_store, member_roles, orchestrator};
use crate::{
    Caller, Error, Hub, Result,
    caller::{Person, Requester, Scope},
    chats::{
        ChatChangeSet,
        post_message::{ChatRetention, insert_chat},
    },
    limits::Rate,
    quotas,
    views::{Author as Speaker, MessageView},
};

/// Request to launch a team.
#[derive(Clone, Debug)]
pub struct LaunchRequest {
    pub goal: String,
    /// Members. If empty, the hub searches for them.
    pub members: Vec<Address>,
    pub pattern: Pattern,
    pub limits: TeamLimits,
}

impl LaunchRequest {
    /// Request with a goal and defaults otherwise.
    pub fn of(goal: impl Into<String>) -> Self {
        Self {
            goal: goal.into(),
            members: Vec::new(),
            pattern: Pattern::ALL[0],
            limits: TeamLimits::default(),
        }
    }
}

/// Creates a team and starts its orchestrator. The team runs independently of the caller.
pub async fn launch(hub: &Hub, caller: &Caller, launch: LaunchRequest) -> Result<ChatId> {
    let person = caller.may(Scope::Team)?;
    hub.limits().take(Rate::Messages, &caller.key())?;
    launch_for(hub, person, launch, None).await
}

/// Same for an authorized user whose request was rate limited already. The dependency of the run `waits` on
/// the team is stored in the same transaction, so that it continues to wait after a restart.
pub(super) async fn launch_for(
    hub: &Hub,
    person: &Person,
    launch: LaunchRequest,
    waits: Option<RunId>,
) -> Result<ChatId> {
    let goal = Goal::try_from(launch.goal)
        .map_err(|_| Refusal::invalid("goal", "Enter a goal of 1 to 8,000 characters."))?;
    ensure_enough_members(launch.pattern, launch.members.len())?;
    let limits = with_room(launch.limits, launch.members.len())?;
    let requester = Requester::from(person);
    let mut tx = hub.store().write().await?;
    quotas::check_team(hub, &mut tx, person).await?;
    quotas::check_chat(hub, &mut tx, &requester).await?;
    quotas::check_bytes(hub, &mut tx, &requester, &[Part::text(goal.as_str())]).await?;
    let key = log_store::key(hub, &mut tx).await?;
    let home = Text::truncate(&key.public().key_id())
        .ok_or_else(|| Error::Fault(anyhow::anyhow!("a key without an id")))?;
    let title = Title::from_message(goal.as_str());
    let chat =
        insert_chat(hub, &mut tx, person.principal, ChatKind::Team, title, ChatRetention::UntilDeleted)
            .await?;
    let (members, needs) = member_roles::assign(&mut tx, &goal, launch.members).await?;
    let pattern = launch.pattern;
    let charter = TeamSpec { goal, pattern, limits, home, lineage: None, needs, suppress_repeats: true };
    let now = hub.env().now();
    let (team, founding) = Team::create(chat.id, charter, now).map_err(Refusal::from)?;
    let invited = invite(&team, members, now)?;
    let last = invited.last().map_or(0, LogEntry::seq);
    insert(hub, &mut tx, &team).await?;
    if let Some(run) = waits {
        runs::set_remote(&mut tx, run, Some(&team.id().to_string()), None).await?;
    }
    log_store::append(&mut tx, &key, Digest::of(b""), &[vec![founding], invited].concat()).await?;
    let mut change_set = ChatChangeSet::new(&chat);
    change_set.add_message(goal_message(hub, &team, &requester));
    change_set.record(ChatEvent::TeamUpdated { log_seq: last });
    let (account, id) = (Some(person.account), team.id());
    // In a task of its own, so that a cancelled request leaves no committed team without an orchestrator.
    let launched = hub.tasks().spawn({
        let hub = hub.clone();
        async move {
            let committed = change_set.commit(&hub, tx).await?;
            orchestrator::spawn(&hub, id, requester);
            committed.publish(&hub, account).await;
            Ok::<_, Error>(())
        }
    });
    launched.await.map_err(Error::fault)??;
    Ok(id)
}

/// Fails if fewer members are named than the pattern needs. Without names, the hub looks for members.
fn ensure_enough_members(pattern: Pattern, named: usize) -> Result<(), Refusal> {
    if named == 0 || named >= usize::from(pattern.min_members()) {
        return Ok(());
    }
    let words = "A debate needs at least two members. Name another one, or choose another pattern.";
    Err(Refusal::invalid("members", words))
}

/// Ensures that the limits fit all named members.
fn with_room(mut limits: TeamLimits, named: usize) -> Result<TeamLimits, Refusal> {
    if named > usize::from(TeamLimits::MAX_MEMBERS) {
        let words = format!("Name at most {} members.", TeamLimits::MAX_MEMBERS);
        return Err(Refusal::invalid("members", words));
    }
    if named > 0 {
        limits.max_members = limits.max_members.max(u16::try_from(named).unwrap_or(TeamLimits::MAX_MEMBERS));
        limits.rounds = 1;
    }
    limits.quorum = limits.quorum.min(limits.max_members);
    Ok(limits)
}

/// Invites the named members at once.
fn invite(team: &Team, members: Vec<Invitee>, now: Timestamp) -> Result<Vec<LogEntry>, Refusal> {
    if members.is_empty() {
        return Ok(Vec::new());
    }
    let event = TeamEvent::Invited { members };
    let proposal = Proposal { team: team.id(), by: TeamActor::Owner, event, proof: None };
    Ok(team.propose(&proposal, now)?)
}

/// Inserts the row of a team that this instance orchestrates.
pub(super) async fn insert(hub: &Hub, tx: &mut Tx, team: &Team) -> Result<()> {
    let (charter, lineage) = (team.charter(), team.charter().lineage.as_ref());
    let row = teams::Team {
        chat: team.id(),
        goal: charter.goal.as_str().to_owned(),
        pattern: charter.pattern.as_str().to_owned(),
        home_hub: HubRowId::SELF,
        parent: lineage.map(|lineage| lineage.parent),
        depth_left: charter.limits.max_subteam_depth.into(),
        limits: serde_json::to_value(charter.limits).map_err(Error::fault)?,
        state: TeamState::Forming,
        deadline: team.hard_deadline(),
    };
    teams::insert(tx, &row).await?;
    teams::claim(tx, team.id(), hub.process()).await?;
    Ok(())
}

/// Returns the first message of the chat: the goal.
pub(super) fn goal_message(hub: &Hub, team: &Team, requester: &Requester) -> MessageView {
    let id = hub.env().id(MessageId::new);
    let message = Message {
        id,
        seq: 0,
        parent: None,
        lane: 0,
        author: requester.principal,
        run: None,
        state: MessageState::Done,
        created: hub.env().now(),
        parts: vec![Part::text(team.charter().goal.as_str())],
        attributes: None,
    };
    let (author, alternatives) = (Speaker::from(requester), vec![id]);
    MessageView {
        message,
        author,
        run: None,
        alternatives,
        open: Vec::new(),
        status: None,
        mentioned: Vec::new(),
    }
}
