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
    rich, text,
    view_models::{
        Form, Tone,
        register::{InstructionsPage, MissingModel, ModelOption},
    },
};

impl Page for InstructionsPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(if self.editing.is_some() {
            text!("instructions-edit")
        } else {
            text!("instructions-write")
        })
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let form = self.form;
        let title = if self.editing.is_some() {
            text!("instructions-edit")
        } else {
            text!("instructions-write-title")
        };
        if self.models.is_empty() {
            return no_model(title);
        }
        let (action, name) = match &self.editing {
            Some(address) => (format!("{}/edit", agent_href(address)), None),
            None => ("/register/instructions".to_owned(), Some(name_field(&self.owner, &form))),
        };
        let verb = if self.editing.is_some() { text!("save-version") } else { text!("register-continue") };
        view! {
            <h1>{title}</h1>
            {self.missing_model.map(missing_model)}
            {form_errors(&form, None)}
            <form class="stack form-wide" method="post" action=action>
                {Field::text("title", text!("agent-title")).max(60).placeholder(text!("agent-title-example")).hint(text!("agent-title-hint")).of(&form)}
                {name}
                {Field::text("summary", text!("agent-summary")).max(300).hint(text!("agent-summary-hint")).of(&form)}
                {Field::lines("instructions", text!("field-instructions"), 12).max(32_000)
                    .hint(text!("instructions-hint")).of(&form)}
                {model_field(self.models, &form)}
                {images(&form)}
                {parameters(&form)}
                {Field::lines("starters", text!("agent-examples"), 3).optional().max(1_000).hint(text!("agent-examples-hint")).of(&form)}
                {Field::text("tags", text!("agent-tags")).optional().max(200).hint(text!("agent-tags-hint")).of(&form)}
                {tools(&form, &self.programs, self.priced)}
                {credentials(&form, self.editing.as_ref())}
                <p class="actions"><Button label=verb kind=Kind::Primary /></p>
            </form>
        }
        .into_any()
    }
}

fn tools(form: &Form, programs: &[String], priced: bool) -> AnyView {
    let hint = match programs {
        [] => text!("tools-hint"),
        names => text!("tools-hint-programs", programs = names.join(", ")),
    };
    let servers = Field::lines("tools", text!("field-mcp-servers"), 2)
        .mono()
        .optional()
        .placeholder("https://tools.example.org/mcp ask")
        .hint(hint)
        .of(form);
    let usual = AnswerLimits::default();
    let number = |name: &'static str, label: String, usual: String, hint: String| {
        Field::number(name, label).optional().default(usual).hint(hint).of(form)
    };
    let turns = number("turns", text!("limit-turns"), usual.turns().to_string(), text!("limit-turns-hint"));
    let tokens =
        number("tokens", text!("limit-tokens"), usual.tokens().to_string(), text!("limit-tokens-hint"));
    let seconds =
        number("seconds", text!("limit-seconds"), usual.seconds().to_string(), text!("limit-seconds-hint"));
    let cost = priced
        .then(|| Field::text("cost", text!("limit-cost")).optional().hint(text!("limit-cost-hint")).of(form));
    view! {
        <Section title=text!("tools-and-limits") lead=text!("tools-and-limits-lead")>
            {servers}{turns}{tokens}{seconds}{cost}
        </Section>
    }
    .into_any()
}

/// Renders the credentials for one tool server. The credentials page takes those for others.
fn credentials(form: &Form, editing: Option<&Address>) -> AnyView {
    let kept = editing.map(|address| {
        let href = format!("{}/credentials", agent_href(address));
        view! { <p><a href=href>{text!("credentials-kept")}</a></p> }.into_any()
    });
    let server = Field::url("url", text!("server")).optional();
    let server = server.hint(text!("credentials-server-hint")).of(form);
    let fields = tool_fields(form, false);
    view! {
        <Section title=text!("tool-credentials") lead=text!("credentials-tools-lead")>
            {kept}{server}{fields}
        </Section>
    }
    .into_any()
}

pub(super) fn name_field(owner: &str, form: &Form) -> AnyView {
    let hint = text!("address-name-hint", owner = owner);
    Field::text("name", text!("copy-name")).mono().max(39).hint(hint).of(form)
}

fn model_field(models: Vec<ModelOption>, form: &Form) -> AnyView {
    let first = models.first().map(|model| model.id.clone()).unwrap_or_default();
    let options = models.into_iter().map(|model| (model.id, model.label)).collect();
    Field::choice("model", text!("field-model"), options).default(first).of(form)
}

fn missing_model(model: MissingModel) -> AnyView {
    let code = |name: String| move |_| view! { <code>{name}</code> };
    let missing = rich!("model-missing"; model = code(model.name));
    let nearest = model.nearest.map(|name| rich!("model-nearest"; model = code(name)));
    let nearest = nearest.map(|nearest| view! { " "{nearest} });
    view! {
        <Note tone=Tone::Caution>
            <p>{missing}{nearest}</p>
        </Note>
    }
    .into_any()
}

fn images(form: &Form) -> AnyView {
    let options = [("no", text!("images-names")), ("yes", text!("images-all"))];
    let options = options.map(|(value, label)| (value.to_owned(), label)).to_vec();
    Field::choice("images", text!("field-images"), options).default("no").hint(text!("images-hint")).of(form)
}

fn parameters(form: &Form) -> AnyView {
    let efforts = [
        ("", text!("effort-default")),
        ("minimal", text!("effort-minimal")),
        ("low", text!("effort-low")),
        ("medium", text!("effort-medium")),
        ("high", text!("effort-high")),
    ];
    let efforts = efforts.map(|(value, label)| (value.to_owned(), label)).to_vec();
    let temperature = Field::text("temperature", text!("temperature")).max(5).optional();
    let temperature = temperature.hint(text!("temperature-hint")).of(form);
    let top_p = Field::text("top_p", text!("top-p")).max(5).optional();
    let top_p = top_p.hint(text!("top-p-hint")).of(form);
    let effort =
        Field::choice("reasoning_effort", text!("effort"), efforts).hint(text!("effort-hint")).of(form);
    let names = ["temperature", "top_p", "reasoning_effort"];
    let open = names.iter().any(|name| !form.value(name).is_empty() || form.error(name).is_some());
    view! {
        <details class="fold" open=open>
            <summary>{text!("model-parameters")}</summary>
            <div class="stack">{temperature}{top_p}{effort}</div>
        </details>
    }
    .into_any()
}

fn no_model(title: String) -> AnyView {
    let is_admin = context::role() == Some(Role::Admin);
    view! {
        <h1>{title}</h1>
        <Empty title=text!("model-none")>
            {if is_admin {
                view! { <p>{text!("model-none-admin")}</p>
                    <p class="actions"><ButtonLink label=text!("model-connect") href="/admin/models" kind=Kind::Primary /></p> }.into_any()
            } else {
                view! { <p>{text!("model-none-user")}</p>
                    <p class="actions"><ButtonLink label=text!("register-another") href="/register" kind=Kind::Primary /></p> }.into_any()
            }}
        </Empty>
    }
    .into_any()
}
