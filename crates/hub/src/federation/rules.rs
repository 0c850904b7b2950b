//! Whom this hub has to do with: rules of those who run it, which hold at once and are undone at once.

use plexus_domain::{Error as Refusal, Timestamp, account::Role, text};
use plexus_federation::{
    HubId,
    core::{
        Event,
        policy::{Action, MAX_RULES, Mode, Policy, Rule, Source, Subject},
    },
    record::Tag,
};
use plexus_store::{
    Conn, agents,
    hub_rules::{self, Rule as Row, RuleAction},
    hubs::{self, HubState},
};
use serde_json::json;

use crate::{
    Caller, Hub, Result,
    admin::{Act, record},
    live::Touched,
};

const REASON_MAX: usize = 200;
const NAME_MAX: usize = 253;

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruled {
    Allow,
    Block,
}

/// A rule, for people.
#[derive(Clone, Debug)]
pub struct RuleRow {
    /// A kind and a name, as in `hub:12D3KooW…`.
    pub subject: String,
    pub does: Ruled,
    pub reason: String,
    pub author: String,
    pub since: Timestamp,
}

/// The newest first.
pub async fn list_rules(hub: &Hub, caller: &Caller) -> Result<Vec<RuleRow>> {
    caller.require(Role::Admin)?;
    let rows = hub_rules::list(&mut hub.store().read().await?, most()).await?;
    let row = |row: Row| RuleRow {
        subject: row.subject,
        does: if row.action == RuleAction::Allow { Ruled::Allow } else { Ruled::Block },
        reason: row.reason,
        author: row.author,
        since: row.created,
    };
    Ok(rows.into_iter().map(row).collect())
}

fn most() -> i64 {
    i64::try_from(MAX_RULES).unwrap_or(i64::MAX)
}

/// Blocks, or allows by name, a hub (its id or its domain), an agent (its address or its listing id) or a tag. The rule's name.
pub async fn block(
    hub: &Hub,
    caller: &Caller,
    what: &str,
    does: Ruled,
    reason: &str,
    request: &str,
) -> Result<String> {
    let by = caller.require(Role::Admin)?;
    let reason = text::shorten(&text::one_line(reason), REASON_MAX);
    if reason.is_empty() {
        return Err(Refusal::invalid("reason", "Say why, for whoever looks at this rule later.").into());
    }
    let mut tx = hub.store().write().await?;
    let subject = subject(&mut tx, what).await?;
    let name = written(&subject);
    let row = Row {
        subject: name.clone(),
        action: if does == Ruled::Allow { RuleAction::Allow } else { RuleAction::Block },
        reason,
        author: by.name.to_string(),
        created: hub.env().now(),
        expires: None,
    };
    hub_rules::put(&mut tx, &row).await?;
    let (action, change) = (action(does), json!({ "reason": row.reason }));
    record(hub, &mut tx, Act { by, action, target: name.clone(), change, request }).await?;
    tx.commit().await?;
    took_effect(hub, &subject).await?;
    let event = Event::RuleSet { source: Source::Local, subject, rule: rule(&row) };
    hub.federation().tell(event).await;
    Ok(name)
}

const fn action(does: Ruled) -> &'static str {
    match does {
        Ruled::Allow => "network.allow",
        Ruled::Block => "network.block",
    }
}

/// Takes a rule back: what it hid is shown again, since nothing was deleted.
pub async fn unblock(hub: &Hub, caller: &Caller, what: &str, request: &str) -> Result<String> {
    let by = caller.require(Role::Admin)?;
    let mut tx = hub.store().write().await?;
    let subject = subject(&mut tx, what).await?;
    let name = written(&subject);
    if !hub_rules::delete(&mut tx, &name).await? {
        return Err(Refusal::not_found(format!("There is no rule about {name}.")).into());
    }
    let target = name.clone();
    record(hub, &mut tx, Act { by, action: "network.unblock", target, change: json!({}), request }).await?;
    tx.commit().await?;
    took_effect(hub, &subject).await?;
    hub.federation().tell(Event::RuleRemoved { source: Source::Local, subject }).await;
    Ok(name)
}

/// Whoever reads on looks at the rules again, and what goes on with a hub that is blocked now ends.
async fn took_effect(hub: &Hub, subject: &Subject) -> Result<()> {
    hub.live().access.touch(Touched::Hubs);
    if !matches!(subject, Subject::Hub(_) | Subject::Domain(_)) {
        return Ok(());
    }
    let mut conn = hub.store().read().await?;
    for row in hubs::list_known(&mut conn).await? {
        let id: Option<HubId> = row.peer.as_deref().and_then(|peer| peer.parse().ok());
        let Some(id) = id.filter(|_| row.state != HubState::Itself) else { continue };
        if keeps_out(hub, on_hub(hub, &mut conn, id, row.domain.as_deref()).await?) {
            hub.running().stop_of_hub(row.id);
        }
    }
    Ok(())
}

/// Whether a hub is not answered of which the operator says this.
pub(super) fn keeps_out(hub: &Hub, said: Option<Action>) -> bool {
    match said {
        Some(said) => said == Action::Block,
        None => hub.config().federation.as_ref().is_some_and(|config| config.mode == Mode::Allowlist),
    }
}

/// What the operator says of a hub, of whose domain this hub knows.
pub(super) async fn on_hub(
    hub: &Hub,
    conn: &mut Conn,
    id: HubId,
    domain: Option<&str>,
) -> Result<Option<Action>> {
    let mut policy = Policy::new(Mode::Open);
    for subject in subjects(id, domain) {
        if let Some(row) = hub_rules::find(conn, &written(&subject)).await? {
            policy.set(&Source::Local, &subject, rule(&row));
        }
    }
    Ok(policy.on_hub(id, domain, hub.env().now()))
}

/// What a rule about a hub may be about: itself, its domain, and those above that.
fn subjects(id: HubId, domain: Option<&str>) -> Vec<Subject> {
    let mut subjects = vec![Subject::Hub(id)];
    let mut rest = domain.filter(|domain| domain.len() <= NAME_MAX);
    while let Some(domain) = rest {
        subjects.push(Subject::Domain(domain.to_owned()));
        rest = domain.split_once('.').map(|(_, parent)| parent);
    }
    subjects
}

/// Brings the rules back.
pub(super) async fn restore(hub: &Hub, policy: &mut Policy) -> Result<()> {
    for row in hub_rules::list(&mut hub.store().read().await?, most()).await? {
        match read(&row.subject) {
            Some(subject) => _ = policy.set(&Source::Local, &subject, rule(&row)),
            None => {
                tracing::warn!(subject = row.subject, "a rule about hubs cannot be read, and does not hold");
            }
        }
    }
    Ok(())
}

fn rule(row: &Row) -> Rule {
    Rule {
        action: if row.action == RuleAction::Allow { Action::Allow } else { Action::Block },
        reason: row.reason.clone(),
        author: row.author.clone(),
        expires: row.expires,
    }
}

/// What somebody means by a word: a rule's own name, an address, a hub's id, a listing's id or a domain.
async fn subject(conn: &mut Conn, what: &str) -> Result<Subject, crate::Error> {
    let what = what.trim();
    if let Some(subject) = read(what) {
        return Ok(subject);
    }
    if what.starts_with('@') {
        let address = what.parse()?;
        let found = agents::at(conn, &address).await?.and_then(|agent| agent.listing_id);
        let missing = || Refusal::invalid("subject", format!("This hub knows no agent {address}."));
        let id = found.ok_or_else(missing)?;
        return Ok(Subject::Agent(id.parse()?));
    }
    let kinds = ["hub", "agent", "domain"];
    let found = kinds.iter().find_map(|kind| read(&format!("{kind}:{what}")));
    found.ok_or_else(|| {
        let words = "Name a hub by its id or its domain, an agent as @owner/name@hub, or a tag as tag:word.";
        Refusal::invalid("subject", words).into()
    })
}

fn written(subject: &Subject) -> String {
    match subject {
        Subject::Hub(id) => format!("hub:{id}"),
        Subject::Domain(domain) => format!("domain:{domain}"),
        Subject::Agent(id) => format!("agent:{id}"),
        Subject::Tag(tag) => format!("tag:{}", tag.as_str()),
        Subject::Author(key) => {
            let key = plexus_a2a::keys::PublicKey::from_bytes(key).map(|key| key.to_string());
            format!("author:{}", key.unwrap_or_default())
        }
    }
}

fn read(name: &str) -> Option<Subject> {
    let (kind, name) = name.split_once(':')?;
    match kind {
        "hub" => name.parse().ok().map(Subject::Hub),
        "domain" => {
            let label =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
            let name = name.to_lowercase();
            let fits = name.contains('.') && name.len() <= NAME_MAX && name.bytes().all(label);
            fits.then_some(Subject::Domain(name))
        }
        "agent" => name.parse().ok().map(Subject::Agent),
        "tag" => Tag::from_text(name).map(Subject::Tag),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_keeps_its_name() {
        let hub = plexus_federation::HubId::from(plexus_a2a::keys::SecretKey::from_seed(&[1; 32]).public());
        for name in [&format!("hub:{hub}"), "domain:hub.example", "tag:spam"] {
            assert_eq!(read(name).as_ref().map(written).as_deref(), Some(name));
        }
        for wrong in ["", "hub", "hub:x", "domain:localhost", "domain:a b.c", "king:x", "agent:pl1"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
