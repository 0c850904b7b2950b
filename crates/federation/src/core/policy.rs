//! Whom this hub has to do with, and what it shows.

use std::collections::BTreeMap;

use plexus_a2a::{keys::PublicKey, listing::ListingId};
use plexus_domain::Timestamp;

pub use crate::record::Action;
use crate::{HubId, record::Tag};

/// Rules of one source; more are not taken.
pub const MAX_RULES: usize = 10_000;

/// What becomes of a hub that no rule names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Carried in full.
    Open,
    /// Carried within narrow caps until it has proved itself.
    Probation,
    /// Not carried.
    Allowlist,
}

/// What a rule is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Hub(HubId),
    /// With its subdomains.
    Domain(String),
    /// The key that signs for an agent.
    Author([u8; 32]),
    Agent(ListingId),
    Tag(Tag),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub action: Action,
    pub reason: String,
    /// Who made it.
    pub author: String,
    pub expires: Option<Timestamp>,
}

/// Where rules come from. The operator's own win over those of lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    Local,
    /// A list that the operator subscribed to, by its name.
    List(String),
}

#[derive(Clone, Debug)]
pub struct Policy {
    mode: Mode,
    /// By source first: the operator's come first in the order of [`Source`].
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

    /// Makes a rule, or replaces the source's one about the same subject. False when the source has too many.
    pub fn set(&mut self, source: &Source, subject: &Subject, rule: Rule) -> bool {
        let rules = self.rules.entry(source.clone()).or_default();
        let fits = rules.len() < MAX_RULES || rules.contains_key(subject);
        if fits {
            rules.insert(subject.clone(), rule);
        }
        fits
    }

    /// Puts these in the place of all rules of a source. Those that are too many do not hold.
    pub fn replace(&mut self, source: Source, rules: Vec<(Subject, Rule)>) {
        self.rules.insert(source, rules.into_iter().take(MAX_RULES).collect());
    }

    pub fn remove(&mut self, source: &Source, subject: &Subject) {
        self.rules.get_mut(source).map(|rules| rules.remove(subject));
    }

    /// What is said of a hub: by the first source that says something, by its id before its domain.
    pub fn on_hub(&self, hub: HubId, domain: Option<&str>, now: Timestamp) -> Option<Action> {
        self.rules.values().find_map(|rules| {
            let by_id = find(rules, &Subject::Hub(hub), now);
            by_id.or_else(|| domain.and_then(|domain| on_domain(rules, domain, now)))
        })
    }

    /// Whether a listing is not shown and not passed on, whatever hub it is of.
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

/// The closest rule: `a.example.org`, then `example.org`, then `org`.
fn on_domain(rules: &Rules, domain: &str, now: Timestamp) -> Option<Action> {
    let starts = std::iter::once(0).chain(domain.match_indices('.').map(|(at, _)| at + 1));
    let mut parents = starts.map(|start| Subject::Domain(domain[start..].to_owned()));
    parents.find_map(|subject| find(rules, &subject, now))
}

/// Whether something that ends then still holds.
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
