use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        definition_list::{fact, facts, mono},
        field::{Field, RadioOption, Radios},
        form_errors::form_errors,
        format::scheme_name,
        icon::Icon,
        identicon::Mark,
        notice::Note,
        section::Section,
        stepper::Steps,
    },
    pages::{Page, PageMeta},
    view_models::{
        Form, Tone,
        agent::Scheme,
        register::{CardPreview, Interface, Problem, RegisterCard, RegistrationKind, Severity, Step},
    },
};

impl Page for RegisterCard {
    fn head(&self) -> PageMeta {
        PageMeta::private(format!("{} – register agent", self.card.name))
    }

    fn body(self) -> AnyView {
        let broken = self.problems.iter().any(|problem| problem.severity == Severity::Error);
        let scheme = self.card.scheme.clone();
        let next = if broken {
            repair().into_any()
        } else {
            form(&self.form, &self.owner, scheme, &self.draft.to_string())
        };
        view! {
            <h1>"Register agent"</h1>
            <Steps at=Step::Card way=RegistrationKind::Card draft=self.draft />
            {problems(self.problems)}
            {preview(self.card)}
            {next}
        }
        .into_any()
    }
}

/// Renders the problems of the card, most severe first.
fn problems(mut problems: Vec<Problem>) -> Option<AnyView> {
    if problems.is_empty() {
        return Some(view! { <Note tone=Tone::Good>"The agent card is valid."</Note> }.into_any());
    }
    problems.sort_by_key(|problem| problem.severity);
    let rows = problems
        .into_iter()
        .map(|problem| {
            let (class, word) = match problem.severity {
                Severity::Error => ("state bad", "Error"),
                Severity::Warning => ("state caution", "Warning"),
                Severity::Hint => ("state", "Hint"),
            };
            view! { <li class=class>{Icon::Alert.view()} <div><strong>{word}</strong> " in " <code>{problem.place}</code><p>{problem.message}</p></div></li> }
        })
        .collect_view();
    Some(view! { <section class="problems"><h2>"Problems in the card"</h2><ul role="list">{rows}</ul></section> }.into_any())
}

fn preview(card: CardPreview) -> AnyView {
    let skills = card
        .skills
        .into_iter()
        .map(|skill| view! { <li><strong>{skill.name}</strong>" "<span class="quiet">{skill.description}</span></li> })
        .collect_view();
    let any = !skills.is_empty();
    let interfaces = card.interfaces.into_iter().map(interface).collect_view();
    view! {
        <section class="preview">
            <div class="title-row"><Mark seed=card.seed /><div><h2 dir="auto">{card.name}</h2><p class="quiet" dir="auto">{card.summary}</p></div></div>
            {facts(vec![
                ("Fetched from", mono(card.url)),
                ("Interfaces", Some(view! { <ul class="plain-list" role="list">{interfaces}</ul> }.into_any())),
                ("Version", mono(card.version)),
                ("Provider", card.provider.and_then(fact)),
                ("Streaming", fact(if card.streaming { "Yes" } else { "No streaming" })),
                ("Authentication", card.scheme.as_ref().map(scheme_name).and_then(fact)),
                ("Signed by", card.signed_by.and_then(mono)),
                ("Skills", any.then(|| view! { <ul class="plain-list" role="list">{skills}</ul> }.into_any())),
            ])}
        </section>
    }
    .into_any()
}

fn interface(interface: Interface) -> AnyView {
    let chosen = interface
        .chosen
        .then(|| view! { " " <span class="badge good">{Icon::Check.view()} "Used by the hub"</span> });
    view! { <li><code>{interface.url}</code>" "<span class="quiet">{interface.protocol}</span>{chosen}</li> }
        .into_any()
}

fn repair() -> AnyView {
    view! {
        <p>"The agent card cannot be used. Correct it on the agent, then fetch it again."</p>
        <p class="actions"><ButtonLink label="Fetch again" href="/register" kind=Kind::Primary icon=Icon::Retry /></p>
    }
    .into_any()
}

fn form(form: &Form, owner: &str, scheme: Option<Scheme>, draft: &str) -> AnyView {
    view! {
        {form_errors(form, None)}
        <form class="stack narrow" method="post" action=format!("/register/{draft}/card")>
            {Field::text("name", "Name in its address").mono().max(39)
                .hint(format!("Letters a to z, digits, hyphens and underscores. Its address will be @{owner}/name and cannot change.")).of(form)}
            {scheme.map(|scheme| credentials(&scheme, form))}
            <p class="actions"><Button label="Continue" kind=Kind::Primary /></p>
        </form>
    }
    .into_any()
}

fn credentials(scheme: &Scheme, form: &Form) -> AnyView {
    if let Scheme::Connect(_) = scheme {
        return hub_as_client(scheme, form);
    }
    let to = if let Scheme::Client(server) = scheme { server } else { "it" };
    let asks =
        format!("It requires {}. Your entry is stored encrypted and sent only to {to}.", scheme_name(scheme));
    let user = match scheme {
        Scheme::Basic => Some("User name"),
        Scheme::Client(_) => Some("Client id"),
        _ => None,
    };
    let user = user.map(|label| Field::text("user", label).autocomplete("off").mono().optional().of(form));
    let whose = Radios {
        name: "credentials",
        legend: "Whose credentials are used",
        default: "per_user".to_owned(),
        options: vec![
            RadioOption::new("per_user", "Each user’s own")
                .meaning("Each user enters credentials before the first message."),
            RadioOption::new("shared", "Mine, for all users")
                .meaning("The hub sends them for all users of the agent."),
        ],
    };
    let label = if let Scheme::Client(_) = scheme { "Client secret" } else { "Your credential" };
    let secret = Field::password("secret", label).autocomplete("off").optional().of(form);
    let whose = whose.of(form);
    view! {
        <Section title="Credentials" lead=asks>
            {whose}
            {user}
            {secret}
        </Section>
    }
    .into_any()
}

/// Renders the fields for this hub's OAuth client. Users connect after the agent is published.
fn hub_as_client(scheme: &Scheme, form: &Form) -> AnyView {
    let lead = format!(
        "It requires {}. Enter the OAuth client that is registered for this hub there. Leave both fields empty \
         if the server supports Client ID Metadata Documents. You can also do this later.",
        scheme_name(scheme)
    );
    let user = Field::text("user", "Client id").autocomplete("off").mono().optional().of(form);
    let secret = Field::password("secret", "Client secret").autocomplete("off").optional().of(form);
    view! {
        <Section title="Credentials" lead=lead>
            {user}
            {secret}
        </Section>
    }
    .into_any()
}
