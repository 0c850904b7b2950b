use leptos::prelude::*;
use plexus_domain::agent::http_endpoint::{Method, Placeholder, Preset, ResponseFormat};

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
    view_models::{
        Form,
        register::{EndpointPage, RegistrationKind, Step},
    },
};

impl Page for EndpointPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(if self.editing.is_some() { "Edit request" } else { "Describe an HTTP endpoint" })
    }

    fn body(self) -> AnyView {
        let form = &self.form;
        let (title, action, verb) = match &self.editing {
            Some(address) => {
                ("Edit request", format!("{}/edit", agent_href(address)), "Save as a new version")
            }
            None => {
                let action = self.draft.map_or_else(
                    || "/register/http".to_owned(),
                    |draft| format!("/register/{draft}/request"),
                );
                ("Register agent", action, "Continue")
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
        Some(preset) => format!(
            "Template: {}. Change the address and anything else that differs. Or use another template:",
            preset.label()
        ),
        None => "The hub sends each message to your endpoint, in the format that you describe here. \
                 For common software, use a template:"
            .to_owned(),
    };
    view! { <p>{words}</p><p class="actions">{links}</p> }.into_any()
}

fn about(form: &Form, owner: Option<&str>) -> AnyView {
    let name = owner.map(|owner| {
        let hint =
            format!("Letters a to z, digits, hyphens and underscores. Its address will be @{owner}/name and cannot change.");
        Field::text("name", "Name in its address").mono().max(39).hint(hint).of(form)
    });
    view! {
        {Field::text("title", "Title").max(60).hint("Shown in lists and on its page.").of(form)}
        {name}
        {Field::text("summary", "Summary").max(300).hint("One line about what it does. Search includes it.").of(form)}
        {Field::lines("starters", "Example messages", 2).optional().max(1_000).hint("One per line, up to five.").of(form)}
        {Field::text("tags", "Tags").optional().max(200).hint("Search terms, separated by commas.").of(form)}
    }
    .into_any()
}

fn request(form: &Form) -> AnyView {
    let filled = Placeholder::ALL.map(|it| format!("{} {}", it.token(), meaning(it))).join("; ");
    let method = Field::choice("method", "Method", options(Method::ALL.map(Method::as_str)));
    let url = Field::url("url", "Address").max(2_000).placeholder("https://agents.example.org/ask").of(form);
    let method = method.default(Method::Post.as_str()).of(form);
    let headers = Field::lines("headers", "Headers", 2)
        .mono()
        .optional()
        .hint("One per line, such as X-Client: plexus. Enter credentials below.")
        .of(form);
    let body = Field::lines("body", "Body, as JSON", 6)
        .mono()
        .optional()
        .placeholder("{ \"question\": \"{{message}}\" }")
        .hint("Leave empty for a request without a body.")
        .of(form);
    view! {
        <Section title="Request" lead=format!("Placeholders: {filled}.")>{url}{method}{headers}{body}</Section>
    }
    .into_any()
}

const fn meaning(placeholder: Placeholder) -> &'static str {
    match placeholder {
        Placeholder::Message => "the message to answer",
        Placeholder::History => "the conversation before it, as text",
        Placeholder::Messages => "the conversation as a list of roles and contents",
        Placeholder::Conversation => "a stable id of the conversation",
        Placeholder::Task => "the id from a first request",
    }
}

fn answer(form: &Form) -> AnyView {
    let option = |reading: ResponseFormat| {
        let (label, meaning) = match reading {
            ResponseFormat::Json => ("One JSON value", "The whole answer in one response."),
            ResponseFormat::Events => {
                ("Server-sent events", "Each event has a piece of the answer; [DONE] may end the stream.")
            }
            ResponseFormat::Lines => ("JSON lines", "Each line is a JSON value with a piece of the answer."),
            ResponseFormat::Text => ("Plain text", "Shown as received."),
        };
        RadioOption::new(reading.as_str(), label).meaning(meaning)
    };
    let reading = Radios {
        name: "response_format",
        legend: "Response format",
        default: ResponseFormat::Json.as_str().to_owned(),
        options: ResponseFormat::ALL.map(option).into(),
    }
    .of(form);
    let path = Field::text("response_path", "Path of the answer")
        .mono()
        .optional()
        .max(200)
        .placeholder("/choices/0/message/content")
        .hint("JSON path, with a slash before each step; lists count from 0. Empty selects the whole value.")
        .of(form);
    let question = Field::text("question_suffix", "Suffix that marks a question")
        .optional()
        .max(200)
        .placeholder("Do you want to continue?")
        .hint("An answer with this suffix waits for a reply. Leave empty if the software asks no questions.")
        .of(form);
    view! { <Section title="Answer">{reading}{path}{question}</Section> }.into_any()
}

fn credentials(form: &Form, new: bool) -> AnyView {
    let kinds = [
        ("none", "Nothing"),
        ("bearer", "A bearer token"),
        ("header", "An API key in a header"),
        ("query", "An API key in the query"),
        ("basic", "A user name and a password"),
        ("client", "A token issued to the hub as a client (OAuth)"),
        ("connect", "A token authorized by each user (OAuth)"),
    ];
    let kinds = kinds.into_iter().map(|(value, label)| (value.to_owned(), label.to_owned())).collect();
    let kind = Field::choice("auth", "Authentication", kinds).default("none").of(form);
    let name = Field::text("auth_name", "Name of the header or parameter")
        .mono()
        .conditional()
        .max(100)
        .placeholder("X-API-Key")
        .hint("For an API key only.")
        .of(form);
    let oauth = oauth(form);
    let given = new.then(|| {
        let whose = Radios {
            name: "credentials",
            legend: "Whose credentials are used",
            default: "shared".to_owned(),
            options: vec![
                RadioOption::new("shared", "Mine, for all users")
                    .meaning("The hub sends them for all users of the agent."),
                RadioOption::new("per_user", "Each user’s own")
                    .meaning("Each user enters credentials before the first message."),
            ],
        };
        let user = Field::text("user", "User name or client id").autocomplete("off").mono().conditional();
        let user = user.hint("Required for a user name with password, and for OAuth client credentials.");
        let secret = Field::password("secret", "Your credential").autocomplete("off").conditional();
        let secret = secret.hint("Required if your own credential is used for all users.");
        view! { {whose.of(form)} {user.of(form)} {secret.of(form)} }
    });
    view! {
        <Section title="Credentials" lead="What you enter is sealed, and sent to this address alone once control of it is proved. A client’s id and secret go to the token endpoint alone."><div class="stack asked">{kind}{name}{oauth}{given}</div></Section>
    }
    .into_any()
}

fn oauth(form: &Form) -> AnyView {
    let token =
        Field::url("token_url", "Token endpoint").conditional().max(2_000).hint("For OAuth only.").of(form);
    let authorization = Field::url("authorization_url", "Authorization endpoint");
    let authorization =
        authorization.conditional().max(2_000).hint("Where each user authorizes access.").of(form);
    let scopes =
        Field::text("scopes", "Scopes").mono().optional().max(2_000).hint("Separated by spaces.").of(form);
    view! { {token}{authorization}{scopes} }.into_any()
}

fn first_request(form: &Form) -> AnyView {
    let url = Field::text("init_url", "Address").mono().optional().max(2_000).of(form);
    let body = Field::lines("init_body", "Body, as JSON", 2).mono().optional().of(form);
    let id = Field::text("init_id_path", "Path of the id in the response")
        .mono()
        .optional()
        .max(200)
        .placeholder("/task_id")
        .hint("Used for {{task}} above.")
        .of(form);
    let done = Field::text("done_path", "Poll until this JSON path is true")
        .mono()
        .optional()
        .max(200)
        .placeholder("/is_last")
        .hint("Path in each response to the request above. If empty, the hub requests once.")
        .of(form);
    let names = ["init_url", "init_body", "init_id_path", "done_path"];
    let open = names.iter().any(|name| !form.value(name).is_empty() || form.error(name).is_some());
    view! {
        <details class="fold" open=open>
            <summary><span>"First request, for software that creates a task and then works on it"</span></summary>
            <div class="stack">{url}{body}{id}{done}</div>
        </details>
    }
    .into_any()
}

fn options<const N: usize>(words: [&str; N]) -> Vec<(String, String)> {
    words.into_iter().map(|word| (word.to_owned(), word.to_owned())).collect()
}
