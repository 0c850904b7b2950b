//! The network of hubs.

use std::time::Duration;

use axum::{
    Json,
    extract::{Path, State},
};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error, Hub,
    caller::{Caller, Scope},
    federation::{self, Terms},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::hub_rules::Rule;
use crate::{
    state::Site,
    web::{caller::Called, error::ApiResult},
};

/// This hub and those that it knows.
#[derive(Serialize, ToSchema)]
pub struct Network {
    this: This,
    /// How hubs are treated that no rule names: `open`, `probation` or `allowlist`; null while this hub takes no part.
    mode: Option<String>,
    items: Vec<OtherHub>,
    speeds: Speeds,
}

/// How fast the network is, as this hub measured it since it started; null where nothing was measured yet.
#[derive(Serialize, ToSchema)]
struct Speeds {
    /// From when another hub says that it signed something until it was stored here, brought by gossip. The clocks of both are in
    /// it; what seems to come from the future took no time.
    spread: Option<Figures>,
    /// Questions to the DHT.
    look_up: Option<Figures>,
    /// Comparing with another hub and fetching what was missing here.
    catch_up: Option<Figures>,
}

/// Times in milliseconds, of the latest 1,024 samples.
#[derive(Serialize, ToSchema)]
struct Figures {
    p50_ms: u64,
    p99_ms: u64,
    /// All samples so far.
    samples: u64,
    /// When the first was taken, in milliseconds since 1970.
    since: i64,
}

impl From<federation::Figures> for Figures {
    fn from(figures: federation::Figures) -> Self {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let federation::Figures { median, p99, samples, since } = figures;
        Self { p50_ms: millis(median), p99_ms: millis(p99), samples, since: since.millis() }
    }
}

/// This hub, as others know it.
#[derive(Serialize, ToSchema)]
struct This {
    /// Its key, as a libp2p PeerId.
    id: String,
    name: String,
    /// Multiaddresses.
    addresses: Vec<String>,
    /// Those that others may carry.
    agents: u64,
    /// `confirmed` (another hub called it back), `configured` (`PLEXUS_P2P_EXTERNAL` says where), `no` or `unknown`; null while it
    /// takes no part.
    reachability: Option<String>,
    /// The same in words, and how it lends itself to others.
    reached: Option<String>,
    /// Hubs through which others reach it, by their ids.
    relays: Vec<String>,
}

#[derive(Serialize, ToSchema)]
struct OtherHub {
    /// Its key, as a libp2p PeerId.
    id: String,
    /// What it calls itself.
    name: Option<String>,
    /// Proved.
    domain: Option<String>,
    software: Option<String>,
    /// `fresh`, `stale` (silent for half an hour), `silent` (for two days: its agents are not found) or `blocked`.
    state: String,
    connected: bool,
    /// Those that are found here.
    agents: u64,
    /// When it was last heard, in milliseconds since 1970.
    seen: i64,
    /// How much of it is carried; null while this hub takes no part, or has no time to say.
    carried: Option<Carried>,
}

#[derive(Serialize, ToSchema)]
struct Carried {
    /// `full`, `probation` (within narrow limits) or `refused`.
    terms: String,
    /// When probation ends at the latest, in milliseconds since 1970.
    probation_until: Option<i64>,
    /// Listings that are here, paused and deleted ones among them.
    here: u64,
    /// As many as the hub signed for.
    promised: Option<u64>,
    /// Some of it was left out for want of room.
    partial: bool,
    /// Listings that are being fetched now.
    catching_up: Option<CatchingUp>,
}

#[derive(Serialize, ToSchema)]
struct CatchingUp {
    got: u64,
    wanted: u64,
}

impl From<federation::Report> for Carried {
    fn from(report: federation::Report) -> Self {
        let (terms, until) = match report.terms {
            Terms::Full => ("full", None),
            Terms::Probation { until } => ("probation", Some(until.millis())),
            Terms::Refused => ("refused", None),
        };
        let catching_up = |it: federation::Fetching| CatchingUp { got: it.got, wanted: it.wanted };
        Self {
            terms: terms.to_owned(),
            probation_until: until,
            here: report.here,
            promised: report.promised,
            partial: report.partial,
            catching_up: report.fetching.map(catching_up),
        }
    }
}

impl From<federation::HubRow> for OtherHub {
    fn from(row: federation::HubRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            domain: row.domain,
            software: row.software,
            state: row.standing.as_str().to_owned(),
            connected: row.connected,
            agents: row.agents,
            seen: row.seen.millis(),
            carried: row.report.map(Carried::from),
        }
    }
}

/// The hubs that this one knows: alive ones first.
#[utoipa::path(get, path = "/hubs", operation_id = "hubs.list", tag = "Network", security(("token" = ["read"])),
    responses((status = OK, description = "The hubs.", body = Network)))]
pub async fn list(State(site): State<Site>, Called(caller): Called) -> ApiResult<Json<Network>> {
    Ok(Json(known(&site.hub, &caller).await?))
}

pub async fn known(hub: &Hub, caller: &Caller) -> Result<Network, Error> {
    caller.may(Scope::Read)?;
    let found = federation::overview(hub).await?;
    let reached = found.itself.reached();
    let federation::Itself { id, name, addresses, agents, reachability, relays, .. } = found.itself;
    let reachability = reachability.map(|it| it.as_str().to_owned());
    Ok(Network {
        this: This { id, name, addresses, agents, reachability, reached, relays },
        mode: found.mode.map(str::to_owned),
        items: found.hubs.into_iter().map(OtherHub::from).collect(),
        speeds: Speeds {
            spread: found.speeds.spread.map(Figures::from),
            look_up: found.speeds.look_up.map(Figures::from),
            catch_up: found.speeds.catch_up.map(Figures::from),
        },
    })
}

/// One other hub.
#[derive(Serialize, ToSchema)]
pub struct HubDetails {
    #[serde(flatten)]
    hub: OtherHub,
    /// A domain that it says is its own, of which it has no proof.
    claimed_domain: Option<String>,
    /// Where its API is, by its own words.
    api: Option<String>,
    /// When it was first heard of, in milliseconds since 1970.
    met: Option<i64>,
    /// When it last signed what it has, by its own clock, in milliseconds since 1970.
    signed: Option<i64>,
    /// What it did against the rules of the network, as far as this hub saw it.
    faults: Vec<HubFault>,
    /// The rule that decides whether it is carried; for administrators.
    rule: Option<Rule>,
    /// Multiaddresses; for administrators.
    addresses: Option<Vec<String>>,
}

#[derive(Serialize, ToSchema)]
struct HubFault {
    /// `withholds`, `pads`, `swaps`, `stale_head`, `contradicts` or `contradicts_itself`.
    fault: String,
    /// The hub whose listings it was about the last time; null where they were its own.
    about: Option<String>,
    times: u64,
    /// In milliseconds since 1970.
    first: i64,
    last: i64,
}

/// One hub that this one knows, by its id or a domain that it proved.
#[utoipa::path(get, path = "/hubs/{hub}", operation_id = "hubs.show", tag = "Network", security(("token" = ["read"])),
    params(("hub" = String, Path, description = "Its key, as a libp2p PeerId, or its domain.")),
    responses((status = OK, description = "The hub.", body = HubDetails)))]
pub async fn show(
    State(site): State<Site>,
    Called(caller): Called,
    Path(name): Path<String>,
) -> ApiResult<Json<HubDetails>> {
    Ok(Json(one(&site.hub, &caller, &name).await?))
}

pub async fn one(hub: &Hub, caller: &Caller, name: &str) -> Result<HubDetails, Error> {
    caller.may(Scope::Read)?;
    let found = federation::other(hub, caller, name).await?;
    let found = found.ok_or_else(|| Refusal::not_found(format!("This hub knows no other hub {name}.")))?;
    let is_admin = found.addresses.is_some();
    let fault = |row: federation::FaultRow| HubFault {
        fault: row.fault.as_str().to_owned(),
        about: row.about,
        times: row.times,
        first: row.first.millis(),
        last: row.last.millis(),
    };
    Ok(HubDetails {
        hub: found.row.into(),
        claimed_domain: found.claimed,
        api: found.api,
        met: found.met.map(|at| at.millis()),
        signed: found.signed.map(|at| at.millis()),
        faults: found.faults.into_iter().map(fault).collect(),
        rule: found.rule.filter(|_| is_admin).map(Rule::from),
        addresses: found.addresses,
    })
}
