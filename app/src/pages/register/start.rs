use leptos::prelude::*;
use plexus_domain::account::Role;

use crate::{
    components::{
        button::{ActionForm, Button, ButtonLink, Kind},
        context,
        field::Field,
        form_errors::form_errors,
        icon::Icon,
        section::Section,
        stepper::{Steps, name},
        time::Ago,
    },
    pages::{Page, PageMeta},
    view_models::register::{DraftRow, RegisterStart, RegistrationKind, Step},
};

impl Page for RegisterStart {
    fn head(&self) -> PageMeta {
        PageMeta::private("Register agent")
    }

    fn body(self) -> AnyView {
        let form = self.form;
        let hint = if self.allows_private {
            "URL of the agent or its agent card. Addresses of this machine and your network also work."
        } else {
            "URL of the agent or its agent card. It must be reachable from the internet."
        };
        view! {
            <h1>"Register agent"</h1>
            <Steps at=Step::Address way=RegistrationKind::Card />
            <div class="two-ways">
                <section>
                    <h2>"Register a running agent"</h2>
                    <p class="quiet">"For agents that speak A2A 1.0 or 0.3. The hub fetches the agent card and shows it; nothing is published yet."</p>
                    {form_errors(&form, None)}
                    <form class="stack" method="post" action="/register">
                        {Field::url("url", "Address of the agent").placeholder("https://agents.example.org/tide").hint(hint).max(2_000).of(&form)}
                        <p class="actions"><Button label="Fetch card" kind=Kind::Primary /></p>
                    </form>
                </section>
                <div class="stack">
                    {with_request()}
                    {on_own_machine()}
                    {with_model(self.has_models)}
                    {self.has_programs.then(with_program)}
                </div>
            </div>
            {drafts(self.drafts)}
        }
        .into_any()
    }
}

fn with_request() -> AnyView {
    view! {
        <section>
            <h2>"Describe an HTTP endpoint"</h2>
            <p class="quiet">"For software with its own API: describe the request and where the answer is. Templates exist for Open Interpreter, AutoGPT and OpenAI-compatible servers."</p>
            <p class="actions"><ButtonLink label="Describe endpoint" href="/register/http" icon=Icon::Link /></p>
        </section>
    }
    .into_any()
}

fn on_own_machine() -> AnyView {
    view! {
        <section>
            <h2>"Run a program on your own machine"</h2>
            <p class="quiet">"A local program becomes an agent while it runs. It opens one connection to this hub and needs no public address."</p>
            <p><code>"plexus agent run NAME -- my-agent"</code></p>
            <p class="actions"><ButtonLink label="Read the guide" href="/docs/publish#run-a-program-on-your-own-machine" icon=Icon::Data /></p>
        </section>
    }
    .into_any()
}

fn with_model(has_models: bool) -> AnyView {
    let next = if has_models {
        view! { <p class="actions"><ButtonLink label="Write instructions" href="/register/instructions" icon=Icon::Edit /></p> }.into_any()
    } else if context::role() == Some(Role::Admin) {
        view! { <p class="actions"><ButtonLink label="Connect a model" href="/admin/models" icon=Icon::Add /></p> }.into_any()
    } else {
        view! { <p class="quiet">"This hub has no model yet. An administrator can connect one."</p> }
            .into_any()
    };
    view! {
        <section>
            <h2>"Write instructions for a model"</h2>
            <p class="quiet">"Describe what the agent should do. The hub runs it on one of its models, so you need not host anything."</p>
            {next}
        </section>
    }
    .into_any()
}

fn with_program() -> AnyView {
    view! {
        <section>
            <h2>"Use a program installed on this hub"</h2>
            <p class="quiet">"The operator has listed programs that you can use as agents. The hub starts one sandboxed process for each conversation."</p>
            <p class="actions"><ButtonLink label="Choose program" href="/register/program" icon=Icon::Add /></p>
        </section>
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
