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
    view_models::register::{DraftRow, RegisterStart},
};

impl Page for RegisterStart {
    fn head(&self) -> PageMeta {
        PageMeta::private("Register agent")
    }

    fn body(self) -> AnyView {
        let choices = choices(self.has_models, self.has_programs).into_iter().map(row).collect_view();
        view! {
            <h1>"Register agent"</h1>
            <p class="quiet">"Choose what you have. Nothing is published before the last step."</p>
            <ul class="rows choices" role="list">{choices}</ul>
            {drafts(self.drafts)}
        }
        .into_any()
    }
}

/// What a user has, and where to register it.
#[derive(Clone, Copy)]
struct Choice {
    icon: Icon,
    title: &'static str,
    purpose: &'static str,
    /// `None` if it is not possible on this hub; `purpose` says why.
    href: Option<&'static str>,
}

/// Returns the choices, the likeliest first.
fn choices(has_models: bool, has_programs: bool) -> Vec<Choice> {
    let choice = |icon, title, purpose, href| Choice { icon, title, purpose, href: Some(href) };
    let needs_model = |icon, title, purpose| match (has_models, context::role()) {
        (true, _) => choice(icon, title, purpose, "/register/instructions"),
        (false, Some(Role::Admin)) => {
            choice(icon, title, "This hub has no model yet. Connect one first.", "/admin/models")
        }
        (false, _) => {
            let purpose = "This hub has no model yet. An administrator can connect one.";
            Choice { icon, title, purpose, href: None }
        }
    };
    let mut choices = vec![
        needs_model(
            Icon::Edit,
            "An idea, and a model of this hub",
            "Write instructions. The hub runs the agent, so you need not host anything.",
        ),
        choice(
            Icon::Link,
            "The address of an A2A agent",
            "Paste its address. The hub fetches the agent card and shows it.",
            "/register/address",
        ),
        choice(
            Icon::Data,
            "A program on your own machine",
            "It is an agent while the command plexus agent run connects it. It needs no public address.",
            "/docs/publish#run-a-program-on-your-own-machine",
        ),
        needs_model(
            Icon::Tool,
            "An MCP server",
            "Write instructions for a model that uses the tools of the server.",
        ),
        choice(
            Icon::External,
            "An HTTP endpoint with its own API",
            "Describe the request and where the answer is. Templates exist for OpenAI-compatible servers and others.",
            "/register/http",
        ),
    ];
    choices.push(choice(
        Icon::Data,
        "A file of an exported agent",
        "Import an agent that was exported here or on another hub, with its knowledge files.",
        "/register/import",
    ));
    if has_programs {
        let purpose =
            "The operator listed programs. The hub starts one sandboxed process for each conversation.";
        choices.push(choice(Icon::Add, "A program installed on this hub", purpose, "/register/program"));
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
            view! {
                <li class="actions">
                    <span><a href=href>{draft.label.clone()}</a>" "<span class="quiet">{name(draft.step)}", started "<Ago at=draft.begun /></span></span>
                    <ActionForm action=discard label="Discard" kind=Kind::Quiet about=draft.label />
                </li>
            }
        })
        .collect_view();
    Some(view! { <Section title="Unfinished registrations"><ul class="plain-list" role="list">{rows}</ul></Section> }.into_any())
}
