//! Messages that are only read: without actions, and without anything about their runs.

use leptos::prelude::*;
use plexus_domain::message::MessageState;

use super::{
    article::author_name,
    badge::ImportedTag,
    format::{address_text, agent_href},
    identicon::{Initials, Mark},
    message_parts::part,
    time::Date,
};
use crate::{
    locales, text,
    view_models::{message::Author, shared_chat::TranscriptMessage},
};

/// Renders a message.
pub fn transcript_message(message: TranscriptMessage) -> AnyView {
    let TranscriptMessage { article, label } = message;
    let parts = article.parts.iter().enumerate().map(|(index, it)| part(index, it, &article)).collect_view();
    let is_agent = label.is_some() || article.author.is_assistant();
    let class = if is_agent { "message agent" } else { "message person" };
    let (id, author_id) = (format!("m-{}", article.id), format!("a-{}", article.id));
    let labelled = author_id.clone();
    let state = match article.state {
        MessageState::Deleted => Some(text!("message-deleted")),
        MessageState::Stopped => Some(text!("answer-was-stopped")),
        MessageState::Failed => Some(text!("answer-has-failed")),
        MessageState::Open => Some(text!("answer-open")),
        MessageState::Done => None,
    };
    let (picture, name) = author(&article.author, label);
    view! {
        <article class=class id=id aria-labelledby=labelled>
            <div class="gutter">{picture}</div>
            <header><h2 id=author_id dir="auto">{name}</h2><Date at=article.at /></header>
            <div class="body">{parts}</div>
            {state.map(|words| view! { <p class="state">{words}</p> })}
        </article>
    }
    .into_any()
}

fn author(author: &Author, label: Option<String>) -> (AnyView, AnyView) {
    if let Some(label) = label {
        return (view! { <Initials name="?" /> }.into_any(), locales::translated(label));
    }
    let name = author_name(author);
    match author {
        Author::Agent { seed, address, .. } => {
            let (href, address) = (agent_href(address), address_text(address));
            let name = view! { <a href=href>{name}</a> " " <span class="address">{address}</span> };
            (view! { <Mark seed=seed.clone() /> }.into_any(), name.into_any())
        }
        Author::Imported { .. } => {
            let picture = view! { <Initials name=name.clone() /> };
            (picture.into_any(), view! { {name} " " <ImportedTag /> }.into_any())
        }
        Author::Person { .. } => (view! { <Initials name=name.clone() /> }.into_any(), name.into_any()),
        Author::Gone => (view! { <Initials name="?" /> }.into_any(), name.into_any()),
    }
}
