use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, Kind},
        field::Field,
        form_errors::form_errors,
        stepper::Steps,
    },
    pages::{Page, PageMeta},
    text,
    view_models::register::{RegisterAddress, RegistrationKind, Step},
};

impl Page for RegisterAddress {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("register"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let form = self.form;
        let hint =
            if self.allows_private { text!("address-hint-private") } else { text!("address-hint-public") };
        view! {
            <h1>{text!("register")}</h1>
            <Steps at=Step::Address way=RegistrationKind::Card />
            <p class="quiet">{text!("address-lead")}</p>
            {form_errors(&form, None)}
            <form class="stack" method="post" action="/register/address">
                {Field::url("url", text!("address-of-agent")).placeholder("https://agents.example.org/tide").hint(hint).max(2_000).of(&form)}
                <p class="actions"><Button label=text!("address-fetch") kind=Kind::Primary /></p>
            </form>
            <p><a href="/register">{text!("register-other-ways")}</a></p>
        }
        .into_any()
    }
}
