//! Joins the core, the network and what the hub stores: events go into the core, its effects are done.

use std::{pin::pin, time::Duration};

use plexus_domain::{Digest, Timestamp};
use tokio::{
    sync::mpsc,
    time::{MissedTickBehavior, interval, sleep},
};

use super::{
    api::{self, Command, Handle, Kept, Stopped},
    wire::MAX_RECORD_BYTES,
};
use crate::{
    HubId,
    core::{self, Answer, Core, Effect, Query},
    record::Tag,
};

/// Orders of the hub that wait. Whoever gives one waits for room.
pub const ORDERS: usize = 256;
const TICK: Duration = Duration::from_secs(1);

/// What the driver needs of the hub.
pub trait Home: Send {
    type Error: std::error::Error + Send;

    fn now(&self) -> Timestamp;

    /// Does what concerns the hub alone (records to store and to forget, listings to show, answers to searches, and
    /// whatever people should know), all or nothing, in this order. A message of gossip is passed on after this.
    fn perform(&mut self, effects: Vec<Effect>) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Writes down what the network remembers.
    fn keep(&mut self, kept: Vec<Kept>) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// The stored listings of `hub` with these hashes, as they came, as many as fit into `limit` bytes.
    fn bodies(
        &mut self,
        hub: HubId,
        hashes: Vec<Digest>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Vec<u8>>, Self::Error>> + Send;

    /// This hub's own listings that fit, as many as fit into `limit` bytes.
    fn find(
        &mut self,
        query: Query,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Vec<u8>>, Self::Error>> + Send;
}

/// What the hub tells its network.
#[derive(Debug)]
pub enum Order {
    /// Something happened here: a listing was published, a rule was made, somebody searches.
    Event(Box<core::Event>),
    /// The tags of this hub's agents, all of them.
    Provide(Vec<Tag>),
}

/// Why the federation of this hub ended.
#[derive(Debug, thiserror::Error)]
pub enum Ended<E: std::error::Error> {
    /// What the core holds and what is stored may differ now: it has to begin anew from what is stored.
    #[error("What the network brought could not be stored. {0}")]
    Home(E),
    #[error(transparent)]
    Net(#[from] Stopped),
}

pub struct Driver<H> {
    core: Core,
    home: H,
    net: Handle,
    events: mpsc::Receiver<api::Event>,
    orders: mpsc::Receiver<Order>,
}

impl<H: Home> Driver<H> {
    pub const fn new(
        core: Core,
        home: H,
        net: Handle,
        events: mpsc::Receiver<api::Event>,
        orders: mpsc::Receiver<Order>,
    ) -> Self {
        Self { core, home, net, events, orders }
    }

    /// Works until nobody gives orders any more.
    ///
    /// # Errors
    /// When the hub cannot store, or the network stopped.
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
                    None => return Ok(()),
                },
                _ = ticks.tick() => Some(core::Event::Tick),
                () = &mut alarm, if wakes.is_some() => Some(core::Event::Tick),
            };
            if let Some(event) = event {
                self.handle(event).await?;
            }
        }
    }

    /// What the core makes of an event of the network, if it concerns the core.
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
            api::Event::Offered { from, records } => core::Event::Offered { from, records },
            api::Event::Providers { search, hubs } => core::Event::Providers { search, hubs },
            // Its own signature holds, whoever kept it.
            api::Event::FoundHub(record) => {
                core::Event::Offered { from: record.body().hub, records: vec![record.encode()] }
            }
        }))
    }

    async fn handle(&mut self, event: core::Event) -> Result<(), Ended<H::Error>> {
        if changes_rules(&event) {
            self.net.order(Command::Forgive).await?;
        }
        let effects = self.core.handle(event, self.home.now());
        let (outward, inward): (Vec<Effect>, Vec<Effect>) = effects.into_iter().partition(is_outward);
        for effect in &inward {
            if let Effect::Accuse(accusation) = effect {
                self.net.order(Command::Blame(accusation.accused)).await?;
            }
        }
        if !inward.is_empty() {
            self.home.perform(inward).await.map_err(Ended::Home)?;
        }
        for effect in outward {
            if let Some(command) = self.command(effect).await? {
                self.net.order(command).await?;
            }
        }
        Ok(())
    }

    async fn command(&mut self, effect: Effect) -> Result<Option<Command>, Ended<H::Error>> {
        Ok(Some(match effect {
            Effect::Judge { message, verdict } => Command::Judge { message, verdict },
            Effect::Announce(record) => Command::Announce(record),
            Effect::Ask { peer, id, request } => Command::Ask { peer, id, request },
            Effect::Reply { id, answer, .. } => Command::Reply { id, answer },
            Effect::Refuse { id, .. } => Command::Refuse { id },
            Effect::Disconnect(hub) => Command::Disconnect(hub),
            Effect::FindProviders { search, tag } => Command::FindProviders { search, tag },
            Effect::ReplyBodies { id, hub, hashes, .. } => {
                let records = self.home.bodies(hub, hashes, MAX_RECORD_BYTES).await.map_err(Ended::Home)?;
                Command::Reply { id, answer: Answer::Records(records) }
            }
            Effect::ReplyFound { id, query, .. } => {
                let records = self.home.find(query, MAX_RECORD_BYTES).await.map_err(Ended::Home)?;
                Command::Reply { id, answer: Answer::Records(records) }
            }
            Effect::Offer { to, hub, head, hashes } => {
                let bodies = self.home.bodies(hub, hashes, MAX_RECORD_BYTES).await.map_err(Ended::Home)?;
                Command::Offer { to, records: head.into_iter().chain(bodies).collect() }
            }
            _ => return Ok(None),
        }))
    }
}

/// Whether the network does it, if need be with what is stored.
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

/// Whether somebody who was refused may be welcome now.
const fn changes_rules(event: &core::Event) -> bool {
    use core::Event::{DomainProved, ModeSet, RuleRemoved, RuleSet};
    matches!(event, ModeSet(_) | RuleSet { .. } | RuleRemoved { .. } | DomainProved { .. })
}
