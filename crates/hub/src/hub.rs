//! The shared state of a hub: store, workers, connectors and caches that all use cases access.

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
    ClockRng, Error, HubConfig, Result, agents, backups,
    blobs::FileStore,
    bus, calls, chats, cluster,
    fair_slots::FairSlots,
    federation, housekeeping, keys,
    limits::RateLimits,
    listings, mail, model_providers,
    passwords::Passwords,
    quotas::Ledger,
    readiness::WriteCheck,
    runs,
    streaming::{self, StreamRegistry},
    supervise, teams,
    vault::Vault,
};

/// Slots for work that takes seconds or much memory.
pub struct WorkSlots {
    /// Images that are decoded, each by a process.
    pub images: FairSlots,
    /// PDF files that are read, each by a process.
    pub documents: FairSlots,
    /// Pages of chats that are exported.
    pub exports: FairSlots,
    /// Print views.
    pub prints: FairSlots,
}

impl Default for WorkSlots {
    fn default() -> Self {
        Self {
            images: FairSlots::new(2, 20),
            documents: FairSlots::new(2, 10),
            exports: FairSlots::new(1, 20),
            prints: FairSlots::new(1, 20),
        }
    }
}

/// One running instance of a hub. Cheap to clone.
#[derive(Clone)]
pub struct Hub(Arc<HubInner>);

struct HubInner {
    env: ClockRng,
    config: HubConfig,
    store: Store,
    blobs: FileStore,
    live: StreamRegistry,
    process: ProcessId,
    notifier: bus::ClusterNotifier,
    mirror: cluster::ChatMirror,
    passwords: Passwords,
    vault: Vault,
    limits: RateLimits,
    mail: mail::MailQueue,
    ledger: Ledger,
    outbound: runs::ConnectorResources,
    running: runs::RunRegistry,
    attachments: agents::AttachedRegistry,
    tokens: agents::TokenCache,
    connecting: agents::PendingOauthFlows,
    discovered: agents::DiscoveryCache,
    model_lists: model_providers::ModelListCache,
    knowledge: agents::KnowledgeCache,
    teams: teams::TeamMailboxes,
    federation: federation::FederationHandle,
    index: listings::Index,
    listings_changed: Notify,
    letters_came: Notify,
    decided: Notify,
    whole_index: SetOnce<()>,
    tasks: TaskTracker,
    down: supervise::Down,
    write_check: WriteCheck,
    slots: WorkSlots,
    /// The instance is shutting down: runs that end now were not cancelled by a user.
    closing: AtomicBool,
    stop: CancellationToken,
}

impl Hub {
    /// Opens the store, recovers from a crash, and starts the hub's workers.
    pub async fn open(config: HubConfig, env: ClockRng) -> anyhow::Result<Self> {
        // An existing folder keeps its mode, since other users may need access to it; the hub's files in it
        // are private.
        permissions::create_folder(&config.data_dir)
            .with_context(|| format!("making the data folder {}", config.data_dir.display()))?;
        backups::delete_leftovers(&config);
        let url = config.database_url.as_ref().map(crate::config::Secret::reveal);
        let mut at = StoreConfig::parse(url, &config.data_dir)?;
        at.connections = config.database_pool_size;
        at.durability = config.durability;
        let store = Store::open(&at).await?;
        keys::check_key_file_exists(&config.secret_key_file, &store).await?;
        let vault = Vault::open(&config.secret_key_file, &env)?;
        let index = listings::open(&config.data_dir)?;
        let blobs = FileStore::open(&config.files_dir)?;
        let notifier = match store.is_postgres() {
            true => bus::ClusterNotifier::shared(),
            false => bus::ClusterNotifier::default(),
        };
        let hub = Self(Arc::new(HubInner {
            passwords: Passwords::new(env.clone())?,
            limits: RateLimits::new(&config.rates, config.scale),
            mail: mail::MailQueue::default(),
            ledger: Ledger::default(),
            outbound: runs::ConnectorResources::new(&config)?,
            process: env.id(ProcessId::new),
            live: StreamRegistry::new(notifier.clone()),
            notifier,
            mirror: cluster::ChatMirror::default(),
            running: runs::RunRegistry::new(config.limits.max_runs_per_agent),
            attachments: agents::AttachedRegistry::default(),
            tokens: agents::TokenCache::default(),
            connecting: agents::PendingOauthFlows::default(),
            discovered: agents::DiscoveryCache::default(),
            model_lists: model_providers::ModelListCache::default(),
            knowledge: agents::KnowledgeCache::default(),
            teams: teams::TeamMailboxes::default(),
            federation: federation::FederationHandle::default(),
            listings_changed: Notify::new(),
            letters_came: Notify::new(),
            decided: Notify::new(),
            whole_index: SetOnce::new(),
            tasks: TaskTracker::new(),
            down: supervise::Down::default(),
            write_check: WriteCheck::default(),
            slots: WorkSlots::default(),
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
        cluster::join(self).await?;
        agents::ensure_builtin(self).await?;
        federation::record_own_domain(self).await?;
        cluster::start(self);
        cluster::recover_after_crash(self).await?;
        streaming::start_flusher(self);
        let stop = self.stop().clone();
        self.supervise("search index", move |hub| listings::run_index_worker(stop.clone(), hub));
        let stop = self.stop().clone();
        self.supervise("use counter", move |hub| listings::run_use_counter(stop.clone(), hub));
        let stop = self.stop().clone();
        self.supervise("housekeeping", move |hub| housekeeping::run_housekeeping(stop.clone(), hub));
        let stop = self.stop().clone();
        self.supervise("webhook delivery", move |hub| calls::webhooks::deliver_until(stop.clone(), hub));
        if self.config().mail.is_some() {
            let stop = self.stop().clone();
            self.supervise("e-mail delivery", move |hub| mail::deliver_until(stop.clone(), hub));
        }
        let stop = self.stop().clone();
        self.supervise("presence announcements", move |hub| streaming::run_announcer(stop.clone(), hub));
        if let Some(schedule) = self.config().backups.clone() {
            let stop = self.stop().clone();
            self.supervise("scheduled backup", move |hub| {
                backups::run_schedule(stop.clone(), hub, schedule.clone())
            });
        }
        if let Some(model) = self.config().models.for_embeddings.clone() {
            self.supervise("passage embeddings", move |hub| agents::run_embedding_worker(hub, model.clone()));
        }
        self.supervise_work("message index", chats::index_older_messages);
        teams::recover(self).await?;
        Ok(())
    }

    /// Ends every run as interrupted, flushes the text of open messages, and closes the store.
    pub async fn close(&self) {
        runs::stop_all(self).await;
        self.outbound().programs().close();
        self.stop().cancel();
        self.tasks().close();
        self.tasks().wait().await;
        self.federation().forget_edge();
        if let Err(error) = cluster::hand_over(self).await {
            tracing::warn!(%error, "could not hand over work on shutdown");
        }
        self.store().close().await;
    }

    /// Wakes runs that wait for a tool approval.
    pub(crate) fn wake_approval_waiters(&self) -> &Notify {
        &self.0.decided
    }

    /// Joins the federation as configured. Call it in a serving hub only, not in one that a command opens.
    pub async fn join_federation(&self) -> Result<()> {
        federation::start(self).await
    }

    /// Runs one pass of housekeeping now.
    pub async fn tidy(&self) -> Result<()> {
        housekeeping::housekeep_once(self).await
    }

    /// Slots that bound expensive work.
    pub fn slots(&self) -> &WorkSlots {
        &self.0.slots
    }

    pub(crate) fn write_check(&self) -> &WriteCheck {
        &self.0.write_check
    }

    /// Checks that the store responds.
    pub async fn check_store(&self) -> Result<()> {
        Ok(self.store().check().await?)
    }

    /// Returns by how many seconds this machine's clock is ahead of the database server's; none on SQLite.
    pub async fn database_clock_offset(&self) -> Result<Option<i64>> {
        let there = self.store().database_time().await?;
        Ok(there.map(|there| (self.env().now().millis() - there.millis()) / 1_000))
    }

    pub fn env(&self) -> &ClockRng {
        &self.0.env
    }

    pub fn config(&self) -> &HubConfig {
        &self.0.config
    }

    pub fn live(&self) -> &StreamRegistry {
        &self.0.live
    }

    /// Wakes the search index worker and the federation publisher after an agent of this hub changed.
    pub(crate) fn wake_index_worker(&self) {
        self.mark_index_behind();
        self.federation().own_changed();
    }

    /// Wakes the search index worker, here and in other instances, after a replicated listing changed.
    pub(crate) fn mark_index_behind(&self) {
        self.cluster_notifier().enqueue(bus::ClusterNotice::Listings);
        self.0.listings_changed.notify_one();
    }

    /// Wakes the index worker and the publisher after another instance changed listings.
    pub(crate) fn on_remote_listing_change(&self) {
        self.0.listings_changed.notify_one();
        self.federation().own_changed();
    }

    /// Wakes the worker that delivers webhooks.
    pub(crate) fn wake_webhook_worker(&self) {
        self.0.letters_came.notify_one();
    }

    /// Waits until the webhook worker is woken.
    pub(crate) async fn webhook_work_available(&self) {
        self.0.letters_came.notified().await;
    }

    /// Waits until the search index worker is woken.
    pub(crate) async fn index_work_available(&self) {
        self.0.listings_changed.notified().await;
    }

    /// Set once the index holds everything that the store held at startup.
    pub(crate) fn index_ready(&self) -> &SetOnce<()> {
        &self.0.whole_index
    }

    /// Marks the initial build of the index as complete.
    pub(crate) fn mark_index_ready(&self) {
        // `set` fails after a later catch-up, when the flag is already set.
        let _ = self.0.whole_index.set(());
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(crate) fn mail_queue(&self) -> &mail::MailQueue {
        &self.0.mail
    }

    pub(crate) fn blobs(&self) -> &FileStore {
        &self.0.blobs
    }

    pub(crate) fn process(&self) -> ProcessId {
        self.0.process
    }

    /// Outgoing cluster notifications to other instances.
    pub(crate) fn cluster_notifier(&self) -> &bus::ClusterNotifier {
        &self.0.notifier
    }

    /// Mirrors chats that other instances write.
    pub(crate) fn mirror(&self) -> &cluster::ChatMirror {
        &self.0.mirror
    }

    pub(crate) fn passwords(&self) -> &Passwords {
        &self.0.passwords
    }

    pub(crate) fn vault(&self) -> &Vault {
        &self.0.vault
    }

    pub fn limits(&self) -> &RateLimits {
        &self.0.limits
    }

    /// Cached sums of stored bytes, for quotas.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.0.ledger
    }

    pub(crate) fn outbound(&self) -> &runs::ConnectorResources {
        &self.0.outbound
    }

    pub(crate) fn run_registry(&self) -> &runs::RunRegistry {
        &self.0.running
    }

    pub(crate) fn attachments(&self) -> &agents::AttachedRegistry {
        &self.0.attachments
    }

    /// Cached OAuth tokens of agents, by credential.
    pub(crate) fn tokens(&self) -> &agents::TokenCache {
        &self.0.tokens
    }

    /// Pending OAuth flows: users who were redirected to an authorization server.
    pub(crate) fn oauth_flows(&self) -> &agents::PendingOauthFlows {
        &self.0.connecting
    }

    /// Endpoints from OpenID Connect discovery documents.
    pub(crate) fn discovered(&self) -> &agents::DiscoveryCache {
        &self.0.discovered
    }

    /// Context windows of models, as their servers listed them last.
    pub(crate) fn model_lists(&self) -> &model_providers::ModelListCache {
        &self.0.model_lists
    }

    /// Cached indexes of the files of agents.
    pub(crate) fn knowledge(&self) -> &agents::KnowledgeCache {
        &self.0.knowledge
    }

    pub(crate) fn teams(&self) -> &teams::TeamMailboxes {
        &self.0.teams
    }

    pub(crate) fn federation(&self) -> &federation::FederationHandle {
        &self.0.federation
    }

    pub(crate) fn begin_shutdown(&self) {
        self.0.closing.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_shutting_down(&self) -> bool {
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
