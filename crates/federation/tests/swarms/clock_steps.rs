//! A clock that is set back while the hub runs.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use plexus_domain::{Digest, Timestamp};
use plexus_federation::{
    HubId,
    engine::{
        Effect, Engine, SearchQuery,
        policy::{AdmissionMode, Policy},
    },
    net::{
        self,
        actor_api::PersistedNetState,
        driver::{Driver, DriverError, EngineStore, ORDERS},
    },
};
use tokio::{sync::mpsc, time::timeout};

use crate::{
    fixtures::{self, HOUR},
    full_hub::{TIMEOUT, config, now, until},
};

/// A store without content, whose clock the test sets.
struct Clock {
    millis: Arc<AtomicI64>,
    /// Number of times that it was read.
    reads: Arc<AtomicUsize>,
}

impl EngineStore for Clock {
    type Error = Infallible;

    fn now(&self) -> Timestamp {
        self.reads.fetch_add(1, Ordering::Relaxed);
        Timestamp::from_millis(self.millis.load(Ordering::Relaxed))
    }

    async fn perform(&mut self, _: Vec<Effect>) -> Result<(), Infallible> {
        Ok(())
    }

    async fn keep(&mut self, _: Vec<PersistedNetState>) -> Result<(), Infallible> {
        Ok(())
    }

    async fn bodies(&mut self, _: HubId, _: Vec<Digest>, _: usize) -> Result<Vec<Vec<u8>>, Infallible> {
        Ok(Vec::new())
    }

    async fn find(&mut self, _: SearchQuery, _: usize) -> Result<Vec<Vec<u8>>, Infallible> {
        Ok(Vec::new())
    }
}

/// Times in the engine would lie in the future for as long as the clock was ahead, so it is restored again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_engine_ends_when_the_clock_is_set_back() {
    let millis = Arc::new(AtomicI64::new((now() + HOUR).millis()));
    let reads = Arc::new(AtomicUsize::new(0));
    let clock = Clock { millis: millis.clone(), reads: reads.clone() };
    let core = Engine::new(fixtures::key(1), Policy::new(AdmissionMode::Open), now() + HOUR);
    let (net, events, _actor) =
        net::start(config(1, Vec::new(), Vec::new(), "/ip4/127.0.0.1/tcp/0")).unwrap();
    let (_orders, inbox) = mpsc::channel(ORDERS);
    let driver = tokio::spawn(Driver::new(core, clock, net, events, inbox).run());
    until("the driver runs", async || reads.load(Ordering::Relaxed) > 1).await;
    millis.store(now().millis(), Ordering::Relaxed);
    let ended = timeout(TIMEOUT, driver).await.unwrap().unwrap();
    let Err(DriverError::ClockSetBack(by)) = ended else { panic!("{ended:?}") };
    assert!(by > HOUR - Duration::from_secs(60), "{by:?}");
}
