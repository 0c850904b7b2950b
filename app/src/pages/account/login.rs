use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, Kind},
        field::Field,
        form_errors::form_errors,
    },
    pages::{Layout, Page, PageMeta},
    view_models::account::{LoginPage, entrance_href},
};

impl Page for LoginPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private("Sign in") }
    }

    fn body(self) -> AnyView {
        let form = self.form;
        let (label, max) = if self.sends_mail { ("Name or e-mail address", 254) } else { ("Name", 39) };
        let sign_up = entrance_href("/signup", &self.next);
        view! {
            <h1>"Sign in"</h1>
            {form_errors(&form, None)}
            <form class="stack" method="post" action="/login">
                <input type="hidden" name="next" value=self.next />
                {Field::text("name", label).autocomplete("username").mono().max(max).of(&form)}
                {Field::password("password", "Password").autocomplete("current-password").max(256).of(&form)}
                <p class="actions"><Button label="Sign in" kind=Kind::Primary /></p>
            </form>
            <p class="quiet">"New here? "<a href=sign_up>"Sign up"</a>"."</p>
            {if self.sends_mail {
                view! { <p class="quiet"><a href="/forgot">"Forgot your password?"</a></p> }.into_any()
            } else {
                view! { <p class="quiet">"Forgot your password? Ask an administrator of this hub for a link that sets a new one."</p> }.into_any()
            }}
        }
        .into_any()
    }
}
