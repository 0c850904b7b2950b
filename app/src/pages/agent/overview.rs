use leptos::prelude::*;

use super::{chat_page, skills};
use crate::{
    components::{
        agent_row::tags,
        badge::{BadgeTag, meaning},
        format::agent_href,
        section::Section,
    },
    view_models::{
        Badge,
        agent::{AgentHead, Callable, Overview},
    },
};

pub fn view(overview: Overview, head: &AgentHead) -> AnyView {
    let description = (!overview.description.is_empty()).then(|| {
        let html = overview.description.into_string();
        view! { <div class="prose" inner_html=html></div> }
    });
    let tagged = (!overview.tags.is_empty()).then(|| view! { <p class="tags">{tags(overview.tags)}</p> });
    view! {
        {description}
        {(head.callable == Callable::Yes).then(|| starters(overview.starters, head))}
        {(!overview.skills.is_empty()).then(|| {
            let href = format!("{}/skills", agent_href(&head.address));
            view! {
                <Section title="Skills">
                    {skills::brief(overview.skills)}
                    <p><a href=href>"All skills"</a></p>
                </Section>
            }
        })}
        {tagged}
        {badges(&head.badges)}
    }
    .into_any()
}

/// Renders the starter messages; each links to a chat with the text prefilled.
fn starters(starters: Vec<String>, head: &AgentHead) -> Option<AnyView> {
    if starters.is_empty() {
        return None;
    }
    let links = starters
        .into_iter()
        .map(|text| {
            let href = chat_page(head, Some(&text));
            view! { <li><a href=href>{text}</a></li> }
        })
        .collect_view();
    Some(
        view! { <Section title="Try asking"><ul class="starters" role="list">{links}</ul></Section> }
            .into_any(),
    )
}

fn badges(badges: &[Badge]) -> Option<AnyView> {
    if badges.is_empty() {
        return None;
    }
    let rows = badges
        .iter()
        .cloned()
        .map(|badge| {
            let meaning = meaning(&badge);
            view! { <div><dt><BadgeTag badge /></dt><dd>{meaning}</dd></div> }
        })
        .collect_view();
    Some(view! { <Section title="What its badges mean"><dl class="facts">{rows}</dl></Section> }.into_any())
}
