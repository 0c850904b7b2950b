//! The hubs that this one knows, and itself among them.

use plexus_domain::Timestamp;

use super::{Form, Pager, agents::AgentRow};

#[derive(Clone, Debug)]
pub struct NetworkPage {
    /// The name by which others know this hub: its key.
    pub id: String,
    /// What it calls itself.
    pub name: String,
    /// Where others reach it.
    pub addresses: Vec<String>,
    /// Whether and how others reach it, in words.
    pub reached: Option<String>,
    /// Its own agents that others may carry.
    pub agents: u64,
    /// How hubs are treated that no rule names; none while this hub takes no part.
    pub mode: Option<NetworkMode>,
    pub hubs: Vec<HubRow>,
    pub speeds: Speeds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkMode {
    Open,
    Probation,
    Allowlist,
}

#[derive(Clone, Debug)]
pub struct HubRow {
    pub id: String,
    /// What it calls itself.
    pub name: Option<String>,
    /// Proved.
    pub domain: Option<String>,
    pub state: HubState,
    pub connected: bool,
    /// Of its agents, those that are found here.
    pub agents: u64,
    pub seen: Timestamp,
    pub catching_up: Option<CatchingUp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HubState {
    Fresh,
    /// Silent for half an hour.
    Stale,
    /// Silent for two days: its agents are not found.
    Silent,
    /// By a rule of this hub.
    Blocked,
}

/// Listings of a hub that are being fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatchingUp {
    pub got: u64,
    pub wanted: u64,
}

/// How fast the network is; none where nothing was measured yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Speeds {
    pub spread: Option<Figures>,
    pub look_up: Option<Figures>,
    pub catch_up: Option<Figures>,
}

/// Times in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    pub median: u64,
    pub p99: u64,
    /// So far; the times are of the latest 1,024 of them.
    pub samples: u64,
    pub since: Timestamp,
}

/// `/network/{hub}?page=`. Administrators post to it, with `action`: `block` or `allow` with `reason`, `undo` with `subject`.
#[derive(Clone, Debug)]
pub struct HubPage {
    pub hub: HubRow,
    pub software: Option<String>,
    /// A domain that it says is its own, of which it has no proof.
    pub claimed: Option<String>,
    pub api: Option<String>,
    /// When this hub first heard of it.
    pub met: Option<Timestamp>,
    /// When it last signed what it has, by its own clock.
    pub signed: Option<Timestamp>,
    /// How much of it is carried; none while this hub takes no part.
    pub carried: Option<Carried>,
    pub rule: Option<HubRule>,
    pub faults: Vec<FaultRow>,
    pub agents: Vec<AgentRow>,
    pub pager: Pager,
    /// What administrators see and do.
    pub admin: Option<HubAdmin>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    pub terms: Terms,
    /// Listings that are here, paused and deleted ones among them, and as many as it signed for.
    pub here: u64,
    pub promised: Option<u64>,
    /// Some of it was left out for want of room.
    pub partial: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    Full,
    /// A little, until then.
    Probation(Timestamp),
    Refused,
}

/// The rule that decides about a hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubRule {
    pub subject: String,
    pub allows: bool,
    pub expires: Option<Timestamp>,
}

#[derive(Clone, Debug)]
pub struct HubAdmin {
    pub addresses: Vec<String>,
    /// Why the rule is there and where it comes from, where there is one.
    pub rule: Option<RuleOrigin>,
    pub form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleOrigin {
    pub reason: String,
    pub since: Timestamp,
    pub made: RuleMaker,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleMaker {
    /// Somebody who runs this hub.
    Here(String),
    /// The list at this address.
    List(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRow {
    /// In a sentence.
    pub what: &'static str,
    /// The hub whose listings it was about, where they were not its own.
    pub about: Option<String>,
    pub times: u64,
    pub first: Timestamp,
    pub last: Timestamp,
}
