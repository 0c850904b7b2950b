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
    api::{self, Command, Handle, Kept, Stopped},
    measure::{Measured, Timing},
    wire::MAX_RECORD_BYTES,
};
use crate::{
    HubId,
    core::{self, Answer, Core, Effect, Query, Report},
    record::Tag,
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
pub trait Home: Send {
    type Error: std::error::Error + Send + 'static;

    fn now(&self) -> Timestamp;

    /// Executes effects that concern only the hub: storing, purging, visibility, search results,
    /// notifications. They are atomic and applied in order. Gossip is propagated only afterwards.
    fn perform(&mut self, effects: Vec<Effect>) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Reports a latency sample, for metrics only.
    fn measured(&mut self, measured: Measured) {
        _ = measured;
    }

    /// Persists network state.
    fn keep(&mut self, kept: Vec<Kept>) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Returns a reader for concurrent reads for peers. Without one, the driver reads in its loop by
    /// [`Home::bodies`] and [`Home::find`], blocks meanwhile, and drops those futures after one second.
    fn reader(&self) -> Option<Arc<dyn Reader<Self::Error>>> {
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
        query: Query,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Vec<u8>>, Self::Error>> + Send;
}

/// Concurrent reads of the hub's store. Futures that take too long are dropped.
pub trait Reader<E>: Send + Sync {
    /// Like [`Home::bodies`].
    fn bodies(&self, hub: HubId, hashes: Vec<Digest>, limit: usize)
    -> BoxFuture<'_, Result<Vec<Vec<u8>>, E>>;

    /// Like [`Home::find`].
    fn find(&self, query: Query, limit: usize) -> BoxFuture<'_, Result<Vec<Vec<u8>>, E>>;
}

/// A command of the hub to its driver.
#[derive(Debug)]
pub enum Order {
    /// An engine event of this hub: a listing was published, a rule was set, a search was started.
    Event(Box<core::Event>),
    /// Set the tags of this hub's agents (the complete list).
    Provide(Vec<Tag>),
    /// Report the replication status of these hubs, as far as they are known.
    Report { hubs: Vec<HubId>, tell: oneshot::Sender<Vec<Report>> },
}

/// Why the driver ended.
#[derive(Debug, thiserror::Error)]
pub enum Ended<E: std::error::Error> {
    /// Engine and store may differ now: the driver must be restarted from the stored state.
    #[error("What the network brought could not be stored. {0}")]
    Home(E),
    #[error(transparent)]
    Net(#[from] Stopped),
}

/// Joins engine, network and store.
pub struct Driver<H: Home> {
    core: Core,
    home: H,
    net: Handle,
    events: mpsc::Receiver<api::Event>,
    orders: mpsc::Receiver<Order>,
    reads: JoinSet<Result<(), Ended<H::Error>>>,
    turns: Arc<Semaphore>,
}

/// A read for a peer.
enum Read {
    Bodies { hub: HubId, hashes: Vec<Digest> },
    Found(Query),
}

/// What the records of a read are used for.
enum Purpose {
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

impl<H: Home> Driver<H> {
    pub fn new(
        core: Core,
        home: H,
        net: Handle,
        events: mpsc::Receiver<api::Event>,
        orders: mpsc::Receiver<Order>,
    ) -> Self {
        let (reads, turns) = (JoinSet::new(), Arc::new(Semaphore::new(READS)));
        Self { core, home, net, events, orders, reads, turns }
    }

    /// Runs until all command senders are dropped.
    ///
    /// # Errors
    /// When the store fails, or the network has stopped.
    pub async fn run(mut self) -> Result<(), Ended<H::Error>> {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let now = self.home.now();
            let wakes = self.core.wakes();
            let mut alarm = pin!(sleep(wakes.map_or(TICK, |at| at.since(now))));
            let event = tokio::select! {
                event = self.events.recv() => match event {
                    Some(event) => self.hear(event).await?,
                    None => return Err(Stopped.into()),
                },
                order = self.orders.recv() => match order {
                    Some(Order::Event(event)) => Some(*event),
                    Some(Order::Provide(tags)) => {
                        self.net.order(Command::Provide(tags)).await?;
                        None
                    }
                    Some(Order::Report { hubs, tell }) => {
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
                _ = ticks.tick() => Some(core::Event::Tick),
                () = &mut alarm, if wakes.is_some() => Some(core::Event::Tick),
            };
            if let Some(event) = event {
                self.handle(event).await?;
            }
        }
    }

    /// Converts a network event into an engine event, if it concerns the engine.
    async fn hear(&mut self, event: api::Event) -> Result<Option<core::Event>, Ended<H::Error>> {
        Ok(Some(match event {
            api::Event::Keep(kept) => {
                self.home.keep(kept).await.map_err(Ended::Home)?;
                return Ok(None);
            }
            api::Event::Listening(_) => return Ok(None),
            api::Event::Connected(hub) => core::Event::Connected(hub),
            api::Event::Disconnected(hub) => core::Event::Disconnected(hub),
            api::Event::Gossip { from, message, bytes } => core::Event::Gossip { from, message, bytes },
            api::Event::Asked { from, id, request } => core::Event::Asked { from, id, request },
            api::Event::Answered { from, id, answer } => core::Event::Answered { from, id, answer },
            api::Event::Failed { from, id } => core::Event::Failed { from, id },
            api::Event::Offered { from, id, records } => {
                self.handle(core::Event::Offered { from, records }).await?;
                self.net.order(Command::Noted { id }).await?;
                return Ok(None);
            }
            api::Event::LookedUp(took) => {
                self.home.measured(Measured::LookUp(took));
                return Ok(None);
            }
            api::Event::Providers { search, hubs } => core::Event::Providers { search, hubs },
            // The record carries its hub's own signature, so it counts as offered by that hub, whichever peer
            // stored it.
            api::Event::FoundHub(record) => {
                core::Event::Offered { from: record.body().hub, records: vec![record.encode()] }
            }
        }))
    }

    /// Passes an event to the engine and executes the resulting effects.
    async fn handle(&mut self, event: core::Event) -> Result<(), Ended<H::Error>> {
        if changes_rules(&event) {
            self.net.order(Command::Forgive).await?;
        }
        let by_gossip = matches!(event, core::Event::Gossip { .. });
        let effects = self.core.handle(event, self.home.now());
        let (outward, inward): (Vec<Effect>, Vec<Effect>) = effects.into_iter().partition(is_outward);
        for effect in &inward {
            match effect {
                Effect::Accuse(accusation) => self.net.order(Command::Blame(accusation.accused)).await?,
                Effect::StoreHub(record) => self.net.order(Command::Described(record.clone())).await?,
                Effect::Unnamed { tag, hubs } => {
                    let tag = tag.as_str();
                    tracing::warn!(
                        tag,
                        hubs,
                        "the DHT names none of the hubs that have agents with this tag"
                    );
                }
                _ => {}
            }
        }
        if !inward.is_empty() {
            let timings = Timing::of(&inward, by_gossip);
            self.home.perform(inward).await.map_err(Ended::Home)?;
            let now = self.home.now();
            timings.into_iter().for_each(|timing| self.home.measured(timing.end(now)));
        }
        for effect in outward {
            self.send(effect).await?;
        }
        Ok(())
    }

    /// Executes an effect that concerns the network.
    async fn send(&mut self, effect: Effect) -> Result<(), Ended<H::Error>> {
        let command = match effect {
            Effect::Judge { message, verdict } => Command::Judge { message, verdict },
            Effect::Announce(record) => Command::Announce(record),
            Effect::Ask { peer, id, request } => Command::Ask { peer, id, request },
            Effect::Reply { id, answer, .. } => Command::Reply { id, answer },
            Effect::Refuse { id, .. } => Command::Refuse { id },
            Effect::Disconnect(hub) => Command::Disconnect(hub),
            Effect::FindProviders { search, tag } => Command::FindProviders { search, tag },
            Effect::ReplyBodies { id, hub, hashes, .. } => {
                return self
                    .read(Read::Bodies { hub, hashes }, Purpose::Answer { id, said: Vec::new() })
                    .await;
            }
            Effect::ReplyFound { id, said, query, .. } => {
                return self.read(Read::Found(query), Purpose::Answer { id, said }).await;
            }
            Effect::Offer { to, hub, head, hashes } => {
                return self.read(Read::Bodies { hub, hashes }, Purpose::Offer { to, head }).await;
            }
            _ => return Ok(()),
        };
        Ok(self.net.order(command).await?)
    }

    /// Reads from the store, concurrently if the hub supports it, and sends the records.
    async fn read(&mut self, read: Read, purpose: Purpose) -> Result<(), Ended<H::Error>> {
        let Some(reader) = self.home.reader() else {
            let records = timeout(READ_TIME_IN_LOOP, read.by_home(&mut self.home)).await;
            return sent(&self.net, purpose, records.ok().transpose().map_err(Ended::Home)?).await;
        };
        // Offers are bounded by the running sync rounds; only requests of peers are unbounded.
        if self.reads.len() >= MAX_READS && matches!(purpose, Purpose::Answer { .. }) {
            return sent(&self.net, purpose, None).await;
        }
        let (net, turns) = (self.net.clone(), self.turns.clone());
        self.reads.spawn(async move {
            let turn = turns.acquire().await;
            let records = timeout(READ_TIME, read.by(&*reader)).await;
            drop(turn);
            sent(&net, purpose, records.ok().transpose().map_err(Ended::Home)?).await
        });
        Ok(())
    }
}

impl Read {
    async fn by_home<H: Home>(self, home: &mut H) -> Result<Vec<Vec<u8>>, H::Error> {
        match self {
            Self::Bodies { hub, hashes } => home.bodies(hub, hashes, MAX_RECORD_BYTES).await,
            Self::Found(query) => home.find(query, MAX_RECORD_BYTES).await,
        }
    }

    async fn by<E>(self, reader: &dyn Reader<E>) -> Result<Vec<Vec<u8>>, E> {
        match self {
            Self::Bodies { hub, hashes } => reader.bodies(hub, hashes, MAX_RECORD_BYTES).await,
            Self::Found(query) => reader.find(query, MAX_RECORD_BYTES).await,
        }
    }
}

/// Sends the records of a read. `None` refuses a request; in an offer only the head is sent.
async fn sent<E: std::error::Error>(
    net: &Handle,
    purpose: Purpose,
    records: Option<Vec<Vec<u8>>>,
) -> Result<(), Ended<E>> {
    let command = match (purpose, records) {
        (Purpose::Answer { id, said }, Some(records)) => {
            let records = said.into_iter().chain(records).collect();
            Command::Reply { id, answer: Answer::Records(records) }
        }
        (Purpose::Answer { id, .. }, None) => Command::Refuse { id },
        (Purpose::Offer { to, head }, records) => {
            let records = head.into_iter().chain(records.into_iter().flatten()).collect();
            Command::Offer { to, records }
        }
    };
    Ok(net.order(command).await?)
}

/// Returns the error of a finished read, and propagates its panic.
fn ended<E: std::error::Error>(read: Result<Result<(), Ended<E>>, JoinError>) -> Result<(), Ended<E>> {
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
const fn changes_rules(event: &core::Event) -> bool {
    use core::Event::{DomainProved, ModeSet, RuleRemoved, RuleSet, RulesReplaced};
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
    use crate::core::{
        Request,
        policy::{Mode, Policy},
    };

    const START: Timestamp = Timestamp::from_millis(1_000_000);

    /// A store whose reads finish when the test releases them.
    struct Slow {
        reads: Option<Arc<Semaphore>>,
        kept: mpsc::Sender<usize>,
    }

    struct Beside(Arc<Semaphore>);

    impl Home for Slow {
        type Error = Infallible;

        fn now(&self) -> Timestamp {
            START
        }

        async fn perform(&mut self, _: Vec<Effect>) -> Result<(), Infallible> {
            Ok(())
        }

        async fn keep(&mut self, kept: Vec<Kept>) -> Result<(), Infallible> {
            _ = self.kept.send(kept.len()).await;
            Ok(())
        }

        fn reader(&self) -> Option<Arc<dyn Reader<Infallible>>> {
            Some(Arc::new(Beside(self.reads.clone()?)))
        }

        async fn bodies(&mut self, _: HubId, _: Vec<Digest>, _: usize) -> Result<Vec<Vec<u8>>, Infallible> {
            std::future::pending().await
        }

        async fn find(&mut self, _: Query, _: usize) -> Result<Vec<Vec<u8>>, Infallible> {
            std::future::pending().await
        }
    }

    impl Reader<Infallible> for Beside {
        fn bodies(
            &self,
            _: HubId,
            _: Vec<Digest>,
            _: usize,
        ) -> BoxFuture<'_, Result<Vec<Vec<u8>>, Infallible>> {
            Box::pin(std::future::pending())
        }

        fn find(&self, query: Query, _: usize) -> BoxFuture<'_, Result<Vec<Vec<u8>>, Infallible>> {
            Box::pin(async move {
                let place = self.0.acquire().await;
                place.into_iter().for_each(tokio::sync::SemaphorePermit::forget);
                Ok(vec![query.text.into_bytes()])
            })
        }
    }

    struct Run {
        events: mpsc::Sender<api::Event>,
        commands: mpsc::Receiver<Command>,
        kept: mpsc::Receiver<usize>,
        _orders: mpsc::Sender<Order>,
    }

    fn hub(n: u8) -> HubId {
        SecretKey::from_seed(&[n; 32]).public().into()
    }

    fn start(reads: Option<Arc<Semaphore>>) -> Run {
        let ((net, commands), (tell, kept)) = (Handle::new(), mpsc::channel(8));
        let ((events, told), (orders, inbox)) = (mpsc::channel(512), mpsc::channel(1));
        let core = Core::new(SecretKey::from_seed(&[1; 32]), Policy::new(Mode::Open), START);
        let driver = Driver::new(core, Slow { reads, kept: tell }, net, told, inbox);
        tokio::spawn(driver.run());
        Run { events, commands, kept, _orders: orders }
    }

    impl Run {
        async fn search(&self, id: u64) {
            let from = hub(u8::try_from(id / 4).unwrap() + 2);
            let query = Query { text: id.to_string(), tags: Vec::new(), limit: 5 };
            self.events.send(api::Event::Asked { from, id, request: Request::Find(query) }).await.unwrap();
        }

        /// Returns the next response or refusal, with its records.
        async fn answer(&mut self) -> (u64, Option<Vec<Vec<u8>>>) {
            loop {
                match self.commands.recv().await.unwrap() {
                    Command::Reply { id, answer: Answer::Records(records) } => return (id, Some(records)),
                    Command::Refuse { id } => return (id, None),
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
        run.events.send(api::Event::Keep(Vec::new())).await.unwrap();
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
        run.events.send(api::Event::Keep(Vec::new())).await.unwrap();
        assert_eq!(run.kept.recv().await, Some(0));
    }

    #[tokio::test]
    async fn an_offer_is_noted_once_it_was_looked_at() {
        let mut run = start(None);
        run.events.send(api::Event::Offered { from: hub(2), id: 9, records: Vec::new() }).await.unwrap();
        while !matches!(run.commands.recv().await.unwrap(), Command::Noted { id: 9 }) {}
    }
}
