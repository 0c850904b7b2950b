//! Subscriptions to signed rule lists: fetched once a day, accepted only if signed by the pinned hub key.
//!
//! The key is pinned when the list is subscribed. The rules of lists are stored apart from this hub's own
//! rules, which take precedence. Unsubscribing removes the rules of the list.

use std::time::Duration;

use plexus_domain::{Error as Refusal, Timestamp, account::Role};
use plexus_federation::{
    HubId,
    engine::policy::RuleSource,
    record::{HubPayload as _, ListedRule, RuleList, Signed},
};
use plexus_store::{
    Tx,
    rule_subscriptions::{self, RuleSubscription as Row, SubscribedRule},
};
use serde_json::json;
use url::Url;

use super::{
    hub_details::named,
    hub_list::record_of,
    own_id,
    rule_exchange::{open, usable},
    rules::{RuleRow, action_of, replaced},
};
use crate::{
    Caller, Error, Hub, Result,
    audit::{self, AuditActor, AuditEvent, write_audit},
};

/// Path where a hub serves its rule list.
pub const SHARED_RULES: &str = "/.well-known/plexus-rules";

const MAX_LISTS: usize = 20;
const MAX_URL: usize = 512;
const POLL_INTERVAL: Duration = Duration::from_secs(10 * 60);
const REFRESH_INTERVAL: Duration = Duration::from_secs(24 * 3_600);
/// Retry interval after a list could not be fetched.
const RETRY_INTERVAL: Duration = Duration::from_secs(3_600);

/// Subscribed rule list, for the UI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSubscription {
    pub url: String,
    /// Hub that must sign the list.
    pub signer: String,
    pub name: String,
    pub author: String,
    pub rules: u64,
    pub last_fetch_at: Timestamp,
    /// Reason why the last fetch failed. The rules fetched before it still apply.
    pub last_error: Option<String>,
}

pub async fn subscriptions(hub: &Hub, caller: &Caller) -> Result<Vec<RuleSubscription>> {
    caller.require(Role::Admin)?;
    let mut conn = hub.store().snapshot().await?;
    let mut found = Vec::new();
    for row in rule_subscriptions::list(&mut conn).await? {
        let rules = rule_subscriptions::count_rules(&mut conn, &row.url).await?;
        let Row { url, signer, name, author, checked_at: last_fetch_at, problem: last_error, .. } = row;
        found.push(RuleSubscription { url, signer, name, author, rules, last_fetch_at, last_error });
    }
    Ok(found)
}

/// Subscribes to the rule list of a known hub or at a URL. Returns the URL,
/// which identifies the subscription.
///
/// The list must be signed by `signer`. Without it, the signer of an existing subscription applies, or the
/// first signature is trusted (trust on first use). The signer is then pinned.
pub async fn subscribe(
    hub: &Hub,
    caller: &Caller,
    what: &str,
    signer: Option<&str>,
    request: &str,
) -> Result<String> {
    let by = caller.require(Role::Admin)?;
    let (url, known) = place(hub, what.trim()).await?;
    let given = signer.map(str::parse::<HubId>).transpose();
    let given = given.map_err(|_| Refusal::invalid("signer", "Name the hub by its id, as in 12D3KooW…"))?;
    let list = fetch(hub, &url).await.map_err(|words| Refusal::invalid("list", words))?;
    let given = match given {
        Some(given) => Some(given),
        None => pinned(hub, &url).await?,
    };
    let signer = list.body().hub;
    if [known, given].into_iter().flatten().any(|wanted| wanted != signer) {
        let words = format!("This list is signed by another hub: {signer}.");
        return Err(Refusal::invalid("signer", words).into());
    }
    if signer == own_id(hub).await? {
        return Err(Refusal::invalid("list", "This list is signed by this hub itself.").into());
    }
    let now = hub.env().now();
    let _turn = hub.federation().ruling.lock().await;
    let mut tx = hub.store().write().await?;
    let others =
        rule_subscriptions::list(&mut tx).await?.into_iter().filter(|row| row.url != url.as_str()).count();
    if others >= MAX_LISTS {
        return Err(
            Refusal::conflict(format!("A hub can subscribe to at most {MAX_LISTS} rule lists.")).into()
        );
    }
    let row = Row {
        url: url.to_string(),
        signer: signer.to_string(),
        name: list.body().name.clone(),
        author: audit::author_name(caller, by),
        created_at: now,
        seq: seq(&list),
        checked_at: now,
        problem: None,
    };
    let rules = put(&mut tx, &row, list.body(), now).await?;
    let change = json!({ "signer": row.signer, "rules": rules.len() });
    write_audit(
        hub,
        &mut tx,
        AuditEvent {
            by: AuditActor::of(caller)?,
            action: "network.subscribe",
            target: row.url.clone(),
            change,
            request,
        },
    )
    .await?;
    tx.commit().await?;
    tell(hub, &row.url, rules).await?;
    Ok(row.url)
}

/// Removes a subscription. What its rules hid is shown again.
pub async fn unsubscribe(hub: &Hub, caller: &Caller, url: &str, request: &str) -> Result<()> {
    caller.require(Role::Admin)?;
    let _turn = hub.federation().ruling.lock().await;
    let mut tx = hub.store().write().await?;
    if !rule_subscriptions::delete(&mut tx, url).await? {
        return Err(
            Refusal::not_found(format!("This hub is not subscribed to the rule list at {url}.")).into()
        );
    }
    let target = url.to_owned();
    write_audit(
        hub,
        &mut tx,
        AuditEvent {
            by: AuditActor::of(caller)?,
            action: "network.unsubscribe",
            target,
            change: json!({}),
            request,
        },
    )
    .await?;
    tx.commit().await?;
    tell(hub, url, Vec::new()).await
}

/// Returns the pinned signer of an existing subscription.
async fn pinned(hub: &Hub, url: &Url) -> Result<Option<HubId>> {
    let row = rule_subscriptions::find(&mut hub.store().read().await?, url.as_str()).await?;
    Ok(row.and_then(|row| row.signer.parse().ok()))
}

/// Returns the URL of a list, and its required signer if that is known.
async fn place(hub: &Hub, what: &str) -> Result<(Url, Option<HubId>)> {
    if what.contains("://") {
        let url = Some(what).filter(|what| what.len() <= MAX_URL).and_then(|what| Url::parse(what).ok());
        let wrong =
            || Refusal::invalid("list", "Enter the URL of a rule list, as in https://hub.example/rules.");
        return Ok((url.ok_or_else(wrong)?, None));
    }
    let row = named(&mut hub.store().read().await?, what).await?;
    let missing = || Refusal::invalid("list", format!("Hub {what} not found. Enter the URL of the list."));
    let row = row.ok_or_else(missing)?;
    let api = record_of(&row).and_then(|record| record.api).and_then(|api| Url::parse(&api).ok());
    let nowhere = || Refusal::invalid("list", format!("Hub {what} has no public URL."));
    let url = api.and_then(|api| api.join(SHARED_RULES).ok()).ok_or_else(nowhere)?;
    Ok((url, row.hub_key.as_deref().and_then(|peer| peer.parse().ok())))
}

/// Fetches and verifies a list. Administrators choose the URL, so private networks are allowed as configured.
async fn fetch(hub: &Hub, url: &Url) -> Result<Signed<RuleList>, String> {
    let fetched = hub.outbound().anyone(true).fetch(url, RuleList::LIMIT).await;
    let fetched = fetched.map_err(|failure| failure.message)?;
    if !fetched.status.is_success() {
        return Err(format!("{url} answered {}.", fetched.status));
    }
    let document = str::from_utf8(&fetched.body).map_err(|_| format!("{url} does not serve text."))?;
    open(document, hub.env().now()).map_err(|refusal| refusal.to_string())
}

fn seq(list: &Signed<RuleList>) -> i64 {
    i64::try_from(list.body().seq().get()).unwrap_or(i64::MAX)
}

/// Stores a list and its usable rules.
async fn put(tx: &mut Tx, row: &Row, list: &RuleList, now: Timestamp) -> Result<Vec<SubscribedRule>> {
    let listed = |rule: ListedRule| {
        let ListedRule { subject, action, reason, created: created_at, expires: expires_at } = rule;
        let (list, action) = (row.url.clone(), action_of(action));
        SubscribedRule { list, subject, action, reason, created_at, expires_at }
    };
    let rules: Vec<SubscribedRule> = usable(list, now).map(listed).collect();
    rule_subscriptions::put(tx, row).await?;
    rule_subscriptions::set_rules(tx, &row.url, &rules).await?;
    Ok(rules)
}

async fn tell(hub: &Hub, url: &str, rules: Vec<SubscribedRule>) -> Result<()> {
    replaced(hub, RuleSource::List(url.to_owned()), rules.into_iter().map(RuleRow::from)).await;
    Ok(())
}

/// Refreshes each list once a day. Runs until the future is dropped.
pub(super) async fn refresh_until_dropped(hub: &Hub) {
    loop {
        if let Err(error) = refresh_due(hub).await {
            tracing::warn!(%error, "rule lists: refresh failed");
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

pub(super) async fn refresh_due(hub: &Hub) -> Result<()> {
    let now = hub.env().now();
    for row in rule_subscriptions::list(&mut hub.store().read().await?).await? {
        let every = if row.problem.is_some() { RETRY_INTERVAL } else { REFRESH_INTERVAL };
        if now.since(row.checked_at) >= every {
            refresh(hub, &row.url).await?;
        }
    }
    Ok(())
}

/// Fetches a list now. If that fails, the stored rules remain.
pub(super) async fn refresh(hub: &Hub, address: &str) -> Result<()> {
    let url: Url = address.parse().map_err(Error::fault)?;
    let fetched = fetch(hub, &url).await;
    let now = hub.env().now();
    let _turn = hub.federation().ruling.lock().await;
    let mut tx = hub.store().write_background().await?;
    // The subscription may have been removed during the fetch.
    let Some(row) = rule_subscriptions::find(&mut tx, address).await? else { return Ok(()) };
    match fetched.and_then(|list| fits(&row, list)) {
        Ok(list) => {
            let name = list.body().name.clone();
            let row = Row { name, seq: seq(&list), checked_at: now, problem: None, ..row };
            let rules = put(&mut tx, &row, list.body(), now).await?;
            tx.commit().await?;
            tell(hub, address, rules).await
        }
        Err(problem) => {
            tracing::warn!(
                list = address,
                error = problem,
                "rule list: fetch failed; the stored rules remain"
            );
            rule_subscriptions::put(&mut tx, &Row { checked_at: now, problem: Some(problem), ..row }).await?;
            Ok(tx.commit().await?)
        }
    }
}

fn fits(row: &Row, list: Signed<RuleList>) -> Result<Signed<RuleList>, String> {
    let signer = list.body().hub.to_string();
    if signer != row.signer {
        return Err(format!("It is signed by another hub: {signer}."));
    }
    if seq(&list) < row.seq {
        return Err("It is older than the stored version.".to_owned());
    }
    Ok(list)
}
