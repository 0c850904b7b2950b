//! Rules as signed lists: giving out this hub's own, and taking those of another hub over as one's own.

use std::time::Duration;

use plexus_domain::{Error as Refusal, Timestamp, account::Role, text};
use plexus_federation::{
    HubId,
    core::policy::{MAX_RULES, Source, holds},
    record::{ListedRule, MAX_LISTED, RecordError, RuleList, Seq, Signed},
};
use plexus_store::{
    Conn,
    hub_rules::{self, Rule as Row},
};
use serde_json::json;

use super::{
    rules::{RuleRow, action_of, most, replaced},
    subjects::{read, written},
};
use crate::{
    Caller, Error, Hub, Result,
    admin::{Act, record},
    keys,
};

const MAX_NAME: usize = 80;
/// Rules that have run out go from the list within this time.
const SHARED_FOR: Duration = Duration::from_secs(3_600);

/// What became of a list that was taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The hub that signed it.
    pub from: HubId,
    pub name: String,
    /// Rules that hold now.
    pub taken: u64,
    /// Those about what this hub has a rule of its own, which stays.
    pub kept: u64,
    /// Those that have run out, or that this hub cannot read.
    pub left_out: u64,
}

/// This hub's own rules as it signs them, in the form of other records.
pub async fn export_rules(hub: &Hub, caller: &Caller) -> Result<String> {
    caller.require(Role::Admin)?;
    signed(hub).await
}

/// The same for anybody, where the operator gives them out. Signed once an hour and whenever they change, however many ask.
pub async fn shared_rules(hub: &Hub) -> Result<Option<String>> {
    if !hub.config().federation.as_ref().is_some_and(|config| config.share_rules) {
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
    let rows = hub_rules::list(&mut conn, most()).await?;
    let rules: Vec<ListedRule> =
        rows.into_iter().map(RuleRow::from).filter_map(|row| listed(row, now)).collect();
    if rules.len() > MAX_LISTED {
        let words = format!(
            "A list holds at most {MAX_LISTED} rules, and this hub has {}. Take back some of them first.",
            rules.len()
        );
        return Err(Refusal::conflict(words).into());
    }
    let name = text::shorten(&text::one_line(&hub.config().hub_name), MAX_NAME);
    let name = if name.is_empty() { "Plexus".to_owned() } else { name };
    let list = RuleList { hub: key.public().into(), seq: Seq::next(None, now), name, rules };
    let list = Signed::sign(list, &key).map_err(|error| match error {
        RecordError::TooLarge { .. } => Refusal::conflict(format!(
            "These rules do not fit into a list. {error} Take back some of them first."
        ))
        .into(),
        error => Error::fault(error),
    })?;
    String::from_utf8(list.encode()).map_err(Error::fault)
}

/// A rule that still holds, as it travels.
fn listed(row: RuleRow, now: Timestamp) -> Option<ListedRule> {
    let RuleRow { subject, does, reason, since, expires, .. } = row;
    holds(expires, now).then_some(ListedRule { subject, action: does, reason, created: since, expires })
}

/// The list in a document, if it is one whose signature holds.
pub(super) fn open(document: &str, now: Timestamp) -> Result<Signed<RuleList>, Refusal> {
    let wrong = |error: &dyn std::fmt::Display| {
        let words = "This is no list of rules that can be trusted.";
        let help = "Take all of the text, as the other hub gave it.";
        Refusal::invalid("document", format!("{words} {error} {help}"))
    };
    // Forms and editors change where lines end; the lines themselves have no such characters.
    let lines: Vec<&str> = document.trim().lines().collect();
    let bytes = format!("{}\n", lines.join("\n")).into_bytes();
    let list =
        Signed::<RuleList>::parse(&bytes).and_then(|list| list.verify()).map_err(|error| wrong(&error))?;
    // No later list of its signer could ever follow it.
    if list.body().seq.is_ahead_of(now) {
        return Err(wrong(&"It says that it was signed in the future: a clock is wrong."));
    }
    Ok(list)
}

/// The rules of a list that hold and can be read, each about what the reader calls it.
pub(super) fn usable(list: &RuleList, now: Timestamp) -> impl Iterator<Item = ListedRule> {
    list.rules.iter().filter(move |rule| holds(rule.expires, now)).filter_map(|rule| {
        let subject = written(&read(&rule.subject)?);
        Some(ListedRule { subject, ..rule.clone() })
    })
}

/// Makes the rules of a list this hub's own, with their reasons and ends. What this hub has a rule about stays as it is.
pub async fn import_rules(hub: &Hub, caller: &Caller, document: &str, request: &str) -> Result<Imported> {
    let by = caller.require(Role::Admin)?;
    let now = hub.env().now();
    let list = open(document, now)?;
    let list = list.body();
    let usable: Vec<ListedRule> = usable(list, now).collect();
    let _turn = hub.federation().ruling.lock().await;
    let mut tx = hub.store().write().await?;
    let all = list.rules.len();
    let new = unruled(&mut tx, usable.clone()).await?;
    let imported = Imported {
        from: list.hub,
        name: list.name.clone(),
        taken: new.len() as u64,
        kept: (usable.len() - new.len()) as u64,
        left_out: (all - usable.len()) as u64,
    };
    for rule in new {
        let ListedRule { subject, action, reason, expires, .. } = rule;
        let (action, author) = (action_of(action), by.name.to_string());
        hub_rules::put(&mut tx, &Row { subject, action, reason, author, created: now, expires }).await?;
    }
    let change = json!({ "taken": imported.taken, "kept": imported.kept, "left_out": imported.left_out });
    let act = Act { by, action: "network.import", target: format!("hub:{}", list.hub), change, request };
    record(hub, &mut tx, act).await?;
    tx.commit().await?;
    let own = hub_rules::list(&mut hub.store().read().await?, most()).await?;
    replaced(hub, Source::Local, own.into_iter().map(RuleRow::from)).await?;
    Ok(imported)
}

/// Those of them about which this hub has no rule of its own, each once.
async fn unruled(conn: &mut Conn, rules: Vec<ListedRule>) -> Result<Vec<ListedRule>> {
    let own = hub_rules::list(conn, most()).await?;
    let mut known: std::collections::HashSet<String> = own.into_iter().map(|row| row.subject).collect();
    let before = known.len();
    let new: Vec<ListedRule> = rules.into_iter().filter(|rule| known.insert(rule.subject.clone())).collect();
    if before + new.len() > MAX_RULES {
        let words = format!("A hub has at most {MAX_RULES} rules, and with this list there would be more.");
        return Err(Refusal::conflict(words).into());
    }
    Ok(new)
}
