//! Federation driver: passes network events to the engine and executes the engine's effects on network and
//! store.

use std::{panic::resume_unwind, pin::pin, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use plexus_domain::{Digest, Timestamp};
use tokio::{
    sync::{Semaphore, mpsc, oneshot},
    task::{JoinError, JoinSet},
    time::{MissedTickBehavior, interval, sleep, timeout},
};

use super::{
    actor_api::{self, ActorCommand, ActorHandle, ActorStopped, PersistedNetState},
    cbor::MAX_RECORD_BYTES,
    latency::{LatencySample, LatencyTimer},
};
use crate::{
    HubId,
    engine::{self, Effect, Engine, HubReport, PeerResponse, SearchQuery},
    record::{MAX_SKEW, Tag},
};

/// Capacity of the command queue. Senders wait for space.
pub const ORDERS: usize = 256;
const TICK: Duration = Duration::from_secs(1);
/// Maximum concurrent reads for peers.
const READS: usize = 4;
/// Maximum running and waiting reads. Requests that need a further one are refused.
const MAX_READS: usize = 64;
/// Timeout of a read: the requester has given up by then.
const READ_TIME: Duration = Duration::from_secs(10);
/// Timeout of a read that blocks the driver loop.
const READ_TIME_IN_LOOP: Duration = Duration::from_secs(1);

/// Store and environment that the driver needs from the hub.
pub trait EngineStore: Send {
    type Error: std::error::Error + Send + 'static;

    fn now(&self) -> Timestamp;

    /// Executes effects that concern only the hub: storing, purging, visibility, search results,
    /// notifications. They are atomic and applied in order. Gossip is propagated only afterwards.
    fn perform(&mut self, effects: Vec<Effect>) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Reports a latency sample, for metrics only.
    fn measured(&mut self, measured: LatencySample) {
        _ = measured;
    }

    /// Persists network state.
    fn keep(&mut self, kept: Vec<PersistedNetState>) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Returns a reader for concurrent reads for peers. Without one, the driver reads in its loop by
    /// [`EngineStore::bodies`] and [`EngineStore::find`], blocks meanwhile, and drops those futures after one second.
    fn reader(&self) -> Option<Arc<dyn EngineReader<Self::Error>>> {
        None
    }

    /// Returns the stored listings of `hub` with these hashes, byte for byte, as many as fit into `limit`
    /// bytes.
    fn bodies(
        &mut self,
        hub: HubId,
        hashes: Vec<Digest>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Vec<u8>>, Self::Error>> + Send;

    /// Returns this hub's own matching listings, as many as fit into `limit` bytes.
    fn find(
        &mut self,
        query: SearchQuery,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Vec<u8>>, Self::Error>> + Send;
}

/// Concurrent reads of the hub's store. Futures that take too long are dropped.
pub trait EngineReader<E>: Send + Sync {
    /// Like [`EngineStore::bodies`].
    fn bodies(&self, hub: HubId, hashes: Vec<Digest>, limit: usize)
    -> BoxFuture<'_, Result<Vec<Vec<u8>>, E>>;

    /// Like [`EngineStore::find`].
    fn find(&self, query: SearchQuery, limit: usize) -> BoxFuture<'_, Result<Vec<Vec<u8>>, E>>;
}

/// A command of the hub to its driver.
#[derive(Debug)]
pub enum DriverCommand {
    /// An engine event of this hub: a listing was published, a rule was set, a search was started.
    Event(Box<engine::Event>),
    /// Set the tags of this hub's agents (the complete list).
    Provide(Vec<Tag>),
    /// Report the replication status of these hubs, as far as they are known.
    Report { hubs: Vec<HubId>, tell: oneshot::Sender<Vec<HubReport>> },
}

/// Why the driver ended.
#[derive(Debug, thiserror::Error)]
pub enum DriverError<E: std::error::Error> {
    /// Engine and store may differ now: the driver must be restarted from the stored state.
    #[error("Data from the federation could not be stored. {0}")]
    Home(E),
    /// Times that were read before lie in the future: the engine must be restarted from the stored state.
    #[error("The clock was set back by {} s.", .0.as_secs())]
    ClockSetBack(Duration),
    #[error(transparent)]
    Net(#[from] ActorStopped),
}

/// Joins engine, network and store.
pub struct Driver<H: EngineStore> {
    core: Engine,
    home: H,
    net: ActorHandle,
    events: mpsc::Receiver<actor_api::ActorEvent>,
    orders: mpsc::Receiver<DriverCommand>,
    reads: JoinSet<Result<(), DriverError<H::Error>>>,
    turns: Arc<Semaphore>,
}

/// A read for a peer.
enum ReadRequest {
    Bodies { hub: HubId, hashes: Vec<Digest> },
    Found(SearchQuery),
}

/// What the records of a read are used for.
enum ReadPurpose {
    /// A response. The hub's own head and record precede the records, if present.
    Answer {
        id: u64,
        said: Vec<Vec<u8>>,
    },
    Offer {
        to: HubId,
        head: Option<Vec<u8>>,
    },
}

impl<H: EngineStore> Driver<H> {
    pub fn new(
        core: Engine,
        home: H,
        net: ActorHandle,
        events: mpsc::Receiver<actor_api::ActorEvent>,
        orders: mpsc::Receiver<DriverCommand>,
    ) -> Self {
        let (reads, turns) = (JoinSet::new(), Arc::new(Semaphore::new(READS)));
        Self { core, home, net, events, orders, reads, turns }
    }

    /// Runs until all command senders are dropped.
    ///
    /// # Errors
    /// When the store fails, or the network has stopped.
    pub async fn run(mut self) -> Result<(), DriverError<H::Error>> {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut latest = self.home.now();
        loop {
            let now = self.home.now();
            if latest > now + MAX_SKEW {
                return Err(DriverError::ClockSetBack(latest.since(now)));
            }
            latest = latest.max(now);
            let wakes = self.core.wakes();
            let mut alarm = pin!(sleep(wakes.map_or(TICK, |at| at.since(now))));
            let event = tokio::select! {
                event = self.events.recv() => match event {
                    Some(event) => self.hear(event).await?,
                    None => return Err(ActorStopped.into()),
                },
                order = self.orders.recv() => match order {
                    Some(DriverCommand::Event(event)) => Some(*event),
                    Some(DriverCommand::Provide(tags)) => {
                        self.net.order(ActorCommand::Provide(tags)).await?;
                        None
                    }
                    Some(DriverCommand::Report { hubs, tell }) => {
                        let reports = hubs.into_iter().filter_map(|hub| self.core.report(hub, now));
                        // The requester may have given up.
                        _ = tell.send(reports.collect());
                        None
                    }
                    None => return Ok(()),
                },
                Some(read) = self.reads.join_next() => {
                    ended(read)?;
                    None
                }
                _ = ticks.tick() => Some(engine::Event::Tick),
                () = &mut alarm, if wakes.is_some() => Some(engine::Event::Tick),
            };
            if let Some(event) = event {
                self.handle(event).await?;
            }
        }
    }

    /// Converts a network event into an engine event, if it concerns the engine.
    async fn hear(
        &mut self,
        event: actor_api::ActorEvent,
    ) -> Result<Option<engine::Event>, DriverError<H::Error>> {
        Ok(Some(match event {
            actor_api::ActorEvent::Keep(kept) => {
                self.home.keep(kept).await.map_err(DriverError::Home)?;
                return Ok(None);
            }
            actor_api::ActorEvent::Listening(_) => return Ok(None),
            actor_api::ActorEvent::Connected(hub) => engine::Event::Connected(hub),
            actor_api::ActorEvent::Disconnected(hub) => engine::Event::Disconnected(hub),
            actor_api::ActorEvent::Gossip { from, message, bytes } => {
                engine::Event::Gossip { from, message, bytes }
            }
            actor_api::ActorEvent::Asked { from, id, request } => engine::Event::Asked { from, id, request },
            actor_api::ActorEvent::Answered { from, id, answer } => {
                engine::Event::Answered { from, id, answer }
            }
            actor_api::ActorEvent::Failed { from, id } => engine::Event::Failed { from, id },
            actor_api::ActorEvent::Offered { from, id, records } => {
                self.handle(engine::Event::Offered { from, records }).await?;
                self.net.order(ActorCommand::Noted { id }).await?;
                return Ok(None);
            }
            actor_api::ActorEvent::LookedUp(took) => {
                self.home.measured(LatencySample::DhtLookup(took));
                return Ok(None);
            }
            actor_api::ActorEvent::Providers { search, hubs } => engine::Event::Providers { search, hubs },
            // The record carries its hub's own signature, so it counts as offered by that hub, whichever peer
            // stored it.
            actor_api::ActorEvent::FoundHub(record) => {
                engine::Event::Offered { from: record.body().hub, records: vec![record.encode()] }
            }
        }))
    }

    /// Passes an event to the engine and executes the resulting effects.
    async fn handle(&mut self, event: engine::Event) -> Result<(), DriverError<H::Error>> {
        if changes_rules(&event) {
            self.net.order(ActorCommand::Forgive).await?;
        }
        let by_gossip = matches!(event, engine::Event::Gossip { .. });
        let effects = self.core.handle(event, self.home.now());
        let (outward, inward): (Vec<Effect>, Vec<Effect>) = effects.into_iter().partition(is_outward);
        for effect in &inward {
            match effect {
                Effect::Accuse(accusation) => self.net.order(ActorCommand::Blame(accusation.accused)).await?,
                Effect::StoreHub(record) => self.net.order(ActorCommand::Described(record.clone())).await?,
                Effect::Unnamed { tag, hubs } => {
                    let tag = tag.as_str();
                    tracing::warn!(
                        tag,
                        hubs,
                        "tag lookup: the DHT returned none of the hubs that have agents with this tag"
                    );
                }
                _ => {}
            }
        }
        if !inward.is_empty() {
            let timings = LatencyTimer::of(&inward, by_gossip);
            self.home.perform(inward).await.map_err(DriverError::Home)?;
            let now = self.home.now();
            timings.into_iter().for_each(|timing| self.home.measured(timing.end(now)));
        }
        for effect in outward {
            self.send(effect).await?;
        }
        Ok(())
    }

    /// Executes an effect that concerns the network.
    async fn send(&mut self, effect: Effect) -> Result<(), DriverError<H::Error>> {
        let command = match effect {
            Effect::Judge { message, verdict } => ActorCommand::Judge { message, verdict },
            Effect::Announce(record) => ActorCommand::Announce(record),
            Effect::Ask { peer, id, request } => ActorCommand::Ask { peer, id, request },
            Effect::Reply { id, answer, .. } => ActorCommand::Reply { id, answer },
            Effect::Refuse { id, .. } => ActorCommand::Refuse { id },
            Effect::Disconnect(hub) => ActorCommand::Disconnect(hub),
            Effect::FindProviders { search, tag } => ActorCommand::FindProviders { search, tag },
            Effect::ReplyBodies { id, hub, hashes, .. } => {
                return self
                    .read(ReadRequest::Bodies { hub, hashes }, ReadPurpose::Answer { id, said: Vec::new() })
                    .await;
            }
            Effect::ReplyFound { id, said, query, .. } => {
                return self.read(ReadRequest::Found(query), ReadPurpose::Answer { id, said }).await;
            }
            Effect::Offer { to, hub, head, hashes } => {
                return self.read(ReadRequest::Bodies { hub, hashes }, ReadPurpose::Offer { to, head }).await;
            }
            _ => return Ok(()),
        };
        Ok(self.net.order(command).await?)
    }

    /// Reads from the store, concurrently if the hub supports it, and sends the records.
    async fn read(&mut self, read: ReadRequest, purpose: ReadPurpose) -> Result<(), DriverError<H::Error>> {
        let Some(reader) = self.home.reader() else {
            let records = timeout(READ_TIME_IN_LOOP, read.by_home(&mut self.home)).await;
            return sent(&self.net, purpose, records.ok().transpose().map_err(DriverError::Home)?).await;
        };
        // Offers are bounded by the running sync rounds; only requests of peers are unbounded.
        if self.reads.len() >= MAX_READS && matches!(purpose, ReadPurpose::Answer { .. }) {
            return sent(&self.net, purpose, None).await;
        }
        let (net, turns) = (self.net.clone(), self.turns.clone());
        self.reads.spawn(async move {
            let turn = turns.acquire().await;
            let records = timeout(READ_TIME, read.by(&*reader)).await;
            drop(turn);
            sent(&net, purpose, records.ok().transpose().map_err(DriverError::Home)?).await
        });
        Ok(())
    }
}

impl ReadRequest {
    async fn by_home<H: EngineStore>(self, home: &mut H) -> Result<Vec<Vec<u8>>, H::Error> {
        match self {
            Self::Bodies { hub, hashes } => home.bodies(hub, hashes, MAX_RECORD_BYTES).await,
            Self::Found(query) => home.find(query, MAX_RECORD_BYTES).await,
        }
    }

    async fn by<E>(self, reader: &dyn EngineReader<E>) -> Result<Vec<Vec<u8>>, E> {
        match self {
            Self::Bodies { hub, hashes } => reader.bodies(hub, hashes, MAX_RECORD_BYTES).await,
            Self::Found(query) => reader.find(query, MAX_RECORD_BYTES).await,
        }
    }
}

/// Sends the records of a read. `None` refuses a request; in an offer only the head is sent.
async fn sent<E: std::error::Error>(
    net: &ActorHandle,
    purpose: ReadPurpose,
    records: Option<Vec<Vec<u8>>>,
) -> Result<(), DriverError<E>> {
    let command = match (purpose, records) {
        (ReadPurpose::Answer { id, said }, Some(records)) => {
            let records = said.into_iter().chain(records).collect();
            ActorCommand::Reply { id, answer: PeerResponse::Records(records) }
        }
        (ReadPurpose::Answer { id, .. }, None) => ActorCommand::Refuse { id },
        (ReadPurpose::Offer { to, head }, records) => {
            let records = head.into_iter().chain(records.into_iter().flatten()).collect();
            ActorCommand::Offer { to, records }
        }
    };
    Ok(net.order(command).await?)
}

/// Returns the error of a finished read, and propagates its panic.
fn ended<E: std::error::Error>(
    read: Result<Result<(), DriverError<E>>, JoinError>,
) -> Result<(), DriverError<E>> {
    match read {
        Ok(ended) => ended,
        Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
        Err(_) => Ok(()),
    }
}

/// Returns whether the network executes the effect, possibly with stored records.
const fn is_outward(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Judge { .. }
            | Effect::Announce(_)
            | Effect::Ask { .. }
            | Effect::Reply { .. }
            | Effect::Refuse { .. }
            | Effect::Disconnect(_)
            | Effect::FindProviders { .. }
            | Effect::ReplyBodies { .. }
            | Effect::ReplyFound { .. }
            | Effect::Offer { .. }
    )
}

/// Returns whether the event may unblock a hub.
const fn changes_rules(event: &engine::Event) -> bool {
    use engine::Event::{DomainProved, ModeSet, RuleRemoved, RuleSet, RulesReplaced};
    matches!(
        event,
        ModeSet(_) | RuleSet { .. } | RuleRemoved { .. } | RulesReplaced { .. } | DomainProved { .. }
    )
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use plexus_a2a::keys::SecretKey;

    use super::*;
    use crate::engine::{
        PeerRequest,
        policy::{AdmissionMode, Policy},
    };

    const START: Timestamp = Timestamp::from_millis(1_000_000);

    /// A store whose reads finish when the test releases them.
    struct Slow {
        reads: Option<Arc<Semaphore>>,
        kept: mpsc::Sender<usize>,
    }

    struct Beside(Arc<Semaphore>);

    impl EngineStore for Slow {
        type Error = Infallible;

        fn now(&self) -> Timestamp {
            START
        }

        async fn perform(&mut self, _: Vec<Effect>) -> Result<(), Infallible> {
            Ok(())
        }

        async fn keep(&mut self, kept: Vec<PersistedNetState>) -> Result<(), Infallible> {
            _ = self.kept.send(kept.len()).await;
            Ok(())
        }

        fn reader(&self) -> Option<Arc<dyn EngineReader<Infallible>>> {
            Some(Arc::new(Beside(self.reads.clone()?)))
        }

        async fn bodies(&mut self, _: HubId, _: Vec<Digest>, _: usize) -> Result<Vec<Vec<u8>>, Infallible> {
            std::future::pending().await
        }

        async fn find(&mut self, _: SearchQuery, _: usize) -> Result<Vec<Vec<u8>>, Infallible> {
            std::future::pending().await
        }
    }

    impl EngineReader<Infallible> for Beside {
        fn bodies(
            &self,
            _: HubId,
            _: Vec<Digest>,
            _: usize,
        ) -> BoxFuture<'_, Result<Vec<Vec<u8>>, Infallible>> {
            Box::pin(std::future::pending())
        }

        fn find(&self, query: SearchQuery, _: usize) -> BoxFuture<'_, Result<Vec<Vec<u8>>, Infallible>> {
            Box::pin(async move {
                let place = self.0.acquire().await;
                place.into_iter().for_each(tokio::sync::SemaphorePermit::forget);
                Ok(vec![query.text.into_bytes()])
            })
        }
    }

    struct Run {
        events: mpsc::Sender<actor_api::ActorEvent>,
        commands: mpsc::Receiver<ActorCommand>,
        kept: mpsc::Receiver<usize>,
        _orders: mpsc::Sender<DriverCommand>,
    }

    fn hub(n: u8) -> HubId {
        SecretKey::from_seed(&[n; 32]).public().into()
    }

    fn start(reads: Option<Arc<Semaphore>>) -> Run {
        let ((net, commands), (tell, kept)) = (ActorHandle::new(), mpsc::channel(8));
        let ((events, told), (orders, inbox)) = (mpsc::channel(512), mpsc::channel(1));
        let core = Engine::new(SecretKey::from_seed(&[1; 32]), Policy::new(AdmissionMode::Open), START);
        let driver = Driver::new(core, Slow { reads, kept: tell }, net, told, inbox);
        tokio::spawn(driver.run());
        Run { events, commands, kept, _orders: orders }
    }

    impl Run {
        async fn search(&self, id: u64) {
            let from = hub(u8::try_from(id / 4).unwrap() + 2);
            let query = SearchQuery { text: id.to_string(), tags: Vec::new(), limit: 5 };
            self.events
                .send(actor_api::ActorEvent::Asked { from, id, request: PeerRequest::Find(query) })
                .await
                .unwrap();
        }

        /// Returns the next response or refusal, with its records.
        async fn answer(&mut self) -> (u64, Option<Vec<Vec<u8>>>) {
            loop {
                match self.commands.recv().await.unwrap() {
                    ActorCommand::Reply { id, answer: PeerResponse::Records(records) } => {
                        return (id, Some(records));
                    }
                    ActorCommand::Refuse { id } => return (id, None),
                    _ => {}
                }
            }
        }
    }

    #[tokio::test]
    async fn searches_of_peers_hold_up_nothing_and_are_bounded() {
        let reads = Arc::new(Semaphore::new(0));
        let mut run = start(Some(reads.clone()));
        for id in 0..MAX_READS as u64 + 3 {
            run.search(id).await;
        }
        for id in MAX_READS as u64..MAX_READS as u64 + 3 {
            assert_eq!(run.answer().await, (id, None), "as many wait as may");
        }
        run.events.send(actor_api::ActorEvent::Keep(Vec::new())).await.unwrap();
        assert_eq!(run.kept.recv().await, Some(0), "the loop goes on");
        reads.add_permits(MAX_READS);
        let mut answered = Vec::new();
        for _ in 0..MAX_READS {
            let (id, records) = run.answer().await;
            assert_eq!(records, Some(vec![id.to_string().into_bytes()]));
            answered.push(id);
        }
        answered.sort_unstable();
        assert!(answered.into_iter().eq(0..MAX_READS as u64), "each has its answer");
    }

    #[tokio::test]
    async fn a_read_in_the_loop_is_given_up() {
        let mut run = start(None);
        run.search(7).await;
        assert_eq!(run.answer().await, (7, None));
        run.events.send(actor_api::ActorEvent::Keep(Vec::new())).await.unwrap();
        assert_eq!(run.kept.recv().await, Some(0));
    }

    #[tokio::test]
    async fn an_offer_is_noted_once_it_was_looked_at() {
        let mut run = start(None);
        run.events
            .send(actor_api::ActorEvent::Offered { from: hub(2), id: 9, records: Vec::new() })
            .await
            .unwrap();
        while !matches!(run.commands.recv().await.unwrap(), ActorCommand::Noted { id: 9 }) {}
    }
}
