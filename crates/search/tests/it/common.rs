//! Fixtures: listings and indexes.

use plexus_domain::{AgentId, Timestamp};
use plexus_search::{Hits, Index, IndexChange, Listing, Query};

pub fn id(n: u16) -> AgentId {
    let [high, low] = n.to_be_bytes();
    AgentId::new(Timestamp::from_millis(1_000), &[0, 0, 0, 0, 0, 0, 0, 0, high, low])
}

/// Returns agent `n` named `name` with all other texts empty.
pub fn listing(n: u16, name: &str) -> Listing {
    Listing {
        agent: id(n),
        address: format!("@owner{n}/agent{n}"),
        name: name.to_owned(),
        owner: format!("owner{n}"),
        summary: String::new(),
        description: String::new(),
        tags: Vec::new(),
        skills: String::new(),
        protocol: "a2a".to_owned(),
        kind: "a2a".to_owned(),
        here: true,
        verified: false,
        restricted: false,
        online_at: None,
        created: Timestamp::from_millis(i64::from(n)),
        updated: Timestamp::from_millis(i64::from(n)),
        uses: 0,
    }
}

pub fn put(listing: Listing) -> IndexChange {
    IndexChange::Put(Box::new(listing))
}

pub fn index(listings: impl IntoIterator<Item = Listing>) -> Index {
    let index = Index::in_memory().unwrap();
    let changes: Vec<IndexChange> = listings.into_iter().map(put).collect();
    index.apply(&changes, 1).unwrap();
    index
}

pub fn names(hits: &Hits) -> Vec<&str> {
    hits.rows.iter().map(|hit| hit.name.as_str()).collect()
}

/// Returns the names of the matches, best first.
pub fn find(index: &Index, text: &str) -> Vec<String> {
    let hits = index.search(&Query::text(text)).unwrap();
    assert_eq!(hits.total, hits.rows.len());
    names(&hits).into_iter().map(str::to_owned).collect()
}
