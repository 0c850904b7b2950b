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
    locales::{translated, translated_text},
    pages::{Page, PageMeta},
    rich, text,
    view_models::{
        Form, Tone,
        agent::Scheme,
        register::{CardPreview, Interface, Problem, RegisterCard, RegistrationKind, Severity, Step},
    },
};

impl Page for RegisterCard {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("register-of", name = self.card.name.clone()))
    }

    fn is_translated(&self) -> bool {
        true
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
            <h1>{text!("register")}</h1>
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
        return Some(view! { <Note tone=Tone::Good>{text!("card-valid")}</Note> }.into_any());
    }
    problems.sort_by_key(|problem| problem.severity);
    let rows = problems
        .into_iter()
        .map(|problem| {
            let (class, word) = match problem.severity {
                Severity::Error => ("state bad", text!("card-error")),
                Severity::Warning => ("state caution", text!("card-warning")),
                Severity::Hint => ("state", text!("card-hint")),
            };
            let place = rich!("card-problem-place", severity = word, place = translated_text(problem.place);
                strong = |inner| view! { <strong>{inner}</strong> },
                code = |inner| view! { <code>{inner}</code> });
            view! { <li class=class>{Icon::Alert.view()} <div>{place}<p>{translated(problem.message)}</p></div></li> }
        })
        .collect_view();
    Some(view! { <section class="problems"><h2>{text!("card-problems")}</h2><ul role="list">{rows}</ul></section> }.into_any())
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
            <div class="title-row"><Mark seed=card.seed /><div><h2 dir="auto">{translated_text(card.name)}</h2><p class="quiet" dir="auto">{translated_text(card.summary)}</p></div></div>
            {facts(vec![
                (text!("card-fetched"), mono(card.url)),
                (text!("card-interfaces"), Some(view! { <ul class="plain-list" role="list">{interfaces}</ul> }.into_any())),
                (text!("agent-version"), mono(card.version)),
                (text!("agent-provider"), card.provider.and_then(fact)),
                (text!("card-streaming"), fact(if card.streaming { text!("card-streaming-yes") } else { text!("card-streaming-no") })),
                (text!("field-authentication"), card.scheme.as_ref().map(scheme_name).and_then(fact)),
                (text!("card-signed-by"), card.signed_by.and_then(mono)),
                (text!("agent-skills"), any.then(|| view! { <ul class="plain-list" role="list">{skills}</ul> }.into_any())),
            ])}
        </section>
    }
    .into_any()
}

fn interface(interface: Interface) -> AnyView {
    let chosen = interface
        .chosen
        .then(|| view! { " " <span class="badge good">{Icon::Check.view()} {text!("card-used")}</span> });
    view! { <li><code>{interface.url}</code>" "<span class="quiet">{interface.protocol}</span>{chosen}</li> }
        .into_any()
}

fn repair() -> AnyView {
    view! {
        <p>{text!("card-unusable")}</p>
        <p class="actions"><ButtonLink label=text!("card-again") href="/register" kind=Kind::Primary icon=Icon::Retry /></p>
    }
    .into_any()
}

fn form(form: &Form, owner: &str, scheme: Option<Scheme>, draft: &str) -> AnyView {
    view! {
        {form_errors(form, None)}
        <form class="stack narrow" method="post" action=format!("/register/{draft}/card")>
            {Field::text("name", text!("copy-name")).mono().max(39)
                .hint(text!("address-name-hint", owner = owner)).of(form)}
            {scheme.map(|scheme| credentials(&scheme, form))}
            <p class="actions"><Button label=text!("register-continue") kind=Kind::Primary /></p>
        </form>
    }
    .into_any()
}

fn credentials(scheme: &Scheme, form: &Form) -> AnyView {
    if let Scheme::Connect(_) = scheme {
        return hub_as_client(scheme, form);
    }
    let name = scheme_name(scheme);
    let asks = match scheme {
        Scheme::Client(server) => text!("credentials-sent-to", scheme = name, server = server.clone()),
        _ => text!("credentials-sent-to-it", scheme = name),
    };
    let user = match scheme {
        Scheme::Basic => Some(text!("credential-user")),
        Scheme::Client(_) => Some(text!("credential-client-id")),
        _ => None,
    };
    let user = user.map(|label| Field::text("user", label).autocomplete("off").mono().optional().of(form));
    let whose = Radios {
        name: "credentials",
        legend: text!("credentials-whose"),
        default: "per_user".to_owned(),
        options: vec![
            RadioOption::new("per_user", text!("credentials-each"))
                .meaning(text!("credentials-each-meaning")),
            RadioOption::new("shared", text!("credentials-mine")).meaning(text!("credentials-mine-meaning")),
        ],
    };
    let label = if let Scheme::Client(_) = scheme {
        text!("credential-client-secret")
    } else {
        text!("credentials-your")
    };
    let secret = Field::password("secret", label).autocomplete("off").optional().of(form);
    let whose = whose.of(form);
    view! {
        <Section title=text!("agent-credentials") lead=asks>
            {whose}
            {user}
            {secret}
        </Section>
    }
    .into_any()
}

/// Renders the fields for this hub's OAuth client. Users connect after the agent is published.
fn hub_as_client(scheme: &Scheme, form: &Form) -> AnyView {
    let lead = text!("credentials-hub-client", scheme = scheme_name(scheme));
    let user =
        Field::text("user", text!("credential-client-id")).autocomplete("off").mono().optional().of(form);
    let secret =
        Field::password("secret", text!("credential-client-secret")).autocomplete("off").optional().of(form);
    view! {
        <Section title=text!("agent-credentials") lead=lead>
            {user}
            {secret}
        </Section>
    }
    .into_any()
}
