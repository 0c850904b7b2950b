//! Share links of one chat.

use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink, Kind},
        field::Field,
        form_errors::form_errors,
        share_links::share_links,
    },
    pages::{Layout, Page, PageMeta},
    view_models::shared_chat::ChatSharePage,
};

/// Lifetimes to choose from: days as the form sends them, and the label.
const LIFETIMES: [(&str, &str); 5] =
    [("1", "In 1 day"), ("7", "In 7 days"), ("30", "In 30 days"), ("365", "In 1 year"), ("0", "Never")];

impl Page for ChatSharePage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Column, ..PageMeta::private("Share chat") }
    }

    fn body(self) -> AnyView {
        let back = match self.message {
            Some(message) => format!("/chat/{}?m={message}", self.chat),
            None => format!("/chat/{}", self.chat),
        };
        let action = format!("/chat/{}/share", self.chat);
        let options = LIFETIMES.map(|(days, label)| (days.to_owned(), label.to_owned())).to_vec();
        let links = (!self.links.is_empty()).then(|| {
            view! {
                <section class="section"><h2>"Links to this chat"</h2>{share_links(self.links, false, &action)}</section>
            }
        });
        let message = self.message.map(|message| message.to_string());
        view! {
            <div class="stack">
            <h1>"Share chat"</h1>
            <p>"Anyone with the link can read “"<a href=back.clone() dir="auto">{self.title}</a>"” up to its newest message, without an account: the messages of this branch with tool calls and files, and the names of their authors. Later messages are not shared. Deleting the chat or a message takes it out of the link."</p>
            {form_errors(&self.form, None)}
            <form class="stack narrow" method="post" action=action>
                {message.map(|message| view! { <input type="hidden" name="message" value=message /> })}
                {Field::choice("days", "Expires", options).default("30").of(&self.form)}
                <p class="actions"><Button label="Create link" kind=Kind::Primary /> <ButtonLink label="Back to chat" href=back kind=Kind::Quiet /></p>
            </form>
            {links}
            </div>
        }
        .into_any()
    }
}
