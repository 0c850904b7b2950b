//! Conversation starters: example messages of an agent, each a button that begins a chat with it.

use leptos::prelude::*;
use plexus_domain::{
    Address,
    sanitized_text::{ellipsize, one_line},
};

use super::format::visitor_chat_href;
use crate::text;

/// Maximum number of characters of a message on its button.
const MAX_LABEL_CHARS: usize = 90;

/// Who presses the buttons: users get a chat, visitors the chat on the agent's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StarterUser {
    SignedIn,
    /// Users whose new chat is temporary.
    TemporaryChat,
    Visitor,
}

/// Renders example messages, or nothing if there are none.
pub fn starters(address: &Address, texts: Vec<String>, user: StarterUser) -> Option<AnyView> {
    if texts.is_empty() {
        return None;
    }
    let forms =
        texts.into_iter().map(|text| view! { <li>{starter(address, text, user)}</li> }).collect_view();
    let label = text!("example-messages", address = address.to_string());
    Some(view! { <ul class="starters" role="list" aria-label=label>{forms}</ul> }.into_any())
}

fn starter(address: &Address, text: String, user: StarterUser) -> AnyView {
    let label = ellipsize(&one_line(&text), MAX_LABEL_CHARS);
    let (action, to) = match user {
        StarterUser::SignedIn | StarterUser::TemporaryChat => ("/chat".to_owned(), Some(address.to_string())),
        StarterUser::Visitor => (visitor_chat_href(address, None), None),
    };
    let temporary = (user == StarterUser::TemporaryChat)
        .then(|| view! { <input type="hidden" name="temporary" value="yes" /> });
    view! {
        <form method="post" action=action>
            {temporary}
            {to.map(|to| view! { <input type="hidden" name="to" value=to /> })}
            <input type="hidden" name="text" value=text />
            <button dir="auto">{label}</button>
        </form>
    }
    .into_any()
}
