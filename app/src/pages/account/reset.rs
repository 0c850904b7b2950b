use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        empty::Empty,
        field::Field,
        form_errors::form_errors,
    },
    pages::{Layout, Page, PageMeta},
    view_models::account::ResetPage,
};

impl Page for ResetPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private("New password") }
    }

    fn body(self) -> AnyView {
        let Some(name) = self.name else {
            let advice = if self.sends_mail { "" } else { "Ask an administrator of this hub for a new one." };
            return view! {
                <h1>"New password"</h1>
                <Empty title="This link no longer works">
                    <p>"It works once, and for a limited time. " {advice}</p>
                    <p class="actions">
                        {self.sends_mail.then(|| view! { <ButtonLink label="Request new link" href="/forgot" /> })}
                        " " <ButtonLink label="Sign in" href="/login" />
                    </p>
                </Empty>
            }
            .into_any();
        };
        view! {
            <h1>"New password for @" {name.clone()}</h1>
            {form_errors(&self.form, None)}
            <form class="stack" method="post" action="/reset">
                <input type="hidden" name="token" value=self.token />
                // Password managers store the new password with this name.
                <input type="hidden" name="username" autocomplete="username" value=name />
                {Field::password("password", "New password").autocomplete("new-password").max(256)
                    .hint("At least 15 characters; four or five words are easy to remember.").of(&self.form)}
                <p class="actions"><Button label="Set password" kind=Kind::Primary /></p>
            </form>
            <p class="quiet">"Sessions of this account end. API tokens stay valid."</p>
        }
        .into_any()
    }
}
