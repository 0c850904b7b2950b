//! The hubs that this one knows, for people.

use std::collections::{HashMap, HashSet};

use plexus_domain::{HubRowId, Timestamp};
use plexus_federation::{
    core::{lease::Lease, policy::Mode},
    record::{HubRecord, Seq, Signed},
};
use plexus_store::{
    hub_rules::{self, RuleAction},
    hubs::{self, Hub as Row, HubState},
};

use super::{describe, own_id};
use crate::{Hub, Result};

/// Hubs that are shown; of more, those that were heard last.
const MOST: usize = 500;
const RULES: i64 = 10_000;

/// How a hub stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It signed something within half an hour.
    Fresh,
    /// Its agents are shown, with a mark.
    Stale,
    /// It was silent for two days: its agents are not shown.
    Silent,
    /// By a rule of this hub.
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
    pub standing: Standing,
    /// This hub has a connection to it now.
    pub connected: bool,
    /// Of its agents, those that are shown here.
    pub agents: u64,
    pub seen: Timestamp,
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
}

#[derive(Clone, Debug)]
pub struct Overview {
    pub itself: Itself,
    /// How hubs are treated that no rule names: `open`, `probation`, `allowlist`. None when this hub does not take part.
    pub mode: Option<&'static str>,
    pub hubs: Vec<HubRow>,
}

pub async fn overview(hub: &Hub) -> Result<Overview> {
    let me = own_id(hub).await?;
    let config = hub.config().federation.as_ref();
    let mut conn = hub.store().snapshot().await?;
    let agents: HashMap<HubRowId, u64> =
        hubs::count_shown(&mut conn).await?.into_iter().map(|row| (row.hub, row.agents)).collect();
    let blocked = hub_rules::list(&mut conn, RULES).await?;
    let blocked: HashSet<String> = blocked
        .into_iter()
        .filter(|rule| rule.action == RuleAction::Block)
        .map(|rule| rule.subject)
        .collect();
    let rows = hubs::list_known(&mut conn).await?;
    drop(conn);
    let status = match hub.federation().running() {
        Some(running) => running.net.status().await.unwrap_or_default(),
        None => Default::default(),
    };
    let connected: HashSet<String> = status.hubs.iter().map(ToString::to_string).collect();
    let now = hub.env().now();
    let mut shown: Vec<HubRow> = rows
        .into_iter()
        .filter(|row| row.state != HubState::Itself)
        .map(|row| shown(row, &agents, &connected, &blocked, now))
        .collect();
    shown.sort_by_key(|row| std::cmp::Reverse(row.seen));
    shown.truncate(MOST);
    shown.sort_by_cached_key(|row| (row.standing, row.domain.clone(), row.name.clone(), row.id.clone()));
    let addresses = match config {
        Some(config) => describe::addresses(hub, config).await,
        None => Vec::new(),
    };
    let full = |address: &plexus_federation::net::Multiaddr| match address.to_string() {
        text if text.contains("/p2p/") => text,
        text => format!("{text}/p2p/{me}"),
    };
    Ok(Overview {
        itself: Itself {
            id: me.to_string(),
            name: hub.config().hub_name.clone(),
            addresses: addresses.iter().map(full).collect(),
            agents: agents.get(&HubRowId::SELF).copied().unwrap_or(0),
        },
        mode: config.map(|config| mode(config.mode)),
        hubs: shown,
    })
}

const fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Open => "open",
        Mode::Probation => "probation",
        Mode::Allowlist => "allowlist",
    }
}

fn shown(
    row: Row,
    agents: &HashMap<HubRowId, u64>,
    connected: &HashSet<String>,
    blocked: &HashSet<String>,
    now: Timestamp,
) -> HubRow {
    let id = row.peer.clone().unwrap_or_default();
    let record = row.record.as_deref().and_then(|bytes| Signed::<HubRecord>::parse(bytes).ok());
    let record = record.as_ref().map(plexus_federation::record::Unverified::claims);
    let by_rule = blocked.contains(&format!("hub:{id}"))
        || row.domain.as_deref().is_some_and(|domain| is_blocked(domain, blocked));
    let head = u64::try_from(row.head_seq).ok().filter(|seq| *seq > 0);
    let lease = Lease::of(head.and_then(|seq| Seq::try_from(seq).ok()), now);
    HubRow {
        name: record.map(|record| record.name.clone()),
        software: record.map(|record| record.software.clone()),
        domain: row.domain,
        standing: match lease {
            _ if by_rule => Standing::Blocked,
            Lease::Fresh => Standing::Fresh,
            Lease::Stale => Standing::Stale,
            Lease::Hidden => Standing::Silent,
        },
        connected: connected.contains(&id),
        agents: agents.get(&row.id).copied().unwrap_or(0),
        seen: row.seen,
        id,
    }
}

/// By its own rule, or by one about a domain that it belongs to.
fn is_blocked(domain: &str, blocked: &HashSet<String>) -> bool {
    let starts = std::iter::once(0).chain(domain.match_indices('.').map(|(at, _)| at + 1));
    starts.into_iter().any(|start| blocked.contains(&format!("domain:{}", &domain[start..])))
}
