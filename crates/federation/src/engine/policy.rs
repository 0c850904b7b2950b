//! Allow and block rules: which hubs are replicated and which listings are visible.

use std::collections::BTreeMap;

use plexus_a2a::{keys::PublicKey, listing_id::ListingId};
use plexus_domain::Timestamp;

pub use crate::record::RuleAction;
use crate::{HubId, record::Tag};

/// Maximum number of rules per source; further rules are rejected.
pub const MAX_RULES: usize = 10_000;

/// Admission mode: default treatment of hubs that no rule names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdmissionMode {
    /// Replicate in full.
    Open,
    /// Replicate within small quotas until the hub has passed its probation.
    Probation,
    /// Do not replicate.
    Allowlist,
}

/// What a rule applies to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleSubject {
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
pub struct PolicyRule {
    pub action: RuleAction,
    pub reason: String,
    /// Who made the rule.
    pub author: String,
    pub expires: Option<Timestamp>,
}

/// Where rules come from. The operator's own rules take precedence over subscribed lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleSource {
    Local,
    /// A rule list that the operator subscribed to, by its name.
    List(String),
}

/// All rules, and the default for hubs without one.
#[derive(Clone, Debug)]
pub struct Policy {
    mode: AdmissionMode,
    /// Keyed by source: the operator's rules come first in the order of [`RuleSource`].
    rules: BTreeMap<RuleSource, Rules>,
}

impl Policy {
    pub const fn new(mode: AdmissionMode) -> Self {
        Self { mode, rules: BTreeMap::new() }
    }

    pub const fn mode(&self) -> AdmissionMode {
        self.mode
    }

    pub const fn set_mode(&mut self, mode: AdmissionMode) {
        self.mode = mode;
    }

    /// Adds a rule, or replaces the rule of the same source and subject. Returns false when the source has
    /// [`MAX_RULES`].
    pub fn set(&mut self, source: &RuleSource, subject: &RuleSubject, rule: PolicyRule) -> bool {
        let rules = self.rules.entry(source.clone()).or_default();
        let fits = rules.len() < MAX_RULES || rules.contains_key(subject);
        if fits {
            rules.insert(subject.clone(), rule);
        }
        fits
    }

    /// Replaces all rules of a source. Rules beyond [`MAX_RULES`] are dropped.
    pub fn replace(&mut self, source: RuleSource, rules: Vec<(RuleSubject, PolicyRule)>) {
        self.rules.insert(source, rules.into_iter().take(MAX_RULES).collect());
    }

    pub fn remove(&mut self, source: &RuleSource, subject: &RuleSubject) {
        self.rules.get_mut(source).map(|rules| rules.remove(subject));
    }

    /// Returns the action for a hub. The first source with a rule decides; within a source the id takes
    /// precedence over the domain.
    pub fn on_hub(&self, hub: HubId, domain: Option<&str>, now: Timestamp) -> Option<RuleAction> {
        self.rules.values().find_map(|rules| {
            let by_id = find(rules, &RuleSubject::Hub(hub), now);
            by_id.or_else(|| domain.and_then(|domain| on_domain(rules, domain, now)))
        })
    }

    /// Returns whether a listing is hidden and not propagated, independent of its hub.
    pub fn hides(&self, id: &ListingId, author: &[u8; 32], tags: &[Tag], now: Timestamp) -> bool {
        let said = self.rules.values().filter(|rules| !rules.is_empty()).find_map(|rules| {
            let named = find(rules, &RuleSubject::Agent(id.clone()), now)
                .or_else(|| find(rules, &RuleSubject::Author(*author), now));
            let blocked =
                |tag: &Tag| find(rules, &RuleSubject::Tag(tag.clone()), now) == Some(RuleAction::Block);
            named.or_else(|| tags.iter().any(blocked).then_some(RuleAction::Block))
        });
        said == Some(RuleAction::Block)
    }
}

type Rules = BTreeMap<RuleSubject, PolicyRule>;

/// Returns the action for the closest domain: `a.example.org`, then `example.org`, then `org`.
fn on_domain(rules: &Rules, domain: &str, now: Timestamp) -> Option<RuleAction> {
    let starts = std::iter::once(0).chain(domain.match_indices('.').map(|(at, _)| at + 1));
    let mut parents = starts.map(|start| RuleSubject::Domain(domain[start..].to_owned()));
    parents.find_map(|subject| find(rules, &subject, now))
}

/// Returns whether an optional expiry has not passed yet.
pub fn holds(expires: Option<Timestamp>, now: Timestamp) -> bool {
    expires.is_none_or(|expires| now < expires)
}

fn find(rules: &Rules, subject: &RuleSubject, now: Timestamp) -> Option<RuleAction> {
    let rule = rules.get(subject)?;
    holds(rule.expires, now).then_some(rule.action)
}

impl From<PublicKey> for RuleSubject {
    fn from(author: PublicKey) -> Self {
        Self::Author(*author.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_000);

    fn rule(action: RuleAction, expires: Option<i64>) -> PolicyRule {
        let expires = expires.map(Timestamp::from_millis);
        PolicyRule { action, reason: "spam".into(), author: "ada".into(), expires }
    }

    fn hub() -> HubId {
        plexus_a2a::keys::SecretKey::from_seed(&[1; 32]).public().into()
    }

    #[test]
    fn the_operator_wins_over_lists_and_the_closest_domain_over_its_parents() {
        let mut policy = Policy::new(AdmissionMode::Open);
        let list = RuleSource::List("friends".into());
        policy.set(&list, &RuleSubject::Domain("example.org".into()), rule(RuleAction::Block, None));
        policy.set(&list, &RuleSubject::Hub(hub()), rule(RuleAction::Block, None));
        assert_eq!(policy.on_hub(hub(), None, NOW), Some(RuleAction::Block));
        policy.set(&RuleSource::Local, &RuleSubject::Hub(hub()), rule(RuleAction::Allow, None));
        assert_eq!(policy.on_hub(hub(), Some("a.example.org"), NOW), Some(RuleAction::Allow));
        policy.remove(&RuleSource::Local, &RuleSubject::Hub(hub()));
        policy.set(
            &RuleSource::Local,
            &RuleSubject::Domain("example.org".into()),
            rule(RuleAction::Allow, None),
        );
        assert_eq!(
            policy.on_hub(hub(), Some("a.example.org"), NOW),
            Some(RuleAction::Allow),
            "however close"
        );
        policy.remove(&RuleSource::Local, &RuleSubject::Domain("example.org".into()));
        policy.remove(&list, &RuleSubject::Hub(hub()));
        assert_eq!(policy.on_hub(hub(), Some("a.example.org"), NOW), Some(RuleAction::Block));
        policy.set(
            &RuleSource::Local,
            &RuleSubject::Domain("a.example.org".into()),
            rule(RuleAction::Allow, None),
        );
        assert_eq!(policy.on_hub(hub(), Some("b.a.example.org"), NOW), Some(RuleAction::Allow));
        assert_eq!(policy.on_hub(hub(), Some("notexample.org"), NOW), None);
    }

    #[test]
    fn a_source_is_replaced_whole() {
        let mut policy = Policy::new(AdmissionMode::Open);
        let list = RuleSource::List("friends".into());
        let blocked = |domain: &str| (RuleSubject::Domain(domain.into()), rule(RuleAction::Block, None));
        policy.replace(list.clone(), vec![blocked("a.example"), blocked("b.example")]);
        policy.replace(list.clone(), vec![blocked("b.example")]);
        assert_eq!(policy.on_hub(hub(), Some("a.example"), NOW), None);
        assert_eq!(policy.on_hub(hub(), Some("b.example"), NOW), Some(RuleAction::Block));
        policy.replace(list, Vec::new());
        assert_eq!(policy.on_hub(hub(), Some("b.example"), NOW), None);
    }

    #[test]
    fn rules_run_out() {
        let mut policy = Policy::new(AdmissionMode::Open);
        policy.set(&RuleSource::Local, &RuleSubject::Hub(hub()), rule(RuleAction::Block, Some(1_001)));
        assert_eq!(policy.on_hub(hub(), None, NOW), Some(RuleAction::Block));
        assert_eq!(policy.on_hub(hub(), None, Timestamp::from_millis(1_001)), None);
    }
}
