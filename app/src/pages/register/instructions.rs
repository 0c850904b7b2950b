use leptos::prelude::*;
use plexus_domain::{Address, account::Role, agent::AnswerLimits};

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        context,
        empty::Empty,
        field::Field,
        form_errors::form_errors,
        format::agent_href,
        notice::Note,
        section::Section,
    },
    pages::{Page, PageMeta, agent::tool_fields},
    view_models::{
        Form, Tone,
        register::{InstructionsPage, MissingModel, ModelOption},
    },
};

impl Page for InstructionsPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(if self.editing.is_some() { "Edit instructions" } else { "Write instructions" })
    }

    fn body(self) -> AnyView {
        let form = self.form;
        let title =
            if self.editing.is_some() { "Edit instructions" } else { "Write instructions for a model" };
        if self.models.is_empty() {
            return no_model(title);
        }
        let (action, name) = match &self.editing {
            Some(address) => (format!("{}/edit", agent_href(address)), None),
            None => ("/register/instructions".to_owned(), Some(name_field(&self.owner, &form))),
        };
        let verb = if self.editing.is_some() { "Save as a new version" } else { "Continue" };
        view! {
            <h1>{title}</h1>
            {self.missing_model.map(missing_model)}
            {form_errors(&form, None)}
            <form class="stack form-wide" method="post" action=action>
                {Field::text("title", "Title").max(60).placeholder("Tide clerk").hint("Shown in lists and on its page.").of(&form)}
                {name}
                {Field::text("summary", "Summary").max(300).hint("One line about what it does. Search includes it.").of(&form)}
                {Field::lines("instructions", "Instructions", 12).max(32_000)
                    .hint("Sent to the model before every conversation. Only those who manage or copy the agent can read them.").of(&form)}
                {model_field(self.models, &form)}
                {images(&form)}
                {parameters(&form)}
                {Field::lines("starters", "Example messages", 3).optional().max(1_000).hint("One per line, up to five.").of(&form)}
                {Field::text("tags", "Tags").optional().max(200).hint("Search terms, separated by commas.").of(&form)}
                {tools(&form, &self.programs, self.priced)}
                {credentials(&form, self.editing.as_ref())}
                <p class="actions"><Button label=verb kind=Kind::Primary /></p>
            </form>
        }
        .into_any()
    }
}

fn tools(form: &Form, programs: &[String], priced: bool) -> AnyView {
    let listed = match programs {
        [] => String::new(),
        names => format!(" Or a program of this hub: {}.", names.join(", ")),
    };
    let servers = Field::lines("tools", "MCP servers", 2)
        .mono()
        .optional()
        .placeholder("https://tools.example.org/mcp ask")
        .hint(format!("One URL per line, over streamable HTTP.{listed} Add “ask” after it to require approval of each call."))
        .of(form);
    let usual = AnswerLimits::default();
    let number = |name: &'static str, label: &str, usual: String, hint: &str| {
        Field::number(name, label).optional().default(usual).hint(hint).of(form)
    };
    let turns = number(
        "turns",
        "Turns per answer",
        usual.turns().to_string(),
        "Maximum number of model requests, with tool calls in between.",
    );
    let tokens =
        number("tokens", "Tokens per answer", usual.tokens().to_string(), "Sent and received, in all turns.");
    let seconds = number(
        "seconds",
        "Seconds per answer",
        usual.seconds().to_string(),
        "Working time. Waiting for approvals does not count.",
    );
    let cost = priced.then(|| {
        Field::text("cost", "Cost per answer")
            .optional()
            .hint("In the currency of the model prices, such as 0.05. Empty means no limit.")
            .of(form)
    });
    view! {
        <Section title="Tools and limits" lead="MCP tools the model may call, and limits per answer. Each call is shown in the chat with its arguments and result.">
            {servers}{turns}{tokens}{seconds}{cost}
        </Section>
    }
    .into_any()
}

/// Renders the credentials for one tool server. The credentials page takes those for others.
fn credentials(form: &Form, editing: Option<&Address>) -> AnyView {
    let kept = editing.map(|address| {
        let href = format!("{}/credentials", agent_href(address));
        view! { <p><a href=href>"Stored credentials"</a></p> }.into_any()
    });
    let server = Field::url("url", "Server").optional();
    let server = server.hint("One of the servers above. Leave empty if there is only one.").of(form);
    let fields = tool_fields(form, false);
    view! {
        <Section title="Credentials for tools" lead="For servers that require them. Stored encrypted, sent only to the origin of the server, used for all users of the agent, never shown again.">
            {kept}{server}{fields}
        </Section>
    }
    .into_any()
}

pub(super) fn name_field(owner: &str, form: &Form) -> AnyView {
    let hint = format!(
        "Letters a to z, digits, hyphens and underscores. Its address will be @{owner}/name and cannot change."
    );
    Field::text("name", "Name in its address").mono().max(39).hint(hint).of(form)
}

fn model_field(models: Vec<ModelOption>, form: &Form) -> AnyView {
    let first = models.first().map(|model| model.id.clone()).unwrap_or_default();
    let options = models.into_iter().map(|model| (model.id, model.label)).collect();
    Field::choice("model", "Model", options).default(first).of(form)
}

fn missing_model(model: MissingModel) -> AnyView {
    let nearest =
        model.nearest.map(|name| view! { " The one with the most similar name is "<code>{name}</code>"." });
    view! {
        <Note tone=Tone::Caution>
            <p>"This hub does not list the model "<code>{model.name}</code>" now. If the agent does not answer, choose another model."{nearest}</p>
        </Note>
    }
    .into_any()
}

fn images(form: &Form) -> AnyView {
    let options = [("no", "Their names only"), ("yes", "The images")];
    let options = options.map(|(value, label)| (value.to_owned(), label.to_owned())).to_vec();
    Field::choice("images", "Images in messages", options)
        .default("no")
        .hint("What the model gets. A model that reads only text refuses images. Text files are always sent.")
        .of(form)
}

fn parameters(form: &Form) -> AnyView {
    let efforts = [
        ("", "As the model decides"),
        ("minimal", "Minimal"),
        ("low", "Low"),
        ("medium", "Medium"),
        ("high", "High"),
    ];
    let efforts = efforts.map(|(value, label)| (value.to_owned(), label.to_owned())).to_vec();
    let temperature = Field::text("temperature", "Temperature").max(5).optional();
    let temperature = temperature
        .hint("0 to 2. Low values give similar answers each time, high ones more varied answers.")
        .of(form);
    let top_p = Field::text("top_p", "Top P").max(5).optional();
    let top_p = top_p.hint("0.01 to 1. Set it or the temperature, not both.").of(form);
    let effort = Field::choice("reasoning_effort", "Reasoning effort", efforts)
        .hint("How much a reasoning model thinks before it answers. Other models may refuse it.")
        .of(form);
    let names = ["temperature", "top_p", "reasoning_effort"];
    let open = names.iter().any(|name| !form.value(name).is_empty() || form.error(name).is_some());
    view! {
        <details class="fold" open=open>
            <summary>"Model parameters"</summary>
            <div class="stack">{temperature}{top_p}{effort}</div>
        </details>
    }
    .into_any()
}

fn no_model(title: &'static str) -> AnyView {
    let is_admin = context::role() == Some(Role::Admin);
    view! {
        <h1>{title}</h1>
        <Empty title="This hub has no model yet">
            {if is_admin {
                view! { <p>"Connect a model server: one on this machine, in your network, or a service with an API key."</p>
                    <p class="actions"><ButtonLink label="Connect a model" href="/admin/models" kind=Kind::Primary /></p> }.into_any()
            } else {
                view! { <p>"An administrator of this hub can connect one."</p>
                    <p class="actions"><ButtonLink label="Register another agent" href="/register" kind=Kind::Primary /></p> }.into_any()
            }}
        </Empty>
    }
    .into_any()
}
