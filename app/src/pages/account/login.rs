use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, Kind},
        field::Field,
        form_errors::form_errors,
    },
    pages::{Layout, Page, PageMeta},
    rich, text,
    view_models::account::{LoginPage, entrance_href},
};

impl Page for LoginPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(text!("sign-in")) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let form = self.form;
        let (label, max) = if self.sends_mail { (text!("name-or-email"), 254) } else { (text!("name"), 39) };
        let sign_up = entrance_href("/signup", &self.next);
        view! {
            <h1>{text!("sign-in")}</h1>
            {form_errors(&form, None)}
            <form class="stack" method="post" action="/login">
                <input type="hidden" name="next" value=self.next />
                {Field::text("name", label).autocomplete("username").mono().max(max).of(&form)}
                {Field::password("password", text!("password")).autocomplete("current-password").max(256).of(&form)}
                <p class="actions"><Button label=text!("sign-in") kind=Kind::Primary /></p>
            </form>
            <p class="quiet">{rich!("login-new"; link = |inner| view! { <a href=sign_up>{inner}</a> })}</p>
            {if self.sends_mail {
                view! { <p class="quiet"><a href="/forgot">{text!("login-forgot")}</a></p> }.into_any()
            } else {
                view! { <p class="quiet">{text!("login-forgot-ask")}</p> }.into_any()
            }}
        }
        .into_any()
    }
}
