use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        empty::Empty,
        field::Field,
        form_errors::form_errors,
    },
    pages::{Layout, Page, PageMeta},
    view_models::account::RecoveryPage,
};

impl Page for RecoveryPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private("Forgotten password") }
    }

    fn body(self) -> AnyView {
        let content = match (self.sends_mail, self.requested) {
            (false, _) => view! {
                <Empty title="This hub sends no e-mail">
                    <p>"Ask an administrator of this hub for a link that sets a new password."</p>
                    <p class="actions"><ButtonLink label="Sign in" href="/login" /></p>
                </Empty>
            }
            .into_any(),
            (true, Some(account)) => view! {
                <Empty title="Check your e-mail">
                    <p>
                        "If " <strong dir="auto">{account}</strong>
                        " is an account with a confirmed e-mail address, a link that sets a new password is on its way. \
                         It works once, within an hour."
                    </p>
                    <p>"No message? Look in the spam folder, or ask an administrator of this hub for a link."</p>
                    <p class="actions"><ButtonLink label="Sign in" href="/login" /></p>
                </Empty>
            }
            .into_any(),
            (true, None) => view! {
                <p>"Enter your name or e-mail address. You get a link that sets a new password."</p>
                {form_errors(&self.form, None)}
                <form class="stack" method="post" action="/forgot">
                    {Field::text("account", "Name or e-mail address").autocomplete("username").mono().max(254)
                        .of(&self.form)}
                    <p class="actions"><Button label="Send link" kind=Kind::Primary /></p>
                </form>
                <p class="quiet"><a href="/login">"Sign in"</a></p>
            }
            .into_any(),
        };
        view! { <h1>"Forgotten password"</h1> {content} }.into_any()
    }
}
