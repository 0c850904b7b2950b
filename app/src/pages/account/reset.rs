use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        empty::Empty,
        field::Field,
        form_errors::form_errors,
    },
    pages::{Layout, Page, PageMeta},
    text,
    view_models::account::ResetPage,
};

impl Page for ResetPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(text!("new-password")) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let Some(name) = self.name else {
            let advice = (!self.sends_mail).then(|| text!("link-ask"));
            return view! {
                <h1>{text!("new-password")}</h1>
                <Empty title=text!("link-dead")>
                    <p>{text!("reset-dead")}" "{advice}</p>
                    <p class="actions">
                        {self.sends_mail.then(|| view! { <ButtonLink label=text!("request-new-link") href="/forgot" /> })}
                        " " <ButtonLink label=text!("sign-in") href="/login" />
                    </p>
                </Empty>
            }
            .into_any();
        };
        view! {
            <h1>{text!("reset-title", name = name.clone())}</h1>
            {form_errors(&self.form, None)}
            <form class="stack" method="post" action="/reset">
                <input type="hidden" name="token" value=self.token />
                // Password managers store the new password with this name.
                <input type="hidden" name="username" autocomplete="username" value=name />
                {Field::password("password", text!("new-password")).autocomplete("new-password").max(256)
                    .hint(text!("password-hint")).of(&self.form)}
                <p class="actions"><Button label=text!("set-password") kind=Kind::Primary /></p>
            </form>
            <p class="quiet">{text!("reset-note")}</p>
        }
        .into_any()
    }
}
