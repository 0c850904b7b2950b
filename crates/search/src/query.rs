//! Questions and answers.

use plexus_domain::{AgentId, Timestamp, page::PageSize};

use crate::listing::Hit;

/// What is looked for. Everything given must hold.
#[derive(Clone, Debug)]
pub struct Query {
    /// Words, `"phrases"`, `-without`, `tag:x`, `owner:x`, `protocol:x`, `kind:x`, `is:verified`. Anything else is
    /// words; no text is wrong.
    pub text: String,
    /// All of them.
    pub tags: Vec<String>,
    pub protocol: Option<String>,
    pub kind: Option<String>,
    pub owner: Option<String>,
    pub verified: Option<bool>,
    /// Of this hub, or of other ones.
    pub here: Option<bool>,
    /// Answered then or later.
    pub online_since: Option<Timestamp>,
    pub sort: Sort,
    pub start: Start,
    pub size: PageSize,
    /// Counting costs more than finding: ask only when the counts are shown.
    pub count_facets: bool,
    /// Takes the last word as the beginning of one, for a box that searches while someone types.
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
            verified: None,
            here: None,
            online_since: None,
            sort: Sort::Relevance,
            start: Start::Page(0),
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

/// Where in the list the rows begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Counted from 0.
    Page(usize),
    /// Behind a row that was seen, where it stands by now.
    After(Place),
}

/// A row of a list that may have changed since it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub agent: AgentId,
    /// Where it stood, counted from 0.
    pub row: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sort {
    /// How well the words fit; without words, the most used first.
    #[default]
    Relevance,
    New,
    Used,
    Updated,
    Name,
}

impl Sort {
    pub const ALL: [Self; 5] = [Self::Relevance, Self::New, Self::Used, Self::Updated, Self::Name];

    /// The word for it in URLs.
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

/// One page of what was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// Of all pages.
    pub total: usize,
    pub rows: Vec<Hit>,
    /// The last row, when more follow.
    pub last: Option<Place>,
    pub facets: Option<Facets>,
    /// The text with misspelt words replaced, when that finds more.
    pub did_you_mean: Option<String>,
}

/// The most frequent values among all that was found, most frequent first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    pub tags: Vec<FacetCount>,
    pub protocols: Vec<FacetCount>,
    pub kinds: Vec<FacetCount>,
    pub owners: Vec<FacetCount>,
}

/// Values are folded: `value` is what a filter takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetCount {
    pub value: String,
    pub count: u64,
}
