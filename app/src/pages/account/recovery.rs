use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        empty::Empty,
        field::Field,
        form_errors::form_errors,
    },
    pages::{Layout, Page, PageMeta},
    rich, text,
    view_models::account::RecoveryPage,
};

impl Page for RecoveryPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(text!("recovery")) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let content = match (self.sends_mail, self.requested) {
            (false, _) => view! {
                <Empty title=text!("recovery-no-mail")>
                    <p>{text!("recovery-ask")}</p>
                    <p class="actions"><ButtonLink label=text!("sign-in") href="/login" /></p>
                </Empty>
            }
            .into_any(),
            (true, Some(account)) => view! {
                <Empty title=text!("recovery-sent")>
                    <p>
                        {rich!("recovery-sent-what", account = account;
                            account = |inner| view! { <strong dir="auto">{inner}</strong> })}
                    </p>
                    <p>{text!("recovery-sent-next")}</p>
                    <p class="actions"><ButtonLink label=text!("sign-in") href="/login" /></p>
                </Empty>
            }
            .into_any(),
            (true, None) => view! {
                <p>{text!("recovery-lead")}</p>
                {form_errors(&self.form, None)}
                <form class="stack" method="post" action="/forgot">
                    {Field::text("account", text!("name-or-email")).autocomplete("username").mono().max(254)
                        .of(&self.form)}
                    <p class="actions"><Button label=text!("send-link") kind=Kind::Primary /></p>
                </form>
                <p class="quiet"><a href="/login">{text!("sign-in")}</a></p>
            }
            .into_any(),
        };
        view! { <h1>{text!("recovery")}</h1> {content} }.into_any()
    }
}
