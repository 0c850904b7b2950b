//! Page that copies an agent into the namespace of the viewer.

use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, Kind},
        field::Field,
        form_errors::form_errors,
        format::agent_href,
    },
    pages::{Page, PageMeta},
    view_models::agent::CopyAgent,
};

impl Page for CopyAgent {
    fn head(&self) -> PageMeta {
        PageMeta::private("Copy agent")
    }

    fn body(self) -> AnyView {
        let Self { address, title, owner, form } = self;
        let source = agent_href(&address);
        let action = format!("{source}/copy");
        let hint = format!("Its address will be @{owner}/name and cannot change.");
        view! {
            <h1>"Copy agent"</h1>
            <p class="quiet">
                "Creates a private agent with the instructions, the settings and the knowledge files of "
                <a href=source dir="auto">{title}</a>". Credentials are not copied, and later changes of the original do not reach the copy."
            </p>
            {form_errors(&form, None)}
            <form class="stack" method="post" action=action>
                {Field::text("name", "Name in its address").mono().max(39).hint(hint).default(address.name.to_string()).of(&form)}
                <p class="actions"><Button label="Copy agent" kind=Kind::Primary /></p>
            </form>
        }
        .into_any()
    }
}
