//! Asking other hubs live for what this one does not carry.
//!
//! The core decides whom to ask and checks what they answer, by the code and the rules by which it takes what it carries.
//! Whatever may be carried is, from then on. A search here waits for that and shows what the index did not find anyway.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use parking_lot::Mutex;
use plexus_domain::AgentId;
use plexus_federation::{
    HubId,
    core::{self, Effect, Event, MAX_ASKED, MAX_FOUND, Outcome, Wanted},
    net::driver::Order,
    record::{Listing, MAX_TAGS, Tag},
};
use plexus_search::{Query, tags_in};
use plexus_store::hubs;
use tokio::{
    sync::mpsc,
    time::{Instant, timeout_at},
};

use super::{Room, found, found::Elsewhere};
use crate::{
    Caller, Hub, Result,
    limits::Rate,
    listings::{Start, matching},
};

/// The core ends a search before this. A driver that ended meanwhile says nothing any more.
const PATIENCE: Duration = Duration::from_secs(4);
/// What one search hears: each hub that it asks at most once, and the end.
const HEARD: usize = MAX_ASKED + 1;

/// Where the results of a search come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// This hub's own agents, and those of others that it carried before.
    pub own: usize,
    pub carried: usize,
    /// In the order of their ids.
    pub asked: Vec<AskedHub>,
}

/// A hub that was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedHub {
    pub id: String,
    /// Proved.
    pub domain: Option<String>,
    pub came: Came,
}

/// What came of asking it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    Answer {
        /// Agents that are shown because of it.
        found: usize,
        /// Records whose signatures do not hold, or that cannot be read. Nothing of them is shown.
        wrong: usize,
    },
    /// None in time.
    Nothing,
}

/// Whether other hubs may find more: they know words and tags, but not whether an agent answers this hub.
pub fn is_askable(hub: &Hub, query: &Query) -> bool {
    let says_something = !query.text.trim().is_empty() || !query.tags.is_empty();
    let is_first = query.start == Start::Page(0);
    let elsewhere = query.here != Some(true) && query.online_since.is_none();
    hub.config().federation.is_some() && says_something && is_first && elsewhere
}

/// Begins to ask other hubs, if that can find anything: when less than a page is here, or in any case where the `whole`
/// network is wanted.
///
/// # Errors
/// When the caller asks too often.
pub async fn ask_others(hub: &Hub, caller: &Caller, query: Query, whole: bool) -> Result<Asking> {
    hub.limits().take(Rate::NetworkSearches, &caller.key())?;
    if caller.person.is_none() {
        // What this hub may ask of others is not to be used up by addresses that cost nothing.
        hub.limits().take(Rate::NetworkSearchesOfStrangers, "strangers")?;
    }
    let (own, here) = here(hub, &query).await?;
    let (search, heard) = hub.federation().searches.begin();
    let asking = Asking {
        carried: here.len().saturating_sub(own),
        own,
        here,
        hub: hub.clone(),
        search,
        heard,
        ends: Instant::now() + PATIENCE,
        found: HashMap::new(),
        asked: BTreeMap::new(),
        query,
    };
    let wanted = Wanted {
        query: question(&asking.query),
        whole_network: whole,
        own: asking.own,
        carried: asking.carried,
    };
    let event = Event::Search { search, wanted };
    if !is_askable(hub, &asking.query) || !begin(hub.federation(), event).await {
        hub.federation().searches.forget(search);
    }
    Ok(asking)
}

/// Whether anybody hears of it.
async fn begin(room: &Room, event: Event) -> bool {
    match room.running() {
        Some(running) => running.orders.send(Order::Event(Box::new(event))).await.is_ok(),
        None => false,
    }
}

/// What the index finds, and how many of that are this hub's own.
async fn here(hub: &Hub, query: &Query) -> Result<(usize, HashSet<AgentId>)> {
    let own = match query.here {
        Some(false) => Vec::new(),
        _ => matching(hub, Query { here: Some(true), ..query.clone() }).await?,
    };
    let all: HashSet<AgentId> = matching(hub, query.clone()).await?.iter().map(|found| found.agent).collect();
    Ok((own.iter().filter(|found| all.contains(&found.agent)).count(), all))
}

/// What others are asked. Whatever else the search wants is looked at here.
fn question(query: &Query) -> core::Query {
    let owner = query.owner.iter().map(|owner| format!("owner:{owner}"));
    let mut text = std::iter::once(query.text.clone()).chain(owner).collect::<Vec<_>>().join(" ");
    text.truncate(text.floor_char_boundary(core::Query::MAX_TEXT));
    let tags = query.tags.iter().cloned().chain(tags_in(&query.text));
    let mut tags: Vec<Tag> = tags.filter_map(|tag| Tag::from_text(&tag)).take(MAX_TAGS).collect();
    tags.sort();
    tags.dedup();
    core::Query { text, tags, limit: usize::from(query.size.rows()).min(MAX_FOUND) }
}

/// A search that other hubs are asked for.
pub struct Asking {
    hub: Hub,
    query: Query,
    search: u64,
    heard: mpsc::Receiver<Heard>,
    ends: Instant,
    own: usize,
    carried: usize,
    /// What the index finds.
    here: HashSet<AgentId>,
    /// How many were shown of each hub.
    found: HashMap<HubId, usize>,
    asked: BTreeMap<HubId, Outcome>,
}

impl Asking {
    /// What the next hub found that answers; none when no more will come.
    pub async fn next(&mut self) -> Result<Option<Vec<Elsewhere>>> {
        while let Ok(Some(heard)) = timeout_at(self.ends, self.heard.recv()).await {
            let (from, listings) = match heard {
                Heard::Found(from, listings) => (from, listings),
                Heard::Done(asked) => {
                    self.asked = asked;
                    break;
                }
            };
            let found = found::read(&self.hub, &self.query, &self.here, from, &listings).await?;
            if !found.is_empty() {
                self.found.insert(from, found.len());
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// All that others find, in the order in which they answered, and where it comes from.
    pub async fn all(mut self) -> Result<(Vec<Elsewhere>, Provenance)> {
        let mut all = Vec::new();
        while let Some(found) = self.next().await? {
            all.extend(found);
        }
        Ok((all, self.provenance().await?))
    }

    /// Where the results come from, once no more will come.
    pub async fn provenance(&self) -> Result<Provenance> {
        let mut conn = self.hub.store().read().await?;
        let mut asked = Vec::with_capacity(self.asked.len());
        for (hub, outcome) in &self.asked {
            let id = hub.to_string();
            let domain = hubs::by_peer(&mut conn, &id).await?.and_then(|row| row.domain);
            let found = self.found.get(hub).copied().unwrap_or(0);
            let came = match *outcome {
                Outcome::Answered { wrong } => Came::Answer { found, wrong },
                Outcome::Silent => Came::Nothing,
            };
            asked.push(AskedHub { id, domain, came });
        }
        Ok(Provenance { own: self.own, carried: self.carried, asked })
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.hub.federation().searches.forget(self.search);
    }
}

/// What the core says to a search.
enum Heard {
    Found(HubId, Vec<Listing>),
    Done(BTreeMap<HubId, Outcome>),
}

/// Searches that wait for other hubs, by their numbers.
#[derive(Default)]
pub(super) struct Searches {
    last: AtomicU64,
    waiting: Mutex<HashMap<u64, mpsc::Sender<Heard>>>,
}

/// Whether it is said to a search.
pub(super) const fn is_heard(effect: &Effect) -> bool {
    matches!(effect, Effect::Found { .. } | Effect::SearchDone { .. })
}

impl Searches {
    fn begin(&self) -> (u64, mpsc::Receiver<Heard>) {
        let search = self.last.fetch_add(1, Ordering::Relaxed);
        let (tell, heard) = mpsc::channel(HEARD);
        self.waiting.lock().insert(search, tell);
        (search, heard)
    }

    fn forget(&self, search: u64) {
        self.waiting.lock().remove(&search);
    }

    /// Tells a search. Who does not wait any more hears nothing.
    pub fn hear(&self, effect: Effect) {
        let (search, heard) = match effect {
            Effect::Found { search, from, listings } => (search, Heard::Found(from, listings)),
            Effect::SearchDone { search, provenance } => (search, Heard::Done(provenance.asked)),
            _ => return,
        };
        if let Some(waiting) = self.waiting.lock().get(&search) {
            // There is room for all that a search hears.
            let _ = waiting.try_send(heard);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_asked_for_what_they_know() {
        let query = Query {
            tags: vec!["Sea".to_owned(), "tide".to_owned()],
            owner: Some("bob".to_owned()),
            ..Query::text("high tag:tide tag:moon")
        };
        let asked = question(&query);
        assert_eq!(asked.text, "high tag:tide tag:moon owner:bob");
        let tags: Vec<&str> = asked.tags.iter().map(Tag::as_str).collect();
        assert_eq!((tags, asked.limit), (vec!["moon", "sea", "tide"], 20));
        let long = question(&Query::text("é".repeat(2_000)));
        assert_eq!(long.text.len(), core::Query::MAX_TEXT);
    }

    #[tokio::test]
    async fn a_search_hears_its_own_and_nothing_after_it_ended() {
        let searches = Searches::default();
        let (one, mut heard) = searches.begin();
        let (other, mut nothing) = searches.begin();
        let done = |search| Effect::SearchDone { search, provenance: core::Provenance::default() };
        searches.hear(done(one));
        assert!(matches!(heard.recv().await, Some(Heard::Done(_))));
        searches.forget(one);
        searches.forget(other);
        searches.hear(done(other));
        assert!(heard.recv().await.is_none() && nothing.recv().await.is_none());
    }
}
