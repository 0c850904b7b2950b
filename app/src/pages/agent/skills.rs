use leptos::prelude::*;

use crate::{
    components::{
        agent_row::tags,
        definition_list::{fact, facts},
        empty::Empty,
    },
    text,
    view_models::agent::Skill,
};

pub fn view(skills: Vec<Skill>) -> AnyView {
    if skills.is_empty() {
        return view! { <Empty title=text!("skills-none")><p>{text!("skills-none-next")}</p></Empty> }
            .into_any();
    }
    skills.into_iter().map(skill).collect_view().into_any()
}

/// Renders a list with names and descriptions only.
pub fn brief(skills: Vec<Skill>) -> AnyView {
    let items = skills
        .into_iter()
        .map(|skill| view! { <li dir="auto"><strong>{skill.name}</strong>" "<span class="quiet">{skill.description}</span></li> })
        .collect_view();
    view! { <ul class="plain-list" role="list">{items}</ul> }.into_any()
}

fn skill(skill: Skill) -> AnyView {
    let join = |kinds: Vec<String>| (!kinds.is_empty()).then(|| kinds.join(", ")).and_then(fact);
    let examples = skill
        .examples
        .into_iter()
        .map(|example| view! { <li><span dir="auto">{example}</span></li> })
        .collect_view();
    let any = !examples.is_empty();
    view! {
        <section class="section">
            <h2 dir="auto">{skill.name}</h2>
            <p dir="auto">{skill.description}</p>
            {any.then(|| view! { <h3>{text!("skill-examples")}</h3><ul class="examples">{examples}</ul> })}
            {facts(vec![(text!("skill-input"), join(skill.inputs)), (text!("skill-output"), join(skill.outputs))])}
            <p class="tags">{tags(skill.tags)}</p>
        </section>
    }
    .into_any()
}
