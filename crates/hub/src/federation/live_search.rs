//! Live search: queries remote hubs for agents that are not replicated here.
//!
//! The engine selects the hubs and verifies their answers by the same code and rules as for
//! replication. Results that may be replicated are stored as replicas. A search waits for that and
//! shows what the local index did not find.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use parking_lot::Mutex;
use plexus_domain::AgentId;
use plexus_federation::{
    HubId,
    engine::{self, Effect, Event, HubOutcome, LiveQuery, MAX_FOUND, MAX_QUERIED_HUBS},
    net::driver::DriverCommand,
    record::{Listing, MAX_TAGS, Tag},
};
use plexus_search::{Query, tags_in};
use plexus_store::hubs;
use tokio::{
    sync::mpsc,
    time::{Instant, timeout_at},
};

use super::{FederationHandle, live_results, live_results::RemoteSearchHit};
use crate::{
    Caller, Hub, Result,
    limits::Rate,
    listings::{PageStart, matching},
};

/// Timeout of a live search, in case the driver stops meanwhile. The engine ends a search earlier.
const TIMEOUT: Duration = Duration::from_secs(4);
/// Channel capacity: one event per queried hub, and the final event.
const HEARD: usize = MAX_QUERIED_HUBS + 1;

/// Sources of the results of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Number of local agents among the results. `replicated` counts the replicas that were here before.
    pub local: usize,
    pub replicated: usize,
    /// Ordered by id.
    pub queried_hubs: Vec<QueriedHub>,
}

/// Hub that was queried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueriedHub {
    pub id: String,
    /// Verified domain.
    pub domain: Option<String>,
    pub came: QueryOutcome,
}

/// Outcome of the query at one hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryOutcome {
    Answer {
        /// Number of agents shown from its answer.
        found: usize,
        /// Number of records that cannot be parsed or have invalid signatures. They are dropped.
        invalid_records: usize,
    },
    /// No answer before the deadline.
    Nothing,
}

/// Returns whether remote hubs can contribute to a query. They match words and tags, but do not know whether
/// an agent is reachable from this hub.
pub fn supports_live_search(hub: &Hub, query: &Query) -> bool {
    let says_something = !query.text.trim().is_empty() || !query.tags.is_empty();
    let is_first = query.start == PageStart::Page(0);
    let elsewhere = query.here != Some(true) && query.online_since.is_none();
    hub.config().federation.is_some() && says_something && is_first && elsewhere
}

/// Starts a live search if it can find anything: if the local results fill less than a page, or always if
/// `whole` requests the whole network.
///
/// # Errors Fails if the caller exceeds its rate limit.
pub async fn start_live_search(
    hub: &Hub,
    caller: &Caller,
    query: Query,
    whole: bool,
) -> Result<LiveSearchHandle> {
    hub.limits().take(Rate::NetworkSearches, &caller.key())?;
    if caller.person.is_none() {
        // Anonymous callers share a limit: addresses are cheap (Sybil attack) and must not use
        // up this hub's quota at others.
        hub.limits().take(Rate::NetworkSearchesAnonymousTotal, "strangers")?;
    }
    let (own, here) = here(hub, &query).await?;
    let (search, heard) = hub.federation().searches.begin();
    let asking = LiveSearchHandle {
        replicated: here.len().saturating_sub(own),
        own,
        here,
        hub: hub.clone(),
        search,
        heard,
        ends: Instant::now() + TIMEOUT,
        found: HashMap::new(),
        asked: BTreeMap::new(),
        query,
    };
    let wanted = LiveQuery {
        query: question(&asking.query),
        whole_network: whole,
        own: asking.own,
        replicated: asking.replicated,
    };
    let event = Event::Search { search, wanted };
    if !supports_live_search(hub, &asking.query) || !begin(hub.federation(), event).await {
        hub.federation().searches.forget(search);
    }
    Ok(asking)
}

/// Sends the event to the engine. Returns whether it runs.
async fn begin(room: &FederationHandle, event: Event) -> bool {
    match room.running() {
        Some(running) => running.orders.send(DriverCommand::Event(Box::new(event))).await.is_ok(),
        None => false,
    }
}

/// Returns the number of own agents and the ids of all agents that the local index finds.
async fn here(hub: &Hub, query: &Query) -> Result<(usize, HashSet<AgentId>)> {
    let own = match query.here {
        Some(false) => Vec::new(),
        _ => matching(hub, Query { here: Some(true), ..query.clone() }).await?,
    };
    let all: HashSet<AgentId> = matching(hub, query.clone()).await?.iter().map(|found| found.agent).collect();
    Ok((own.iter().filter(|found| all.contains(&found.agent)).count(), all))
}

/// Builds the query for remote hubs. Other filters of the search are applied here.
fn question(query: &Query) -> engine::SearchQuery {
    let owner = query.owner.iter().map(|owner| format!("owner:{owner}"));
    let mut text = std::iter::once(query.text.clone()).chain(owner).collect::<Vec<_>>().join(" ");
    text.truncate(text.floor_char_boundary(engine::SearchQuery::MAX_TEXT));
    let tags = query.tags.iter().cloned().chain(tags_in(&query.text));
    let mut tags: Vec<Tag> = tags.filter_map(|tag| Tag::from_text(&tag)).take(MAX_TAGS).collect();
    tags.sort();
    tags.dedup();
    engine::SearchQuery { text, tags, limit: usize::from(query.size.rows()).min(MAX_FOUND) }
}

/// Handle of a running live search.
pub struct LiveSearchHandle {
    hub: Hub,
    query: Query,
    search: u64,
    heard: mpsc::Receiver<LiveSearchEvent>,
    ends: Instant,
    own: usize,
    replicated: usize,
    /// Agents that the local index found.
    here: HashSet<AgentId>,
    /// Number of shown results per hub.
    found: HashMap<HubId, usize>,
    asked: BTreeMap<HubId, HubOutcome>,
}

impl LiveSearchHandle {
    /// Returns the results of the next hub that answers; `None` after the last one.
    pub async fn next(&mut self) -> Result<Option<Vec<RemoteSearchHit>>> {
        while let Ok(Some(heard)) = timeout_at(self.ends, self.heard.recv()).await {
            let (from, listings) = match heard {
                LiveSearchEvent::Found(from, listings) => (from, listings),
                LiveSearchEvent::Done(asked) => {
                    self.asked = asked;
                    break;
                }
            };
            let found = live_results::read(&self.hub, &self.query, &self.here, from, &listings).await?;
            if !found.is_empty() {
                self.found.insert(from, found.len());
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Returns all results in the order of the answers, and their provenance.
    pub async fn all(mut self) -> Result<(Vec<RemoteSearchHit>, Provenance)> {
        let mut all = Vec::new();
        while let Some(found) = self.next().await? {
            all.extend(found);
        }
        Ok((all, self.provenance().await?))
    }

    /// Returns the provenance of the results. Call it after the last result.
    pub async fn provenance(&self) -> Result<Provenance> {
        let mut conn = self.hub.store().read().await?;
        let mut queried_hubs = Vec::with_capacity(self.asked.len());
        for (hub, outcome) in &self.asked {
            let id = hub.to_string();
            let domain = hubs::by_key(&mut conn, &id).await?.and_then(|row| row.domain);
            let found = self.found.get(hub).copied().unwrap_or(0);
            let came = match *outcome {
                HubOutcome::Answered { wrong } => QueryOutcome::Answer { found, invalid_records: wrong },
                HubOutcome::Silent => QueryOutcome::Nothing,
            };
            queried_hubs.push(QueriedHub { id, domain, came });
        }
        Ok(Provenance { local: self.own, replicated: self.replicated, queried_hubs })
    }
}

impl Drop for LiveSearchHandle {
    fn drop(&mut self) {
        self.hub.federation().searches.forget(self.search);
    }
}

/// Engine event for a live search.
enum LiveSearchEvent {
    Found(HubId, Vec<Listing>),
    Done(BTreeMap<HubId, HubOutcome>),
}

/// Live searches that wait for answers, by search number.
#[derive(Default)]
pub(super) struct PendingSearches {
    last: AtomicU64,
    waiting: Mutex<HashMap<u64, mpsc::Sender<LiveSearchEvent>>>,
}

/// Returns whether the effect belongs to a live search.
pub(super) const fn is_heard(effect: &Effect) -> bool {
    matches!(effect, Effect::Found { .. } | Effect::SearchDone { .. })
}

impl PendingSearches {
    fn begin(&self) -> (u64, mpsc::Receiver<LiveSearchEvent>) {
        let search = self.last.fetch_add(1, Ordering::Relaxed);
        let (tell, heard) = mpsc::channel(HEARD);
        self.waiting.lock().insert(search, tell);
        (search, heard)
    }

    fn forget(&self, search: u64) {
        self.waiting.lock().remove(&search);
    }

    /// Dispatches an effect to its search. Dropped if the search has ended.
    pub fn on_event(&self, effect: Effect) {
        let (search, heard) = match effect {
            Effect::Found { search, from, listings } => (search, LiveSearchEvent::Found(from, listings)),
            Effect::SearchDone { search, provenance } => (search, LiveSearchEvent::Done(provenance.asked)),
            _ => return,
        };
        if let Some(waiting) = self.waiting.lock().get(&search) {
            // The channel has capacity for all events of a search.
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
        assert_eq!(long.text.len(), engine::SearchQuery::MAX_TEXT);
    }

    #[tokio::test]
    async fn a_search_hears_its_own_and_nothing_after_it_ended() {
        let searches = PendingSearches::default();
        let (one, mut heard) = searches.begin();
        let (other, mut nothing) = searches.begin();
        let done = |search| Effect::SearchDone { search, provenance: engine::Provenance::default() };
        searches.on_event(done(one));
        assert!(matches!(heard.recv().await, Some(LiveSearchEvent::Done(_))));
        searches.forget(one);
        searches.forget(other);
        searches.on_event(done(other));
        assert!(heard.recv().await.is_none() && nothing.recv().await.is_none());
    }
}
