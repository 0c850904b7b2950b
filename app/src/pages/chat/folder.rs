//! Form that moves a chat to a folder.

use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        field::Field,
        form_errors::form_errors,
    },
    pages::{Layout, Page, PageMeta},
    view_models::chat::MoveChatPage,
};

impl Page for MoveChatPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private("Move chat") }
    }

    fn body(self) -> AnyView {
        let back = format!("/chat/{}", self.chat);
        let action = format!("{back}/folder");
        let field = Field::text("folder", "Folder")
            .hint("Choose one of your folders, or type the name of a new one. An empty field takes the chat out of its folder.")
            .default(self.folder.unwrap_or_default())
            .options(self.folders)
            .max(60)
            .optional()
            .of(&self.form);
        view! {
            <h1>"Move “"<bdi>{self.title}</bdi>"”"</h1>
            {form_errors(&self.form, None)}
            <form class="stack" method="post" action=action>
                {field}
                <p class="actions"><Button label="Move chat" kind=Kind::Primary /> <ButtonLink label="Cancel" href=back kind=Kind::Quiet /></p>
            </form>
        }
        .into_any()
    }
}
