//! Page `/agents`: search.

use std::collections::HashMap;

use axum::{
    extract::{RawQuery, State},
    response::Response,
};
use plexus_app::view_models::{
    Badge, Pager,
    agent_query::{AgentsQuery, Facet, Sort as Order},
    agents::{AgentRow, AgentsPage, FacetGroup, FacetValue},
};
use plexus_domain::{agent::Connector, page::PageSize};
use plexus_hub::{
    directory,
    listings::{self, FacetCount, Facets, PageStart, Query, Sort},
    views::AgentListRow,
};

use super::{live_search, starred};
use crate::{
    app_state::AppState,
    web::{page::PageContext, page_cache},
};

pub async fn show(State(site): State<AppState>, visit: PageContext, RawQuery(raw): RawQuery) -> Response {
    let raw = raw.unwrap_or_default();
    if let Some(asked) = starred::StarredPageQuery::read(&raw) {
        return starred::show(&site, visit, asked).await;
    }
    let query = AgentsQuery::from_pairs(url::form_urlencoded::parse(raw.as_bytes()));
    let (federated, caller) = (live_search::is_federated(&raw), visit.caller.clone());
    let page = async {
        let wanted = Query {
            start: PageStart::Page(query.page() as usize - 1),
            count_facets: true,
            typing: true,
            ..wanted(&site, &query)
        };
        let found = directory::search_for(&site.hub, &caller, wanted.clone()).await?;
        let few = found.total < usize::from(PageSize::DEFAULT.rows());
        let others = live_search::on_page(&site, &caller, &query, wanted, federated, few).await?;
        Ok(AgentsPage {
            rows: found.rows.into_iter().map(row).collect(),
            facets: found
                .facets
                .map(|facets| {
                    groups(&query, facets, &found.hub_names, site.hub.config().federation.is_some())
                })
                .unwrap_or_default(),
            pager: Pager::new(query.page(), PageSize::DEFAULT.rows(), found.total as u64),
            did_you_mean: found.did_you_mean,
            index_complete: found.index_complete,
            others,
            query: query.clone(),
        })
    };
    if raw.is_empty() {
        page_cache::cached_page(&site, visit, page).await
    } else {
        visit.show_or_refuse(page.await)
    }
}

/// Converts search words, filters and order to a query. The caller sets the start of the page.
pub fn wanted(site: &AppState, query: &AgentsQuery) -> Query {
    let one = |facet| query.values(facet).next().map(str::to_owned);
    let is = |facet| query.values(facet).any(|value| value == "true");
    Query {
        text: query.words().to_owned(),
        tags: query.values(Facet::Tag).map(str::to_owned).collect(),
        protocol: one(Facet::Protocol),
        kind: one(Facet::Kind),
        owner: one(Facet::Owner),
        hub: one(Facet::Hub),
        here: query.values(Facet::Scope).next().map(|scope| scope == "local"),
        verified: is(Facet::Verified).then_some(true),
        online_since: is(Facet::Online).then(|| listings::online_since(&site.hub)),
        sort: match (query.sort(), query.words().is_empty()) {
            (Order::Relevance, false) => Sort::Relevance,
            (Order::Newest, _) => Sort::New,
            (Order::MostUsed, _) | (Order::Relevance, true) => Sort::Used,
            (Order::Name, _) => Sort::Name,
        },
        ..Query::default()
    }
}

fn groups(
    query: &AgentsQuery,
    facets: Facets,
    hub_names: &HashMap<String, String>,
    is_joined: bool,
) -> Vec<FacetGroup> {
    let hub_name = |hub: &str| hub_names.get(hub).cloned().unwrap_or_else(|| hub.to_owned());
    let flag = |facet, label: &str| FacetGroup {
        facet,
        values: vec![FacetValue { value: "true".to_owned(), label: label.to_owned(), count: None }],
    };
    let scopes = [("local", "This hub"), ("remote", "Other hubs")];
    let scopes = scopes.map(|(value, label)| FacetValue {
        value: value.to_owned(),
        label: label.to_owned(),
        count: None,
    });
    let scopes = if is_joined { scopes.into() } else { Vec::new() };
    vec![
        flag(Facet::Online, "Online now"),
        flag(Facet::Verified, "Verified"),
        FacetGroup { facet: Facet::Scope, values: scopes },
        group(query, Facet::Hub, facets.hubs, hub_name),
        group(query, Facet::Kind, facets.kinds, kind),
        group(query, Facet::Protocol, facets.protocols, protocol),
        group(query, Facet::Tag, facets.tags, str::to_owned),
        group(query, Facet::Owner, facets.owners, |owner| format!("@{owner}")),
    ]
}

/// Builds a facet group. Selected values are always included, so that they can be deselected.
fn group(
    query: &AgentsQuery,
    facet: Facet,
    counts: Vec<FacetCount>,
    label: impl Fn(&str) -> String,
) -> FacetGroup {
    let mut values: Vec<FacetValue> = counts
        .into_iter()
        .map(|counted| FacetValue {
            label: label(&counted.value),
            value: counted.value,
            count: Some(counted.count),
        })
        .collect();
    for chosen in query.values(facet) {
        if !values.iter().any(|value| value.value == chosen) {
            values.push(FacetValue { value: chosen.to_owned(), label: label(chosen), count: None });
        }
    }
    FacetGroup { facet, values }
}

fn kind(kind: &str) -> String {
    match kind {
        "a2a" => "Remote, over A2A",
        "llm" => "Model with instructions",
        "http" => "Remote, over HTTP",
        "attached" => "On its owner's machine",
        Connector::BUILTIN_KIND => "Built in",
        "process" => "Program on this hub",
        other => other,
    }
    .to_owned()
}

/// Returns the label of a protocol. The index stores protocol names case-folded.
fn protocol(folded: &str) -> String {
    match folded {
        "model" => "Model".to_owned(),
        "built in" => "Built in".to_owned(),
        "http" => "HTTP".to_owned(),
        "attached" => "Attached".to_owned(),
        "program" => "Program".to_owned(),
        "acp" => "ACP".to_owned(),
        other => other.replace("a2a", "A2A"),
    }
}

pub fn row(row: AgentListRow) -> AgentRow {
    let mut badges = Vec::new();
    if row.online {
        badges.push(Badge::Online);
    }
    if let Some(hub) = &row.address.hub {
        badges.push(Badge::Elsewhere { hub: hub.clone(), name: row.hub_name });
    }
    match (row.kind.as_str(), row.verified) {
        (Connector::BUILTIN_KIND, _) => badges.push(Badge::BuiltIn),
        ("a2a" | "http", false) => badges.push(Badge::Unverified),
        _ => {}
    }
    AgentRow {
        seed: row.seed,
        name: row.title,
        address: row.address,
        summary: row.summary,
        tags: row.tags,
        protocol: row.protocol,
        badges,
        last_answered: row.online_at,
    }
}
