//! Search facets. Each value is a link that adds or removes one filter.

use leptos::prelude::*;

use super::{format::grouped, icon::Icon};
use crate::view_models::{
    agent_query::{AgentsQuery, Facet},
    agents::{FacetGroup, FacetValue},
};

/// Renders the facets of a search. The links modify `query`.
pub fn facets(groups: Vec<FacetGroup>, query: &AgentsQuery) -> AnyView {
    groups
        .into_iter()
        .filter(|group| !group.values.is_empty())
        .map(|group| facet_group(group, query))
        .collect_view()
        .into_any()
}

fn facet_group(group: FacetGroup, query: &AgentsQuery) -> AnyView {
    let title = title(group.facet);
    let values = group.values.into_iter().map(|value| facet_value(group.facet, value, query)).collect_view();
    view! { <section class="facet"><h2>{title}</h2><ul role="list">{values}</ul></section> }.into_any()
}

fn facet_value(facet: Facet, value: FacetValue, query: &AgentsQuery) -> AnyView {
    let chosen = query.values(facet).any(|chosen| chosen == value.value);
    let href = query.toggled(facet, &value.value).href();
    view! {
        <li>
            <a href=href rel="nofollow" class:chosen=chosen>
                <span class="box" aria-hidden="true">{chosen.then(|| Icon::Check.view())}</span>
                <span class="label">{value.label}</span>
                {chosen.then(|| view! { <span class="hidden">" (selected; remove)"</span> })}
                {value.count.map(|count| view! { <span class="count">{grouped(count)}</span> })}
            </a>
        </li>
    }
    .into_any()
}

pub const fn title(facet: Facet) -> &'static str {
    match facet {
        Facet::Online => "Availability",
        Facet::Verified => "Trust",
        Facet::Scope => "Network",
        Facet::Hub => "Other hubs",
        Facet::Kind => "Kind",
        Facet::Protocol => "Protocol",
        Facet::Tag => "Tags",
        Facet::Owner => "Owner",
    }
}
