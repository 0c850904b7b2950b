use leptos::prelude::*;

use crate::{
    components::button::{Button, Kind},
    pages::{Layout, Page, PageMeta},
    view_models::oauth::{ConsentPage, WrongRequestPage},
};

impl Page for ConsentPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private("Authorize application") }
    }

    fn body(self) -> AnyView {
        let may = self.may.into_iter().map(|words| view! { <li>{words}</li> }).collect_view();
        let fields = self.fields.into_iter();
        let fields = fields
            .map(|(name, value)| view! { <input type="hidden" name=name value=value /> })
            .collect_view();
        view! {
            <h1>"Authorize " {self.client.clone()} "?"</h1>
            <p>{application(self.host)} " calls itself " {self.client}
                ". It requests permission to:"</p>
            <ul>{may}</ul>
            <p class="quiet">"Resource: " <code class="name">{self.resource}</code> ". You will return to " <strong>{self.answer_to}</strong>
                ". You can revoke access at any time in your settings."</p>
            <form class="stack" method="post" action="/oauth/authorize">
                {fields}
                <p class="actions">
                    <Button label="Allow" kind=Kind::Primary name="decision" value="allow" />
                    " "
                    <Button label="Deny" name="decision" value="deny" />
                </p>
            </form>
        }
        .into_any()
    }
}

/// Shows what is known of an application: its host, or that nothing is verified.
fn application(host: Option<String>) -> AnyView {
    match host {
        Some(host) => view! { "The application at " <strong>{host}</strong> }.into_any(),
        None => "An application that registered itself, so that its name is not verified,".into_any(),
    }
}

impl Page for WrongRequestPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private("Invalid authorization request") }
    }

    fn body(self) -> AnyView {
        view! {
            <h1>"Invalid authorization request"</h1>
            <p>{application(self.host)} ", which calls itself " {self.client}
                ", sent an invalid authorization request. " {self.words}</p>
            <p>"No access was granted. Contact the application's developer."</p>
            <p class="actions"><a href=self.back rel="noreferrer">"Go back to " {self.answer_to}</a></p>
        }
        .into_any()
    }
}
