//! Orchestrator of a team: the one task that orders the team's log.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use plexus_a2a::keys::SecretKey;
use plexus_domain::{
    ChatId, Error as Refusal, RunId, RunState,
    chat_event::Event as ChatEvent,
    team::{AssignmentNo, PendingAction, Proposal, Seat, Team, TeamActor, TeamEvent},
};
use plexus_store::teams;
use tokio::{
    select,
    sync::broadcast::{self, error::RecvError},
    time,
};

use super::{
    active_runs::RunPurpose,
    assignments, decided,
    decision::{DecisionMaker, DecisionPrompt, DecisionTopic},
    delegation::{self, ExecutionMode},
    invite, log_store,
    mailbox::{Mailbox, TeamCommand, TeamCommandRequest},
    subteams, turns,
};
use crate::{
    Error, Hub, Result,
    caller::Requester,
    streaming::{Channel, FrameKind, StreamFrame, Topic},
};

/// Retry interval after a store error, or while the account has no free run slots.
const PAUSE: Duration = Duration::from_secs(2);
/// Poll interval for runs without notifications.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum length of a log. After that the owner can only cancel the team.
const MAX_ENTRIES: u64 = 10_000;

pub(super) struct TeamOrchestrator {
    pub hub: Hub,
    pub team: Team,
    /// User who launched the team. Members see and use what this user may see and use.
    pub requester: Requester,
    /// Active runs of the orchestrator with their purposes.
    pub doing: HashMap<RunId, RunPurpose>,
    /// Runs that wait for the answer to a question about their assignment.
    pub asked: HashMap<AssignmentNo, RunId>,
    /// Assignments that their members do alone, as decided.
    pub alone: HashSet<AssignmentNo>,
    /// Parent team, up to the last log entry that was read.
    pub above: Option<Team>,
    pub decision_maker: DecisionMaker,
    pub key: SecretKey,
    requests: Mailbox,
    frames: broadcast::Receiver<Arc<StreamFrame>>,
    /// No new actions before this instant, after an action could not be started.
    later: Option<time::Instant>,
    _channel: Channel,
}

/// Starts the orchestrator of a team, unless this instance runs it already. After a panic it is
/// restarted from the committed log.
pub(super) fn spawn(hub: &Hub, team: ChatId, requester: Requester) {
    let mut first = hub.teams().register(team);
    if first.is_none() {
        return;
    }
    hub.supervise_work("team conductor", move |hub| {
        // After a panic another instance, or the recovery of orphaned teams, may have
        // registered a mailbox first (race).
        let requests = first.take().or_else(|| hub.teams().register(team));
        let requester = requester.clone();
        async move {
            if let Some(requests) = requests {
                Box::pin(conduct(&hub, team, requester, requests)).await;
            }
        }
    });
}

async fn conduct(hub: &Hub, team: ChatId, requester: Requester, requests: Mailbox) {
    if let Some(mut orchestrator) = Box::pin(arrive(hub, team, requester, requests)).await {
        Box::pin(orchestrator.conduct()).await;
        if orchestrator.team.outcome().is_some()
            && let Err(error) = forget(hub, team).await
        {
            tracing::warn!(%team, %error, "could not release orchestrator claim");
        }
    }
}

/// Releases the claim of this instance on a team that has ended.
async fn forget(hub: &Hub, team: ChatId) -> Result<()> {
    let mut tx = hub.store().write_background().await?;
    teams::release_claim(&mut tx, team, hub.process()).await?;
    Ok(tx.commit().await?)
}

/// Loads the team. Returns `None` if the team does not exist, or if the hub stops before it can be read.
async fn arrive(
    hub: &Hub,
    team: ChatId,
    requester: Requester,
    requests: Mailbox,
) -> Option<TeamOrchestrator> {
    // Subscribe before the first read, so that no run result is missed (race).
    let channel = hub.live().channels.acquire(Topic::Chat(team));
    let frames = channel.subscribe();
    let (team, asked, key) = loop {
        match arrived(hub, team, &channel).await {
            Ok(read) => break read,
            Err(Error::Refused(Refusal::NotFound { .. })) => return None,
            Err(error) => tracing::warn!(%team, %error, "team log could not be read; will retry"),
        }
        hub.stop().run_until_cancelled(time::sleep(PAUSE)).await?;
    };
    let (doing, alone) = (HashMap::new(), HashSet::new());
    Some(TeamOrchestrator {
        hub: hub.clone(),
        team,
        requester,
        doing,
        asked,
        alone,
        above: None,
        decision_maker: DecisionMaker::of(hub),
        key,
        requests,
        frames,
        later: None,
        _channel: channel,
    })
}

/// Mirrors the chat and reads the team. Mirroring starts first, so that no change
/// by another instance is missed.
async fn arrived(
    hub: &Hub,
    team: ChatId,
    channel: &Channel,
) -> Result<(Team, HashMap<AssignmentNo, RunId>, SecretKey)> {
    hub.mirror().mirror_chat(hub, channel).await?;
    let team = read(hub, team).await?;
    let mut conn = hub.store().read().await?;
    let asked = assignments::find_open_questions(&mut conn, &team).await?;
    Ok((team, asked, log_store::key(hub, &mut conn).await?))
}

async fn read(hub: &Hub, team: ChatId) -> Result<Team> {
    log_store::replay(&mut hub.store().read().await?, team).await
}

impl TeamOrchestrator {
    /// Runs until the team has ended. Errors are retried.
    async fn conduct(&mut self) {
        let team = self.team.id();
        loop {
            let error = match self.go_on().await {
                Ok(OrchestratorExit::HubEnds) => return,
                Ok(OrchestratorExit::TeamEnded) => break,
                Err(Error::Refused(refusal @ (Refusal::NotFound { .. } | Refusal::Forbidden { .. }))) => {
                    tracing::info!(%team, error = %refusal, "orchestrator stopped: access refused");
                    break;
                }
                Err(error) => error,
            };
            tracing::warn!(%team, %error, "team step failed; will retry");
            if self.hub.stop().run_until_cancelled(time::sleep(PAUSE)).await.is_none() {
                return;
            }
            // Discard in-memory changes that were not committed: reload the team.
            if let Ok(known) = read(&self.hub, team).await {
                self.team = known;
            }
        }
        self.stop_all().await;
        subteams::finish(self).await;
    }

    async fn go_on(&mut self) -> Result<OrchestratorExit> {
        subteams::reconcile(self).await?;
        loop {
            // Expired deadlines are applied first.
            self.tick().await?;
            self.meet_wants().await?;
            if self.team.outcome().is_some() {
                return Ok(OrchestratorExit::TeamEnded);
            }
            let wait = self.patience();
            let ends = self.hub.stop().clone();
            select! {
                biased;
                () = ends.cancelled() => return Ok(OrchestratorExit::HubEnds),
                request = self.requests.recv() => match request {
                    Some(request) => self.answer(request).await?,
                    None => return Ok(OrchestratorExit::HubEnds),
                },
                frame = self.frames.recv() => self.hear(frame).await?,
                decision = self.decision_maker.next() => decided::apply(self, decision).await?,
                // Notifications may have been lost; poll the store.
                () = time::sleep(wait) => {
                    self.catch_up().await?;
                    self.collect_results().await?;
                    subteams::reconcile(self).await?;
                }
            }
        }
    }

    /// Returns the time until the next deadline, retry or poll.
    fn patience(&self) -> Duration {
        let due = self.team.due().map_or(POLL_INTERVAL, |due| due.since(self.hub.env().now()));
        let later = self.later.map_or(due, |later| later.saturating_duration_since(time::Instant::now()));
        let waits = !self.doing.is_empty()
            || subteams::has_relatives(&self.team)
            || self.hub.cluster_notifier().has_peers();
        let look = if waits { POLL_INTERVAL } else { due };
        due.min(later).min(look)
    }

    /// Starts the pending actions of the team. Those that cannot be started are retried after a pause.
    async fn meet_wants(&mut self) -> Result<()> {
        if self.later.is_some_and(|later| time::Instant::now() < later) {
            return Ok(());
        }
        self.later = None;
        loop {
            self.stop_obsolete_runs().await;
            let before = self.team.log_head();
            for want in self.team.pending_actions() {
                // A new log entry may have changed the pending actions.
                if self.team.log_head() != before {
                    break;
                }
                if !self.meet(want).await? {
                    self.later = Some(time::Instant::now() + PAUSE);
                }
            }
            if self.team.log_head() == before || self.team.outcome().is_some() {
                return Ok(());
            }
        }
    }

    async fn meet(&mut self, want: PendingAction) -> Result<bool> {
        match want {
            PendingAction::Candidates { places } => invite::invite_candidates(self, places).await,
            PendingAction::Reply { seat } => invite::answer_invitation(self, seat).await.map(|()| true),
            PendingAction::Speech { seat, turn } if !self.hears(seat, turn) => {
                turns::request_utterance(self, seat, turn).await
            }
            PendingAction::Work { work }
                if !self.does(RunPurpose::Work(work)) && !subteams::is_below(&self.team, work) =>
            {
                match delegation::choose_execution(self, work).await? {
                    ExecutionMode::Alone => assignments::begin(self, work).await,
                    ExecutionMode::ByTeam | ExecutionMode::Open => Ok(true),
                }
            }
            // Answers come from the owner on the team page; otherwise the deadline applies.
            PendingAction::Speech { .. } | PendingAction::Work { .. } | PendingAction::Answer { .. } => {
                Ok(true)
            }
        }
    }

    fn does(&self, what: RunPurpose) -> bool {
        self.doing.values().any(|doing| *doing == what)
    }

    /// Returns whether the member was asked in this turn.
    fn hears(&self, seat: Seat, turn: u32) -> bool {
        let asked = |doing: &RunPurpose| matches!(doing, RunPurpose::Speech(of) if (of.seat, of.turn) == (seat, turn));
        self.doing.values().any(asked)
    }

    /// Sends a question to the model, for a topic that is [routed](DecisionMaker::routes_to_model) to it.
    pub fn ask(&mut self, matter: DecisionTopic, question: DecisionPrompt) {
        self.decision_maker.ask(&self.team, self.hub.env().now(), matter, question);
    }

    /// Appends an event to the log; an error if the team does not allow it.
    pub async fn propose(&mut self, by: TeamActor, event: TeamEvent) -> Result<()> {
        let proposal = Proposal { team: self.team.id(), by, event, proof: None };
        let entries = self.team.propose(&proposal, self.hub.env().now()).map_err(Refusal::from)?;
        self.team = log_store::commit(&self.hub, &self.key, &self.team, &entries).await?;
        Ok(())
    }

    /// Appends an event, but ignores a rejection because the team's state has changed meanwhile.
    pub async fn propose_lenient(&mut self, by: TeamActor, event: TeamEvent) -> Result<()> {
        match self.propose(by, event).await {
            Err(Error::Refused(refusal @ Refusal::Conflict { .. })) => {
                tracing::debug!(team = %self.team.id(), error = %refusal, "team event dropped: outdated");
                Ok(())
            }
            done => done,
        }
    }

    async fn tick(&mut self) -> Result<()> {
        let entry = self.team.tick(self.hub.env().now()).map_err(Refusal::from)?;
        if let Some(entry) = entry {
            self.team = log_store::commit(&self.hub, &self.key, &self.team, &[entry]).await?;
        }
        Ok(())
    }

    /// Applies log entries that another instance wrote.
    async fn catch_up(&mut self) -> Result<()> {
        if !self.hub.cluster_notifier().has_peers() {
            return Ok(());
        }
        log_store::catch_up(&mut self.hub.store().read().await?, &mut self.team).await
    }

    async fn grant(&mut self, command: TeamCommand) -> Result<()> {
        match command {
            TeamCommand::Event(by, event) => {
                ensure_log_capacity(&self.team, Some(&event))?;
                self.propose(by, event).await
            }
            TeamCommand::FormSubteam { assignment, members } => {
                ensure_log_capacity(&self.team, None)?;
                delegation::form_subteam_for_owner(self, assignment, members).await
            }
        }
    }

    async fn answer(&mut self, request: TeamCommandRequest) -> Result<()> {
        let done = self.grant(request.command).await;
        // The requester may have been cancelled.
        let _ = request.done.send(done);
        Ok(())
    }

    async fn hear(&mut self, frame: Result<Arc<StreamFrame>, RecvError>) -> Result<()> {
        match frame {
            Ok(frame) => match &frame.kind {
                FrameKind::Event { event: ChatEvent::RunUpdated { run, state, .. }, .. }
                    if *state != RunState::Working =>
                {
                    self.collect_result(*run).await
                }
                FrameKind::Event { event: ChatEvent::SubteamState { team, .. }, .. } => {
                    subteams::reconcile(self).await?;
                    subteams::recount_usage(self, Some(*team)).await
                }
                FrameKind::Event { event: ChatEvent::TeamUpdated { log_seq }, .. }
                    if *log_seq > self.team.log_head().0 =>
                {
                    self.catch_up().await
                }
                _ => Ok(()),
            },
            // The missed frames may have contained the result of any run.
            Err(RecvError::Lagged(_)) => self.collect_results().await,
            Err(RecvError::Closed) => Err(Refusal::not_found("The chat of the team was deleted.").into()),
        }
    }
}

/// Reason why an orchestrator stops.
enum OrchestratorExit {
    TeamEnded,
    HubEnds,
}

/// Fails if the log is full. Cancelling the team is always possible.
pub(super) fn ensure_log_capacity(team: &Team, event: Option<&TeamEvent>) -> Result<(), Refusal> {
    if team.log_head().0 < MAX_ENTRIES || matches!(event, Some(TeamEvent::Cancelled { .. })) {
        return Ok(());
    }
    Err(Refusal::conflict("The team log is full (10,000 entries). The team can only be cancelled."))
}
