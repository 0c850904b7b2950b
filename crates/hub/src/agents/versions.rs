//! Agent versions: each change of a card or of instructions adds one, with an unused version number.

use plexus_a2a::Card;
use plexus_domain::{AgentId, Error as Refusal, SecretId, VersionId, agent::Connector};
use plexus_store::{Tx, agent_versions, agent_versions::Version, cards};

use crate::{Hub, Result, quotas};

const FIRST: &str = "1.0.0";
const MAX_NUMBER: usize = 40;

/// Content of a new version: pinned card and connector.
pub(super) struct NewVersion<'a> {
    pub card: &'a [u8],
    pub connector: Connector,
    pub secret: Option<SecretId>,
    /// Version in the card. Used as number if it is valid and unused.
    pub wanted: &'a str,
}

pub(super) async fn add(hub: &Hub, tx: &mut Tx, agent: AgentId, pinned: NewVersion<'_>) -> Result<Version> {
    quotas::check_version(hub, tx, agent).await?;
    let known = agent_versions::list_by_agent(tx, agent).await?;
    let used: Vec<&str> = known.iter().map(|version| version.semver.as_str()).collect();
    let version = Version {
        id: hub.env().id(VersionId::new),
        agent,
        semver: next_number(&used, pinned.wanted),
        card: cards::insert(tx, pinned.card).await?,
        connector: pinned.connector,
        secret: pinned.secret,
        created_at: hub.env().now(),
        yanked_reason: None,
    };
    agent_versions::insert(tx, &version).await?;
    Ok(version)
}

/// Returns the connector for an agent with this card.
pub(super) fn connector(card: &Card, card_url: &str) -> Result<Connector> {
    let unusable = || Refusal::invalid("url", "The agent card has no address that the hub can call.");
    let interface = card.best_interface().ok_or_else(unusable)?;
    let protocol = interface.protocol().ok_or_else(unusable)?;
    Ok(Connector::A2a { url: interface.url.to_string(), protocol, card_url: card_url.to_owned() })
}

/// Returns `wanted` if it is valid and unused, otherwise the next patch version. `used` is newest first.
pub(super) fn next_number(used: &[&str], wanted: &str) -> String {
    if is_number(wanted) && !used.contains(&wanted) {
        return wanted.to_owned();
    }
    let newest = used.iter().find_map(|number| triple(number));
    let Some((major, minor, mut patch)) = newest else {
        return if used.contains(&FIRST) { format!("1.0.{}", used.len()) } else { FIRST.to_owned() };
    };
    loop {
        patch = patch.saturating_add(1);
        let next = format!("{major}.{minor}.{patch}");
        if !used.contains(&next.as_str()) {
            return next;
        }
    }
}

/// Returns whether the text is a version number: a relaxed form of Semantic Versioning 2.0.0, since cards
/// also use "1.0" or "2.1.0-beta.3".
fn is_number(text: &str) -> bool {
    let fits = !text.is_empty() && text.len() <= MAX_NUMBER;
    let clean = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+'));
    fits && clean && text.starts_with(|first: char| first.is_ascii_digit())
}

fn triple(number: &str) -> Option<(u64, u64, u64)> {
    let core = number.split(['-', '+']).next()?;
    let mut numbers = core.split('.').map(str::parse);
    let major = numbers.next()?.ok()?;
    let mut rest = || numbers.next().and_then(Result::ok).unwrap_or(0);
    Some((major, rest(), rest()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_never_used_twice() {
        assert_eq!(next_number(&[], ""), "1.0.0");
        assert_eq!(next_number(&[], "0.3.1"), "0.3.1");
        assert_eq!(next_number(&[], "latest \u{202e}"), "1.0.0");
        assert_eq!(next_number(&["0.3.1"], "0.3.1"), "0.3.2");
        assert_eq!(next_number(&["1.0.1", "1.0.2", "1.0.0"], "1.0.0"), "1.0.3");
        assert_eq!(next_number(&["2.0"], "2.0"), "2.0.1");
        assert_eq!(next_number(&["2.0.0-beta"], "2.0.0"), "2.0.0");
    }
}
