//! The conductor of a team: the one task that orders its log.

use std::{collections::HashMap, sync::Arc, time::Duration};

use plexus_a2a::keys::SecretKey;
use plexus_domain::{
    ChatId, Error as Refusal, RunId, RunState,
    event::Event as ChatEvent,
    team::{Author, Event, Proposal, Seat, Team, Want, WorkNo},
};
use tokio::{
    select,
    sync::{
        broadcast::{self, error::RecvError},
        mpsc,
    },
    time,
};

use super::{invite, record, room::Request, speak, work};
use crate::{
    Error, Hub, Result,
    caller::Asker,
    live::{Channel, Frame, FrameKind, Topic},
    runs,
};

/// Between two tries while the store refuses, or while all places of the account are taken.
const PAUSE: Duration = Duration::from_secs(2);

/// What a run of the team is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    Work(WorkNo),
    Speech { seat: Seat, turn: u32 },
}

pub(super) struct Conductor {
    pub hub: Hub,
    pub team: Team,
    /// The person who launched it: what members may see and use is theirs.
    pub asker: Asker,
    /// The runs that go on, and what for.
    pub doing: HashMap<RunId, Doing>,
    /// The runs that asked something about their assignment and wait.
    pub asked: HashMap<WorkNo, RunId>,
    key: SecretKey,
    requests: mpsc::Receiver<Request>,
    frames: broadcast::Receiver<Arc<Frame>>,
    _channel: Channel,
}

/// Begins to conduct a team, unless this process does so already.
pub(super) fn begin(hub: &Hub, team: ChatId, asker: Asker) {
    let Some(requests) = hub.teams().open(team) else { return };
    let (hub, tasks) = (hub.clone(), hub.tasks().clone());
    tasks.spawn(async move {
        let conducted = Box::pin(conduct(&hub, team, asker, requests)).await;
        hub.teams().close(team);
        match conducted {
            Ok(()) => {}
            Err(Error::Refused(refusal)) => {
                tracing::warn!(%team, %refusal, "a team is no longer conducted here");
            }
            Err(Error::Fault(fault)) => {
                tracing::error!(%team, error = format!("{fault:#}"), "a team is no longer conducted");
            }
        }
    });
}

async fn conduct(hub: &Hub, team: ChatId, asker: Asker, requests: mpsc::Receiver<Request>) -> Result<()> {
    // Watching begins before anything is read, so no end of a run is missed.
    let channel = hub.live().channels.hold(Topic::Chat(team));
    let frames = channel.watch();
    let mut conn = hub.store().read().await?;
    let (team, key) = (record::replay(&mut conn, team).await?, record::key(hub, &mut conn).await?);
    drop(conn);
    let (hub, doing, asked) = (hub.clone(), HashMap::new(), HashMap::new());
    let conductor = Conductor { hub, team, asker, doing, asked, key, requests, frames, _channel: channel };
    conductor.go_on().await
}

impl Conductor {
    async fn go_on(mut self) -> Result<()> {
        while self.team.outcome().is_none() {
            let met = self.meet_wants().await?;
            if self.team.outcome().is_some() {
                break;
            }
            let now = self.hub.env().now();
            let due = self.team.due().map_or(PAUSE, |due| due.since(now));
            let wait = if met { due } else { due.min(PAUSE) };
            let stop = self.hub.stop().clone();
            select! {
                biased;
                () = stop.cancelled() => return Ok(()),
                request = self.requests.recv() => match request {
                    Some(request) => self.answer(request).await?,
                    None => return Ok(()),
                },
                frame = self.frames.recv() => self.hear(frame).await?,
                () = time::sleep(wait) => self.tick().await?,
            }
        }
        self.stop_what_nobody_wants().await;
        Ok(())
    }

    /// Asks for what is missing. False when something could not be asked for yet and is to be tried again.
    async fn meet_wants(&mut self) -> Result<bool> {
        let mut met = true;
        loop {
            self.stop_what_nobody_wants().await;
            let before = self.team.head();
            for want in self.team.wants() {
                // What was said meanwhile may have changed everything.
                if self.team.head() != before {
                    break;
                }
                met &= self.meet(want).await?;
            }
            if self.team.head() == before || self.team.outcome().is_some() {
                return Ok(met);
            }
        }
    }

    async fn meet(&mut self, want: Want) -> Result<bool> {
        match want {
            Want::Candidates { places } => invite::find(self, places).await,
            Want::Reply { seat } => invite::reply(self, seat).await.map(|()| true),
            Want::Speech { seat, turn } if !self.does(Doing::Speech { seat, turn }) => {
                speak::speak(self, seat, turn).await
            }
            Want::Work { work } if !self.does(Doing::Work(work)) => work::begin(self, work).await,
            // A person answers on the page; time answers otherwise.
            Want::Speech { .. } | Want::Work { .. } | Want::Answer { .. } => Ok(true),
        }
    }

    fn does(&self, what: Doing) -> bool {
        self.doing.values().any(|doing| *doing == what)
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

    async fn answer(&mut self, request: Request) -> Result<()> {
        let done = self.propose(request.by, request.event).await;
        // Whoever asked may have gone.
        let _ = request.done.send(done);
        Ok(())
    }

    async fn hear(&mut self, frame: Result<Arc<Frame>, RecvError>) -> Result<()> {
        match frame {
            Ok(frame) => {
                if let FrameKind::Event { event: ChatEvent::Run { run, state, .. }, .. } = &frame.kind
                    && *state != RunState::Working
                {
                    self.take(*run).await?;
                }
                Ok(())
            }
            // What was missed may have been the end of any of them.
            Err(RecvError::Lagged(_)) => {
                for run in self.doing.keys().copied().collect::<Vec<_>>() {
                    self.take(run).await?;
                }
                Ok(())
            }
            Err(RecvError::Closed) => Err(Refusal::unavailable("The chat of the team is gone.").into()),
        }
    }

    /// Takes in what a run came to, if it has ended.
    async fn take(&mut self, run: RunId) -> Result<()> {
        let Some(doing) = self.doing.get(&run).copied() else { return Ok(()) };
        let Some(result) = work::result(&self.hub, run).await? else { return Ok(()) };
        self.doing.remove(&run);
        match doing {
            Doing::Work(work) => work::report(self, work, run, result).await,
            Doing::Speech { seat, turn } => speak::said(self, seat, turn, result).await,
        }
    }

    /// Ends runs whose assignment or turn is over.
    async fn stop_what_nobody_wants(&mut self) {
        let wants = self.team.wants();
        let wanted = |doing: &Doing| match *doing {
            Doing::Work(no) => self.team.work_item(no).is_some_and(plexus_domain::team::Work::is_open),
            Doing::Speech { seat, turn } => wants.contains(&Want::Speech { seat, turn }),
        };
        let over: Vec<RunId> =
            self.doing.iter().filter(|(_, doing)| !wanted(doing)).map(|(run, _)| *run).collect();
        for run in over {
            self.doing.remove(&run);
            if let Err(error) = end(&self.hub, run).await {
                tracing::warn!(%run, %error, "a run that its team does not need could not be stopped");
            }
        }
    }
}

async fn end(hub: &Hub, run: RunId) -> Result<()> {
    let found = plexus_store::runs::find(&mut hub.store().read().await?, run).await?;
    match found {
        Some(run) => runs::end(hub, &run, None).await,
        None => Ok(()),
    }
}
