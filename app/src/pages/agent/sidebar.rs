//! Side column of an agent's page: actions and facts.

use leptos::prelude::*;
use plexus_domain::{Address, agent::Visibility};

use super::chat_page;
use crate::{
    components::{
        badge::{BadgeTag, meaning},
        button::{ButtonLink, Kind},
        definition_list::{fact, facts, mono},
        format::{
            agent_href, chat_href, hub_href, hub_label, protocol_label, short_hub, visibility_meaning,
            visibility_name,
        },
        icon::Icon,
        notice::Note,
        time::{Ago, Date},
    },
    locales::{grouped, translated},
    rich, text,
    view_models::{
        Badge, Tone,
        account::entrance_href,
        agent::{AgentHead, Callable, ExternalLink},
    },
};

/// Renders the side column. `tab` is the tab that is shown.
pub fn rail(head: &AgentHead, tab: &'static str) -> AnyView {
    let connect = format!("{}/connect", agent_href(&head.address));
    view! {
        <aside class="rail" aria-label=text!("agent-use")>
            {chat(head)}
            <ButtonLink label=text!("connect-program") href=connect icon=Icon::Link />
            {head.can_copy.then(|| copy(head))}
            {head.starred.map(|starred| star(head, starred, tab))}
            {details(head)}
            {links(&head.links)}
            {badge_meanings(&head.badges)}
        </aside>
    }
    .into_any()
}

fn copy(head: &AgentHead) -> AnyView {
    let href = format!("{}/copy", agent_href(&head.address));
    view! { <ButtonLink label=text!("copy-agent") href icon=Icon::Copy /> }.into_any()
}

/// Renders the star as a toggle button.
fn star(head: &AgentHead, starred: bool, tab: &'static str) -> AnyView {
    let action = format!("{}/star", agent_href(&head.address));
    let (pressed, turned, shown) =
        if starred { ("true", "no", text!("starred")) } else { ("false", "yes", text!("star")) };
    view! {
        <form class="star" method="post" action=action>
            <input type="hidden" name="tab" value=tab />
            <button class=Kind::Plain.class() name="star" value=turned aria-pressed=pressed>{Icon::Star.view()} {shown}</button>
        </form>
    }
    .into_any()
}

/// Renders the chat button, or why the viewer cannot chat and what to do about it.
fn chat(head: &AgentHead) -> AnyView {
    let path = agent_href(&head.address);
    match &head.callable {
        Callable::Yes => {
            let href = chat_page(head);
            view! { <ButtonLink label=text!("agent-chat") href kind=Kind::Primary icon=Icon::Chat /> }
                .into_any()
        }
        Callable::SignIn => {
            let href = entrance_href("/login", &chat_href(&head.address, None));
            view! {
                <ButtonLink label=text!("sign-in-to-chat") href kind=Kind::Primary icon=Icon::SignIn />
                <p class="quiet small">{text!("agent-signed-in-only")}</p>
            }
            .into_any()
        }
        Callable::NeedsCredentials => {
            let href = format!("{path}/credentials");
            view! {
                <ButtonLink label=text!("add-credentials") href kind=Kind::Primary icon=Icon::Key />
                <p class="quiet small">{text!("agent-needs-credentials")}</p>
            }
            .into_any()
        }
        Callable::Unproved { origin } => {
            let origin = origin.clone();
            view! {
                <Note tone=Tone::Caution>
                    {rich!("agent-unverified", origin = origin; code = |inner| view! { <code>{inner}</code> })}
                </Note>
            }
            .into_any()
        }
        Callable::NotAllowed => view! { <Note>{text!("agent-owner-only")}</Note> }.into_any(),
        Callable::Paused => view! { <Note tone=Tone::Caution>{text!("agent-paused")}</Note> }.into_any(),
    }
}

/// Renders the name of a hub with its key, which tells hubs of the same name apart.
fn hub_link(hub: &str, name: Option<&str>) -> AnyView {
    let (href, label) = (hub_href(hub), hub_label(hub, name));
    let key = (label != short_hub(hub)).then(|| view! { " "<code class="quiet">{short_hub(hub)}</code> });
    view! { <a href=href>{label}</a>{key} }.into_any()
}

fn details(head: &AgentHead) -> AnyView {
    let shown = (head.visibility < Visibility::Public).then(|| {
        let (name, meaning) = (visibility_name(head.visibility), visibility_meaning(head.visibility));
        view! { {name}". "<span class="quiet">{meaning}</span> }.into_any()
    });
    let card = head.card_href.clone();
    facts(vec![
        (text!("agent-owner"), owner(&head.address)),
        ("Hub".to_owned(), head.address.hub.clone().map(|hub| hub_link(&hub, head.hub_name.as_deref()))),
        (text!("agent-visibility"), shown),
        (text!("agent-last-answered"), head.last_answered.map(|at| view! { <Ago at /> }.into_any())),
        (text!("agent-uses"), fact(grouped(head.uses))),
        (text!("agent-stars"), fact(grouped(head.stars))),
        (text!("agent-protocol"), fact(protocol_label(&head.protocol))),
        (text!("agent-version"), mono(head.version.clone())),
        (text!("agent-published"), head.published.map(|at| view! { <Date at /> }.into_any())),
        (text!("agent-provider"), head.provider.clone().and_then(fact)),
        (
            text!("agent-card"),
            (!card.is_empty()).then(|| view! { <a href=card>"agent-card.json"</a> }.into_any()),
        ),
    ])
    .into_any()
}

/// Renders the owner, with a link to the owner's other agents if they are on this hub.
fn owner(address: &Address) -> Option<AnyView> {
    let name = format!("@{}", address.owner);
    if address.hub.is_some() {
        return Some(view! { <span dir="ltr">{name}</span> }.into_any());
    }
    let href = format!("/{name}");
    Some(view! { <a href=href dir="ltr">{name}</a> }.into_any())
}

fn links(links: &[ExternalLink]) -> Option<AnyView> {
    if links.is_empty() {
        return None;
    }
    let items = links
        .iter()
        .cloned()
        .map(|link| view! { <li><a href=link.url rel="nofollow noopener noreferrer ugc">{Icon::External.view()} {translated(link.label)}</a></li> })
        .collect_view();
    Some(view! { <ul class="links" role="list" aria-label=text!("agent-links")>{items}</ul> }.into_any())
}

fn badge_meanings(badges: &[Badge]) -> Option<AnyView> {
    if badges.is_empty() {
        return None;
    }
    let rows = badges.iter().cloned().map(|badge| {
        let meaning = meaning(&badge);
        view! { <dt><BadgeTag badge /></dt><dd>{meaning}</dd> }
    });
    let rows = rows.collect_view();
    let fold = view! {
        <details class="fold badge-meanings">
            <summary>{Icon::Info.view()}<span>{text!("badge-meanings")}</span></summary>
            <dl>{rows}</dl>
        </details>
    };
    Some(fold.into_any())
}
