use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        field::Field,
        form_errors::form_errors,
    },
    pages::{Layout, Page, PageMeta},
    view_models::chat::{ChatAction, ChatDialogPage},
};

impl Page for ChatDialogPage {
    fn head(&self) -> PageMeta {
        let title = match self.action {
            ChatAction::Rename => "Rename chat",
            ChatAction::Delete => "Delete chat",
            ChatAction::DeleteMessage(_) => "Delete message",
        };
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(title) }
    }

    fn body(self) -> AnyView {
        let back = format!("/chat/{}", self.chat);
        let (heading, content, verb, kind) = match self.action {
            ChatAction::Rename => (
                "Rename chat".to_owned(),
                Field::text("title", "Title").default(self.title).max(120).of(&self.form),
                "Rename",
                Kind::Primary,
            ),
            ChatAction::Delete => (
                format!("Delete “{}”?", self.title),
                view! { <p>"It can be restored for 24 hours under Deleted chats. Then its messages are deleted permanently from this hub. Agents on other servers may keep what was sent to them."</p> }.into_any(),
                "Delete chat",
                Kind::Danger,
            ),
            ChatAction::DeleteMessage(message) => (
                "Delete this message?".to_owned(),
                view! {
                    <p>"Its text and files are deleted permanently from “"{self.title}"”. Answers to it stay, and agents no longer see it."</p>
                    <input type="hidden" name="message" value=message.to_string() />
                }
                .into_any(),
                "Delete permanently",
                Kind::Danger,
            ),
        };
        let action = format!("{back}/{}", verb_path(self.action));
        view! {
            <h1>{heading}</h1>
            {form_errors(&self.form, None)}
            <form class="stack" method="post" action=action>
                {content}
                <p class="actions"><Button label=verb kind /> <ButtonLink label="Cancel" href=back kind=Kind::Quiet /></p>
            </form>
        }
        .into_any()
    }
}

const fn verb_path(action: ChatAction) -> &'static str {
    match action {
        ChatAction::Rename => "rename",
        ChatAction::Delete => "delete",
        ChatAction::DeleteMessage(_) => "delete-message",
    }
}
