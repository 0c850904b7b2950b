//! Trusted origins: agents at these origins can be called without verification by their owners.

use plexus_a2a::card::Origin;
use plexus_domain::{Error as Refusal, Timestamp, account::Role, sanitized_text};
use plexus_store::{
    Tx, admin, origin_verifications,
    trusted_origins::{self, NewTrustedOrigin},
};
use serde_json::json;
use url::Url;

use crate::{
    Caller, Hub, Result,
    audit::{AuditActor, AuditEvent, write_audit},
    caller::Person,
    listings::publish,
};

const MAX_ITEMS: u16 = 500;
const NOTE_MAX: usize = 200;
const VOUCH: &str = "origin.vouch";
const WITHDRAW: &str = "origin.withdraw";

/// A trusted origin in the administrators' list.
pub struct OriginRow {
    pub origin: String,
    pub note: String,
    /// The name of the administrator who last declared it trusted.
    pub by: String,
    pub since: Timestamp,
    pub agents: u64,
}

/// Lists the trusted origins by name.
pub async fn list_origins(hub: &Hub, caller: &Caller) -> Result<Vec<OriginRow>> {
    caller.require(Role::Admin)?;
    let mut conn = hub.store().snapshot().await?;
    let row = |found: admin::TrustedOriginRow| OriginRow {
        note: found.note,
        by: found.trusted_by.map_or_else(|| "an unknown user".to_owned(), |name| name.to_string()),
        origin: found.origin,
        since: found.trusted_at,
        agents: found.agents,
    };
    Ok(admin::trusted_origins(&mut conn, MAX_ITEMS).await?.into_iter().map(row).collect())
}

/// Declares an origin trusted. Returns how many agents use it now; agents registered later are covered as
/// well.
pub async fn trust_origin(
    hub: &Hub,
    caller: &Caller,
    origin: &str,
    note: &str,
    request: &str,
) -> Result<usize> {
    caller.require(Role::Admin)?;
    let by = AuditActor::of(caller)?;
    let origin = parse(origin)?;
    let note = sanitized_text::ellipsize(&sanitized_text::one_line(note), NOTE_MAX);
    let mut tx = hub.store().write().await?;
    let new = NewTrustedOrigin { origin: &origin, by: by.account(), note: &note, at: hub.env().now() };
    if !trusted_origins::insert(&mut tx, new).await? {
        let words = format!("{origin} is already a trusted origin.");
        return Err(Refusal::invalid("origin", words).into());
    }
    let agents = publish_all(hub, &mut tx, &origin).await?;
    let (target, change) = (target(&origin), json!({ "note": note, "agents": agents }));
    write_audit(hub, &mut tx, AuditEvent { by, action: VOUCH, target, change, request }).await?;
    tx.commit().await?;
    hub.wake_index_worker();
    Ok(agents)
}

/// Withdraws trust: agents there are unverified again, unless their owners have verified the origin.
pub async fn untrust_origin(hub: &Hub, caller: &Caller, origin: &str, request: &str) -> Result<()> {
    caller.require(Role::Admin)?;
    let by = AuditActor::of(caller)?;
    let origin = parse(origin)?;
    let mut tx = hub.store().write().await?;
    if !trusted_origins::delete(&mut tx, &origin).await? {
        return Err(Refusal::not_found("This origin is no longer trusted.").into());
    }
    let change = json!({ "agents": publish_all(hub, &mut tx, &origin).await? });
    let target = target(&origin);
    write_audit(hub, &mut tx, AuditEvent { by, action: WITHDRAW, target, change, request }).await?;
    tx.commit().await?;
    hub.wake_index_worker();
    Ok(())
}

/// Declares an origin trusted while an administrator registers or reviews an agent there. Idempotent.
pub(crate) async fn trust_origin_of(hub: &Hub, tx: &mut Tx, by: &Person, origin: &str) -> Result<()> {
    let by = AuditActor::Account(by.account);
    let new = NewTrustedOrigin { origin, by: by.account(), note: "", at: hub.env().now() };
    if !trusted_origins::insert(tx, new).await? {
        return Ok(());
    }
    let (target, change) = (target(origin), json!({ "agents": publish_all(hub, tx, origin).await? }));
    write_audit(hub, tx, AuditEvent { by, action: VOUCH, target, change, request: "" }).await
}

/// Republishes the listings of all agents at an origin, which depend on its trust. Returns how many there
/// are.
async fn publish_all(hub: &Hub, tx: &mut Tx, origin: &str) -> Result<usize> {
    let found = origin_verifications::list_by_origin(tx, origin).await?;
    for proof in &found {
        publish(hub, tx, proof.agent).await?;
    }
    Ok(found.len())
}

fn parse(raw: &str) -> Result<String, Refusal> {
    let wrong =
        || Refusal::invalid("origin", "Enter only scheme, host and port, as in https://agents.example.org.");
    let url: Url = raw.trim().parse().map_err(|_| wrong())?;
    let bare = url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if !matches!(url.scheme(), "http" | "https") || !bare {
        return Err(wrong());
    }
    Origin::of(&url).map(|origin| origin.to_string()).ok_or_else(wrong)
}

fn target(origin: &str) -> String {
    format!("origin:{origin}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        assert_eq!(parse(" https://Agents.Example.org:443/ ").unwrap(), "https://agents.example.org");
        assert_eq!(parse("http://127.0.0.1:9001").unwrap(), "http://127.0.0.1:9001");
        for wrong in
            ["", "agents.example.org", "https://a.example/path", "https://u@a.example", "ftp://a.example"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
