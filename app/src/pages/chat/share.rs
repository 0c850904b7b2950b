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
    rich, text,
    view_models::shared_chat::ChatSharePage,
};

/// Lifetimes to choose from, in days; 0 for a link that does not expire.
const LIFETIMES: [u32; 5] = [1, 7, 30, 365, 0];

fn lifetime_label(days: u32) -> String {
    match days {
        0 => text!("expires-never"),
        365 => text!("expires-in-year"),
        days => text!("expires-in-days", count = days),
    }
}

impl Page for ChatSharePage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Column, ..PageMeta::private(text!("share-chat")) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let back = match self.message {
            Some(message) => format!("/chat/{}?m={message}", self.chat),
            None => format!("/chat/{}", self.chat),
        };
        let action = format!("/chat/{}/share", self.chat);
        let options = LIFETIMES.map(|days| (days.to_string(), lifetime_label(days))).to_vec();
        let chat_href = back.clone();
        let links = (!self.links.is_empty()).then(|| {
            view! {
                <section class="section"><h2>{text!("share-chat-links")}</h2>{share_links(self.links, false, &action)}</section>
            }
        });
        let message = self.message.map(|message| message.to_string());
        view! {
            <div class="stack">
            <h1>{text!("share-chat")}</h1>
            <p>{rich!("share-chat-lead", title = self.title; chat = |title| view! { <a href=chat_href dir="auto">{title}</a> })}</p>
            {form_errors(&self.form, None)}
            <form class="stack narrow" method="post" action=action>
                {message.map(|message| view! { <input type="hidden" name="message" value=message /> })}
                {Field::choice("days", text!("expires"), options).default("30").of(&self.form)}
                <p class="actions"><Button label=text!("create-link") kind=Kind::Primary /> <ButtonLink label=text!("back-to-chat") href=back kind=Kind::Quiet /></p>
            </form>
            {links}
            </div>
        }
        .into_any()
    }
}
