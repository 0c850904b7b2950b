//! The conductor of a team: the one task that orders its log.

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

/// Between two tries while the store refuses, or while all places of the account are taken.
const PAUSE: Duration = Duration::from_secs(2);
/// How often runs are looked at of which nothing was heard.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Entries of a log after which its owner may only end the team.
const MOST_ENTRIES: u64 = 10_000;

pub(super) struct Conductor {
    pub hub: Hub,
    pub team: Team,
    /// The person who launched it: what members may see and use is theirs.
    pub asker: Asker,
    /// The runs that go on, and what for.
    pub doing: HashMap<RunId, Doing>,
    /// The runs that asked something about their assignment and wait.
    pub asked: HashMap<WorkNo, RunId>,
    /// The assignments of which it was decided that their members do them alone.
    pub alone: HashSet<WorkNo>,
    /// The team above, as far as its log was read.
    pub above: Option<Team>,
    pub decider: Decider,
    pub key: SecretKey,
    requests: Mailbox,
    frames: broadcast::Receiver<Arc<Frame>>,
    /// Nobody is asked for anything before this moment: it could not be done just now.
    later: Option<time::Instant>,
    _channel: Channel,
}

/// Begins to conduct a team, unless this process does so already. Where the conductor panics, the next one begins from
/// what was committed.
pub(super) fn begin(hub: &Hub, team: ChatId, asker: Asker) {
    let mut first = hub.teams().open(team);
    if first.is_none() {
        return;
    }
    hub.supervise_work("team conductor", move |hub| {
        // After a panic another process, or a look after teams without a conductor, may have been faster.
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

/// A team that has ended needs nobody.
async fn forget(hub: &Hub, team: ChatId) -> Result<()> {
    let mut tx = hub.store().write_bulk().await?;
    teams::leave(&mut tx, team, hub.process()).await?;
    Ok(tx.commit().await?)
}

/// Reads what there is; none where the hub ends before it can be read, or nothing is there any more.
async fn arrive(hub: &Hub, team: ChatId, asker: Asker, requests: Mailbox) -> Option<Conductor> {
    // Watching begins before anything is read, so no end of a run is missed.
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

/// Hears what other processes do in the team from before it is read.
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
    /// Works until the team has ended, whatever the store does meanwhile.
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
            // What was not committed did not happen.
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
            // What time has ended comes first.
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
                // News may have been lost on the way: the store knows.
                () = time::sleep(wait) => {
                    self.catch_up().await?;
                    self.take_all().await?;
                    nest::look(self).await?;
                }
            }
        }
    }

    /// How long nothing has to be looked at.
    fn patience(&self) -> Duration {
        let due = self.team.due().map_or(LOOK_EVERY, |due| due.since(self.hub.env().now()));
        let later = self.later.map_or(due, |later| later.saturating_duration_since(time::Instant::now()));
        let waits = !self.doing.is_empty() || nest::has_kin(&self.team) || self.hub.hints().are_heard();
        let look = if waits { LOOK_EVERY } else { due };
        due.min(later).min(look)
    }

    /// Asks for what is missing. What could not be asked for yet is tried again a little later.
    async fn meet_wants(&mut self) -> Result<()> {
        if self.later.is_some_and(|later| time::Instant::now() < later) {
            return Ok(());
        }
        self.later = None;
        loop {
            self.stop_what_nobody_wants().await;
            let before = self.team.head();
            for want in self.team.wants() {
                // What was said meanwhile may have changed everything.
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
            // A person answers on the page; time answers otherwise.
            Want::Speech { .. } | Want::Work { .. } | Want::Answer { .. } => Ok(true),
        }
    }

    fn does(&self, what: Doing) -> bool {
        self.doing.values().any(|doing| *doing == what)
    }

    /// Whether the member was asked in this turn.
    fn hears(&self, seat: Seat, turn: u32) -> bool {
        let asked = |doing: &Doing| matches!(doing, Doing::Speech(of) if (of.seat, of.turn) == (seat, turn));
        self.doing.values().any(asked)
    }

    /// Asks a model that [takes](Decider::takes) the matter.
    pub fn ask(&mut self, matter: Matter, question: Question) {
        self.decider.ask(&self.team, self.hub.env().now(), matter, question);
    }

    /// Writes something down, or says why it does not happen.
    pub async fn propose(&mut self, by: Author, event: Event) -> Result<()> {
        let proposal = Proposal { team: self.team.id(), by, event, proof: None };
        let entries = self.team.propose(&proposal, self.hub.env().now()).map_err(Refusal::from)?;
        self.team = record::commit(&self.hub, &self.key, &self.team, &entries).await?;
        Ok(())
    }

    /// The same where a refusal means that the team has moved on.
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

    /// Takes in what another process wrote into the log.
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
        // Whoever asked may have gone.
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
            // What was missed may have been the end of any of them.
            Err(RecvError::Lagged(_)) => self.take_all().await,
            Err(RecvError::Closed) => Err(Refusal::not_found("The chat of the team is gone.").into()),
        }
    }
}

/// Why a conductor leaves.
enum Left {
    TeamEnded,
    HubEnds,
}

/// Refuses what would make a log longer that is full. Ending the team is always possible.
pub(super) fn check_room(team: &Team, event: Option<&Event>) -> Result<(), Refusal> {
    if team.head().0 < MOST_ENTRIES || matches!(event, Some(Event::Cancelled { .. })) {
        return Ok(());
    }
    Err(Refusal::conflict("So much has happened in this team that it can only be stopped."))
}
