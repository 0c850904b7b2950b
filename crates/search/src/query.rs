//! Queries and results.

use plexus_domain::{AgentId, Timestamp, page::PageSize};

use crate::listing::Hit;

/// A search query. All given conditions must hold.
#[derive(Clone, Debug)]
pub struct Query {
    /// Words, `"phrases"`, `-without`, `tag:x`, `owner:x`, `protocol:x`, `kind:x`, `is:verified`.
    /// Anything else counts as words; no text is invalid.
    pub text: String,
    /// All of these tags are required.
    pub tags: Vec<String>,
    pub protocol: Option<String>,
    pub kind: Option<String>,
    pub owner: Option<String>,
    /// Hub part of the address of remote agents: a domain or a PeerId, as in a listing.
    pub hub: Option<String>,
    pub verified: Option<bool>,
    /// True for agents of this hub only, false for remote agents only.
    pub here: Option<bool>,
    /// Restricted agents that the searcher may find.
    pub granted: Vec<AgentId>,
    /// Last successful response at this time or later.
    pub online_since: Option<Timestamp>,
    pub sort: Sort,
    pub start: PageStart,
    pub size: PageSize,
    /// Counting costs more than searching: set only if the counts are shown.
    pub count_facets: bool,
    /// Treats the last word as a prefix, for search while the user is typing.
    pub typing: bool,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            text: String::new(),
            tags: Vec::new(),
            protocol: None,
            kind: None,
            owner: None,
            hub: None,
            verified: None,
            here: None,
            granted: Vec::new(),
            online_since: None,
            sort: Sort::Relevance,
            start: PageStart::Page(0),
            size: PageSize::DEFAULT,
            count_facets: false,
            typing: false,
        }
    }
}

impl Query {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// Start of the requested rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageStart {
    /// Page number, counted from 0.
    Page(usize),
    /// The rows after this one, at its current position.
    After(RowCursor),
}

/// Cursor: a row of a list that may have changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowCursor {
    pub agent: AgentId,
    /// Its row number at that time, counted from 0.
    pub row: usize,
}

/// Order of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sort {
    /// By relevance; without words, by usage.
    #[default]
    Relevance,
    New,
    Used,
    Updated,
    Name,
}

impl Sort {
    pub const ALL: [Self; 5] = [Self::Relevance, Self::New, Self::Used, Self::Updated, Self::Name];

    /// Returns the name used in URLs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Relevance => "relevance",
            Self::New => "new",
            Self::Used => "used",
            Self::Updated => "updated",
            Self::Name => "name",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sort| sort.as_str() == text)
    }
}

/// One page of results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// Total number of matches over all pages.
    pub total: usize,
    pub rows: Vec<Hit>,
    /// Cursor of the last row, if more rows follow.
    pub last: Option<RowCursor>,
    pub facets: Option<Facets>,
    /// The query with misspelt words replaced, if that finds more.
    pub did_you_mean: Option<String>,
}

/// The most frequent values among all matches, most frequent first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    pub tags: Vec<FacetCount>,
    pub protocols: Vec<FacetCount>,
    pub kinds: Vec<FacetCount>,
    pub owners: Vec<FacetCount>,
    /// Remote hubs.
    pub hubs: Vec<FacetCount>,
}

/// Number of matches per value. `value` can be used as a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetCount {
    pub value: String,
    pub count: u64,
}
