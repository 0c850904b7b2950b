//! Export and import of rules as signed lists.

use std::time::Duration;

use plexus_domain::{Error as Refusal, Timestamp, account::Role, sanitized_text};
use plexus_federation::{
    HubId,
    engine::policy::{MAX_RULES, RuleSource, holds},
    record::{ListedRule, MAX_LISTED, RecordError, RuleList, Seq, Signed},
};
use plexus_store::{
    Conn,
    federation_rules::{self, FederationRule as Row},
};
use serde_json::json;

use super::{
    rule_subjects::{read, written},
    rules::{RuleRow, action_of, most, replaced},
};
use crate::{
    Caller, Error, Hub, Result,
    audit::{self, AuditActor, AuditEvent, write_audit},
    keys,
};

const MAX_NAME: usize = 80;
/// Cache lifetime of the signed list. Expired rules disappear from it within this time.
const SHARED_FOR: Duration = Duration::from_secs(3_600);

/// Result of importing a rule list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleImport {
    /// Hub that signed the list.
    pub signer: HubId,
    pub name: String,
    /// Number of rules that were added.
    pub imported: u64,
    /// Number of rules that were skipped because this hub has an own rule about the same subject.
    pub already_present: u64,
    /// Number of rules that have expired or that this hub cannot parse.
    pub invalid: u64,
}

/// Exports this hub's own rules as a signed list. Only for administrators.
pub async fn export_rules(hub: &Hub, caller: &Caller) -> Result<String> {
    caller.require(Role::Admin)?;
    signed(hub).await
}

/// Returns the same list for any caller, if the operator shares it. Signed once an hour and after each
/// change, however many requests arrive.
pub async fn shared_rules(hub: &Hub) -> Result<Option<String>> {
    if !hub.config().federation.as_ref().is_some_and(|config| config.publish_federation_rules) {
        return Ok(None);
    }
    let mut known = hub.federation().shared_rules.lock().await;
    let now = hub.env().now();
    if let Some((_, list)) = known.as_ref().filter(|(signed, _)| now.since(*signed) < SHARED_FOR) {
        return Ok(Some(list.clone()?));
    }
    let list = match signed(hub).await {
        Ok(list) => Ok(list),
        Err(Error::Refused(refusal)) => Err(refusal),
        Err(fault) => return Err(fault),
    };
    *known = Some((now, list.clone()));
    Ok(Some(list?))
}

async fn signed(hub: &Hub) -> Result<String> {
    let mut conn = hub.store().snapshot().await?;
    let (_, key) = keys::hub_seed(hub, &mut conn).await?;
    let now = hub.env().now();
    let rows = federation_rules::list(&mut conn, most()).await?;
    let rules: Vec<ListedRule> =
        rows.into_iter().map(RuleRow::from).filter_map(|row| listed(row, now)).collect();
    if rules.len() > MAX_LISTED {
        let words = format!(
            "A rule list holds at most {MAX_LISTED} rules, and this hub has {}. Remove some first.",
            rules.len()
        );
        return Err(Refusal::conflict(words).into());
    }
    let name = sanitized_text::ellipsize(&sanitized_text::one_line(&hub.config().hub_name), MAX_NAME);
    let name = if name.is_empty() { "Plexus".to_owned() } else { name };
    let list = RuleList { hub: key.public().into(), seq: Seq::next(None, now), name, rules };
    let list = Signed::sign(list, &key).map_err(|error| match error {
        RecordError::TooLarge { .. } => {
            Refusal::conflict(format!("These rules do not fit into a rule list. {error} Remove some first."))
                .into()
        }
        error => Error::fault(error),
    })?;
    String::from_utf8(list.encode()).map_err(Error::fault)
}

/// Converts a rule to its exported form; `None` if it has expired.
fn listed(row: RuleRow, now: Timestamp) -> Option<ListedRule> {
    let RuleRow { subject, does, reason, created, expires, .. } = row;
    holds(expires, now).then_some(ListedRule { subject, action: does, reason, created, expires })
}

/// Parses and verifies a signed rule list.
pub(super) fn open(document: &str, now: Timestamp) -> Result<Signed<RuleList>, Refusal> {
    let wrong = |error: &dyn std::fmt::Display| {
        let words = "This is not a valid signed rule list.";
        let help = "Paste the complete text.";
        Refusal::invalid("document", format!("{words} {error} {help}"))
    };
    // Forms and editors change line endings. The lines themselves contain no such characters.
    let lines: Vec<&str> = document.trim().lines().collect();
    let bytes = format!("{}\n", lines.join("\n")).into_bytes();
    let list =
        Signed::<RuleList>::parse(&bytes).and_then(|list| list.verify()).map_err(|error| wrong(&error))?;
    // A sequence number in the future would block every later list of the signer.
    if list.body().seq.is_in_future_of(now) {
        return Err(wrong(&"Its signing time is in the future. Check the clocks."));
    }
    Ok(list)
}

/// Returns the rules of a list that have not expired and can be parsed, with normalized subjects.
pub(super) fn usable(list: &RuleList, now: Timestamp) -> impl Iterator<Item = ListedRule> {
    list.rules.iter().filter(move |rule| holds(rule.expires, now)).filter_map(|rule| {
        let subject = written(&read(&rule.subject)?);
        Some(ListedRule { subject, ..rule.clone() })
    })
}

/// Adds the rules of a list to this hub's own, with reasons and expiry. Existing
/// rules about the same subject stay.
pub async fn import_rules(hub: &Hub, caller: &Caller, document: &str, request: &str) -> Result<RuleImport> {
    let by = caller.require(Role::Admin)?;
    let now = hub.env().now();
    let list = open(document, now)?;
    let list = list.body();
    let usable: Vec<ListedRule> = usable(list, now).collect();
    let _turn = hub.federation().ruling.lock().await;
    let mut tx = hub.store().write().await?;
    let all = list.rules.len();
    let new = unruled(&mut tx, usable.clone()).await?;
    let done = RuleImport {
        signer: list.hub,
        name: list.name.clone(),
        imported: new.len() as u64,
        already_present: (usable.len() - new.len()) as u64,
        invalid: (all - usable.len()) as u64,
    };
    for rule in new {
        let ListedRule { subject, action, reason, expires, .. } = rule;
        let (action, author) = (action_of(action), audit::author_name(caller, by));
        let row = Row { subject, action, reason, author, created_at: now, expires_at: expires };
        federation_rules::put(&mut tx, &row).await?;
    }
    let RuleImport { imported, already_present, invalid, .. } = done;
    let change = json!({ "imported": imported, "already_present": already_present, "invalid": invalid });
    let act = AuditEvent {
        by: AuditActor::of(caller)?,
        action: "network.import",
        target: format!("hub:{}", list.hub),
        change,
        request,
    };
    write_audit(hub, &mut tx, act).await?;
    tx.commit().await?;
    let own = federation_rules::list(&mut hub.store().read().await?, most()).await?;
    replaced(hub, RuleSource::Local, own.into_iter().map(RuleRow::from)).await;
    Ok(done)
}

/// Returns the rules about subjects without an own rule, deduplicated by subject.
async fn unruled(conn: &mut Conn, rules: Vec<ListedRule>) -> Result<Vec<ListedRule>> {
    let own = federation_rules::list(conn, most()).await?;
    let mut known: std::collections::HashSet<String> = own.into_iter().map(|row| row.subject).collect();
    let before = known.len();
    let new: Vec<ListedRule> = rules.into_iter().filter(|rule| known.insert(rule.subject.clone())).collect();
    if before + new.len() > MAX_RULES {
        let words = format!("A hub has at most {MAX_RULES} rules, and this list would exceed that.");
        return Err(Refusal::conflict(words).into());
    }
    Ok(new)
}
