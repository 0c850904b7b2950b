use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        field::Field,
        form_errors::form_errors,
    },
    pages::{Layout, Page, PageMeta},
    text,
    view_models::chat::{ChatAction, ChatDialogPage},
};

impl Page for ChatDialogPage {
    fn head(&self) -> PageMeta {
        let title = match self.action {
            ChatAction::Rename => text!("rename-chat"),
            ChatAction::Delete => text!("delete-chat"),
            ChatAction::DeleteMessage(_) => text!("delete-message"),
        };
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(title) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let back = format!("/chat/{}", self.chat);
        let (heading, content, verb, kind) = match self.action {
            ChatAction::Rename => (
                text!("rename-chat"),
                Field::text("title", text!("rename-title")).default(self.title).max(120).of(&self.form),
                text!("chat-rename"),
                Kind::Primary,
            ),
            ChatAction::Delete => (
                text!("delete-chat-ask", title = self.title),
                if self.is_temporary {
                    view! { <p>{text!("temporary-chat-delete")}</p> }.into_any()
                } else {
                    view! { <p>{text!("delete-chat-lead")}</p> }.into_any()
                },
                text!("delete-chat"),
                Kind::Danger,
            ),
            ChatAction::DeleteMessage(message) => (
                text!("delete-message-ask"),
                view! {
                    <p>{text!("delete-message-lead", title = self.title)}</p>
                    <input type="hidden" name="message" value=message.to_string() />
                }
                .into_any(),
                text!("delete-permanently"),
                Kind::Danger,
            ),
        };
        let action = format!("{back}/{}", verb_path(self.action));
        view! {
            <h1>{heading}</h1>
            {form_errors(&self.form, None)}
            <form class="stack" method="post" action=action>
                {content}
                <p class="actions"><Button label=verb kind /> <ButtonLink label=text!("cancel") href=back kind=Kind::Quiet /></p>
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
