//! Allow and block rules: which hubs are replicated and which listings are visible.

use std::collections::BTreeMap;

use plexus_a2a::{keys::PublicKey, listing::ListingId};
use plexus_domain::Timestamp;

pub use crate::record::Action;
use crate::{HubId, record::Tag};

/// Maximum number of rules per source; further rules are rejected.
pub const MAX_RULES: usize = 10_000;

/// Admission mode: default treatment of hubs that no rule names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Replicate in full.
    Open,
    /// Replicate within small quotas until the hub has passed its probation.
    Probation,
    /// Do not replicate.
    Allowlist,
}

/// What a rule applies to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Hub(HubId),
    /// A domain, including its subdomains.
    Domain(String),
    /// The key that signs for an agent.
    Author([u8; 32]),
    Agent(ListingId),
    Tag(Tag),
}

/// One allow or block rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub action: Action,
    pub reason: String,
    /// Who made the rule.
    pub author: String,
    pub expires: Option<Timestamp>,
}

/// Where rules come from. The operator's own rules take precedence over subscribed lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    Local,
    /// A rule list that the operator subscribed to, by its name.
    List(String),
}

/// All rules, and the default for hubs without one.
#[derive(Clone, Debug)]
pub struct Policy {
    mode: Mode,
    /// Keyed by source: the operator's rules come first in the order of [`Source`].
    rules: BTreeMap<Source, Rules>,
}

impl Policy {
    pub const fn new(mode: Mode) -> Self {
        Self { mode, rules: BTreeMap::new() }
    }

    pub const fn mode(&self) -> Mode {
        self.mode
    }

    pub const fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
    }

    /// Adds a rule, or replaces the rule of the same source and subject. Returns false when the source has
    /// [`MAX_RULES`].
    pub fn set(&mut self, source: &Source, subject: &Subject, rule: Rule) -> bool {
        let rules = self.rules.entry(source.clone()).or_default();
        let fits = rules.len() < MAX_RULES || rules.contains_key(subject);
        if fits {
            rules.insert(subject.clone(), rule);
        }
        fits
    }

    /// Replaces all rules of a source. Rules beyond [`MAX_RULES`] are dropped.
    pub fn replace(&mut self, source: Source, rules: Vec<(Subject, Rule)>) {
        self.rules.insert(source, rules.into_iter().take(MAX_RULES).collect());
    }

    pub fn remove(&mut self, source: &Source, subject: &Subject) {
        self.rules.get_mut(source).map(|rules| rules.remove(subject));
    }

    /// Returns the action for a hub. The first source with a rule decides; within a source the id takes
    /// precedence over the domain.
    pub fn on_hub(&self, hub: HubId, domain: Option<&str>, now: Timestamp) -> Option<Action> {
        self.rules.values().find_map(|rules| {
            let by_id = find(rules, &Subject::Hub(hub), now);
            by_id.or_else(|| domain.and_then(|domain| on_domain(rules, domain, now)))
        })
    }

    /// Returns whether a listing is hidden and not propagated, independent of its hub.
    pub fn hides(&self, id: &ListingId, author: &[u8; 32], tags: &[Tag], now: Timestamp) -> bool {
        let said = self.rules.values().filter(|rules| !rules.is_empty()).find_map(|rules| {
            let named = find(rules, &Subject::Agent(id.clone()), now)
                .or_else(|| find(rules, &Subject::Author(*author), now));
            let blocked = |tag: &Tag| find(rules, &Subject::Tag(tag.clone()), now) == Some(Action::Block);
            named.or_else(|| tags.iter().any(blocked).then_some(Action::Block))
        });
        said == Some(Action::Block)
    }
}

type Rules = BTreeMap<Subject, Rule>;

/// Returns the action for the closest domain: `a.example.org`, then `example.org`, then `org`.
fn on_domain(rules: &Rules, domain: &str, now: Timestamp) -> Option<Action> {
    let starts = std::iter::once(0).chain(domain.match_indices('.').map(|(at, _)| at + 1));
    let mut parents = starts.map(|start| Subject::Domain(domain[start..].to_owned()));
    parents.find_map(|subject| find(rules, &subject, now))
}

/// Returns whether an optional expiry has not passed yet.
pub fn holds(expires: Option<Timestamp>, now: Timestamp) -> bool {
    expires.is_none_or(|expires| now < expires)
}

fn find(rules: &Rules, subject: &Subject, now: Timestamp) -> Option<Action> {
    let rule = rules.get(subject)?;
    holds(rule.expires, now).then_some(rule.action)
}

impl From<PublicKey> for Subject {
    fn from(author: PublicKey) -> Self {
        Self::Author(*author.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_000);

    fn rule(action: Action, expires: Option<i64>) -> Rule {
        let expires = expires.map(Timestamp::from_millis);
        Rule { action, reason: "spam".into(), author: "ada".into(), expires }
    }

    fn hub() -> HubId {
        plexus_a2a::keys::SecretKey::from_seed(&[1; 32]).public().into()
    }

    #[test]
    fn the_operator_wins_over_lists_and_the_closest_domain_over_its_parents() {
        let mut policy = Policy::new(Mode::Open);
        let list = Source::List("friends".into());
        policy.set(&list, &Subject::Domain("example.org".into()), rule(Action::Block, None));
        policy.set(&list, &Subject::Hub(hub()), rule(Action::Block, None));
        assert_eq!(policy.on_hub(hub(), None, NOW), Some(Action::Block));
        policy.set(&Source::Local, &Subject::Hub(hub()), rule(Action::Allow, None));
        assert_eq!(policy.on_hub(hub(), Some("a.example.org"), NOW), Some(Action::Allow));
        policy.remove(&Source::Local, &Subject::Hub(hub()));
        policy.set(&Source::Local, &Subject::Domain("example.org".into()), rule(Action::Allow, None));
        assert_eq!(policy.on_hub(hub(), Some("a.example.org"), NOW), Some(Action::Allow), "however close");
        policy.remove(&Source::Local, &Subject::Domain("example.org".into()));
        policy.remove(&list, &Subject::Hub(hub()));
        assert_eq!(policy.on_hub(hub(), Some("a.example.org"), NOW), Some(Action::Block));
        policy.set(&Source::Local, &Subject::Domain("a.example.org".into()), rule(Action::Allow, None));
        assert_eq!(policy.on_hub(hub(), Some("b.a.example.org"), NOW), Some(Action::Allow));
        assert_eq!(policy.on_hub(hub(), Some("notexample.org"), NOW), None);
    }

    #[test]
    fn a_source_is_replaced_whole() {
        let mut policy = Policy::new(Mode::Open);
        let list = Source::List("friends".into());
        let blocked = |domain: &str| (Subject::Domain(domain.into()), rule(Action::Block, None));
        policy.replace(list.clone(), vec![blocked("a.example"), blocked("b.example")]);
        policy.replace(list.clone(), vec![blocked("b.example")]);
        assert_eq!(policy.on_hub(hub(), Some("a.example"), NOW), None);
        assert_eq!(policy.on_hub(hub(), Some("b.example"), NOW), Some(Action::Block));
        policy.replace(list, Vec::new());
        assert_eq!(policy.on_hub(hub(), Some("b.example"), NOW), None);
    }

    #[test]
    fn rules_run_out() {
        let mut policy = Policy::new(Mode::Open);
        policy.set(&Source::Local, &Subject::Hub(hub()), rule(Action::Block, Some(1_001)));
        assert_eq!(policy.on_hub(hub(), None, NOW), Some(Action::Block));
        assert_eq!(policy.on_hub(hub(), None, Timestamp::from_millis(1_001)), None);
    }
}
