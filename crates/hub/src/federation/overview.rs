//! The hubs that this one knows, for people.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use plexus_domain::{HubRowId, Timestamp};
use plexus_federation::{
    HubId,
    core::{
        Report,
        lease::Lease,
        policy::{Mode, Policy},
    },
    net::{api::Status, lend::Use, nat::Reachability},
    record::{HubRecord, Seq, Signed, Unverified},
};
use plexus_store::hubs::{self, Hub as Row, HubState};

use super::{Speeds, describe, own_id, rules};
use crate::{Hub, Result};

/// Hubs that are shown; of more, those that were heard last.
const MOST: usize = 500;

/// How a hub stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It signed something within half an hour.
    Fresh,
    /// Its agents are shown, with a mark.
    Stale,
    /// It was silent for two days: its agents are not shown.
    Silent,
    /// By a rule of this hub, or because none lets it in where that is needed.
    Blocked,
}

impl Standing {
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
    /// Its key, as a libp2p PeerId.
    pub id: String,
    /// What it calls itself; nobody checked it.
    pub name: Option<String>,
    /// Proved.
    pub domain: Option<String>,
    pub software: Option<String>,
    /// Its address on the web, as it says itself.
    pub api: Option<String>,
    pub standing: Standing,
    /// This hub has a connection to it now.
    pub connected: bool,
    /// Of its agents, those that are shown here.
    pub agents: u64,
    pub seen: Timestamp,
    /// How much of it is carried, and how far that is; none while this hub takes no part.
    pub report: Option<Report>,
}

/// This hub, as others know it.
#[derive(Clone, Debug)]
pub struct Itself {
    pub id: String,
    pub name: String,
    /// Where others reach it, each with its id; none while it does not take part.
    pub addresses: Vec<String>,
    /// Its own agents that others may carry.
    pub agents: u64,
    /// Whether others can call it; none while it does not take part.
    pub reachability: Option<Reachability>,
    /// Hubs through which others reach it, by their ids.
    pub relays: Vec<String>,
    /// How much of it others use to be reached; none where it does not lend itself.
    pub lent: Option<Use>,
}

impl Itself {
    /// How others reach it, and whom it helps; none while it does not take part.
    pub fn reached(&self) -> Option<String> {
        let how = match self.reachability? {
            Reachability::Unknown => "not known yet, no other hub has tried".to_owned(),
            Reachability::Configured => "directly, as PLEXUS_P2P_EXTERNAL says".to_owned(),
            Reachability::Confirmed { by } => format!("directly, {by} called it back"),
            Reachability::No if self.relays.is_empty() => {
                "not at all: nobody can call it, and it knows no hub that lends itself".to_owned()
            }
            Reachability::No => format!("through {}", self.relays.join(" and ")),
        };
        let lends = |Use { hubs, circuits }| format!("; lends itself (hubs: {hubs}, circuits: {circuits})");
        Some(how + &self.lent.map(lends).unwrap_or_default())
    }
}

#[derive(Clone, Debug)]
pub struct Overview {
    pub itself: Itself,
    /// How hubs are treated that no rule names: `open`, `probation`, `allowlist`. None when this hub does not take part.
    pub mode: Option<&'static str>,
    pub hubs: Vec<HubRow>,
    pub speeds: Speeds,
}

pub async fn overview(hub: &Hub) -> Result<Overview> {
    let me = own_id(hub).await?;
    let config = hub.config().federation.as_ref();
    let view = View::now(hub).await?;
    let mut shown = view.others(hub).await?;
    report(hub, &mut shown).await;
    let addresses = config.map(|config| describe::addresses(&view.status, config)).unwrap_or_default();
    let full = |address: &plexus_federation::net::Multiaddr| match address.to_string() {
        text if text.contains("/p2p/") => text,
        text => format!("{text}/p2p/{me}"),
    };
    Ok(Overview {
        itself: Itself {
            id: me.to_string(),
            name: hub.config().hub_name.clone(),
            addresses: addresses.iter().map(full).collect(),
            agents: view.agents(HubRowId::SELF),
            reachability: config.map(|_| view.status.reachability),
            relays: view.status.relays.iter().map(ToString::to_string).collect(),
            lent: view.status.lent,
        },
        mode: config.map(|config| mode(config.mode)),
        hubs: shown,
        speeds: hub.federation().measures.speeds(),
    })
}

/// At most so many hubs that signed something lately.
pub async fn alive(hub: &Hub, most: usize) -> Result<Vec<HubRow>> {
    let mut shown = View::now(hub).await?.others(hub).await?;
    shown.retain(|row| row.standing == Standing::Fresh);
    shown.truncate(most);
    Ok(shown)
}

/// Adds what the core says of them.
pub(super) async fn report(hub: &Hub, rows: &mut [HubRow]) {
    let ids = rows.iter().filter_map(|row| row.id.parse::<HubId>().ok()).collect();
    let reports = hub.federation().report(ids).await;
    let mut reports: HashMap<String, Report> =
        reports.into_iter().map(|report| (report.hub.to_string(), report)).collect();
    rows.iter_mut().for_each(|row| row.report = reports.remove(&row.id));
}

const fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Open => "open",
        Mode::Probation => "probation",
        Mode::Allowlist => "allowlist",
    }
}

/// What is needed to say how a hub stands.
pub(super) struct View {
    agents: HashMap<HubRowId, u64>,
    status: Status,
    connected: HashSet<String>,
    policy: Arc<Policy>,
    now: Timestamp,
}

impl View {
    pub async fn now(hub: &Hub) -> Result<Self> {
        let mut conn = hub.store().snapshot().await?;
        let agents =
            hubs::count_shown(&mut conn).await?.into_iter().map(|row| (row.hub, row.agents)).collect();
        drop(conn);
        let policy = rules::current(hub).await?;
        let status = describe::status(hub).await;
        let connected = status.hubs.iter().map(ToString::to_string).collect();
        Ok(Self { agents, status, connected, policy, now: hub.env().now() })
    }

    /// All others: alive ones first.
    async fn others(&self, hub: &Hub) -> Result<Vec<HubRow>> {
        let rows = hubs::list_known(&mut hub.store().read().await?).await?;
        let others = rows.into_iter().filter(|row| row.state != HubState::Itself);
        let mut shown: Vec<HubRow> = others.map(|row| self.row(hub, row)).collect();
        shown.sort_by_key(|row| std::cmp::Reverse(row.seen));
        shown.truncate(MOST);
        shown.sort_by_cached_key(|row| (row.standing, row.domain.clone(), row.name.clone(), row.id.clone()));
        Ok(shown)
    }

    fn agents(&self, row: HubRowId) -> u64 {
        self.agents.get(&row).copied().unwrap_or(0)
    }

    pub fn row(&self, hub: &Hub, row: Row) -> HubRow {
        let id = row.peer.clone().unwrap_or_default();
        let record = record_of(&row);
        let said = id.parse().ok().and_then(|id| self.policy.on_hub(id, row.domain.as_deref(), self.now));
        HubRow {
            name: record.as_ref().map(|record| record.name.clone()),
            software: record.as_ref().map(|record| record.software.clone()),
            api: record.as_ref().and_then(|record| record.api.clone()),
            standing: match Lease::of(head_seq(&row), self.now) {
                _ if rules::keeps_out(hub, said) => Standing::Blocked,
                Lease::Fresh => Standing::Fresh,
                Lease::Stale => Standing::Stale,
                Lease::Hidden => Standing::Silent,
            },
            domain: row.domain,
            connected: self.connected.contains(&id),
            agents: self.agents(row.id),
            seen: row.seen,
            report: None,
            id,
        }
    }
}

/// What a hub said of itself, as it was stored.
pub(super) fn record_of(row: &Row) -> Option<HubRecord> {
    let record = Signed::<HubRecord>::parse(row.record.as_deref()?).ok()?;
    Some(Unverified::claims(&record).clone())
}

/// The number of the last head, which says when it was signed.
pub(super) fn head_seq(row: &Row) -> Option<Seq> {
    let seq = u64::try_from(row.head_seq).ok().filter(|seq| *seq > 0)?;
    Seq::try_from(seq).ok()
}
