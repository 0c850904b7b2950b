//! Lifecycle of a serving hub: start, announce, stop. Used by the command line and by tests.

use std::{io::IsTerminal as _, iter, net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context as _;
use plexus_hub::{ClockRng, Hub, accounts, federation};
use tokio::{net::TcpListener, signal::unix::SignalKind, sync::Mutex, task::JoinHandle};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    a2a::P2pA2aHandler,
    admin_socket::AdminSocket,
    app_state::AppState,
    config::ServeConfig,
    conformance::Conformance,
    prometheus, router,
    web::{
        connections::{ConnectionLimits, ConnectionTable},
        listen::{self, HttpService},
    },
};

/// Maximum time for requests in progress to finish during shutdown.
const GRACE: Duration = Duration::from_secs(10);

pub struct RunningServer {
    pub address: SocketAddr,
    pub metrics_address: Option<SocketAddr>,
    pub hub: Hub,
    stop: CancellationToken,
    draining: CancellationToken,
    drain_time: Duration,
    servers: Vec<JoinHandle<()>>,
    changes: TaskTracker,
}

/// Opens the hub and starts its listeners.
pub async fn start(serve: ServeConfig) -> anyhow::Result<RunningServer> {
    raise_open_files();
    let listener = listen::bind(serve.listen, "PLEXUS_LISTEN").await?;
    let address = listener.local_addr()?;
    let drain_time = serve.drain_time;
    let mut config = serve.hub;
    // With port 0, the system assigns the port when the listener is bound.
    if config.public_url.port() == Some(0) {
        config.public_url.set_port(Some(address.port())).ok().context("a public URL without a port")?;
    }
    let metrics = match serve.metrics_listen {
        Some(address) => Some(listen::bind(address, "PLEXUS_METRICS_LISTEN").await?),
        None => None,
    };
    config.listen =
        iter::once(&listener).chain(&metrics).map(TcpListener::local_addr).collect::<Result<_, _>>()?;
    let metrics_address = metrics.as_ref().map(TcpListener::local_addr).transpose()?;
    for warning in config.warnings() {
        tracing::warn!("setting: {warning}");
    }
    // Boxed to keep futures small: this one holds the whole configuration, and so would every caller's.
    let hub = Box::pin(Hub::open(config, ClockRng::system())).await?;
    hub.join_federation().await?;
    let stop = CancellationToken::new();
    let site = AppState::new(hub.clone(), stop.clone(), Conformance::of(&hub).await?);
    let (draining, changes) = (site.draining.clone(), site.changes.clone());
    federation::serve_p2p_calls(&hub, Arc::new(P2pA2aHandler::new(&site)));
    let site_service = HttpService {
        router: router::router(site.clone()),
        connections: Arc::new(ConnectionTable::new(ConnectionLimits::for_process())),
        trusted_proxies: hub.config().trusted_proxies.clone().into(),
    };
    let mut servers = vec![spawn(&hub, "http listener", listener, site_service.clone(), &stop)];
    match AdminSocket::bind(&hub.config().data_dir) {
        Ok(socket) => servers.push(spawn_socket(&hub, socket, site, &stop)),
        Err(error) => tracing::warn!(%error, "command socket: bind failed"),
    }
    if let Some(metrics) = metrics {
        let (router, recorder) = prometheus::router()?;
        servers.push(spawn(&hub, "metrics listener", metrics, HttpService { router, ..site_service }, &stop));
        servers.push(prometheus::spawn_upkeep(&hub, recorder, &stop));
    }
    Ok(RunningServer { address, metrics_address, hub, stop, draining, drain_time, servers, changes })
}

/// Spawns a supervised HTTP server. The listener survives a panic, so no connection is refused during the
/// restart.
fn spawn(
    hub: &Hub,
    worker: &'static str,
    listener: TcpListener,
    service: HttpService,
    stop: &CancellationToken,
) -> JoinHandle<()> {
    let (hub, stop, listener) = (hub.clone(), stop.clone(), Arc::new(Mutex::new(Some(listener))));
    tokio::spawn(async move {
        let serve = |_| listen::serve(Arc::clone(&listener), service.clone(), stop.clone());
        hub.supervise_until(worker, &stop, serve).await;
    })
}

/// Spawns the supervised server of the admin socket, which is bound again for each restart.
fn spawn_socket(hub: &Hub, socket: AdminSocket, site: AppState, stop: &CancellationToken) -> JoinHandle<()> {
    let (hub, stop, mut first) = (hub.clone(), stop.clone(), Some(socket));
    tokio::spawn(async move {
        let serve = |hub: Hub| {
            let socket = first.take().map_or_else(|| AdminSocket::bind(&hub.config().data_dir), Ok);
            let (site, stop) = (site.clone(), stop.clone());
            async move {
                let served = match socket {
                    Ok(socket) => socket.serve(site, stop).await,
                    Err(error) => Err(error),
                };
                if let Err(error) = served {
                    tracing::warn!(%error, "command socket failed");
                }
            }
        };
        hub.supervise_until("command socket", &stop, serve).await;
    })
}

impl RunningServer {
    /// Prints the hub's addresses and the sign-up link of the first administrator.
    #[expect(clippy::print_stdout, reason = "this is what a person who starts a hub reads")]
    pub async fn print_startup(&self) -> anyhow::Result<()> {
        println!("Plexus serves on {}", self.hub.config().public_url);
        if let Some(link) = accounts::first_administrator_link(&self.hub).await? {
            println!("Create the first administrator (once, within 24 hours): {link}");
        }
        let itself = federation::overview(&self.hub).await?.itself;
        for address in itself.addresses {
            println!("Hubs connect to {address}");
        }
        if let Some(address) = itself.bootstrap_address {
            println!("Other operators enter {address} in PLEXUS_P2P_BOOTSTRAP");
        }
        if let Some(address) = self.metrics_address {
            println!("Metrics are on http://{address}/metrics");
        }
        Ok(())
    }

    /// Serves until Ctrl-C or SIGTERM. After SIGTERM it drains: `/readyz` answers 503, and the hub serves on for the
    /// drain time, or until another signal.
    ///
    /// SIGHUP stops a hub on a terminal. Without one it is ignored: its default disposition would end requests at once.
    pub async fn run_until_signal(&self) -> anyhow::Result<()> {
        let is_on_terminal = std::io::stdin().is_terminal();
        let mut terminated = tokio::signal::unix::signal(SignalKind::terminate())?;
        let mut hung_up = tokio::signal::unix::signal(SignalKind::hangup())?;
        loop {
            tokio::select! {
                done = tokio::signal::ctrl_c() => return Ok(done?),
                _ = terminated.recv() => break,
                _ = hung_up.recv() => {
                    if is_on_terminal {
                        // The terminal of a hub that was started by hand is closed.
                        return Ok(());
                    }
                    tracing::warn!("SIGHUP: ignored; settings are read at the start, so restart to apply changes");
                }
            }
        }
        self.draining.cancel();
        if self.drain_time.is_zero() {
            return Ok(());
        }
        tracing::info!(seconds = self.drain_time.as_secs(), "draining");
        tokio::select! {
            () = tokio::time::sleep(self.drain_time) => {}
            done = tokio::signal::ctrl_c() => done?,
            _ = terminated.recv() => {}
        }
        Ok(())
    }

    /// Shuts down: ends streams, waits up to 10 seconds for requests, ends runs, closes the store.
    pub async fn stop(self) -> anyhow::Result<()> {
        tracing::info!("stopping");
        self.stop.cancel();
        for server in self.servers {
            match tokio::time::timeout(GRACE, server).await {
                Ok(ended) => ended?,
                Err(_) => tracing::warn!("shutdown timeout: some requests were still active"),
            }
        }
        self.changes.close();
        if tokio::time::timeout(GRACE, self.changes.wait()).await.is_err() {
            tracing::warn!(count = self.changes.len(), "shutdown timeout: some changes were still active");
        }
        self.hub.close().await;
        Ok(())
    }
}

/// Raises the limit of open files to its maximum. A relayed stream takes two sockets, so the usual limit of
/// 1,024 files allows only about 500 of them.
fn raise_open_files() {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(files) => tracing::info!(files, "open file limit set"),
        Err(error) => tracing::warn!(%error, "open file limit could not be raised"),
    }
}
