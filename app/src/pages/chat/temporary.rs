//! What pages say about temporary chats, with the links and buttons that change it.

use leptos::prelude::*;
use plexus_domain::ChatId;

use crate::{
    components::{
        button::{ActionForm, Kind},
        format::new_chat_href,
        icon::Icon,
    },
    text,
    view_models::chat::{AgentChoice, TemporaryOffer},
};

/// Renders the link that makes a new chat temporary, or ordinary again.
pub fn switch(offer: TemporaryOffer, to: Option<&AgentChoice>) -> AnyView {
    let href = new_chat_href(to.map(|to| &to.address), !offer.is_chosen);
    let label =
        if offer.is_chosen { text!("temporary-chat-switch-off") } else { text!("temporary-chat-switch-on") };
    let id = if offer.is_chosen { "temporary-off" } else { "temporary-on" };
    view! { <a class="button quiet" href=href id=id>{Icon::Unlisted.view()} {label}</a> }.into_any()
}

/// Renders what happens to a new chat that is temporary; nothing for other chats.
pub fn announcement(offer: TemporaryOffer) -> Option<AnyView> {
    offer.is_chosen.then(|| {
        let note = text!("temporary-chat-announcement", hours = offer.hours);
        view! { <p class="temporary" role="note">{Icon::Unlisted.view()} <span>{note}</span></p> }.into_any()
    })
}

/// Renders when a temporary chat is deleted, with the button that keeps it.
pub fn note(chat: ChatId, hours: u64) -> AnyView {
    let note = text!("temporary-chat-note", hours = hours);
    let (action, label) = (format!("/chat/{chat}/keep"), text!("temporary-chat-keep"));
    view! {
        <div class="temporary" role="note">
            {Icon::Unlisted.view()} <span>{note}</span> <ActionForm action label kind=Kind::Plain fields=Vec::new() />
        </div>
    }
    .into_any()
}
