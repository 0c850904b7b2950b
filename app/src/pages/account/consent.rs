use leptos::prelude::*;

use crate::{
    components::button::{Button, Kind},
    pages::{Layout, Page, PageMeta},
    view_models::oauth::{ConsentPage, WrongRequestPage},
};

impl Page for ConsentPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private("Let a program act for you") }
    }

    fn body(self) -> AnyView {
        let may = self.may.into_iter().map(|words| view! { <li>{words}</li> }).collect_view();
        let fields = self.fields.into_iter();
        let fields = fields
            .map(|(name, value)| view! { <input type="hidden" name=name value=value /> })
            .collect_view();
        view! {
            <h1>"Let " {self.client.clone()} " act for you?"</h1>
            <p>"A program at " <strong>{self.host}</strong> " calls itself " {self.client} ". It wants to:"</p>
            <ul>{may}</ul>
            <p class="quiet">"At " <code class="name">{self.resource}</code> ". The answer goes to " <strong>{self.answer_to}</strong>
                ". You can end this at any time in your settings."</p>
            <form class="stack" method="post" action="/oauth/authorize">
                {fields}
                <p class="actions">
                    <Button label="Allow" kind=Kind::Primary name="decision" value="allow" />
                    " "
                    <Button label="Do not allow" name="decision" value="deny" />
                </p>
            </form>
        }
        .into_any()
    }
}

impl Page for WrongRequestPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private("This program cannot be let in") }
    }

    fn body(self) -> AnyView {
        view! {
            <h1>"This program cannot be let in"</h1>
            <p>"A program at " <strong>{self.host}</strong> " that calls itself " {self.client}
                " asked to act for you, but not in a way that this hub understands. " {self.words}</p>
            <p>"Nothing was given to it. If you came from there and trust it, you can go back and tell its makers."</p>
            <p class="actions"><a href=self.back rel="noreferrer">"Go back to " {self.answer_to}</a></p>
        }
        .into_any()
    }
}
