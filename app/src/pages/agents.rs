//! Search results page: facets at the side, a dense list of agents beside them.

use leptos::prelude::*;
use plexus_domain::tokenize;

use super::{Page, PageMeta, Robots};
use crate::{
    components::{
        agent_row::AgentList,
        button::Kind,
        context,
        empty::Empty,
        facets::{facets, title},
        icon::Icon,
        live_search::others,
        menu::CloseDrawer,
        notice::StillReading,
        pager::pager,
    },
    rich, text,
    view_models::{
        agent_query::{AgentsQuery, Facet, Sort},
        agents::{AgentsPage, FacetGroup},
    },
};

impl Page for AgentsPage {
    fn head(&self) -> PageMeta {
        let plain = self.query == AgentsQuery::default().at_page(1);
        let name = if self.query.words().is_empty() {
            text!("nav-agents")
        } else {
            text!("agents-title", words = self.query.words().to_owned())
        };
        PageMeta {
            description: Some(text!("agents-description")),
            robots: if plain { Robots::Index } else { Robots::Follow },
            canonical: Some("/agents".into()),
            ..PageMeta::public(name)
        }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let query = self.query;
        let total = text!("count-agents", count = self.pager.total());
        let none = self.rows.is_empty();
        view! {
            <div class="results">
                <div class="results-head">
                    <div class="list-head">
                        <h1>{text!("nav-agents")}</h1>
                        {context::role().map(|_| view! { <a href="/agents?starred=true">{text!("starred")}</a> })}
                    </div>
                    {search(&query)}
                </div>
                {filter_rail(self.facets, &query)}
                <div class="stack">
                    <div class="list-head">
                        <h2 class="total">{if none { text!("nothing-found") } else { total }}</h2>
                        {(!none).then(|| sorts(&query))}
                    </div>
                    {(!self.index_complete).then(|| view! { <StillReading /> })}
                    {self.did_you_mean.map(|words| did_you_mean(&words, &query))}
                    {if none { nothing(&query).into_any() } else { view! { <AgentList rows=self.rows /> }.into_any() }}
                    {pager(self.pager, |page| query.at_page(page).href())}
                    {self.others.map(others)}
                </div>
            </div>
        }
        .into_any()
    }
}

/// Renders the search form. Filters are hidden fields, so that a new search retains them.
fn search(query: &AgentsQuery) -> AnyView {
    let kept = query
        .filters()
        .iter()
        .map(|(facet, value)| view! { <input type="hidden" name=facet.as_str() value=value.clone() /> })
        .collect_view();
    let sort = (query.sort() != Sort::default())
        .then(|| view! { <input type="hidden" name="sort" value=query.sort().as_str() /> });
    view! {
        <form class="search" role="search" action="/agents">
            <label class="hidden" for="q">{text!("search-agents")}</label>
            {Icon::Search.view()}
            <input id="q" type="search" name="q" maxlength="200" value=query.words().to_owned()
                placeholder=text!("agents-search") />
            {kept}{sort}
            <button class=Kind::Primary.class()>{text!("search-button")}</button>
        </form>
    }
    .into_any()
}

/// Renders the filters: a side column on wide windows, a drawer on narrow ones.
fn filter_rail(groups: Vec<FacetGroup>, query: &AgentsQuery) -> AnyView {
    let chosen = query.filters().len();
    let label = if chosen == 0 { text!("filters") } else { text!("filters-chosen", count = chosen) };
    let clear = (chosen > 0).then(|| {
        let href = query.without_filters().href();
        view! { <p><a class=Kind::Quiet.class() href=href>{Icon::Close.view()} {text!("filters-clear")}</a></p> }
    });
    view! {
        <button type="button" class="button filter-open" popovertarget="filters">{Icon::Filter.view()} {label}</button>
        <aside class="rail drawer" id="filters" popover="auto" aria-label=text!("filters")>
            <CloseDrawer drawer="filters" />
            {clear}
            {facets(groups, query)}
        </aside>
    }
    .into_any()
}

fn sorts(query: &AgentsQuery) -> AnyView {
    let links = Sort::ALL
        .into_iter()
        .map(|sort| {
            let current = (sort == query.sort()).then_some("true");
            view! { <li><a href=query.sorted(sort).href() aria-current=current rel="nofollow">{sort_name(sort)}</a></li> }
        })
        .collect_view();
    view! { <nav class="sorts" aria-label=text!("sort-order")><ul role="list">{links}</ul></nav> }.into_any()
}

fn sort_name(sort: Sort) -> String {
    match sort {
        Sort::Relevance => text!("sort-relevance"),
        Sort::Newest => text!("sort-newest"),
        Sort::MostUsed => text!("sort-most-used"),
        Sort::Name => text!("sort-name"),
    }
}

fn did_you_mean(words: &str, query: &AgentsQuery) -> AnyView {
    let href = query.with_words(words).href();
    let link = |words: String| view! { <a href=href dir="auto">{words}</a> };
    view! { <p>{rich!("did-you-mean", words = words.to_owned(); words = link)}</p> }.into_any()
}

/// Returns true if a search has only punctuation, which is not searched for.
pub(crate) fn has_no_terms(words: &str) -> bool {
    tokenize::query_tokens(words).is_empty()
}

/// Renders why nothing was found, with a link to remove each filter.
fn nothing(query: &AgentsQuery) -> AnyView {
    let drops = query
        .filters()
        .iter()
        .map(|(facet, value)| {
            let label = format!("{}: {}", title(*facet), shown(*facet, value));
            view! { <li><a class="tag" href=query.toggled(*facet, value).href()>{Icon::Close.view()} <span class="hidden">{text!("filter-without")}" "</span>{label}</a></li> }
        })
        .collect_view();
    let filtered = !query.filters().is_empty();
    let words = query.words().to_owned();
    let why = match (words.is_empty(), filtered) {
        (false, _) if has_no_terms(&words) => text!("search-no-terms", words = words),
        (true, false) => text!("agents-none"),
        (true, true) => text!("agents-none-filtered"),
        (false, false) => text!("agents-none-words", words = words),
        (false, true) => text!("agents-none-words-filtered", words = words),
    };
    view! {
        <Empty>
            <p>{why}</p>
            {filtered.then(|| view! { <p>{text!("search-without")}</p><ul class="inline-list" role="list">{drops}</ul> })}
            <p><a href="/agents">{text!("all-agents")}</a>" · "<a href="/register">{text!("register-agent")}</a></p>
        </Empty>
    }
    .into_any()
}

/// Returns the label of a filter. Yes-or-no filters are named after the property.
fn shown(facet: Facet, value: &str) -> String {
    match facet {
        Facet::Online => text!("filter-online"),
        Facet::Verified => text!("filter-verified"),
        Facet::Scope if value == "local" => text!("filter-this-hub"),
        Facet::Scope => text!("filter-other-hubs"),
        _ => value.to_owned(),
    }
}
