use leptos::prelude::*;

use crate::{
    components::button::{Button, Kind},
    locales::translated,
    pages::{Layout, Page, PageMeta},
    rich, text,
    view_models::oauth::{ConsentPage, WrongRequestPage},
};

impl Page for ConsentPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(text!("consent")) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let lead = lead(self.host, self.client.clone());
        let resource = rich!("consent-resource", resource = self.resource, place = self.answer_to;
            code = |text| view! { <code class="name">{text}</code> }, place = strong);
        let may = self.may.into_iter().map(|words| view! { <li>{words}</li> }).collect_view();
        let fields = self.fields.into_iter();
        let fields = fields
            .map(|(name, value)| view! { <input type="hidden" name=name value=value /> })
            .collect_view();
        view! {
            <h1>{text!("consent-title", client = self.client)}</h1>
            <p>{lead}</p>
            <ul>{may}</ul>
            <p class="quiet">{resource}</p>
            <form class="stack" method="post" action="/oauth/authorize">
                {fields}
                <p class="actions">
                    <Button label=text!("consent-allow") kind=Kind::Primary name="decision" value="allow" />
                    " "
                    <Button label=text!("consent-deny") name="decision" value="deny" />
                </p>
            </form>
        }
        .into_any()
    }
}

fn strong(text: String) -> impl IntoView + use<> {
    view! { <strong>{text}</strong> }
}

/// Shows what is known of an application: its host, or that nothing is verified.
fn lead(host: Option<String>, client: String) -> AnyView {
    match host {
        Some(host) => rich!("consent-lead", host = host, client = client; host = strong),
        None => text!("consent-lead-unverified", client = client).into_any(),
    }
}

/// Shows which application sent an invalid request, and what is wrong with it.
fn problem(host: Option<String>, client: String, words: &'static str) -> AnyView {
    let why = |_| translated(words.to_owned());
    match host {
        Some(host) => {
            rich!("consent-invalid-what", host = host, client = client; host = strong, why = why)
        }
        None => rich!("consent-invalid-unverified", client = client; why = why),
    }
}

impl Page for WrongRequestPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(text!("consent-invalid")) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        view! {
            <h1>{text!("consent-invalid")}</h1>
            <p>{problem(self.host, self.client, self.words)}</p>
            <p>{text!("consent-invalid-next")}</p>
            <p class="actions"><a href=self.back rel="noreferrer">{text!("consent-back", place = self.answer_to)}</a></p>
        }
        .into_any()
    }
}
