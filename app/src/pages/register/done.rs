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
    view_models::register::RegisterDone,
};

impl Page for RegisterDone {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(format!("{} is registered", self.name)) }
    }

    fn body(self) -> AnyView {
        let later = (!self.proved)
            .then(|| view! { <p>"It is unverified: only you can use it until you verify its origin."</p> });
        let (page, chat) = (agent_href(&self.address), chat_href(&self.address, None));
        view! {
            <div class="title-row"><Mark seed=self.seed /><div><h1>{self.name}" is registered"</h1><p class="quiet">{visibility_meaning(self.reach)}</p></div></div>
            {later}
            <p><Copyable text=self.address.to_string() about="address" /></p>
            <p class="actions">
                <ButtonLink label="Chat" href=chat kind=Kind::Primary icon=Icon::Chat />
                <ButtonLink label="Agent page" href=page.clone() />
                <ButtonLink label="Connect a program" href=format!("{page}/connect") />
            </p>
        }
        .into_any()
    }
}
