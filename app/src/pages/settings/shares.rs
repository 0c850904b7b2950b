use leptos::prelude::*;

use super::{chat_import::chat_import, with_side};
use crate::{
    components::{button::ButtonLink, empty::Empty, section::Section, share_links::share_links},
    pages::{Page, PageMeta},
    view_models::shared_chat::ShareLinksPage,
};

impl Page for ShareLinksPage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Chats")
    }

    fn body(self) -> AnyView {
        let list = if self.links.is_empty() {
            view! { <Empty title="No share links"><p>"Share a chat in its menu. Its links are listed here."</p></Empty> }.into_any()
        } else {
            share_links(self.links, true, "/settings/shares")
        };
        let import = chat_import(self.imported, &self.form);
        let content = view! {
            <h1>"Chats"</h1>
            <Section title="Share links" lead="Anyone with one of these links can read the chat up to the message at which it was created.">{list}</Section>
            <Section title="Export" lead="One file with all of your chats and every message of each branch, one chat per line as JSON. Files are named, but not included.">
                <p class="actions"><ButtonLink label="Export all chats" href="/settings/chats/export" /></p>
            </Section>
            {import}
        };
        with_side("/settings/shares", content.into_any())
    }
}
