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
    rich, text,
    view_models::agent::CopyAgent,
};

impl Page for CopyAgent {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("copy-agent"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let Self { address, title, owner, form } = self;
        let source = agent_href(&address);
        let action = format!("{source}/copy");
        let hint = text!("copy-address", owner = owner);
        view! {
            <h1>{text!("copy-agent")}</h1>
            <p class="quiet">
                {rich!("copy-lead", title = title; link = |title| view! { <a href=source dir="auto">{title}</a> })}
            </p>
            {form_errors(&form, None)}
            <form class="stack" method="post" action=action>
                {Field::text("name", text!("copy-name")).mono().max(39).hint(hint).default(address.name.to_string()).of(&form)}
                <p class="actions"><Button label=text!("copy-agent") kind=Kind::Primary /></p>
            </form>
        }
        .into_any()
    }
}
