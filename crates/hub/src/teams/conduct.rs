//! Orchestrator of a team: the one task that orders the team's log.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use plexus_a2a::keys::SecretKey;
use plexus_domain::{
    ChatId, Error as Refusal, RunId, RunState,
    event::Event as ChatEvent,
    team::{Author, Event, Proposal, Seat, Team, Want, WorkNo},
};
use plexus_store::teams;
use tokio::{
    select,
    sync::broadcast::{self, error::RecvError},
    time,
};

use super::{
    decide::{Decider, Matter, Question},
    decided,
    doing::Doing,
    help::{self, Way},
    invite, nest, record,
    room::{Mailbox, Request, Wish},
    speak, work,
};
use crate::{
    Error, Hub, Result,
    caller::Asker,
    live::{Channel, Frame, FrameKind, Topic},
};

/// Retry interval after a store error, or while the account has no free run slots.
const PAUSE: Duration = Duration::from_secs(2);
/// Poll interval for runs without notifications.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Maximum length of a log. After that the owner can only cancel the team.
const MOST_ENTRIES: u64 = 10_000;

pub(super) struct Conductor {
    pub hub: Hub,
    pub team: Team,
    /// User who launched the team. Members see and use what this user may see and use.
    pub asker: Asker,
    /// Active runs of the orchestrator with their purposes.
    pub doing: HashMap<RunId, Doing>,
    /// Runs that wait for the answer to a question about their assignment.
    pub asked: HashMap<WorkNo, RunId>,
    /// Assignments that their members do alone, as decided.
    pub alone: HashSet<WorkNo>,
    /// Parent team, up to the last log entry that was read.
    pub above: Option<Team>,
    pub decider: Decider,
    pub key: SecretKey,
    requests: Mailbox,
    frames: broadcast::Receiver<Arc<Frame>>,
    /// No new actions before this instant, after an action could not be started.
    later: Option<time::Instant>,
    _channel: Channel,
}

/// Starts the orchestrator of a team, unless this instance runs it already. After a panic it is
/// restarted from the committed log.
pub(super) fn begin(hub: &Hub, team: ChatId, asker: Asker) {
    let mut first = hub.teams().open(team);
    if first.is_none() {
        return;
    }
    hub.supervise_work("team conductor", move |hub| {
        // After a panic another instance, or the recovery of orphaned teams, may have
        // registered a mailbox first (race).
        let requests = first.take().or_else(|| hub.teams().open(team));
        let asker = asker.clone();
        async move {
            if let Some(requests) = requests {
                Box::pin(conduct(&hub, team, asker, requests)).await;
            }
        }
    });
}

async fn conduct(hub: &Hub, team: ChatId, asker: Asker, requests: Mailbox) {
    if let Some(mut conductor) = Box::pin(arrive(hub, team, asker, requests)).await {
        Box::pin(conductor.conduct()).await;
        if conductor.team.outcome().is_some()
            && let Err(error) = forget(hub, team).await
        {
            tracing::warn!(%team, %error, "a team that has ended keeps its conductor's name");
        }
    }
}

/// Releases the claim of this instance on a team that has ended.
async fn forget(hub: &Hub, team: ChatId) -> Result<()> {
    let mut tx = hub.store().write_bulk().await?;
    teams::leave(&mut tx, team, hub.process()).await?;
    Ok(tx.commit().await?)
}

/// Loads the team. Returns `None` if the team does not exist, or if the hub stops before it can be read.
async fn arrive(hub: &Hub, team: ChatId, asker: Asker, requests: Mailbox) -> Option<Conductor> {
    // Subscribe before the first read, so that no run result is missed (race).
    let channel = hub.live().channels.hold(Topic::Chat(team));
    let frames = channel.watch();
    let (team, asked, key) = loop {
        match arrived(hub, team, &channel).await {
            Ok(read) => break read,
            Err(Error::Refused(Refusal::NotFound { .. })) => return None,
            Err(error) => tracing::warn!(%team, %error, "a team cannot be read yet"),
        }
        hub.stop().run_until_cancelled(time::sleep(PAUSE)).await?;
    };
    let (doing, alone) = (HashMap::new(), HashSet::new());
    Some(Conductor {
        hub: hub.clone(),
        team,
        asker,
        doing,
        asked,
        alone,
        above: None,
        decider: Decider::of(hub),
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
) -> Result<(Team, HashMap<WorkNo, RunId>, SecretKey)> {
    hub.mirror().follow(hub, channel).await?;
    let team = read(hub, team).await?;
    let mut conn = hub.store().read().await?;
    let asked = work::find_asked(&mut conn, &team).await?;
    Ok((team, asked, record::key(hub, &mut conn).await?))
}

async fn read(hub: &Hub, team: ChatId) -> Result<Team> {
    record::replay(&mut hub.store().read().await?, team).await
}

impl Conductor {
    /// Runs until the team has ended. Errors are retried.
    async fn conduct(&mut self) {
        let team = self.team.id();
        loop {
            let error = match self.go_on().await {
                Ok(Left::HubEnds) => return,
                Ok(Left::TeamEnded) => break,
                Err(Error::Refused(refusal @ (Refusal::NotFound { .. } | Refusal::Forbidden { .. }))) => {
                    tracing::info!(%team, %refusal, "a team is no longer conducted here");
                    break;
                }
                Err(error) => error,
            };
            tracing::warn!(%team, %error, "a team could not go on for the moment");
            if self.hub.stop().run_until_cancelled(time::sleep(PAUSE)).await.is_none() {
                return;
            }
            // Discard in-memory changes that were not committed: reload the team.
            if let Ok(known) = read(&self.hub, team).await {
                self.team = known;
            }
        }
        self.stop_all().await;
        nest::leave(self).await;
    }

    async fn go_on(&mut self) -> Result<Left> {
        nest::look(self).await?;
        loop {
            // Expired deadlines are applied first.
            self.tick().await?;
            self.meet_wants().await?;
            if self.team.outcome().is_some() {
                return Ok(Left::TeamEnded);
            }
            let wait = self.patience();
            let ends = self.hub.stop().clone();
            select! {
                biased;
                () = ends.cancelled() => return Ok(Left::HubEnds),
                request = self.requests.recv() => match request {
                    Some(request) => self.answer(request).await?,
                    None => return Ok(Left::HubEnds),
                },
                frame = self.frames.recv() => self.hear(frame).await?,
                decision = self.decider.next() => decided::take(self, decision).await?,
                // Notifications may have been lost; poll the store.
                () = time::sleep(wait) => {
                    self.catch_up().await?;
                    self.take_all().await?;
                    nest::look(self).await?;
                }
            }
        }
    }

    /// Returns the time until the next deadline, retry or poll.
    fn patience(&self) -> Duration {
        let due = self.team.due().map_or(LOOK_EVERY, |due| due.since(self.hub.env().now()));
        let later = self.later.map_or(due, |later| later.saturating_duration_since(time::Instant::now()));
        let waits = !self.doing.is_empty() || nest::has_kin(&self.team) || self.hub.hints().are_heard();
        let look = if waits { LOOK_EVERY } else { due };
        due.min(later).min(look)
    }

    /// Starts the pending actions of the team. Those that cannot be started are retried after a pause.
    async fn meet_wants(&mut self) -> Result<()> {
        if self.later.is_some_and(|later| time::Instant::now() < later) {
            return Ok(());
        }
        self.later = None;
        loop {
            self.stop_what_nobody_wants().await;
            let before = self.team.head();
            for want in self.team.wants() {
                // A new log entry may have changed the pending actions.
                if self.team.head() != before {
                    break;
                }
                if !self.meet(want).await? {
                    self.later = Some(time::Instant::now() + PAUSE);
                }
            }
            if self.team.head() == before || self.team.outcome().is_some() {
                return Ok(());
            }
        }
    }

    async fn meet(&mut self, want: Want) -> Result<bool> {
        match want {
            Want::Candidates { places } => invite::find(self, places).await,
            Want::Reply { seat } => invite::reply(self, seat).await.map(|()| true),
            Want::Speech { seat, turn } if !self.hears(seat, turn) => speak::speak(self, seat, turn).await,
            Want::Work { work } if !self.does(Doing::Work(work)) && !nest::is_below(&self.team, work) => {
                match help::consider(self, work).await? {
                    Way::Alone => work::begin(self, work).await,
                    Way::ByTeam | Way::Open => Ok(true),
                }
            }
            // Answers come from the owner on the team page; otherwise the deadline applies.
            Want::Speech { .. } | Want::Work { .. } | Want::Answer { .. } => Ok(true),
        }
    }

    fn does(&self, what: Doing) -> bool {
        self.doing.values().any(|doing| *doing == what)
    }

    /// Returns whether the member was asked in this turn.
    fn hears(&self, seat: Seat, turn: u32) -> bool {
        let asked = |doing: &Doing| matches!(doing, Doing::Speech(of) if (of.seat, of.turn) == (seat, turn));
        self.doing.values().any(asked)
    }

    /// Sends a question to the model, for a topic that is [routed](Decider::takes) to it.
    pub fn ask(&mut self, matter: Matter, question: Question) {
        self.decider.ask(&self.team, self.hub.env().now(), matter, question);
    }

    /// Appends an event to the log; an error if the team does not allow it.
    pub async fn propose(&mut self, by: Author, event: Event) -> Result<()> {
        let proposal = Proposal { team: self.team.id(), by, event, proof: None };
        let entries = self.team.propose(&proposal, self.hub.env().now()).map_err(Refusal::from)?;
        self.team = record::commit(&self.hub, &self.key, &self.team, &entries).await?;
        Ok(())
    }

    /// Appends an event, but ignores a rejection because the team's state has changed meanwhile.
    pub async fn note(&mut self, by: Author, event: Event) -> Result<()> {
        match self.propose(by, event).await {
            Err(Error::Refused(refusal @ Refusal::Conflict { .. })) => {
                tracing::debug!(team = %self.team.id(), %refusal, "said too late");
                Ok(())
            }
            done => done,
        }
    }

    async fn tick(&mut self) -> Result<()> {
        let entry = self.team.tick(self.hub.env().now()).map_err(Refusal::from)?;
        if let Some(entry) = entry {
            self.team = record::commit(&self.hub, &self.key, &self.team, &[entry]).await?;
        }
        Ok(())
    }

    /// Applies log entries that another instance wrote.
    async fn catch_up(&mut self) -> Result<()> {
        if !self.hub.hints().are_heard() {
            return Ok(());
        }
        record::catch_up(&mut self.hub.store().read().await?, &mut self.team).await
    }

    async fn grant(&mut self, wish: Wish) -> Result<()> {
        match wish {
            Wish::Event(by, event) => {
                check_room(&self.team, Some(&event))?;
                self.propose(by, event).await
            }
            Wish::Nest { work, members } => {
                check_room(&self.team, None)?;
                help::nest(self, work, members).await
            }
        }
    }

    async fn answer(&mut self, request: Request) -> Result<()> {
        let done = self.grant(request.wish).await;
        // The requester may have been cancelled.
        let _ = request.done.send(done);
        Ok(())
    }

    async fn hear(&mut self, frame: Result<Arc<Frame>, RecvError>) -> Result<()> {
        match frame {
            Ok(frame) => match &frame.kind {
                FrameKind::Event { event: ChatEvent::Run { run, state, .. }, .. }
                    if *state != RunState::Working =>
                {
                    self.take(*run).await
                }
                FrameKind::Event { event: ChatEvent::Below { team, .. }, .. } => {
                    nest::look(self).await?;
                    nest::recount(self, Some(*team)).await
                }
                FrameKind::Event { event: ChatEvent::Team { entry }, .. } if *entry > self.team.head().0 => {
                    self.catch_up().await
                }
                _ => Ok(()),
            },
            // The missed frames may have contained the result of any run.
            Err(RecvError::Lagged(_)) => self.take_all().await,
            Err(RecvError::Closed) => Err(Refusal::not_found("The chat of the team is gone.").into()),
        }
    }
}

/// Reason why an orchestrator stops.
enum Left {
    TeamEnded,
    HubEnds,
}

/// Fails if the log is full. Cancelling the team is always possible.
pub(super) fn check_room(team: &Team, event: Option<&Event>) -> Result<(), Refusal> {
    if team.head().0 < MOST_ENTRIES || matches!(event, Some(Event::Cancelled { .. })) {
        return Ok(());
    }
    Err(Refusal::conflict("So much has happened in this team that it can only be stopped."))
}
