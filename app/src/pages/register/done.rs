use leptos::prelude::*;

use crate::{
    components::{
        button::{ButtonLink, Kind},
        code_block::Copyable,
        format::{agent_href, chat_href, visibility_meaning},
        icon::Icon,
        identicon::Mark,
    },
    pages::{Layout, Page, PageMeta},
    text,
    view_models::register::RegisterDone,
};

impl Page for RegisterDone {
    fn head(&self) -> PageMeta {
        PageMeta {
            layout: Layout::Narrow,
            ..PageMeta::private(text!("register-done", name = self.name.clone()))
        }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let later = (!self.proved).then(|| view! { <p>{text!("done-unverified")}</p> });
        let (page, chat) = (agent_href(&self.address), chat_href(&self.address, None));
        view! {
            <div class="title-row"><Mark seed=self.seed /><div><h1>{text!("register-done", name = self.name)}</h1><p class="quiet">{visibility_meaning(self.reach)}</p></div></div>
            {later}
            <p><Copyable text=self.address.to_string() about=text!("about-address") /></p>
            <p class="actions">
                <ButtonLink label=text!("agent-chat") href=chat kind=Kind::Primary icon=Icon::Chat />
                <ButtonLink label=text!("done-page") href=page.clone() />
                <ButtonLink label=text!("done-connect") href=format!("{page}/connect") />
            </p>
        }
        .into_any()
    }
}
