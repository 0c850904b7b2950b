//! List of agents: one dense row per agent.

use leptos::prelude::*;
use plexus_domain::Timestamp;

use super::{
    badge::BadgeTag,
    format::{address_text, agent_href, protocol_label},
    identicon::Mark,
    time::Ago,
};
use crate::{
    rich,
    view_models::{
        Badge,
        agent_query::{AgentsQuery, Facet},
        agents::AgentRow,
    },
};

/// List of agents. The link on the name covers the whole row.
#[component]
pub fn AgentList(rows: Vec<AgentRow>) -> impl IntoView {
    view! { <ul class="rows" role="list">{items(rows)}</ul> }
}

/// Renders the `<li>` items of an [`AgentList`]. Live search appends them to an existing list.
pub fn items(rows: Vec<AgentRow>) -> AnyView {
    rows.into_iter().map(|row| view! { <li><AgentRowView row /></li> }).collect_view().into_any()
}

/// Row of an agent, for lists that add something of their own below it.
#[component]
pub fn AgentRowView(row: AgentRow) -> impl IntoView {
    // The badge says it.
    let protocol = (!row.badges.contains(&Badge::BuiltIn)).then_some(row.protocol);
    let online = row.badges.contains(&Badge::Online);
    let name = if row.badges.contains(&Badge::NotCarried) {
        row.name.into_any()
    } else {
        view! { <a class="reach" href=agent_href(&row.address)>{row.name}</a> }.into_any()
    };
    let badges = row.badges.into_iter().filter(|badge| *badge != Badge::Online);
    let badges = badges.map(|badge| view! { <BadgeTag badge /> }).collect_view();
    view! {
        <article class="row">
            <Mark seed=row.seed />
            <div>
                <h3 dir="auto">{name}" "<span class="address" title=row.address.to_string()>{address_text(&row.address)}</span></h3>
                <p class="summary" dir="auto">{row.summary}</p>
                <p class="tags">{badges}{tags(row.tags)}</p>
            </div>
            <p class="aside">
                {protocol.map(|protocol| view! { <span>{protocol_label(&protocol)}</span> })}
                {row.last_answered.map(|at| view! { <span class="answered" class:online=online>
                    <span class="dot" aria-hidden="true"></span>
                    // A health check or a connection counts too, so this does not say "answered".
                    {seen(online, at)}</span> })}
            </p>
        </article>
    }
}

fn seen(is_online: bool, at: Timestamp) -> AnyView {
    if is_online {
        rich!("row-online-seen"; time = |_| view! { <Ago at /> })
    } else {
        rich!("row-seen"; time = |_| view! { <Ago at /> })
    }
}

/// Renders tags, each a link to a search for agents with that tag.
pub fn tags(tags: Vec<String>) -> AnyView {
    tags.into_iter()
        .map(|tag| {
            let href = AgentsQuery::default().toggled(Facet::Tag, &tag).href();
            view! { <a class="tag" href=href>{tag}</a> }
        })
        .collect_view()
        .into_any()
}
