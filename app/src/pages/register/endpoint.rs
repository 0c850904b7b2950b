use leptos::prelude::*;
use plexus_domain::agent::http_endpoint::{Method, Placeholder, Preset, ResponseFormat};

use super::instructions::name_field;
use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        field::{Field, RadioOption, Radios},
        form_errors::form_errors,
        format::agent_href,
        section::Section,
        stepper::Steps,
    },
    pages::{Page, PageMeta},
    text,
    view_models::{
        Form,
        register::{EndpointPage, RegistrationKind, Step},
    },
};

impl Page for EndpointPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(if self.editing.is_some() { text!("endpoint-edit") } else { text!("endpoint-new") })
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let form = &self.form;
        let (title, action, verb) = match &self.editing {
            Some(address) => {
                (text!("endpoint-edit"), format!("{}/edit", agent_href(address)), text!("save-version"))
            }
            None => {
                let action = self.draft.map_or_else(
                    || "/register/http".to_owned(),
                    |draft| format!("/register/{draft}/request"),
                );
                (text!("register"), action, text!("register-continue"))
            }
        };
        let new = self.editing.is_none();
        view! {
            <h1>{title}</h1>
            {new.then(|| view! { <Steps at=Step::Request way=RegistrationKind::Request /> })}
            {(new && self.draft.is_none()).then(|| presets(self.chosen))}
            {form_errors(form, None)}
            <form class="stack form-wide" method="post" action=action>
                {about(form, new.then_some(&*self.owner))}
                {request(form)}
                {answer(form)}
                {credentials(form, new)}
                {first_request(form)}
                <p class="actions"><Button label=verb kind=Kind::Primary /></p>
            </form>
        }
        .into_any()
    }
}

fn presets(chosen: Option<Preset>) -> AnyView {
    let links = Preset::ALL
        .into_iter()
        .filter(|preset| chosen != Some(*preset))
        .map(|preset| {
            let href = format!("/register/http?preset={}", preset.as_str());
            view! { <ButtonLink label=preset.label() href=href /> }
        })
        .collect_view();
    let words = match chosen {
        Some(preset) => text!("endpoint-template", template = preset.label()),
        None => text!("endpoint-templates"),
    };
    view! { <p>{words}</p><p class="actions">{links}</p> }.into_any()
}

fn about(form: &Form, owner: Option<&str>) -> AnyView {
    let name = owner.map(|owner| name_field(owner, form));
    view! {
        {Field::text("title", text!("agent-title")).max(60).hint(text!("agent-title-hint")).of(form)}
        {name}
        {Field::text("summary", text!("agent-summary")).max(300).hint(text!("agent-summary-hint")).of(form)}
        {Field::lines("starters", text!("agent-examples"), 2).optional().max(1_000).hint(text!("agent-examples-hint")).of(form)}
        {Field::text("tags", text!("agent-tags")).optional().max(200).hint(text!("agent-tags-hint")).of(form)}
    }
    .into_any()
}

fn request(form: &Form) -> AnyView {
    let placeholder =
        |it| text!("endpoint-placeholder", token = Placeholder::token(it), meaning = meaning(it));
    let filled = Placeholder::ALL.map(placeholder).join("; ");
    let method = Field::choice("method", text!("endpoint-method"), options(Method::ALL.map(Method::as_str)));
    let url = Field::url("url", text!("step-address"))
        .max(2_000)
        .placeholder("https://agents.example.org/ask")
        .of(form);
    let method = method.default(Method::Post.as_str()).of(form);
    let headers = Field::lines("headers", text!("endpoint-headers"), 2)
        .mono()
        .optional()
        .hint(text!("endpoint-headers-hint"))
        .of(form);
    let body = Field::lines("body", text!("endpoint-body"), 6)
        .mono()
        .optional()
        .placeholder("{ \"question\": \"{{message}}\" }")
        .hint(text!("endpoint-body-hint"))
        .of(form);
    view! {
        <Section title=text!("step-request") lead=text!("endpoint-placeholders", list = filled)>{url}{method}{headers}{body}</Section>
    }
    .into_any()
}

fn meaning(placeholder: Placeholder) -> String {
    match placeholder {
        Placeholder::Message => text!("placeholder-message"),
        Placeholder::History => text!("placeholder-history"),
        Placeholder::Messages => text!("placeholder-messages"),
        Placeholder::Conversation => text!("placeholder-conversation"),
        Placeholder::Task => text!("placeholder-task"),
    }
}

fn answer(form: &Form) -> AnyView {
    let option = |reading: ResponseFormat| {
        let (label, meaning) = match reading {
            ResponseFormat::Json => (text!("response-json"), text!("response-json-meaning")),
            ResponseFormat::Events => (text!("response-events"), text!("response-events-meaning")),
            ResponseFormat::Lines => (text!("response-lines"), text!("response-lines-meaning")),
            ResponseFormat::Text => (text!("response-text"), text!("response-text-meaning")),
        };
        RadioOption::new(reading.as_str(), label).meaning(meaning)
    };
    let reading = Radios {
        name: "response_format",
        legend: text!("response-format"),
        default: ResponseFormat::Json.as_str().to_owned(),
        options: ResponseFormat::ALL.map(option).into(),
    }
    .of(form);
    let path = Field::text("response_path", text!("response-path"))
        .mono()
        .optional()
        .max(200)
        .placeholder("/choices/0/message/content")
        .hint(text!("response-path-hint"))
        .of(form);
    let question = Field::text("question_suffix", text!("response-question"))
        .optional()
        .max(200)
        .placeholder(text!("response-question-example"))
        .hint(text!("response-question-hint"))
        .of(form);
    view! { <Section title=text!("response")>{reading}{path}{question}</Section> }.into_any()
}

fn credentials(form: &Form, new: bool) -> AnyView {
    let kinds = [
        ("none", text!("auth-none")),
        ("bearer", text!("auth-bearer")),
        ("header", text!("auth-header")),
        ("query", text!("auth-query")),
        ("basic", text!("auth-basic")),
        ("client", text!("auth-client")),
        ("connect", text!("auth-connect")),
    ];
    let kinds = kinds.into_iter().map(|(value, label)| (value.to_owned(), label)).collect();
    let kind = Field::choice("auth", text!("field-authentication"), kinds).default("none").of(form);
    let name = Field::text("auth_name", text!("auth-name"))
        .mono()
        .conditional()
        .max(100)
        .placeholder("X-API-Key")
        .hint(text!("auth-name-hint"))
        .of(form);
    let oauth = oauth(form);
    let given = new.then(|| {
        let whose = Radios {
            name: "credentials",
            legend: text!("credentials-whose"),
            default: "shared".to_owned(),
            options: vec![
                RadioOption::new("shared", text!("credentials-mine"))
                    .meaning(text!("credentials-mine-meaning")),
                RadioOption::new("per_user", text!("credentials-each"))
                    .meaning(text!("credentials-each-meaning")),
            ],
        };
        let user = Field::text("user", text!("auth-user")).autocomplete("off").mono().conditional();
        let user = user.hint(text!("auth-user-hint"));
        let secret = Field::password("secret", text!("credentials-your")).autocomplete("off").conditional();
        let secret = secret.hint(text!("auth-secret-hint"));
        view! { {whose.of(form)} {user.of(form)} {secret.of(form)} }
    });
    view! {
        <Section title=text!("agent-credentials") lead=text!("auth-lead")><div class="stack asked">{kind}{name}{oauth}{given}</div></Section>
    }
    .into_any()
}

fn oauth(form: &Form) -> AnyView {
    let token = Field::url("token_url", text!("oauth-token-url"))
        .conditional()
        .max(2_000)
        .hint(text!("oauth-token-url-hint"))
        .of(form);
    let authorization = Field::url("authorization_url", text!("oauth-authorization-url"));
    let authorization =
        authorization.conditional().max(2_000).hint(text!("oauth-authorization-url-hint")).of(form);
    let scopes = Field::text("scopes", text!("scopes"))
        .mono()
        .optional()
        .max(2_000)
        .hint(text!("oauth-scopes-hint"))
        .of(form);
    view! { {token}{authorization}{scopes} }.into_any()
}

fn first_request(form: &Form) -> AnyView {
    let url = Field::text("init_url", text!("step-address")).mono().optional().max(2_000).of(form);
    let body = Field::lines("init_body", text!("endpoint-body"), 2).mono().optional().of(form);
    let id = Field::text("init_id_path", text!("first-id-path"))
        .mono()
        .optional()
        .max(200)
        .placeholder("/task_id")
        .hint(text!("first-id-path-hint", token = Placeholder::Task.token()))
        .of(form);
    let done = Field::text("done_path", text!("first-done-path"))
        .mono()
        .optional()
        .max(200)
        .placeholder("/is_last")
        .hint(text!("first-done-path-hint"))
        .of(form);
    let names = ["init_url", "init_body", "init_id_path", "done_path"];
    let open = names.iter().any(|name| !form.value(name).is_empty() || form.error(name).is_some());
    view! {
        <details class="fold" open=open>
            <summary><span>{text!("first-request")}</span></summary>
            <div class="stack">{url}{body}{id}{done}</div>
        </details>
    }
    .into_any()
}

fn options<const N: usize>(words: [&str; N]) -> Vec<(String, String)> {
    words.into_iter().map(|word| (word.to_owned(), word.to_owned())).collect()
}
