//! Hub record: a hub's signed description of itself and its addresses.

use std::time::Duration;

use plexus_domain::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    RecordError, Seq,
    line_format::{Payload, is_line},
    signed::HubPayload,
};
use crate::HubId;

/// Maximum lifetime of a hub record.
pub const HUB_RECORD_TTL: Duration = Duration::from_secs(48 * 3_600);

const MAX_NAME: usize = 80;
const MAX_DOMAIN: usize = 253;
const MAX_URL: usize = 512;
const MAX_ADDRESSES: usize = 8;
const MAX_ADDRESS: usize = 256;

/// Description of a hub. Small enough for a DHT value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubRecord {
    pub hub: HubId,
    pub seq: Seq,
    pub expires: Timestamp,
    /// Display name, one line.
    pub name: String,
    /// Software and version, such as `plexus/0.1.0`.
    pub software: String,
    /// Domain that the hub claims. Verified only once the domain names the hub as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// URL of its API, if it has a public address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
    /// URL of its federation policy for human readers: which hubs it replicates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Multiaddresses of the hub.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
    /// Whether the hub relays connections for hubs without a public address.
    #[serde(default)]
    pub relay: bool,
}

impl HubRecord {
    pub const KIND: &'static str = "plexus/hub/1";
}

impl Payload for HubRecord {
    const KIND: &'static str = Self::KIND;

    fn check(&self) -> Result<(), RecordError> {
        let issued = self.seq.issued();
        let life = issued < self.expires && self.expires <= issued + HUB_RECORD_TTL;
        let urls = [&self.api, &self.policy].into_iter().flatten().all(|url| is_url(url));
        let addresses =
            self.addresses.len() <= MAX_ADDRESSES && self.addresses.iter().all(|it| is_address(it));
        let rules = [
            (life, "a hub record holds for at most 48 hours"),
            (
                [&self.name, &self.software].into_iter().all(|line| is_line(line, MAX_NAME)),
                "a name is one line of at most 80 characters",
            ),
            (self.domain.as_deref().is_none_or(is_domain), "a domain is written in lower case"),
            (urls, "a URL begins with https and has at most 512 characters"),
            (addresses, "there are at most 8 addresses, each a multiaddress"),
        ];
        let broken = rules.into_iter().find(|(holds, _)| !holds);
        broken.map_or(Ok(()), |(_, rule)| Err(RecordError::Payload(rule.to_owned())))
    }
}

impl HubPayload for HubRecord {
    const LIMIT: usize = 4_096;

    fn hub(&self) -> HubId {
        self.hub
    }

    fn seq(&self) -> Seq {
        self.seq
    }
}

fn is_domain(domain: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    domain.len() <= MAX_DOMAIN && domain.contains('.') && domain.split('.').all(label)
}

fn is_url(url: &str) -> bool {
    url.len() <= MAX_URL && url.starts_with("https://") && url.bytes().all(|byte| byte.is_ascii_graphic())
}

fn is_address(address: &str) -> bool {
    address.len() <= MAX_ADDRESS
        && address.starts_with('/')
        && address.bytes().all(|byte| byte.is_ascii_graphic())
}
