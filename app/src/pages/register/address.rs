use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, Kind},
        field::Field,
        form_errors::form_errors,
        stepper::Steps,
    },
    pages::{Page, PageMeta},
    view_models::register::{RegisterAddress, RegistrationKind, Step},
};

impl Page for RegisterAddress {
    fn head(&self) -> PageMeta {
        PageMeta::private("Register agent")
    }

    fn body(self) -> AnyView {
        let form = self.form;
        let hint = if self.allows_private {
            "URL of the agent or its agent card. Addresses of this machine and your network also work."
        } else {
            "URL of the agent or its agent card. It must be reachable from the internet."
        };
        view! {
            <h1>"Register agent"</h1>
            <Steps at=Step::Address way=RegistrationKind::Card />
            <p class="quiet">"For agents that speak A2A 1.0 or 0.3. The hub fetches the agent card and shows it; nothing is published yet."</p>
            {form_errors(&form, None)}
            <form class="stack" method="post" action="/register/address">
                {Field::url("url", "Address of the agent").placeholder("https://agents.example.org/tide").hint(hint).max(2_000).of(&form)}
                <p class="actions"><Button label="Fetch card" kind=Kind::Primary /></p>
            </form>
            <p><a href="/register">"Other ways to register an agent"</a></p>
        }
        .into_any()
    }
}
