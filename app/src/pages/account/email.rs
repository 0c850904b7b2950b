use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        empty::Empty,
        form_errors::form_errors,
    },
    pages::{Layout, Page, PageMeta},
    view_models::account::EmailPage,
};

impl Page for EmailPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private("E-mail address") }
    }

    fn body(self) -> AnyView {
        let Some((name, email)) = self.pending else {
            return view! {
                <h1>"E-mail address"</h1>
                <Empty title="This link no longer works">
                    <p>"It works once, within 24 hours. Request a new one in your account settings."</p>
                    <p class="actions"><ButtonLink label="Account settings" href="/settings/account" /></p>
                </Empty>
            }
            .into_any();
        };
        view! {
            <h1>"E-mail address"</h1>
            {form_errors(&self.form, None)}
            <p><strong dir="auto">{email}</strong> " becomes the e-mail address of the account @" {name} "."</p>
            // A button, because mail programs open links of messages by themselves.
            <form class="stack" method="post" action="/email">
                <input type="hidden" name="token" value=self.token />
                <p class="actions"><Button label="Confirm e-mail address" kind=Kind::Primary /></p>
            </form>
        }
        .into_any()
    }
}
