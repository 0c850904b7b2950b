//! Rules of the administrators that allow or block hubs, agents and tags. Changes take effect at once.

use std::{sync::Arc, time::Duration};

use plexus_domain::{Error as Refusal, Timestamp, account::Role, sanitized_text};
use plexus_federation::{
    HubId,
    engine::{
        Event,
        policy::{AdmissionMode, MAX_RULES, Policy, PolicyRule, RuleSource, RuleSubject, holds},
    },
};
use plexus_store::{
    Conn,
    federation_rules::{self, FederationRule as Row, RuleAction},
    hubs::{self, HubState},
    rule_subscriptions::{self, SubscribedRule},
};
use serde_json::json;

use super::rule_subjects::{of_hub, read, subject, written};
use crate::{
    Caller, Hub, Result,
    audit::{self, AuditActor, AuditEvent, write_audit},
    bus::{AccessChange, ClusterNotice},
};

const REASON_MAX: usize = 200;
/// Interval at which the cancellation of a blocked hub's runs is tried again.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
const KNOWN_FOR: Duration = Duration::from_secs(10);

/// Effect of a rule: allow or block.
pub use plexus_federation::engine::policy::RuleAction as Ruled;

/// Rule, for the UI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleRow {
    /// Subject: kind and name, as in `hub:12D3KooW…`.
    pub subject: String,
    pub does: Ruled,
    pub reason: String,
    pub made: RuleOrigin,
    pub created: Timestamp,
    pub expires: Option<Timestamp>,
}

/// Origin of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleOrigin {
    /// Made by the administrator with this name.
    Here(String),
    /// From the subscribed list at this URL.
    List(String),
}

impl From<Row> for RuleRow {
    fn from(row: Row) -> Self {
        let Row { subject, action, reason, author, created_at: created, expires_at: expires } = row;
        Self { subject, does: does(action), reason, made: RuleOrigin::Here(author), created, expires }
    }
}

impl From<SubscribedRule> for RuleRow {
    fn from(row: SubscribedRule) -> Self {
        let SubscribedRule { list, subject, action, reason, created_at: created, expires_at: expires } = row;
        Self { subject, does: does(action), reason, made: RuleOrigin::List(list), created, expires }
    }
}

const fn does(action: RuleAction) -> Ruled {
    match action {
        RuleAction::Allow => Ruled::Allow,
        RuleAction::Block => Ruled::Block,
    }
}

pub(super) const fn action_of(does: Ruled) -> RuleAction {
    match does {
        Ruled::Allow => RuleAction::Allow,
        Ruled::Block => RuleAction::Block,
    }
}

/// Lists this hub's own rules, newest first.
pub async fn list_rules(hub: &Hub, caller: &Caller) -> Result<Vec<RuleRow>> {
    caller.require(Role::Admin)?;
    let rows = federation_rules::list(&mut hub.store().read().await?, most()).await?;
    Ok(rows.into_iter().map(RuleRow::from).collect())
}

pub(super) fn most() -> i64 {
    i64::try_from(MAX_RULES).unwrap_or(i64::MAX)
}

/// Sets a rule about a hub (id or domain), an agent (address or listing id) or a
/// tag. Returns the rule's subject.
pub async fn block(
    hub: &Hub,
    caller: &Caller,
    what: &str,
    does: Ruled,
    reason: &str,
    request: &str,
) -> Result<String> {
    let by = caller.require(Role::Admin)?;
    let reason = sanitized_text::ellipsize(&sanitized_text::one_line(reason), REASON_MAX);
    if reason.is_empty() {
        return Err(Refusal::invalid("reason", "Enter a reason for this rule.").into());
    }
    let _turn = hub.federation().ruling.lock().await;
    let mut tx = hub.store().write().await?;
    let subject = subject(&mut tx, what).await?;
    let name = written(&subject);
    let row = Row {
        subject: name.clone(),
        action: action_of(does),
        reason,
        author: audit::author_name(caller, by),
        created_at: hub.env().now(),
        expires_at: None,
    };
    federation_rules::put(&mut tx, &row).await?;
    let (action, change) = (act(does), json!({ "reason": row.reason }));
    write_audit(
        hub,
        &mut tx,
        AuditEvent { by: AuditActor::of(caller)?, action, target: name.clone(), change, request },
    )
    .await?;
    tx.commit().await?;
    hub.cluster_notifier().enqueue(ClusterNotice::Rules(None));
    let rule = rule(RuleRow::from(row));
    hub.federation().tell(Event::RuleSet { source: RuleSource::Local, subject, rule }).await;
    after_change(hub).await;
    Ok(name)
}

const fn act(does: Ruled) -> &'static str {
    match does {
        Ruled::Allow => "network.allow",
        Ruled::Block => "network.block",
    }
}

/// Removes a rule. What it hid is shown again, since nothing was deleted.
pub async fn unblock(hub: &Hub, caller: &Caller, what: &str, request: &str) -> Result<String> {
    caller.require(Role::Admin)?;
    let _turn = hub.federation().ruling.lock().await;
    let mut tx = hub.store().write().await?;
    let subject = subject(&mut tx, what).await?;
    let name = written(&subject);
    if !federation_rules::delete(&mut tx, &name).await? {
        return Err(Refusal::not_found(format!("No rule for {name}.")).into());
    }
    let target = name.clone();
    write_audit(
        hub,
        &mut tx,
        AuditEvent {
            by: AuditActor::of(caller)?,
            action: "network.unblock",
            target,
            change: json!({}),
            request,
        },
    )
    .await?;
    tx.commit().await?;
    hub.cluster_notifier().enqueue(ClusterNotice::Rules(None));
    hub.federation().tell(Event::RuleRemoved { source: RuleSource::Local, subject }).await;
    after_change(hub).await;
    Ok(name)
}

/// Applies changed rules: invalidates caches, re-checks open subscriptions and cancels the runs of blocked hubs. The rules
/// are committed, so this cannot fail: what the store refuses to read is tried again in the background.
async fn after_change(hub: &Hub) {
    hub.live().access.on_remote_change(AccessChange::Hubs);
    hub.federation().policy.lock().await.take();
    hub.federation().shared_rules.lock().await.take();
    let Err(error) = cancel_blocked_runs(hub).await else { return };
    tracing::warn!(%error, "runs of blocked hubs: cancel failed; trying again");
    hub.supervise_work("cancel of blocked runs", |hub| async move {
        while let Err(error) = cancel_blocked_runs(&hub).await {
            tracing::warn!(%error, "runs of blocked hubs: cancel failed; trying again");
            if hub.stop().run_until_cancelled(tokio::time::sleep(RETRY_INTERVAL)).await.is_none() {
                return;
            }
        }
    });
}

async fn cancel_blocked_runs(hub: &Hub) -> Result<()> {
    let (policy, now) = (current(hub).await?, hub.env().now());
    let mut conn = hub.store().read().await?;
    for row in hubs::list_known(&mut conn).await? {
        let id: Option<HubId> = row.hub_key.as_deref().and_then(|peer| peer.parse().ok());
        let Some(id) = id.filter(|_| row.state != HubState::Itself) else { continue };
        if is_blocked(hub, policy.on_hub(id, row.domain.as_deref(), now)) {
            hub.run_registry().cancel_hub(row.id);
        }
    }
    Ok(())
}

/// Returns whether a hub with this rule is blocked.
pub(super) fn is_blocked(hub: &Hub, said: Option<Ruled>) -> bool {
    match said {
        Some(said) => said == Ruled::Block,
        None => {
            hub.config().federation.as_ref().is_some_and(|config| config.mode == AdmissionMode::Allowlist)
        }
    }
}

/// Returns the action of the rules for a hub, given its verified domain.
pub(super) async fn on_hub(
    hub: &Hub,
    conn: &mut Conn,
    id: HubId,
    domain: Option<&str>,
) -> Result<Option<Ruled>> {
    Ok(about(conn, id, domain, hub.env().now()).await?.map(|rule| rule.does))
}

/// Returns the rule that applies to a hub. This hub's own rules precede those of lists; within one source the
/// most specific rule applies. Same result as [`Policy::on_hub`], without reading all other rules.
pub(super) async fn about(
    conn: &mut Conn,
    id: HubId,
    domain: Option<&str>,
    now: Timestamp,
) -> Result<Option<RuleRow>> {
    let mut listed: Vec<SubscribedRule> = Vec::new();
    for subject in of_hub(id, domain).iter().map(written) {
        if let Some(own) =
            federation_rules::find(conn, &subject).await?.filter(|row| holds(row.expires_at, now))
        {
            return Ok(Some(own.into()));
        }
        listed.extend(rule_subscriptions::rules_about(conn, &subject).await?);
    }
    listed.retain(|row| holds(row.expires_at, now));
    // Subjects are ordered by specificity, and `min_by` returns the first rule of
    // a list: the most specific one.
    Ok(listed.into_iter().min_by(|one, other| one.list.cmp(&other.list)).map(RuleRow::from))
}

/// Reads all rules from the store.
pub(super) async fn policy(hub: &Hub, conn: &mut Conn) -> Result<Policy> {
    let mode = hub.config().federation.as_ref().map_or(AdmissionMode::Open, |config| config.mode);
    let mut policy = Policy::new(mode);
    let own = federation_rules::list(conn, most()).await?;
    policy.replace(RuleSource::Local, readable(own.into_iter().map(RuleRow::from)));
    for list in rule_subscriptions::list(conn).await? {
        let rules = rule_subscriptions::rules(conn, &list.url).await?;
        policy.replace(RuleSource::List(list.url), readable(rules.into_iter().map(RuleRow::from)));
    }
    Ok(policy)
}

/// Returns all rules from a cache, so that page views do not read them each time. Changes by this instance
/// invalidate the cache; changes by other instances appear when the cache expires.
pub(super) async fn current(hub: &Hub) -> Result<Arc<Policy>> {
    let mut known = hub.federation().policy.lock().await;
    let now = hub.env().now();
    if let Some((_, policy)) = known.as_ref().filter(|(read, _)| now.since(*read) < KNOWN_FOR) {
        return Ok(Arc::clone(policy));
    }
    let policy = Arc::new(policy(hub, &mut hub.store().read().await?).await?);
    *known = Some((now, Arc::clone(&policy)));
    Ok(policy)
}

/// Publishes the new rules of one source to all instances of this hub and to the engine.
pub(super) async fn replaced(hub: &Hub, source: RuleSource, rows: impl IntoIterator<Item = RuleRow>) {
    let list = match &source {
        RuleSource::Local => None,
        RuleSource::List(url) => Some(url.clone()),
    };
    hub.cluster_notifier().enqueue(ClusterNotice::Rules(list));
    replace(hub, source, rows).await;
}

async fn replace(hub: &Hub, source: RuleSource, rows: impl IntoIterator<Item = RuleRow>) {
    let rules = readable(rows);
    hub.federation().tell(Event::RulesReplaced { source, rules }).await;
    after_change(hub).await;
}

/// Reloads rules that another instance changed: this hub's own, or those of the list at this URL.
pub(crate) async fn reload(hub: &Hub, list: Option<String>) -> Result<()> {
    let _turn = hub.federation().ruling.lock().await;
    let mut conn = hub.store().read().await?;
    let (source, rows): (_, Vec<RuleRow>) = match list {
        None => {
            let own = federation_rules::list(&mut conn, most()).await?;
            (RuleSource::Local, own.into_iter().map(RuleRow::from).collect())
        }
        Some(url) => {
            let listed = rule_subscriptions::rules(&mut conn, &url).await?;
            (RuleSource::List(url), listed.into_iter().map(RuleRow::from).collect())
        }
    };
    drop(conn);
    replace(hub, source, rows).await;
    Ok(())
}

/// Parses rules for the engine. Rules that cannot be parsed are skipped and logged.
pub(super) fn readable(rows: impl IntoIterator<Item = RuleRow>) -> Vec<(RuleSubject, PolicyRule)> {
    let rule = |row: RuleRow| match read(&row.subject) {
        Some(subject) => Some((subject, rule(row))),
        None => {
            tracing::warn!(subject = row.subject, "federation rule unreadable; ignored");
            None
        }
    };
    rows.into_iter().filter_map(rule).collect()
}

fn rule(row: RuleRow) -> PolicyRule {
    let (RuleOrigin::Here(author) | RuleOrigin::List(author)) = row.made;
    PolicyRule { action: row.does, reason: row.reason, author, expires: row.expires }
}
