use leptos::prelude::*;

use super::skills;
use crate::{
    components::{
        agent_row::tags,
        format::agent_href,
        notice::Note,
        section::Section,
        starters::{StarterUser, starters},
    },
    rich, text,
    view_models::{
        Tone,
        agent::{AgentHead, Callable, Overview},
        register::MissingModel,
    },
};

pub fn view(overview: Overview, head: &AgentHead) -> AnyView {
    let description = (!overview.description.is_empty()).then(|| {
        let html = overview.description.into_string();
        view! { <div class="prose" inner_html=html></div> }
    });
    let tagged = (!overview.tags.is_empty()).then(|| view! { <p class="tags">{tags(overview.tags)}</p> });
    view! {
        {overview.missing_model.map(|model| missing_model(model, head))}
        {description}
        {(head.callable == Callable::Yes).then(|| try_asking(overview.starters, head))}
        {(!overview.skills.is_empty()).then(|| {
            let href = format!("{}/skills", agent_href(&head.address));
            view! {
                <Section title=text!("agent-skills")>
                    {skills::brief(overview.skills)}
                    <p><a href=href>{text!("all-skills")}</a></p>
                </Section>
            }
        })}
        {tagged}
    }
    .into_any()
}

fn missing_model(model: MissingModel, head: &AgentHead) -> AnyView {
    let edit = format!("{}/edit", agent_href(&head.address));
    let nearest = model.nearest.map(|name| view! { " "{text!("agent-model-nearest", model = name)} });
    view! {
        <Note tone=Tone::Caution>
            <p>
                {rich!("agent-model-missing", model = model.name; link = |inner| view! { <a href=edit>{inner}</a> })}
                {nearest}
            </p>
        </Note>
    }
    .into_any()
}

fn try_asking(texts: Vec<String>, head: &AgentHead) -> Option<AnyView> {
    let is_signed_in = head.starred.is_some();
    let user = if is_signed_in { StarterUser::SignedIn } else { StarterUser::Visitor };
    let starters = starters(&head.address, texts, user)?;
    Some(view! { <Section title=text!("try-asking")>{starters}</Section> }.into_any())
}
