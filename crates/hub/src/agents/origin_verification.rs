//! Origin verification: proof that the owner of an agent controls the origins that the hub calls for it.

use plexus_a2a::{Card, card::Origin};
use plexus_domain::{AgentId, Digest, Error as Refusal, ProofId, Timestamp};
use plexus_runtime::outbound::{Dns, OutboundClient};
use plexus_store::{
    Conn, Tx,
    agent_versions::Version,
    agents::Agent,
    origin_verifications,
    origin_verifications::{Proof, ProofMethod},
    trusted_origins,
};
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::access::manages;
use crate::{Hub, Result, caller::Requester, keys};

/// Path of the verification file at the origin.
const FILE: &str = "/.well-known/plexus-agent-proof.txt";
/// DNS label of the TXT record, before the host name.
const LABEL: &str = "_plexus";
const PREFIX: &str = "plexus-agent-proof=";
/// Size limit of the file; fits the tokens of a few hundred agents at one origin.
const MAX_FILE_BYTES: usize = 64 << 10;

/// Verification status of one origin, and how to verify it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginVerification {
    pub origin: String,
    pub status: VerificationStatus,
    pub file_url: String,
    /// Token that the file or the TXT record must contain.
    pub token: String,
    /// Name of the TXT record; `None` for IP addresses.
    pub dns_record: Option<String>,
}

/// Result of the last verification of an origin.
// Each alias is the name in drafts stored before 0.1.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum VerificationStatus {
    #[default]
    #[serde(alias = "never")]
    Unchecked,
    #[serde(alias = "proved")]
    Verified {
        #[serde(alias = "by")]
        method: VerificationMethod,
        at: Timestamp,
    },
    Failed {
        message: String,
        at: Timestamp,
    },
}

#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerificationMethod {
    File,
    Dns,
    /// Trusted by an administrator.
    // The alias is the name in drafts stored before 0.1.
    #[serde(alias = "voucher")]
    Trusted,
}

impl VerificationStatus {
    pub const fn is_verified(&self) -> bool {
        matches!(self, Self::Verified { .. })
    }

    /// Returns whether the origin is trusted by an administrator. Nothing is
    /// verified about this agent itself.
    pub const fn is_trusted(&self) -> bool {
        matches!(self, Self::Verified { method: VerificationMethod::Trusted, .. })
    }
}

/// Returns the verification token of an agent. It is not secret, since it is valid for this agent only.
pub(super) async fn token(conn: &mut Conn, agent: AgentId) -> Result<String> {
    let hub = keys::hub_key(conn).await?;
    Ok(format!("{PREFIX}{}", Digest::of(format!("plexus agent proof 1\n{hub}\n{agent}"))))
}

pub(super) fn describe(origin: &str, status: VerificationStatus, token: &str) -> OriginVerification {
    let host = Url::parse(origin).ok().and_then(|url| match url.host() {
        Some(Host::Domain(name)) => Some(name.to_owned()),
        _ => None,
    });
    OriginVerification {
        origin: origin.to_owned(),
        status,
        file_url: format!("{origin}{FILE}"),
        token: token.to_owned(),
        dns_record: host.map(|host| format!("{LABEL}.{host}")),
    }
}

/// Returns the origins of a card that the hub may call, in their stored form.
pub(super) fn origins(card: &Card) -> Vec<String> {
    card.origins().iter().map(Origin::to_string).collect()
}

/// Verifies an origin: checks for the token in its file, then in its TXT record.
pub(super) async fn check(
    hub: &Hub,
    outbound: &OutboundClient,
    origin: &str,
    token: &str,
) -> VerificationStatus {
    let asked = describe(origin, VerificationStatus::Unchecked, token);
    let by_file = in_file(outbound, &asked).await;
    let at = hub.env().now();
    let Err(mut message) = by_file else {
        return VerificationStatus::Verified { method: VerificationMethod::File, at };
    };
    if let Some(name) = &asked.dns_record {
        match in_record(hub.outbound().dns(), name, token).await {
            Ok(()) => return VerificationStatus::Verified { method: VerificationMethod::Dns, at },
            Err(why) => message = format!("{message} {why}"),
        }
    }
    VerificationStatus::Failed { message, at }
}

async fn in_file(outbound: &OutboundClient, asked: &OriginVerification) -> Result<(), String> {
    let url: Url =
        asked.file_url.parse().map_err(|error| format!("{} is not a valid URL: {error}.", asked.file_url))?;
    let found = outbound.fetch(&url, MAX_FILE_BYTES).await.map_err(|failure| failure.message)?;
    if found.url.origin() != url.origin() {
        return Err(format!("{url} redirects to another origin. Serve the file at the origin itself."));
    }
    if !found.status.is_success() {
        return Err(format!("{url} answered {}.", found.status));
    }
    let text = String::from_utf8_lossy(&found.body);
    match text.lines().any(|line| line.trim() == asked.token) {
        true => Ok(()),
        false => Err(format!("{url} does not contain the verification text.")),
    }
}

async fn in_record(dns: Dns, name: &str, token: &str) -> Result<(), String> {
    let found = dns.texts(name).await.map_err(|error| format!("The TXT record {name} {error}."))?;
    match found.iter().any(|text| text == token.as_bytes()) {
        true => Ok(()),
        false => Err(format!("The TXT record {name} does not contain the verification text.")),
    }
}

/// Stores the verification status of an origin.
pub(super) async fn put(
    hub: &Hub,
    tx: &mut Tx,
    agent: AgentId,
    origin: &str,
    check: &VerificationStatus,
) -> Result<()> {
    let (method, verified_at, failed_at) = match check {
        // Trusted origins are stored per origin, not per agent.
        VerificationStatus::Unchecked
        | VerificationStatus::Verified { method: VerificationMethod::Trusted, .. } => {
            (ProofMethod::WellKnown, None, None)
        }
        VerificationStatus::Verified { method: VerificationMethod::File, at } => {
            (ProofMethod::WellKnown, Some(*at), None)
        }
        VerificationStatus::Verified { method: VerificationMethod::Dns, at } => {
            (ProofMethod::Dns, Some(*at), None)
        }
        VerificationStatus::Failed { at, .. } => (ProofMethod::WellKnown, None, Some(*at)),
    };
    let id = hub.env().id(ProofId::new);
    Ok(origin_verifications::put(
        tx,
        &Proof { id, agent, origin: origin.to_owned(), method, verified_at, failed_at },
    )
    .await?)
}

/// Returns whether every origin is verified or trusted.
pub(super) async fn all_proved(conn: &mut Conn, checks: &[(String, VerificationStatus)]) -> Result<bool> {
    let checks = apply_trusted_origins(conn, checks).await?;
    Ok(checks.iter().all(|(_, check)| check.is_verified()))
}

/// Returns the statuses of a draft, updated with the origins that are trusted by now.
pub(super) async fn apply_trusted_origins(
    conn: &mut Conn,
    checks: &[(String, VerificationStatus)],
) -> Result<Vec<(String, VerificationStatus)>> {
    let mut known = Vec::with_capacity(checks.len());
    for (origin, check) in checks {
        let since = match check.is_verified() {
            true => None,
            false => trusted_origins::trusted_at(conn, origin).await?,
        };
        let trusted =
            since.map(|at| VerificationStatus::Verified { method: VerificationMethod::Trusted, at });
        known.push((origin.clone(), trusted.unwrap_or_else(|| check.clone())));
    }
    Ok(known)
}

pub(super) fn read(proof: &Proof) -> VerificationStatus {
    let method = match proof.method {
        ProofMethod::Dns => VerificationMethod::Dns,
        ProofMethod::TrustedOrigin => VerificationMethod::Trusted,
        ProofMethod::WellKnown | ProofMethod::Card => VerificationMethod::File,
    };
    match (proof.verified_at, proof.failed_at) {
        (Some(at), None) => VerificationStatus::Verified { method, at },
        (_, Some(at)) => VerificationStatus::Failed {
            message: "Neither the file nor the record contains the verification text.".to_owned(),
            at,
        },
        (None, None) => VerificationStatus::Unchecked,
    }
}

/// Returns the first unverified origin of a remote agent. The called origin is checked first.
pub(crate) async fn first_unverified_origin(
    conn: &mut Conn,
    agent: &Agent,
    version: &Version,
) -> Result<Option<String>> {
    let Some(url) = version.connector.remote_url() else { return Ok(None) };
    // Endpoints of replicated agents are verified before the first call (`federation::prove`).
    if agent.home.is_some() {
        return Ok(None);
    }
    let known = origin_verifications::list_by_agent(conn, agent.id).await?;
    let called = Url::parse(url).ok().and_then(|url| Origin::of(&url)).map(|origin| origin.to_string());
    let called = called.unwrap_or_else(|| url.to_owned());
    if !known.iter().any(|proof| proof.origin == called && proof.holds()) {
        return Ok(Some(called));
    }
    Ok(known.into_iter().find(|proof| !proof.holds()).map(|proof| proof.origin))
}

/// Fails if an origin is unverified, unless the caller acts for the agent's owner.
pub(crate) async fn check_proved(
    conn: &mut Conn,
    requester: &Requester,
    agent: &Agent,
    version: &Version,
) -> Result<()> {
    let Some(origin) = first_unverified_origin(conn, agent, version).await? else { return Ok(()) };
    if manages(conn, requester.person.as_ref(), agent).await? {
        return Ok(());
    }
    let address = agent.address();
    let words =
        format!("{address} is unverified: only its owner can use it until control of {origin} is verified.");
    Err(Refusal::forbidden(words).into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_is_asked_of_names_only() {
        let record = |origin| describe(origin, VerificationStatus::Unchecked, "t").dns_record;
        assert_eq!(record("https://a.example:8443").as_deref(), Some("_plexus.a.example"));
        assert_eq!(record("http://127.0.0.1:9"), None);
        assert_eq!(record("http://[::1]:9"), None);
        assert_eq!(
            describe("https://a.example", VerificationStatus::Unchecked, "t").file_url,
            "https://a.example/.well-known/plexus-agent-proof.txt"
        );
    }

    #[test]
    fn statuses_stored_under_earlier_names_can_be_read() {
        let at = Timestamp::from_millis(7);
        for (stored, status) in [
            (json!({ "state": "never" }), VerificationStatus::Unchecked),
            (
                json!({ "state": "proved", "by": "voucher", "at": 7 }),
                VerificationStatus::Verified { method: VerificationMethod::Trusted, at },
            ),
            (
                json!({ "state": "proved", "by": "dns", "at": 7 }),
                VerificationStatus::Verified { method: VerificationMethod::Dns, at },
            ),
        ] {
            assert_eq!(serde_json::from_value::<VerificationStatus>(stored).unwrap(), status);
            let written = serde_json::to_value(&status).unwrap();
            assert_eq!(serde_json::from_value::<VerificationStatus>(written).unwrap(), status);
        }
        let new = VerificationStatus::Verified { method: VerificationMethod::Trusted, at };
        let expected = json!({ "state": "verified", "method": "trusted", "at": 7 });
        assert_eq!(serde_json::to_value(new).unwrap(), expected);
    }
}
