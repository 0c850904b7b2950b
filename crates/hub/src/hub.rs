//! The hub itself: what all use cases share.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use anyhow::Context as _;
use plexus_domain::ProcessId;
use plexus_store::{Store, StoreConfig, permissions};
use tokio::sync::{Notify, SetOnce};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Config, Env, Error, Result, agents, blobs::Blobs, calls, federation, housekeeping, keys, limits::Limits,
    listings, live, live::Live, passwords::Passwords, processes, quotas::Ledger, runs, secrets::Vault,
    supervise, teams,
};

/// One hub. Cheap to clone.
#[derive(Clone)]
pub struct Hub(Arc<Parts>);

struct Parts {
    env: Env,
    config: Config,
    store: Store,
    blobs: Blobs,
    live: Live,
    process: ProcessId,
    hints: processes::Hints,
    mirror: processes::Mirror,
    passwords: Passwords,
    vault: Vault,
    limits: Limits,
    ledger: Ledger,
    outbound: runs::Outbound,
    running: runs::Running,
    attachments: agents::Attachments,
    tokens: agents::Slots,
    connecting: agents::Begun,
    teams: teams::Rooms,
    federation: federation::Room,
    index: listings::Index,
    listings_changed: Notify,
    letters_came: Notify,
    decided: Notify,
    whole_index: SetOnce<()>,
    tasks: TaskTracker,
    down: supervise::Down,
    /// The hub is about to end: what ends now was not ended by a person.
    closing: AtomicBool,
    stop: CancellationToken,
}

impl Hub {
    /// Opens the store, mends what a crash left, and starts the hub's own workers.
    pub async fn open(config: Config, env: Env) -> anyhow::Result<Self> {
        // A folder that exists keeps its mode, since others may have a reason to enter it; the hub's files in it are closed.
        permissions::create_folder(&config.data_dir)
            .with_context(|| format!("making the data folder {}", config.data_dir.display()))?;
        let url = config.database_url.as_ref().map(crate::config::Secret::reveal);
        let mut at = StoreConfig::parse(url, &config.data_dir)?;
        at.connections = config.database_pool;
        at.durability = config.durability;
        let store = Store::open(&at).await?;
        keys::check_key_file_exists(&config.secret_key_file, &store).await?;
        let vault = Vault::open(&config.secret_key_file, &env)?;
        let index = listings::open(&config.data_dir)?;
        let blobs = Blobs::open(&config.blobs_dir)?;
        let hints = match store.is_postgres() {
            true => processes::Hints::shared(),
            false => processes::Hints::default(),
        };
        let hub = Self(Arc::new(Parts {
            passwords: Passwords::new(env.clone())?,
            limits: Limits::new(&config.rates, config.scale),
            ledger: Ledger::default(),
            outbound: runs::Outbound::new(&config)?,
            process: env.id(ProcessId::new),
            live: Live::new(hints.clone()),
            hints,
            mirror: processes::Mirror::default(),
            running: runs::Running::new(config.limits.runs_per_agent),
            attachments: agents::Attachments::default(),
            tokens: agents::Slots::default(),
            connecting: agents::Begun::default(),
            teams: teams::Rooms::default(),
            federation: federation::Room::default(),
            listings_changed: Notify::new(),
            letters_came: Notify::new(),
            decided: Notify::new(),
            whole_index: SetOnce::new(),
            tasks: TaskTracker::new(),
            down: supervise::Down::default(),
            closing: AtomicBool::new(false),
            stop: CancellationToken::new(),
            env,
            config,
            store,
            blobs,
            vault,
            index,
        }));
        hub.start().await?;
        Ok(hub)
    }

    async fn start(&self) -> anyhow::Result<()> {
        keys::check_key_file(self).await?;
        processes::join(self).await?;
        agents::ensure_builtin(self).await?;
        processes::start(self);
        processes::mend(self).await?;
        live::start_flusher(self);
        let stop = self.stop().clone();
        self.supervise("search index", move |hub| listings::index_until(stop.clone(), hub));
        let stop = self.stop().clone();
        self.supervise("housekeeping", move |hub| housekeeping::keep_house_until(stop.clone(), hub));
        let stop = self.stop().clone();
        self.supervise("webhook delivery", move |hub| calls::push::deliver_until(stop.clone(), hub));
        teams::recover(self).await?;
        Ok(())
    }

    /// Ends every run as interrupted, writes down what was said, and closes the store.
    pub async fn close(&self) {
        runs::stop_all(self).await;
        self.outbound().programs().close();
        self.stop().cancel();
        self.tasks().close();
        self.tasks().wait().await;
        self.federation().forget_edge();
        if let Err(error) = processes::leave(self).await {
            tracing::warn!(%error, "other processes will take this one for dead");
        }
        self.store().close().await;
    }

    /// Wakes runs that wait for somebody's leave.
    pub(crate) fn decided(&self) -> &Notify {
        &self.0.decided
    }

    /// Joins the network of hubs as the configuration says. For a hub that serves; one that a command opens does not.
    pub async fn federate(&self) -> Result<()> {
        federation::start(self).await
    }

    /// Does at once what is otherwise done every hour.
    pub async fn tidy(&self) -> Result<()> {
        housekeeping::tidy(self).await
    }

    /// Whether the store answers now.
    pub async fn check_store(&self) -> Result<()> {
        Ok(self.store().check().await?)
    }

    pub fn env(&self) -> &Env {
        &self.0.env
    }

    pub fn config(&self) -> &Config {
        &self.0.config
    }

    pub fn live(&self) -> &Live {
        &self.0.live
    }

    /// Wakes the worker that keeps the index in step with the store.
    pub(crate) fn listings_changed(&self) {
        self.index_falls_behind();
        self.federation().own_changed();
    }

    /// The same where no agent of this hub changed.
    pub(crate) fn index_falls_behind(&self) {
        self.hints().add(processes::Hint::Listings);
        self.0.listings_changed.notify_one();
    }

    /// The same where another process changed them.
    pub(crate) fn listings_moved(&self) {
        self.0.listings_changed.notify_one();
        self.federation().own_changed();
    }

    /// Wakes the worker that sends push notifications.
    pub(crate) fn letters_came(&self) {
        self.0.letters_came.notify_one();
    }

    pub(crate) async fn until_letters_come(&self) {
        self.0.letters_came.notified().await;
    }

    pub(crate) async fn until_listings_change(&self) {
        self.0.listings_changed.notified().await;
    }

    /// Set once the index holds all that the store held when the hub started.
    pub(crate) fn whole_index(&self) -> &SetOnce<()> {
        &self.0.whole_index
    }

    pub(crate) fn index_is_whole(&self) {
        // A later catch-up finds it set.
        let _ = self.0.whole_index.set(());
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(crate) fn blobs(&self) -> &Blobs {
        &self.0.blobs
    }

    pub(crate) fn process(&self) -> ProcessId {
        self.0.process
    }

    /// What other processes are to look at.
    pub(crate) fn hints(&self) -> &processes::Hints {
        &self.0.hints
    }

    /// What is shown here of what other processes do.
    pub(crate) fn mirror(&self) -> &processes::Mirror {
        &self.0.mirror
    }

    pub(crate) fn passwords(&self) -> &Passwords {
        &self.0.passwords
    }

    pub(crate) fn vault(&self) -> &Vault {
        &self.0.vault
    }

    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Sums of what is stored, for quotas.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.0.ledger
    }

    pub(crate) fn outbound(&self) -> &runs::Outbound {
        &self.0.outbound
    }

    pub(crate) fn running(&self) -> &runs::Running {
        &self.0.running
    }

    pub(crate) fn attachments(&self) -> &agents::Attachments {
        &self.0.attachments
    }

    /// Tokens that were got for agents.
    pub(crate) fn tokens(&self) -> &agents::Slots {
        &self.0.tokens
    }

    /// Who has gone to an authorization server, to agree there.
    pub(crate) fn connecting(&self) -> &agents::Begun {
        &self.0.connecting
    }

    pub(crate) fn teams(&self) -> &teams::Rooms {
        &self.0.teams
    }

    pub(crate) fn federation(&self) -> &federation::Room {
        &self.0.federation
    }

    pub(crate) fn begin_closing(&self) {
        self.0.closing.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.0.closing.load(Ordering::Relaxed)
    }

    pub(crate) fn index(&self) -> &listings::Index {
        &self.0.index
    }

    pub(crate) fn tasks(&self) -> &TaskTracker {
        &self.0.tasks
    }

    pub(crate) fn down(&self) -> &supervise::Down {
        &self.0.down
    }

    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.0.stop
    }
}

impl From<plexus_store::OpenError> for Error {
    fn from(error: plexus_store::OpenError) -> Self {
        Self::fault(error)
    }
}
