//! Subteams that members form for their assignments. A subteam's outcome becomes the report of the
//! assignment. If the assignment ends before, the subteam is cancelled.

use plexus_domain::{
    ChatId, Digest, Error as Refusal,
    chat::{ChatKind, Title},
    chat_event::Event as ChatEvent,
    run::Usage,
    team::{
        self, AssignmentNo, LogEntry, LongText, Proposal, ShortText, Team, TeamActor, TeamEvent,
        assignment::{AssignmentOutcome, AssignmentReport},
        member::Invitee,
    },
};
use plexus_store::{
    chats,
    teams::{self, TeamState},
};

use super::{
    launch, log_store,
    mailbox::TeamCommand,
    orchestrator::{self, TeamOrchestrator},
};
use crate::{
    Error, Result,
    chats::{
        ChatChangeSet,
        post_message::{ChatRetention, insert_chat},
    },
};

/// Attempts of an ending orchestrator to collect the reports of subteams.
const LAST_LOOKS: usize = 4;

/// Returns whether a subteam works on the assignment.
pub(super) fn is_below(team: &Team, no: AssignmentNo) -> bool {
    team.assignment(no).is_some_and(|work| work.child.is_some())
}

/// Returns whether there is a parent team or a subteam without a report.
pub(super) fn has_relatives(team: &Team) -> bool {
    team.charter().lineage.is_some() || team.unreported_subteams().next().is_some()
}

/// Creates a subteam and records it in the parent's log, in one transaction.
pub(super) async fn create_subteam(
    orchestrator: &mut TeamOrchestrator,
    by: TeamActor,
    no: AssignmentNo,
    members: Vec<Invitee>,
) -> Result<()> {
    let hub = orchestrator.hub.clone();
    let mut tx = hub.store().write().await?;
    let title = title(&orchestrator.team, no);
    let chat = insert_chat(
        &hub,
        &mut tx,
        orchestrator.requester.principal,
        ChatKind::Team,
        title,
        ChatRetention::UntilDeleted,
    )
    .await?;
    let now = hub.env().now();
    let founded = orchestrator.team.create_subteam(by, no, chat.id, members, now).map_err(Refusal::from)?;
    launch::insert(&hub, &mut tx, &founded.team).await?;
    log_store::append(&mut tx, &orchestrator.key, Digest::of(b""), &founded.log).await?;
    let mut change_set = ChatChangeSet::new(&chat);
    change_set.add_message(launch::goal_message(&hub, &founded.team, &orchestrator.requester));
    change_set.record(ChatEvent::TeamUpdated { log_seq: founded.log.last().map_or(0, LogEntry::seq) });
    change_set.commit_new_chat(&hub, &mut tx).await?;
    orchestrator.team =
        log_store::commit_with(&hub, tx, &orchestrator.key, &orchestrator.team, &founded.parent_log).await?;
    orchestrator.stop_own_run(no).await;
    orchestrator::spawn(&hub, founded.team.id(), orchestrator.requester.clone());
    log_store::notify_ancestors(&hub, &founded.team).await;
    Ok(())
}

/// Returns the subteam's title: that of the assignment, unless the assignment is the whole goal.
fn title(team: &Team, no: AssignmentNo) -> Title {
    let goal = team.charter().goal.as_str();
    let spec = team.assignment(no).map(|work| &work.spec);
    let own = spec.filter(|spec| spec.description.as_str() != goal).map(|spec| spec.title.as_str());
    Title::from_message(own.unwrap_or(goal))
}

/// Reconciles with related teams: collects reports of ended subteams, cancels obsolete subteams, and cancels
/// this team if it is obsolete itself.
pub(super) async fn reconcile(orchestrator: &mut TeamOrchestrator) -> Result<()> {
    let unheard =
        orchestrator.team.unreported_subteams().map(|(no, work, team)| (no, work.to, work.is_open(), team));
    for (no, to, is_open, team) in unheard.collect::<Vec<_>>() {
        if goes_on(orchestrator, team).await? == Some(true) {
            if !is_open {
                // A lost command is harmless: the subteam's orchestrator detects the same when it reconciles.
                orchestrator.hub.teams().try_send(team, TeamCommand::Event(TeamActor::Home, parent_ended()?));
            }
        } else if let Some(report) = outcome(orchestrator, team).await? {
            orchestrator
                .propose_lenient(TeamActor::Seat(to), TeamEvent::Reported { assignment: no, report })
                .await?;
        }
    }
    heed(orchestrator).await
}

/// Updates the usage of subteams that changed after their reports: of subteam `only`, or of all.
pub(super) async fn recount_usage(orchestrator: &mut TeamOrchestrator, only: Option<ChatId>) -> Result<()> {
    let heard = orchestrator.team.subteams().filter(|(.., child)| child.heard.is_some());
    let heard = heard.filter(|(.., child)| only.is_none_or(|team| team == child.team));
    for (no, to, team) in heard.map(|(no, work, child)| (no, work.to, child.team)).collect::<Vec<_>>() {
        if let Some(report) = outcome(orchestrator, team).await? {
            orchestrator
                .propose_lenient(TeamActor::Seat(to), TeamEvent::Reported { assignment: no, report })
                .await?;
        }
    }
    Ok(())
}

/// Returns whether a team is still running; `None` if it does not exist.
async fn goes_on(orchestrator: &TeamOrchestrator, team: ChatId) -> Result<Option<bool>> {
    let state = teams::state(&mut orchestrator.hub.store().read().await?, team).await?;
    Ok(state.map(|state| matches!(state, TeamState::Forming | TeamState::Working)))
}

/// Returns the report of an ended team, or a failure report if it does not exist.
async fn outcome(orchestrator: &TeamOrchestrator, team: ChatId) -> Result<Option<AssignmentReport>> {
    match log_store::replay(&mut orchestrator.hub.store().read().await?, team).await {
        Ok(team) => Ok(team.report_to_parent()),
        Err(Error::Refused(Refusal::NotFound { .. })) => {
            let text = LongText::truncate("The subteam was deleted.");
            Ok(Some(AssignmentReport {
                end: AssignmentOutcome::Failed,
                text,
                usage: Usage::default(),
                subteam_assignments: 0,
            }))
        }
        Err(error) => Err(error),
    }
}

/// Cancels this team if the assignment that it was formed for has ended.
async fn heed(orchestrator: &mut TeamOrchestrator) -> Result<()> {
    let Some(lineage) = orchestrator.team.charter().lineage.clone() else { return Ok(()) };
    if orchestrator.team.outcome().is_some() {
        return Ok(());
    }
    let team = orchestrator.team.id();
    let waits = match above(orchestrator, lineage.parent).await {
        Ok(above) => above
            .assignment(lineage.assignment)
            .is_some_and(|work| work.is_open() && work.child.is_some_and(|child| child.team == team)),
        Err(Error::Refused(Refusal::NotFound { .. })) => false,
        Err(error) => return Err(error),
    };
    if waits { Ok(()) } else { orchestrator.propose_lenient(TeamActor::Home, parent_ended()?).await }
}

/// Returns the current parent team. Only new entries of its log are read.
async fn above(orchestrator: &mut TeamOrchestrator, id: ChatId) -> Result<&Team> {
    let mut conn = orchestrator.hub.store().read().await?;
    let above = match orchestrator.above.take() {
        Some(mut known) => log_store::catch_up(&mut conn, &mut known).await.map(|()| known)?,
        None => log_store::replay(&mut conn, id).await?,
    };
    Ok(orchestrator.above.insert(above))
}

fn parent_ended() -> Result<TeamEvent> {
    let reason = "The parent assignment has ended.";
    Ok(TeamEvent::Cancelled { reason: ShortText::try_from(reason.to_owned())? })
}

/// Finishes an orchestrator: cancels the subteams. If the parent team ended earlier,
/// records the usage of this team there.
pub(super) async fn finish(orchestrator: &mut TeamOrchestrator) {
    if orchestrator.team.outcome().is_none() {
        return;
    }
    let (team, told) = (orchestrator.team.id(), orchestrator.team.log_head());
    if let Err(error) = look_last(orchestrator).await {
        tracing::warn!(%team, %error, "could not cancel subteams");
    }
    if let Err(error) = report_late(orchestrator, told).await {
        tracing::warn!(%team, %error, "subteam usage not recorded in parent team");
    }
}

/// Reconciles a last time. A conflict with a report of a subteam is retried after reading the new entries.
async fn look_last(orchestrator: &mut TeamOrchestrator) -> Result<()> {
    for _ in 1..LAST_LOOKS {
        if look_closely(orchestrator).await.is_ok() {
            return Ok(());
        }
        let mut conn = orchestrator.hub.store().read().await?;
        log_store::catch_up(&mut conn, &mut orchestrator.team).await?;
    }
    look_closely(orchestrator).await
}

async fn look_closely(orchestrator: &mut TeamOrchestrator) -> Result<()> {
    reconcile(orchestrator).await?;
    recount_usage(orchestrator, None).await
}

/// Propagates this team's usage to its nearest running ancestor, whose orchestrator then reads it. The parent
/// was notified already of all entries up to the given one.
async fn report_late(orchestrator: &TeamOrchestrator, told: (u64, Digest)) -> Result<()> {
    let mut team = orchestrator.team.clone();
    while let Some(lineage) = team.charter().lineage.clone() {
        if goes_on(orchestrator, lineage.parent).await? == Some(true) {
            if team.id() != orchestrator.team.id() || team.log_head() != told {
                log_store::notify_ancestors(&orchestrator.hub, &team).await;
            }
            return Ok(());
        }
        let Some(above) = write_above(orchestrator, &team, lineage.parent).await? else { return Ok(()) };
        team = above;
    }
    Ok(())
}

/// Records the subteam's usage in an ended parent team. Returns the parent's new state; `None` if it does not
/// exist or has recorded this already.
async fn write_above(orchestrator: &TeamOrchestrator, team: &Team, above: ChatId) -> Result<Option<Team>> {
    let (hub, Some(report)) = (&orchestrator.hub, team.report_to_parent()) else { return Ok(None) };
    let mut tx = hub.store().write().await?;
    // Other subteams may report at the same time: read the log under the lock.
    if chats::lock(&mut tx, above).await?.is_none() {
        return Ok(None);
    }
    let above = log_store::replay(&mut tx, above).await?;
    let Some((no, work, _)) = above.subteams().find(|(.., child)| child.team == team.id()) else {
        return Ok(None);
    };
    let event = TeamEvent::Reported { assignment: no, report };
    let proposal = Proposal { team: above.id(), by: TeamActor::Seat(work.to), event, proof: None };
    let entries = match above.propose(&proposal, hub.env().now()) {
        Ok(entries) => entries,
        Err(team::TeamError::Already) => return Ok(None),
        Err(refusal) => return Err(Refusal::from(refusal).into()),
    };
    log_store::commit_with(hub, tx, &orchestrator.key, &above, &entries).await.map(Some)
}
