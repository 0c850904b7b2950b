//! Rule list: allow and block rules that a hub publishes for subscribers.

use plexus_a2a::bounded_json::JsonLimits;
use plexus_domain::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    RecordError, Seq,
    line_format::{Payload, is_line},
    signed::HubPayload,
};
use crate::HubId;

/// Maximum rules in one list.
pub const MAX_LISTED: usize = 5_000;
/// Maximum bytes of a list: the maximum number of rules with a few words each.
const MAX_LIST_BYTES: usize = 1 << 20;

const MAX_NAME: usize = 80;
const MAX_SUBJECT: usize = 300;
const MAX_REASON: usize = 200;

/// Action of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    Allow,
    Block,
}

/// A published rule. Its subject is a kind and a name, such as `hub:12D3KooW…`; subscribers skip unknown
/// kinds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedRule {
    pub subject: String,
    pub action: RuleAction,
    pub reason: String,
    pub created: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// All rules that a hub publishes, as of `seq`. Unlike other records, hubs do not replicate it automatically.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleList {
    pub hub: HubId,
    pub seq: Seq,
    /// Display name of the hub, one line.
    pub name: String,
    pub rules: Vec<ListedRule>,
}

impl RuleList {
    pub const KIND: &'static str = "plexus/rules/1";
}

impl Payload for RuleList {
    const KIND: &'static str = Self::KIND;
    const LIMITS: JsonLimits = JsonLimits { bytes: MAX_LIST_BYTES, depth: 8, values: 12 * MAX_LISTED };

    fn check(&self) -> Result<(), RecordError> {
        let rules = [
            (is_line(&self.name, MAX_NAME), "a name is one line of at most 80 characters"),
            (self.rules.len() <= MAX_LISTED, "a list has at most 5,000 rules"),
            (self.rules.iter().all(is_short), "a rule is about one thing, with a reason of one line"),
        ];
        let broken = rules.into_iter().find(|(holds, _)| !holds);
        broken.map_or(Ok(()), |(_, rule)| Err(RecordError::Payload(rule.to_owned())))
    }
}

impl HubPayload for RuleList {
    const LIMIT: usize = MAX_LIST_BYTES;

    fn hub(&self) -> HubId {
        self.hub
    }

    fn seq(&self) -> Seq {
        self.seq
    }
}

fn is_short(rule: &ListedRule) -> bool {
    is_line(&rule.subject, MAX_SUBJECT) && is_line(&rule.reason, MAX_REASON)
}
