//! Rule subjects as text: kind and name, as in `hub:12D3KooW…`.

use plexus_domain::Error as Refusal;
use plexus_federation::{HubId, engine::policy::RuleSubject, record::Tag};
use plexus_store::{Conn, agents};

use crate::Result;

const NAME_MAX: usize = 253;

/// Returns the subjects that match a hub, most specific first: its id, its domain, and the parent domains.
pub(super) fn of_hub(id: HubId, domain: Option<&str>) -> Vec<RuleSubject> {
    let mut subjects = vec![RuleSubject::Hub(id)];
    let mut rest = domain.filter(|domain| domain.len() <= NAME_MAX);
    while let Some(domain) = rest {
        subjects.push(RuleSubject::Domain(domain.to_owned()));
        rest = domain.split_once('.').map(|(_, parent)| parent);
    }
    subjects
}

/// Parses user input: a rule subject, agent address, hub id, listing id or domain.
pub(super) async fn subject(conn: &mut Conn, what: &str) -> Result<RuleSubject, crate::Error> {
    let what = what.trim();
    if let Some(subject) = read(what) {
        return Ok(subject);
    }
    if what.starts_with('@') {
        let address = what.parse()?;
        let found = agents::at(conn, &address).await?.and_then(|agent| agent.listing_id);
        let missing = || Refusal::invalid("subject", format!("Agent {address} not found."));
        let id = found.ok_or_else(missing)?;
        return Ok(RuleSubject::Agent(id.parse()?));
    }
    let kinds = ["hub", "agent", "domain"];
    let found = kinds.iter().find_map(|kind| read(&format!("{kind}:{what}")));
    found.ok_or_else(|| {
        let words = "Name a hub by its id or its domain, an agent as @owner/name@hub, or a tag as tag:word.";
        Refusal::invalid("subject", words).into()
    })
}

pub(super) fn written(subject: &RuleSubject) -> String {
    match subject {
        RuleSubject::Hub(id) => format!("hub:{id}"),
        RuleSubject::Domain(domain) => format!("domain:{domain}"),
        RuleSubject::Agent(id) => format!("agent:{id}"),
        RuleSubject::Tag(tag) => format!("tag:{}", tag.as_str()),
        RuleSubject::Author(key) => {
            let key = plexus_a2a::keys::PublicKey::from_bytes(key).map(|key| key.to_string());
            format!("author:{}", key.unwrap_or_default())
        }
    }
}

pub(super) fn read(name: &str) -> Option<RuleSubject> {
    let (kind, name) = name.split_once(':')?;
    match kind {
        "hub" => name.parse().ok().map(RuleSubject::Hub),
        "domain" => {
            let label =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
            let name = name.to_lowercase();
            let fits = name.contains('.') && name.len() <= NAME_MAX && name.bytes().all(label);
            fits.then_some(RuleSubject::Domain(name))
        }
        "agent" => name.parse().ok().map(RuleSubject::Agent),
        "tag" => Tag::from_text(name).map(RuleSubject::Tag),
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
