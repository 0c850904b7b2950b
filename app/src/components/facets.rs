//! Search facets. Each value is a link that adds or removes one filter.

use leptos::prelude::*;

use super::{format::protocol_label, icon::Icon};
use crate::{
    locales::grouped,
    text,
    view_models::{
        agent_query::{AgentsQuery, Facet},
        agents::{FacetGroup, FacetValue},
    },
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
    let label = label(facet, &value);
    view! {
        <li>
            <a href=href rel="nofollow" class:chosen=chosen>
                <span class="box" aria-hidden="true">{chosen.then(|| Icon::Check.view())}</span>
                <span class="label" dir="auto">{label}</span>
                {chosen.then(|| view! { <span class="hidden">" "{text!("facet-selected")}</span> })}
                {value.count.map(|count| view! { <span class="count">{grouped(count)}</span> })}
            </a>
        </li>
    }
    .into_any()
}

/// Returns the label of a value. Names that people gave stay as they are.
fn label(facet: Facet, value: &FacetValue) -> String {
    match (facet, value.value.as_str()) {
        (Facet::Online, "true") => text!("facet-online"),
        (Facet::Verified, "true") => text!("facet-verified"),
        (Facet::Scope, "local") => text!("facet-this-hub"),
        (Facet::Scope, "remote") => text!("facet-other-hubs"),
        (Facet::Kind, "a2a") => text!("kind-a2a"),
        (Facet::Kind, "llm") => text!("kind-model"),
        (Facet::Kind, "http") => text!("kind-http"),
        (Facet::Kind, "attached") => text!("kind-attached"),
        (Facet::Kind, "builtin") => text!("kind-built-in"),
        (Facet::Kind, "process") => text!("kind-program"),
        (Facet::Protocol, _) => protocol_label(&value.label),
        _ => value.label.clone(),
    }
}

pub fn title(facet: Facet) -> String {
    match facet {
        Facet::Online => text!("facet-availability"),
        Facet::Verified => text!("facet-trust"),
        Facet::Scope => text!("facet-network"),
        Facet::Hub => text!("facet-hubs"),
        Facet::Kind => text!("facet-kind"),
        Facet::Protocol => text!("facet-protocol"),
        Facet::Tag => text!("facet-tags"),
        Facet::Owner => text!("facet-owner"),
    }
}
