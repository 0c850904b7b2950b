//! Authentication of users of remote hubs who call agents here.
//!
//! The remote hub signs each request (HTTP message signatures, RFC 9421) and names the user by a
//! pseudonym. Each pseudonym is a separate principal here, with its own chats and tasks. The
//! account behind it is not known.

use std::net::{IpAddr, Ipv4Addr};

use plexus_a2a::http_signature::{self, SIGNATURE, SIGNATURE_INPUT, SignableRequest};
use plexus_domain::{Digest, Error as Refusal, HubRowId};
use plexus_federation::{
    HubId,
    engine::{
        policy::{AdmissionMode, RuleAction},
        quota::PROBATION_TIME,
    },
};
use plexus_store::{
    Conn,
    hubs::{self, Hub as Row, HubState},
    request_nonces,
};

use super::{hub_list::record_of, rules};
use crate::{
    Caller, Hub, Result,
    caller::{AuthMethod, RemoteUser},
    limits::Rate,
};

/// Header in which a remote hub sends the pseudonym of its user.
pub const PERSON: &str = "plexus-person";
/// Header fields that the signature must cover in addition to the default ones.
const REQUIRED: [&str; 1] = [PERSON];
const PSEUDONYM_LENGTHS: std::ops::RangeInclusive<usize> = 16..=64;

/// Returns whether a request carries an HTTP message signature.
pub fn is_signed(request: &SignableRequest<'_>) -> bool {
    request.field(SIGNATURE_INPUT).is_some() || request.field(SIGNATURE).is_some()
}

/// Authenticates a request that a remote hub signed. Each signature is accepted
/// once (replay protection by nonce).
pub async fn authenticate(
    hub: &Hub,
    request: &SignableRequest<'_>,
    body: &[u8],
    ip: IpAddr,
) -> Result<Caller> {
    if hub.config().federation.is_none() {
        let words = "Federation is disabled on this hub.";
        return Err(Refusal::forbidden(words).into());
    }
    let now = hub.env().now();
    let signed = http_signature::verify(request, body, &REQUIRED, now);
    let signed = signed.map_err(|error| Refusal::unauthenticated(error.to_string()))?;
    let remote_user = let_in(hub, signed.key.into(), request.field(PERSON).unwrap_or_default()).await?;
    let mut tx = hub.store().write().await?;
    let is_new = request_nonces::insert_once(
        &mut tx,
        remote_user.hub,
        &Digest::of(&signed.nonce),
        signed.expires,
        now,
    )
    .await?;
    tx.commit().await?;
    if !is_new {
        let words = "Replayed request. Sign each request again with a new nonce.";
        return Err(Refusal::unauthenticated(words).into());
    }
    Ok(Caller { person: None, via: AuthMethod::Hub(remote_user), ip })
}

/// Authenticates a request over a libp2p connection that was authenticated with the remote hub's key.
pub(super) async fn authenticate_peer(hub: &Hub, home: HubId, person: &str) -> Result<Caller> {
    let remote_user = let_in(hub, home, person).await?;
    // The peer's address belongs to the hub and does not identify the user.
    Ok(Caller { person: None, via: AuthMethod::Hub(remote_user), ip: IpAddr::V4(Ipv4Addr::UNSPECIFIED) })
}

async fn let_in(hub: &Hub, home: HubId, person: &str) -> Result<RemoteUser> {
    let pseudonym = pseudonym(person)?;
    let mut conn = hub.store().read().await?;
    let (row, is_newcomer) = standing(hub, &mut conn, home).await?;
    drop(conn);
    let remote_user = RemoteUser { hub: row.id, pseudonym, is_newcomer };
    hub.limits().take(Rate::RequestsPerHub, &home.to_string())?;
    if is_newcomer {
        hub.limits().take(Rate::RequestsPerHub, &remote_user.counted_as())?;
    }
    Ok(remote_user)
}

/// Returns whether a hub is on probation; an error if requests of its users are not accepted at all.
pub(super) async fn is_newcomer(hub: &Hub, home: HubId) -> Result<bool> {
    Ok(standing(hub, &mut hub.store().read().await?, home).await?.1)
}

async fn standing(hub: &Hub, conn: &mut Conn, home: HubId) -> Result<(Row, bool)> {
    let row = known(hub, conn, home).await?;
    let said = check_rules(hub, conn, home, row.domain.as_deref()).await?;
    let mode = hub.config().federation.as_ref().map(|config| config.mode);
    let is_old = row.first_seen_at.is_some_and(|met| hub.env().now().since(met) >= PROBATION_TIME);
    let is_settled = mode == Some(AdmissionMode::Open)
        || said == Some(RuleAction::Allow)
        || row.domain.is_some()
        || is_old;
    Ok((row, !is_settled))
}

fn pseudonym(text: &str) -> Result<String, Refusal> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if PSEUDONYM_LENGTHS.contains(&text.len()) && is_plain {
        return Ok(text.to_owned());
    }
    let words = format!("The header {PERSON} must hold the user's pseudonym, 16 to 64 letters and digits.");
    Err(Refusal::unauthenticated(words))
}

/// Returns the row of a hub that is known by a record of its own that has not expired.
async fn known(hub: &Hub, conn: &mut Conn, id: HubId) -> Result<Row> {
    let found = hubs::by_key(conn, &id.to_string()).await?;
    let now = hub.env().now();
    let holds = |row: &Row| {
        let record = record_of(row).filter(|record| now < record.expires);
        record.is_some() && matches!(row.state, HubState::Carried | HubState::Probation)
    };
    Ok(found.filter(holds).ok_or_else(|| {
        Refusal::forbidden(format!(
            "The signing hub {id} is unknown here. It must join the federation first."
        ))
    })?)
}

/// Returns the rule about a hub; an error if the operator's rules block it.
async fn check_rules(
    hub: &Hub,
    conn: &mut Conn,
    id: HubId,
    domain: Option<&str>,
) -> Result<Option<RuleAction>> {
    let said = rules::on_hub(hub, conn, id, domain).await?;
    if !rules::is_blocked(hub, said) {
        return Ok(said);
    }
    let words = match said {
        Some(_) => format!("Hub {id} is blocked by the operator of this hub."),
        None => format!("Hub {id} is not on the allowlist of this hub."),
    };
    Err(Refusal::forbidden(words).into())
}

/// Fails if the hub of a remote user is unknown or blocked by now.
pub(crate) async fn ensure_not_blocked(hub: &Hub, conn: &mut Conn, home: HubRowId) -> Result<()> {
    let gone = || Refusal::forbidden("Your hub is no longer known here.");
    let row = hubs::find(conn, home).await?.ok_or_else(gone)?;
    let id = row.hub_key.as_deref().and_then(|peer| peer.parse().ok()).ok_or_else(gone)?;
    check_rules(hub, conn, id, row.domain.as_deref()).await.map(drop)
}
