//! Agent search query, parsed from and written to the URL of the page.

use std::fmt::Write as _;

/// Property that results can be filtered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Facet {
    Online,
    Verified,
    /// Hub: the value `local` for this hub, `remote` for remote hubs.
    Scope,
    /// One remote hub: its domain or PeerId.
    Hub,
    Kind,
    Protocol,
    Tag,
    Owner,
}

impl Facet {
    pub const ALL: [Self; 8] = [
        Self::Online,
        Self::Verified,
        Self::Scope,
        Self::Hub,
        Self::Kind,
        Self::Protocol,
        Self::Tag,
        Self::Owner,
    ];

    /// Returns the name in the query string.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Online => "online",
            Self::Verified => "verified",
            Self::Scope => "scope",
            Self::Hub => "hub",
            Self::Kind => "kind",
            Self::Protocol => "protocol",
            Self::Tag => "tag",
            Self::Owner => "owner",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|facet| facet.as_str() == text)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Relevance; without search words, the same as most used.
    #[default]
    Relevance,
    Newest,
    MostUsed,
    Name,
}

impl Sort {
    pub const ALL: [Self; 4] = [Self::Relevance, Self::Newest, Self::MostUsed, Self::Name];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Relevance => "relevance",
            Self::Newest => "newest",
            Self::MostUsed => "most_used",
            Self::Name => "name",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sort| sort.as_str() == text)
    }
}

/// Search words, filters, order and page. Equal searches have equal URLs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentsQuery {
    words: String,
    filters: Vec<(Facet, String)>,
    sort: Sort,
    page: u32,
}

impl AgentsQuery {
    /// Maximum length of the search words, in characters; the rest is cut off.
    pub const MAX_WORDS: usize = 200;
    /// Maximum number of filters; more are dropped.
    pub const MAX_FILTERS: usize = 16;

    /// Parses the decoded pairs of a query string. Unknown ones are ignored.
    pub fn from_pairs<N: AsRef<str>, V: AsRef<str>>(pairs: impl IntoIterator<Item = (N, V)>) -> Self {
        let mut query = Self { page: 1, ..Self::default() };
        for (name, value) in pairs {
            query.take(name.as_ref(), value.as_ref().trim());
        }
        query.filters.sort();
        query.filters.dedup();
        query.filters.truncate(Self::MAX_FILTERS);
        query
    }

    fn take(&mut self, name: &str, value: &str) {
        match name {
            "q" => self.words = value.chars().take(Self::MAX_WORDS).collect(),
            "sort" => self.sort = Sort::parse(value).unwrap_or_default(),
            "page" => self.page = value.parse().unwrap_or(1).max(1),
            _ if value.is_empty() => {}
            _ => self.filters.extend(Facet::parse(name).map(|facet| (facet, value.to_owned()))),
        }
    }

    pub fn words(&self) -> &str {
        &self.words
    }

    pub fn filters(&self) -> &[(Facet, String)] {
        &self.filters
    }

    pub fn values(&self, facet: Facet) -> impl Iterator<Item = &str> {
        self.filters.iter().filter(move |(of, _)| *of == facet).map(|(_, value)| value.as_str())
    }

    pub const fn sort(&self) -> Sort {
        self.sort
    }

    pub fn page(&self) -> u32 {
        self.page.max(1)
    }

    /// Returns the query with the filter added, or removed if it was set, on the first page.
    #[must_use]
    pub fn toggled(&self, facet: Facet, value: &str) -> Self {
        let mut query = Self { page: 1, ..self.clone() };
        let before = query.filters.len();
        query.filters.retain(|(of, other)| !(*of == facet && other == value));
        if query.filters.len() == before {
            query.filters.push((facet, value.to_owned()));
            query.filters.sort();
        }
        query
    }

    #[must_use]
    pub fn without_filters(&self) -> Self {
        Self { page: 1, filters: Vec::new(), ..self.clone() }
    }

    #[must_use]
    pub fn with_words(&self, words: &str) -> Self {
        Self { page: 1, words: words.to_owned(), ..self.clone() }
    }

    #[must_use]
    pub fn sorted(&self, sort: Sort) -> Self {
        Self { page: 1, sort, ..self.clone() }
    }

    #[must_use]
    pub fn at_page(&self, page: u32) -> Self {
        Self { page, ..self.clone() }
    }

    /// Returns the URL of the page that shows this search.
    pub fn href(&self) -> String {
        let mut href = String::from("/agents");
        let mut add = |name: &str, value: &str| {
            href.push(if href.contains('?') { '&' } else { '?' });
            href.push_str(name);
            href.push('=');
            percent_encode(value, &mut href);
        };
        if !self.words.is_empty() {
            add("q", &self.words);
        }
        self.filters.iter().for_each(|(facet, value)| add(facet.as_str(), value));
        if self.sort != Sort::default() {
            add("sort", self.sort.as_str());
        }
        if self.page() > 1 {
            add("page", &self.page.to_string());
        }
        href
    }
}

/// Percent-encodes all but the unreserved characters of RFC 3986.
pub fn percent_encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_search_has_one_address() {
        let query = AgentsQuery::from_pairs([
            ("tag", "units"),
            ("q", " tide & time "),
            ("protocol", "A2A 1.0"),
            ("tag", "units"),
            ("page", "3"),
            ("sort", "relevance"),
            ("junk", "x"),
        ]);
        assert_eq!(query.href(), "/agents?q=tide%20%26%20time&protocol=A2A%201.0&tag=units&page=3");
        assert_eq!(
            query.toggled(Facet::Tag, "units").href(),
            "/agents?q=tide%20%26%20time&protocol=A2A%201.0"
        );
        assert_eq!(query.without_filters().with_words("").href(), "/agents");
    }

    #[test]
    fn toggling_twice_changes_nothing_but_the_page() {
        let query = AgentsQuery::from_pairs([("online", "true"), ("sort", "newest")]);
        assert_eq!(query.toggled(Facet::Owner, "ada").toggled(Facet::Owner, "ada"), query);
    }

    #[test]
    fn what_is_absurd_is_cut_off() {
        let many = (0..99).map(|n| ("tag".to_owned(), n.to_string()));
        let query = AgentsQuery::from_pairs(many.chain([("q".to_owned(), "字".repeat(999))]));
        assert_eq!(query.filters().len(), AgentsQuery::MAX_FILTERS);
        assert_eq!(query.words().chars().count(), AgentsQuery::MAX_WORDS);
        assert_eq!(AgentsQuery::from_pairs([("page", "-1")]).page(), 1);
    }
}
