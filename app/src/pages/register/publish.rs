use leptos::prelude::*;
use plexus_domain::agent::{AgentAccess, Visibility};

use crate::{
    components::{
        button::{Button, Kind},
        form_errors::form_errors,
        identicon::Mark,
        notice::Note,
        stepper::Steps,
    },
    pages::{
        Page, PageMeta,
        agent::{accesses, visibilities},
    },
    text,
    view_models::{
        Tone,
        register::{RegisterPublish, RegistrationKind, Step},
    },
};

impl Page for RegisterPublish {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("register-publish-title", name = self.name.clone()))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let action = format!("/register/{}/publish", self.draft);
        let unverified = (!self.proved && self.way != RegistrationKind::Written).then(|| {
            view! { <Note tone=Tone::Caution>{text!("publish-unverified")}</Note> }
        });
        let omitted = (!self.omitted_tools.is_empty()).then(|| {
            let tools = self.omitted_tools.into_iter().map(|tool| view! { <li dir="auto">{tool}</li> });
            let tools = tools.collect_view();
            view! { <Note tone=Tone::Caution>{text!("publish-omitted-tools")}<ul>{tools}</ul></Note> }
        });
        let steps = (self.way != RegistrationKind::Written)
            .then(|| view! { <Steps at=Step::Publish way=self.way draft=self.draft /> });
        view! {
            <h1>{text!("register")}</h1>
            {steps}
            <div class="title-row"><Mark seed=self.seed /><div><h2 dir="auto">{self.name}</h2><p class="address">{self.address.to_string()}</p></div></div>
            {unverified}
            {omitted}
            {form_errors(&self.form, None)}
            <form class="stack" method="post" action=action>
                {visibilities(Visibility::Private, self.can_federate, &self.form)}
                {accesses(AgentAccess::Accounts, &self.form)}
                <p class="actions"><Button label=text!("step-publish") kind=Kind::Primary /></p>
            </form>
        }
        .into_any()
    }
}
