use leptos::prelude::*;

use super::{chat_import::chat_import, with_side};
use crate::{
    components::{button::ButtonLink, empty::Empty, section::Section, share_links::share_links},
    pages::{Page, PageMeta},
    text,
    view_models::shared_chat::ShareLinksPage,
};

impl Page for ShareLinksPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("settings-chats"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let list = if self.links.is_empty() {
            view! { <Empty title=text!("share-links-none")><p>{text!("share-links-none-next")}</p></Empty> }
                .into_any()
        } else {
            share_links(self.links, true, "/settings/shares")
        };
        let import = chat_import(self.imported, &self.form);
        let content = view! {
            <h1>{text!("settings-chats")}</h1>
            <Section title=text!("share-links") lead=text!("share-links-lead")>{list}</Section>
            <Section title=text!("chat-export") lead=text!("chat-export-lead")>
                <p class="actions"><ButtonLink label=text!("chat-export-all") href="/settings/chats/export" /></p>
            </Section>
            {import}
        };
        with_side("/settings/shares", content.into_any())
    }
}
