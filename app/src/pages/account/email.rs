use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        empty::Empty,
        form_errors::form_errors,
    },
    pages::{Layout, Page, PageMeta},
    rich, text,
    view_models::account::EmailPage,
};

impl Page for EmailPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(text!("email")) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let Some((name, email)) = self.pending else {
            return view! {
                <h1>{text!("email")}</h1>
                <Empty title=text!("link-dead")>
                    <p>{text!("email-dead-next")}</p>
                    <p class="actions"><ButtonLink label=text!("account-settings") href="/settings/account" /></p>
                </Empty>
            }
            .into_any();
        };
        view! {
            <h1>{text!("email")}</h1>
            {form_errors(&self.form, None)}
            <p>{rich!("email-becomes", email = email, name = name; email = |inner| view! { <strong dir="auto">{inner}</strong> })}</p>
            // A button, because mail programs open links of messages by themselves.
            <form class="stack" method="post" action="/email">
                <input type="hidden" name="token" value=self.token />
                <p class="actions"><Button label=text!("email-confirm") kind=Kind::Primary /></p>
            </form>
        }
        .into_any()
    }
}
