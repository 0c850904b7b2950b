//! Form that moves a chat to a folder.

use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        field::Field,
        form_errors::form_errors,
    },
    pages::{Layout, Page, PageMeta},
    rich, text,
    view_models::chat::MoveChatPage,
};

impl Page for MoveChatPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(text!("move-chat")) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let back = format!("/chat/{}", self.chat);
        let action = format!("{back}/folder");
        let title = self.title;
        let field = Field::text("folder", text!("folder"))
            .hint(text!("move-chat-hint"))
            .default(self.folder.unwrap_or_default())
            .options(self.folders)
            .max(60)
            .optional()
            .of(&self.form);
        view! {
            <h1>{rich!("move-chat-title"; title = |_| view! { <bdi>{title}</bdi> })}</h1>
            {form_errors(&self.form, None)}
            <form class="stack" method="post" action=action>
                {field}
                <p class="actions"><Button label=text!("move-chat") kind=Kind::Primary /> <ButtonLink label=text!("cancel") href=back kind=Kind::Quiet /></p>
            </form>
        }
        .into_any()
    }
}
