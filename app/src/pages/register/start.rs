use leptos::prelude::*;
use plexus_domain::account::Role;

use crate::{
    components::{
        button::{ActionForm, Kind},
        context,
        icon::Icon,
        section::Section,
        stepper::name,
        time::Ago,
    },
    pages::{Page, PageMeta},
    rich, text,
    view_models::register::{DraftRow, RegisterStart},
};

impl Page for RegisterStart {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("register"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let choices = choices(self.has_models, self.has_programs).into_iter().map(row).collect_view();
        view! {
            <h1>{text!("register")}</h1>
            <p class="quiet">{text!("start-lead")}</p>
            <ul class="rows choices" role="list">{choices}</ul>
            {drafts(self.drafts)}
        }
        .into_any()
    }
}

/// What a user has, and where to register it.
struct Choice {
    icon: Icon,
    title: String,
    purpose: String,
    /// `None` if it is not possible on this hub; `purpose` says why.
    href: Option<&'static str>,
}

/// Returns the choices, the likeliest first.
fn choices(has_models: bool, has_programs: bool) -> Vec<Choice> {
    let choice = |icon, title, purpose, href| Choice { icon, title, purpose, href: Some(href) };
    let needs_model = |icon, title, purpose| match (has_models, context::role()) {
        (true, _) => choice(icon, title, purpose, "/register/instructions"),
        (false, Some(Role::Admin)) => choice(icon, title, text!("start-no-model-admin"), "/admin/models"),
        (false, _) => {
            let purpose = text!("start-no-model");
            Choice { icon, title, purpose, href: None }
        }
    };
    let mut choices = vec![
        needs_model(Icon::Edit, text!("start-idea"), text!("start-idea-purpose")),
        choice(Icon::Link, text!("start-address"), text!("start-address-purpose"), "/register/address"),
        choice(
            Icon::Data,
            text!("start-program"),
            text!("start-program-purpose"),
            "/docs/publish#run-a-program-on-your-own-machine",
        ),
        needs_model(Icon::Tool, text!("start-mcp"), text!("start-mcp-purpose")),
        choice(Icon::External, text!("start-http"), text!("start-http-purpose"), "/register/http"),
    ];
    choices.push(choice(
        Icon::Data,
        text!("start-import"),
        text!("start-import-purpose"),
        "/register/import",
    ));
    if has_programs {
        let purpose = text!("start-installed-purpose");
        choices.push(choice(Icon::Add, text!("start-installed"), purpose, "/register/program"));
    }
    choices
}

fn row(choice: Choice) -> AnyView {
    let title = match choice.href {
        Some(href) => view! { <a class="reach" href=href>{choice.title}</a> }.into_any(),
        None => choice.title.into_any(),
    };
    view! {
        <li><article class="row">
            {choice.icon.view()}
            <div><h2>{title}</h2><p class="quiet">{choice.purpose}</p></div>
        </article></li>
    }
    .into_any()
}

fn drafts(drafts: Vec<DraftRow>) -> Option<AnyView> {
    if drafts.is_empty() {
        return None;
    }
    let rows = drafts
        .into_iter()
        .map(|draft| {
            let href = format!("/register/{}/{}", draft.id, draft.step.as_str());
            let discard = format!("/register/{}/discard", draft.id);
            let step = rich!("draft-step", step = name(draft.step); time = move |_| view! { <Ago at=draft.begun /> });
            view! {
                <li class="actions">
                    <span><a href=href>{draft.label.clone()}</a>" "<span class="quiet">{step}</span></span>
                    <ActionForm action=discard label=text!("draft-discard") kind=Kind::Quiet about=draft.label />
                </li>
            }
        })
        .collect_view();
    Some(
        view! { <Section title=text!("drafts")><ul class="plain-list" role="list">{rows}</ul></Section> }
            .into_any(),
    )
}
