//! List of known hubs with their status, for the UI.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use plexus_domain::{HubRowId, Timestamp, sanitized_text};
use plexus_federation::{
    HubId,
    engine::{
        HubReport,
        lease::VisibilityLease,
        policy::{AdmissionMode, Policy},
    },
    net::{actor_api::NetStatus, reachability::Reachability, relay_server::RelayUsage},
    record::{HubRecord, Seq, Signed, Unverified},
};
use plexus_store::{
    Conn,
    hubs::{self, Hub as Row, HubState},
};

use super::{NetworkLatencies, hub_details, hub_record, own_id, rules};
use crate::{Hub, Result};

/// Maximum number of listed hubs. The most recently seen ones are listed.
const MAX_ITEMS: usize = 500;

/// Status of a hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HubStatus {
    /// Signed an inventory head within the last half hour.
    Fresh,
    /// Its agents are shown, marked as stale.
    Stale,
    /// No signature for two days: its agents are hidden.
    Silent,
    /// Blocked by a rule of this hub, or not on the allowlist where one is required.
    Blocked,
}

impl HubStatus {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Stale => "stale",
            Self::Silent => "silent",
            Self::Blocked => "blocked",
        }
    }
}

#[derive(Clone, Debug)]
pub struct HubRow {
    /// Public key, as a libp2p PeerId.
    pub id: String,
    /// Name that the hub gives itself; not verified.
    pub name: Option<String>,
    /// Verified domain.
    pub domain: Option<String>,
    pub software: Option<String>,
    /// Web address, as claimed by the hub.
    pub api: Option<String>,
    pub standing: HubStatus,
    /// True if this hub has a connection to it now.
    pub connected: bool,
    /// Number of its agents that are shown here.
    pub agents: u64,
    pub last_seen: Timestamp,
    /// Replication state of the hub; `None` while the federation is not running here.
    pub report: Option<HubReport>,
}

/// This hub as other hubs see it.
#[derive(Clone, Debug)]
pub struct LocalHubInfo {
    pub id: String,
    pub name: String,
    /// Addresses with peer id where others reach it; empty while federation is disabled.
    pub addresses: Vec<String>,
    /// Address that other operators enter as bootstrap address, from the public URL; `None` without a domain or a
    /// fixed port, and if external addresses are configured.
    pub bootstrap_address: Option<String>,
    /// Number of its own agents that others may replicate.
    pub agents: u64,
    /// Reachability for incoming connections; `None` while federation is disabled.
    pub reachability: Option<Reachability>,
    /// Ids of the relays through which others reach it.
    pub relays: Vec<String>,
    /// Usage of this hub as a relay; `None` if it is no relay.
    pub relay_usage: Option<RelayUsage>,
}

impl LocalHubInfo {
    /// Describes how others reach this hub and whether it relays; `None` while federation is disabled.
    pub fn reachability_text(&self) -> Option<String> {
        let relays = |RelayUsage { hubs, circuits }| format!("; relay (hubs: {hubs}, circuits: {circuits})");
        Some(self.route_text()? + &self.relay_usage.map(relays).unwrap_or_default())
    }

    /// Describes how others reach this hub; `None` while federation is disabled.
    pub fn route_text(&self) -> Option<String> {
        Some(match self.reachability? {
            Reachability::Unknown => "unknown: not probed yet".to_owned(),
            Reachability::Configured => "directly, configured by PLEXUS_P2P_EXTERNAL_ADDRESSES".to_owned(),
            Reachability::Confirmed { by } => format!("directly, confirmed by {by}"),
            Reachability::No if self.relays.is_empty() => {
                "unreachable: behind NAT, no relay known".to_owned()
            }
            Reachability::No => format!("through {}", self.relays.join(" and ")),
        })
    }
}

#[derive(Clone, Debug)]
pub struct NetworkOverview {
    pub itself: LocalHubInfo,
    /// Policy for hubs without a rule: `open`, `probation`, `allowlist`. `None` if federation is disabled.
    pub mode: Option<&'static str>,
    pub hubs: Vec<HubRow>,
    pub latencies: NetworkLatencies,
}

pub async fn overview(hub: &Hub) -> Result<NetworkOverview> {
    let me = own_id(hub).await?;
    let config = hub.config().federation.as_ref();
    let view = HubListQuery::now(hub).await?;
    let mut shown = view.others(hub).await?;
    report(hub, &mut shown).await;
    let addresses = config.map(|config| hub_record::addresses(&view.status, config)).unwrap_or_default();
    let full = |address: &plexus_federation::net::Multiaddr| match address.to_string() {
        text if text.contains("/p2p/") => text,
        text => format!("{text}/p2p/{me}"),
    };
    Ok(NetworkOverview {
        itself: LocalHubInfo {
            id: me.to_string(),
            name: hub.config().hub_name.clone(),
            addresses: addresses.iter().map(full).collect(),
            bootstrap_address: config
                .and_then(|config| hub_record::bootstrap_address(&hub.config().public_url, config))
                .map(|address| full(&address)),
            agents: view.agents(HubRowId::SELF),
            reachability: config.map(|_| view.status.reachability),
            relays: view.status.relays.iter().map(ToString::to_string).collect(),
            relay_usage: view.status.relay_usage,
        },
        mode: config.map(|config| mode(config.mode)),
        hubs: shown,
        latencies: hub.federation().measures.latencies(),
    })
}

/// Returns at most `most` hubs that signed recently (status fresh).
pub async fn alive(hub: &Hub, most: usize) -> Result<Vec<HubRow>> {
    let mut shown = HubListQuery::now(hub).await?.others(hub).await?;
    shown.retain(|row| row.standing == HubStatus::Fresh);
    shown.truncate(most);
    Ok(shown)
}

/// Adds the engine's reports to the rows.
pub(super) async fn report(hub: &Hub, rows: &mut [HubRow]) {
    let ids = rows.iter().filter_map(|row| row.id.parse::<HubId>().ok()).collect();
    let reports = hub.federation().report(ids).await;
    let mut reports: HashMap<String, HubReport> =
        reports.into_iter().map(|report| (report.hub.to_string(), report)).collect();
    rows.iter_mut().for_each(|row| row.report = reports.remove(&row.id));
}

const fn mode(mode: AdmissionMode) -> &'static str {
    match mode {
        AdmissionMode::Open => "open",
        AdmissionMode::Probation => "probation",
        AdmissionMode::Allowlist => "allowlist",
    }
}

/// Data from which the status of hubs is computed.
pub(super) struct HubListQuery {
    agents: HashMap<HubRowId, u64>,
    status: NetStatus,
    connected: HashSet<String>,
    policy: Arc<Policy>,
    now: Timestamp,
}

impl HubListQuery {
    pub async fn now(hub: &Hub) -> Result<Self> {
        let mut conn = hub.store().snapshot().await?;
        let agents =
            hubs::count_shown(&mut conn).await?.into_iter().map(|row| (row.hub, row.agents)).collect();
        drop(conn);
        let policy = rules::current(hub).await?;
        let status = hub_record::status(hub).await;
        let connected = status.hubs.iter().map(ToString::to_string).collect();
        Ok(Self { agents, status, connected, policy, now: hub.env().now() })
    }

    /// Returns all other hubs, fresh ones first.
    async fn others(&self, hub: &Hub) -> Result<Vec<HubRow>> {
        let rows = hubs::list_known(&mut hub.store().read().await?).await?;
        let others = rows.into_iter().filter(|row| row.state != HubState::Itself);
        let mut shown: Vec<HubRow> = others.map(|row| self.row(hub, row)).collect();
        shown.sort_by_key(|row| std::cmp::Reverse(row.last_seen));
        shown.truncate(MAX_ITEMS);
        shown.sort_by_cached_key(|row| (row.standing, row.domain.clone(), row.name.clone(), row.id.clone()));
        Ok(shown)
    }

    fn agents(&self, row: HubRowId) -> u64 {
        self.agents.get(&row).copied().unwrap_or(0)
    }

    pub fn row(&self, hub: &Hub, row: Row) -> HubRow {
        let id = row.hub_key.clone().unwrap_or_default();
        let record = record_of(&row);
        let said = id.parse().ok().and_then(|id| self.policy.on_hub(id, row.domain.as_deref(), self.now));
        HubRow {
            name: record.as_ref().map(|record| record.name.clone()),
            software: record.as_ref().map(|record| record.software.clone()),
            api: record.as_ref().and_then(|record| record.api.clone()),
            standing: match VisibilityLease::of(head_seq(&row), self.now) {
                _ if rules::is_blocked(hub, said) => HubStatus::Blocked,
                VisibilityLease::Fresh => HubStatus::Fresh,
                VisibilityLease::Stale => HubStatus::Stale,
                VisibilityLease::Hidden => HubStatus::Silent,
            },
            domain: row.domain,
            connected: self.connected.contains(&id),
            agents: self.agents(row.id),
            last_seen: row.last_seen_at,
            report: None,
            id,
        }
    }
}

/// Parses the stored record of a hub.
pub(super) fn record_of(row: &Row) -> Option<HubRecord> {
    let record = Signed::<HubRecord>::parse(row.record.as_deref()?).ok()?;
    Some(Unverified::claims(&record).clone())
}

/// Returns the names that hubs give themselves, which are not verified. Hubs without a record are left out.
pub(crate) async fn hub_names(
    conn: &mut Conn,
    ids: impl IntoIterator<Item = HubRowId>,
) -> Result<HashMap<HubRowId, String>> {
    let mut names = HashMap::new();
    let remote: HashSet<HubRowId> = ids.into_iter().filter(|id| *id != HubRowId::SELF).collect();
    for id in remote {
        let row = hubs::find(conn, id).await?;
        if let Some(record) = row.as_ref().and_then(record_of) {
            names.insert(id, sanitized_text::one_line(&record.name));
        }
    }
    Ok(names)
}

/// Returns the names that hubs give themselves, which are not verified, by domain or PeerId. Unknown hubs are left out.
pub(crate) async fn hub_names_by_address(
    conn: &mut Conn,
    hubs: Vec<String>,
) -> Result<HashMap<String, String>> {
    let mut names = HashMap::new();
    for hub in hubs {
        let row = hub_details::named(conn, &hub).await?;
        if let Some(record) = row.as_ref().and_then(record_of) {
            names.insert(hub, sanitized_text::one_line(&record.name));
        }
    }
    Ok(names)
}

/// Returns the sequence number of the last inventory head, which contains its time of signing.
pub(super) fn head_seq(row: &Row) -> Option<Seq> {
    let seq = u64::try_from(row.head_seq).ok().filter(|seq| *seq > 0)?;
    Seq::try_from(seq).ok()
}
