//! Lifecycle of the federation engine: leader election between instances, start, restart and stop.

use std::{sync::Arc, time::Duration};

use plexus_federation::{
    engine::{Engine, Event},
    net::{
        self, Multiaddr, NetConfig, Protocol,
        actor_api::ActorCommand,
        dial_policy::IsPublic,
        dns_bootstrap,
        driver::{Driver, DriverCommand, ORDERS},
        relay_server::RelayLimits,
    },
};
use plexus_store::{AdvisoryLock, LockKey, replicated_listings};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::{
    RunningFederation, engine_store::SqlEngineStore, hub_record, listing_publisher, memory_limit, p2p_calls,
    p2p_state, restore, rule_subscriptions, rules,
};
use crate::{
    Error, Hub, Result,
    config::{Federation, PrivateNetworks},
    keys, supervise,
};

/// Backoff after an error.
const PAUSE: Duration = Duration::from_secs(5);
/// Poll interval for the advisory lock that another instance holds.
const PURGE_INTERVAL: Duration = Duration::from_secs(3);
/// Startup timeout for becoming reachable by other hubs, directly or through relays.
/// Reachability is polled until then.
const REACHED_WITHIN: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Agents hidden per transaction.
const BATCH: i64 = 64;

/// Starts the federation if it is configured. Otherwise hides all agents of remote hubs.
pub(crate) async fn start(hub: &Hub) -> Result<()> {
    let duty = hub.store().try_acquire_lock(LockKey::Swarm).await?;
    let Some(config) = hub.config().federation.clone() else {
        return match duty {
            Some(duty) => hide_all(hub, duty).await,
            // Another instance of the hub runs the federation.
            None => Ok(()),
        };
    };
    let mut first = match duty {
        Some(duty) => Some((duty, begin(hub, &config).await?)),
        None => None,
    };
    if first.is_some() {
        until_reached(hub).await;
    }
    hub.supervise("federation driver", move |hub| {
        let (config, first) = (config.clone(), first.take());
        async move {
            let _not_running = NotRunning(hub.clone());
            let stop = hub.stop().clone();
            let _ = stop.run_until_cancelled(Box::pin(run_when_elected(&hub, &config, first))).await;
        }
    });
    Ok(())
}

/// Guard that removes the driver handle when the worker ends, also on panic.
struct NotRunning(Hub);

impl Drop for NotRunning {
    fn drop(&mut self) {
        self.0.federation().running.lock().take();
    }
}

/// Leader election: runs the federation engine on the instance that holds the advisory lock.
async fn run_when_elected(hub: &Hub, config: &Federation, mut first: Option<(AdvisoryLock, PreparedDriver)>) {
    loop {
        let (mut duty, begun) = match first.take() {
            Some((duty, begun)) => (duty, Some(begun)),
            None => (until_free(hub).await, None),
        };
        tokio::select! {
            () = run_until_error(hub, config, begun) => {}
            () = duty.wait_lost() => tracing::warn!("federation leadership lost; stopping"),
        }
        hub.federation().running.lock().take();
        duty.unlock().await;
        // Back off so that another instance can take over; this one may be unable to run the engine.
        tokio::time::sleep(PAUSE).await;
    }
}

/// Waits until this instance acquires the advisory lock.
async fn until_free(hub: &Hub) -> AdvisoryLock {
    loop {
        match hub.store().acquire_lock(LockKey::Swarm, PURGE_INTERVAL).await {
            Ok(duty) => return duty,
            Err(error) => tracing::warn!(%error, "cannot acquire federation lock"),
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Waits until other hubs can reach this hub, so that callers get addresses right after the start.
async fn until_reached(hub: &Hub) {
    let reached = async {
        while hub.federation().running().is_some() && hub_record::status(hub).await.addresses.is_empty() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    if tokio::time::timeout(REACHED_WITHIN, reached).await.is_err() {
        tracing::warn!("this hub is not reachable by other hubs yet; see PLEXUS_P2P_LISTEN");
    }
}

/// Hides replicated agents that were shown when federation was enabled. They may not exist any more.
async fn hide_all(hub: &Hub, duty: AdvisoryLock) -> Result<()> {
    loop {
        let mut tx = hub.store().write_background().await?;
        let shown = replicated_listings::list_visible(&mut tx, BATCH).await?;
        if shown.is_empty() {
            duty.unlock().await;
            return Ok(());
        }
        for agent in shown {
            super::replica_rows::set_shown(&mut tx, agent, false).await?;
        }
        tx.commit().await?;
        hub.wake_index_worker();
    }
}

/// Driver that is ready to run, with the network task that ends together with it.
struct PreparedDriver {
    driver: Driver<SqlEngineStore>,
    actor: AbortOnDropHandle<()>,
}

/// Runs the engine, restarting it after errors. Returns when it cannot be started.
async fn run_until_error(hub: &Hub, config: &Federation, mut first: Option<PreparedDriver>) {
    loop {
        let begun = match first.take() {
            Some(begun) => Ok(begun),
            None => begin(hub, config).await,
        };
        match begun {
            Ok(begun) => Box::pin(run(hub, config, begun)).await,
            Err(error) => {
                tracing::warn!(%error, "federation engine failed to start; will retry");
                return;
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn run(hub: &Hub, config: &Federation, PreparedDriver { driver, actor }: PreparedDriver) {
    let publishing = listing_publisher::run_publisher(hub);
    let describing = hub_record::describe_until_dropped(hub, config);
    let ended = tokio::select! {
        ended = driver.run() => ended,
        () = publishing => Ok(()),
        () = describing => Ok(()),
        () = resolve_bootstrap_domains(hub, config) => Ok(()),
        () = rule_subscriptions::refresh_until_dropped(hub) => Ok(()),
        () = hub.federation().anew.notified() => Ok(()),
    };
    hub.federation().running.lock().take();
    // Release the sockets before the next start binds them.
    actor.abort();
    if let Err(failed) = actor.await
        && let Ok(panic) = failed.try_into_panic()
    {
        tracing::error!(
            worker = "network actor",
            error = supervise::cause(panic.as_ref()),
            "worker panicked"
        );
    }
    if let Err(error) = ended {
        tracing::warn!(%error, "federation engine restarted from the store");
    }
}

/// Restores the engine completely from the store, so that it knows exactly what is
/// stored, and starts the network.
async fn begin(hub: &Hub, config: &Federation) -> Result<PreparedDriver> {
    let (seed, key) = keys::hub_seed(hub, &mut hub.store().read().await?).await?;
    let now = hub.env().now();
    let policy = rules::policy(hub, &mut hub.store().read().await?).await?;
    let mut core = Engine::new(key, policy, now);
    restore::restore(hub, &mut core).await?;
    let (net, events, actor) = net::start(NetConfig {
        seed,
        secret: hub.env().bytes(),
        listen: config.listen.clone(),
        external: config.external.clone(),
        bootstrap: config.bootstrap.clone(),
        is_public: is_public(hub, config),
        mdns: config.mdns,
        relay: config.relay.then(RelayLimits::default),
        memory: memory_limit::memory_limit(),
        kept: p2p_state::load(hub).await?,
        now,
    })
    .map_err(|error| Error::Fault(anyhow::anyhow!("PLEXUS_P2P_LISTEN: {error}")))?;
    if let Some(calls) = net.calls() {
        let calls = Arc::new(tokio::sync::Mutex::new(calls));
        hub.supervise_work("federation calls", move |hub| p2p_calls::take(hub, Arc::clone(&calls)));
    }
    let (orders, inbox) = mpsc::channel(ORDERS);
    let actor = AbortOnDropHandle::new(actor);
    let driver = Driver::new(core, SqlEngineStore::new(hub.clone()), net.clone(), events, inbox);
    *hub.federation().running.lock() = Some(RunningFederation { orders: orders.clone(), net });
    // The first tick computes what changed while the engine was not running.
    orders.send(DriverCommand::Event(Box::new(Event::Tick))).await.map_err(Error::fault)?;
    Ok(PreparedDriver { driver, actor })
}

/// Returns the address filter for peers. Peers supply addresses, so a public hub must not call private ones
/// (SSRF). A hub that listens on loopback only has its peers on this machine.
fn is_public(hub: &Hub, config: &Federation) -> Option<IsPublic> {
    let is_local = |address: &Multiaddr| match address.iter().next() {
        Some(Protocol::Ip4(ip)) => ip.is_loopback(),
        Some(Protocol::Ip6(ip)) => ip.is_loopback(),
        _ => false,
    };
    let anywhere = match hub.config().private_networks {
        PrivateNetworks::Allowed => true,
        PrivateNetworks::Refused => false,
        PrivateNetworks::Auto => !config.listen.is_empty() && config.listen.iter().all(is_local),
    };
    (!anywhere).then_some(plexus_runtime::outbound::is_public as IsPublic)
}

/// Resolves the configured bootstrap domains (TXT records) once, then stays pending.
async fn resolve_bootstrap_domains(hub: &Hub, config: &Federation) {
    for domain in &config.domains {
        let name = dns_bootstrap::txt_name(domain);
        let texts = match hub.outbound().dns().texts(&name).await {
            Ok(texts) => texts,
            Err(error) => {
                tracing::warn!(name, %error, "bootstrap domain lookup failed");
                continue;
            }
        };
        let texts: Vec<String> = texts.into_iter().filter_map(|text| String::from_utf8(text).ok()).collect();
        let bootstrap = dns_bootstrap::parse_bootstrap_records(texts.iter().map(String::as_str));
        if let Some(running) = hub.federation().running() {
            // A failed send means that the network has stopped and needs no addresses.
            let _ = running.net.order(ActorCommand::AddBootstrap(bootstrap)).await;
        }
    }
    std::future::pending::<()>().await;
}
