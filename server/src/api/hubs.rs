//! The federation: this hub and the remote hubs that it knows.

use std::time::Duration;

use axum::{
    Json,
    extract::{Path, State},
};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error, Hub,
    caller::{Caller, Scope},
    federation::{self, ReplicationTier},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::federation_rules::Rule;
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult},
};

/// This hub, the remote hubs that it knows, and latencies of the federation.
#[derive(Serialize, ToSchema)]
pub struct Network {
    local: LocalHubJson,
    /// How hubs without a rule are treated: `open`, `probation` or `allowlist`; null if federation is
    /// disabled.
    mode: Option<String>,
    items: Vec<RemoteHubJson>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
    latencies: LatenciesJson,
}

/// Latencies of the federation, measured by this hub since it started; null where nothing was measured yet.
#[derive(Serialize, ToSchema)]
struct LatenciesJson {
    /// Gossip latency: from signing at a remote hub until stored here. It includes the clock skew of both
    /// hubs; negative values count as 0.
    propagation: Option<LatencyJson>,
    /// Duration of DHT lookups.
    dht_lookup: Option<LatencyJson>,
    /// Duration of an anti-entropy round with another hub, including fetching the missing listings.
    sync: Option<LatencyJson>,
}

/// Latency summary in milliseconds over the latest 1,024 samples.
#[derive(Serialize, ToSchema)]
struct LatencyJson {
    p50_ms: u64,
    p99_ms: u64,
    /// Number of samples so far.
    samples: u64,
    /// Time of the first sample, in milliseconds since 1970.
    since: i64,
}

impl From<federation::LatencySummary> for LatencyJson {
    fn from(figures: federation::LatencySummary) -> Self {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let federation::LatencySummary { median, p99, samples, since } = figures;
        Self { p50_ms: millis(median), p99_ms: millis(p99), samples, since: since.millis() }
    }
}

/// This hub, as other hubs know it.
#[derive(Serialize, ToSchema)]
struct LocalHubJson {
    /// Its key, as a libp2p PeerId.
    id: String,
    name: String,
    /// Multiaddresses.
    addresses: Vec<String>,
    /// Number of federated agents, which other hubs may replicate.
    agents: u64,
    /// `confirmed` (another hub dialled it), `configured` (set by `PLEXUS_P2P_EXTERNAL_ADDRESSES`), `no` or `unknown`;
    /// null if federation is disabled.
    reachability: Option<String>,
    /// Reachability as text, and whether it relays for other hubs.
    reachability_text: Option<String>,
    /// Ids of the relays through which other hubs reach it.
    relays: Vec<String>,
}

#[derive(Serialize, ToSchema)]
struct RemoteHubJson {
    /// Its key, as a libp2p PeerId.
    id: String,
    /// Name that the hub gave itself; unverified.
    name: Option<String>,
    /// Verified domain.
    domain: Option<String>,
    software: Option<String>,
    /// `fresh`, `stale` (silent for half an hour), `silent` (for two days; its agents are not found) or
    /// `blocked`.
    state: String,
    connected: bool,
    /// Number of its agents that can be found here.
    agents: u64,
    /// When it was last heard from, in milliseconds since 1970.
    last_seen: i64,
    /// Replication status; null if federation is disabled or the engine did not report in time.
    replication: Option<ReplicationJson>,
}

#[derive(Serialize, ToSchema)]
struct ReplicationJson {
    /// `full`, `probation` (within narrow quotas) or `refused`.
    tier: String,
    /// Latest end of probation, in milliseconds since 1970.
    probation_until: Option<i64>,
    /// Number of listings replicated here, including paused and deleted ones.
    replicated: u64,
    /// Number of listings that the hub signed for.
    announced: Option<u64>,
    /// Whether listings were left out because a quota is exhausted.
    partial: bool,
    /// Progress of fetching missing listings.
    sync_progress: Option<SyncProgress>,
}

#[derive(Serialize, ToSchema)]
struct SyncProgress {
    fetched: u64,
    total: u64,
}

impl From<federation::HubReport> for ReplicationJson {
    fn from(report: federation::HubReport) -> Self {
        let (tier, until) = match report.tier {
            ReplicationTier::Full => ("full", None),
            ReplicationTier::Probation { until } => ("probation", Some(until.millis())),
            ReplicationTier::Refused => ("refused", None),
        };
        let progress = |it: federation::FetchProgress| SyncProgress { fetched: it.fetched, total: it.total };
        Self {
            tier: tier.to_owned(),
            probation_until: until,
            replicated: report.replicated,
            announced: report.announced,
            partial: report.partial,
            sync_progress: report.fetching.map(progress),
        }
    }
}

impl From<federation::HubRow> for RemoteHubJson {
    fn from(row: federation::HubRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            domain: row.domain,
            software: row.software,
            state: row.standing.as_str().to_owned(),
            connected: row.connected,
            agents: row.agents,
            last_seen: row.last_seen.millis(),
            replication: row.report.map(ReplicationJson::from),
        }
    }
}

/// Lists the hubs that this hub knows, live ones first.
#[utoipa::path(get, path = "/hubs", operation_id = "hubs.list", tag = "Network", security(("token" = ["read"])),
    responses((status = OK, description = "The hubs.", body = Network)))]
pub async fn list(State(site): State<AppState>, ApiCaller(caller): ApiCaller) -> ApiResult<Json<Network>> {
    Ok(Json(known(&site.hub, &caller).await?))
}

pub async fn known(hub: &Hub, caller: &Caller) -> Result<Network, Error> {
    caller.may(Scope::Read)?;
    let found = federation::overview(hub).await?;
    let reachability_text = found.itself.reachability_text();
    let federation::LocalHubInfo { id, name, addresses, agents, reachability, relays, .. } = found.itself;
    let reachability = reachability.map(|it| it.as_str().to_owned());
    Ok(Network {
        local: LocalHubJson { id, name, addresses, agents, reachability, reachability_text, relays },
        mode: found.mode.map(str::to_owned),
        items: found.hubs.into_iter().map(RemoteHubJson::from).collect(),
        next: None,
        latencies: LatenciesJson {
            propagation: found.latencies.propagation.map(LatencyJson::from),
            dht_lookup: found.latencies.dht_lookup.map(LatencyJson::from),
            sync: found.latencies.sync.map(LatencyJson::from),
        },
    })
}

/// Details of a remote hub.
#[derive(Serialize, ToSchema)]
pub struct HubDetails {
    #[serde(flatten)]
    hub: RemoteHubJson,
    /// Domain that the hub claims and that is not verified.
    claimed_domain: Option<String>,
    /// URL of its API, as the hub states it.
    api: Option<String>,
    /// When it was first seen, in milliseconds since 1970.
    first_seen: Option<i64>,
    /// When it last signed its inventory, by its own clock, in milliseconds since 1970.
    last_head_at: Option<i64>,
    /// Violations of the federation protocol that this hub observed.
    violations: Vec<HubViolationJson>,
    /// The rule that decides about its replication; administrators only.
    rule: Option<Rule>,
    /// Multiaddresses; administrators only.
    addresses: Option<Vec<String>>,
}

#[derive(Serialize, ToSchema)]
struct HubViolationJson {
    /// `missing_listings`, `extra_listings`, `wrong_versions`, `stale_head`, `listing_equivocation` or
    /// `record_equivocation`.
    kind: String,
    /// The hub whose listings the latest violation was about; null if they were its own.
    about_hub: Option<String>,
    count: u64,
    /// In milliseconds since 1970.
    first_seen: i64,
    last_seen: i64,
}

/// Returns one hub, by its id or a verified domain.
#[utoipa::path(get, path = "/hubs/{hub}", operation_id = "hubs.show", tag = "Network", security(("token" = ["read"])),
    params(("hub" = String, Path, description = "Its key, as a libp2p PeerId, or its domain.")),
    responses((status = OK, description = "The hub.", body = HubDetails)))]
pub async fn show(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(name): Path<String>,
) -> ApiResult<Json<HubDetails>> {
    Ok(Json(one(&site.hub, &caller, &name).await?))
}

pub async fn one(hub: &Hub, caller: &Caller, name: &str) -> Result<HubDetails, Error> {
    caller.may(Scope::Read)?;
    let found = federation::other(hub, caller, name).await?;
    let found = found.ok_or_else(|| Refusal::not_found(format!("Hub {name} not found.")))?;
    let is_admin = found.addresses.is_some();
    let violation = |row: federation::ViolationRow| HubViolationJson {
        kind: row.kind.as_str().to_owned(),
        about_hub: row.about_hub,
        count: row.count,
        first_seen: row.first_seen.millis(),
        last_seen: row.last_seen.millis(),
    };
    Ok(HubDetails {
        hub: found.row.into(),
        claimed_domain: found.claimed,
        api: found.api,
        first_seen: found.first_seen.map(|at| at.millis()),
        last_head_at: found.last_head_at.map(|at| at.millis()),
        violations: found.violations.into_iter().map(violation).collect(),
        rule: found.rule.filter(|_| is_admin).map(Rule::from),
        addresses: found.addresses,
    })
}
