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
        let sign_up = entrance_href("/signup", &self.next);
        view! {
            <h1>"Sign in"</h1>
            {form_errors(&form, None)}
            <form class="stack" method="post" action="/login">
                <input type="hidden" name="next" value=self.next />
                {Field::text("name", "Name").autocomplete("username").mono().max(39).of(&form)}
                {Field::password("password", "Password").autocomplete("current-password").max(256).of(&form)}
                <p class="actions"><Button label="Sign in" kind=Kind::Primary /></p>
            </form>
            <p class="quiet">"New here? "<a href=sign_up>"Sign up"</a>"."</p>
            <p class="quiet">"Forgot your password? Ask an administrator of this hub for a link that sets a new one."</p>
        }
        .into_any()
    }
}
