//! Message composer: a plain HTML form that the chat island enhances.

use leptos::prelude::*;
use plexus_domain::MessageId;

use super::{attachments, chat_commands::chat_commands, format::in_textarea, icon::Icon, identicon::Mark};
use crate::{
    locales, text,
    view_models::{
        Form,
        chat::{AgentChoice, Attachments},
    },
};

pub struct Composer<'a> {
    /// URL that the form posts to.
    pub action: String,
    pub id: MessageId,
    pub parent: Option<MessageId>,
    pub to: Option<&'a AgentChoice>,
    /// Message of the viewer that the text is an alternative to.
    pub edits: Option<MessageId>,
    /// Whether the first message begins a temporary chat.
    pub is_temporary: bool,
    pub attachments: &'a Attachments,
    pub form: &'a Form,
}

/// Maximum message length in characters. The hub enforces its own limit, in bytes.
const MAX: u32 = 1_048_576;

impl Composer<'_> {
    pub fn view(self) -> AnyView {
        // Only the first message names an agent; an existing chat already has one.
        let to = self.to.filter(|_| self.parent.is_none()).map(|to| to.address.to_string());
        // The first message goes to the agent that was chosen, whatever it begins with.
        let hint = if to.is_none() { text!("composer-hint-mention") } else { text!("composer-hint") };
        let label = match self.to {
            Some(to) => text!("message-to", name = to.name.as_str()),
            None => text!("message-to-agent"),
        };
        // Key of the draft in `script/drafts.js`: the chat id, or the agent's address for a new chat.
        let key = self.action.strip_prefix("/chat/").map(str::to_owned).or_else(|| to.clone());
        // The text of an edited message is no draft.
        let draft = self.edits.is_none().then(|| key.unwrap_or_default());
        let text = in_textarea(self.form.value("text"));
        let error = self.form.errors().first().map(|(_, message)| locales::translated(message.clone()));
        let silent = error.is_none();
        let editing = self.parent.is_some().then(|| editing(&self.action, self.edits));
        let queue = self.parent.is_some().then(queue);
        // No autofocus while no agent is chosen: the user reads the list of agents first.
        let ready = self.to.is_some();
        let reads = self.to.and_then(|to| to.accepts.as_ref()).map(|modes| modes.join(" "));
        let agent = self.to.map(|to| to.name.clone());
        let (most, bytes) = (self.attachments.max_files, self.attachments.max_bytes);
        let limits = attachments::limits(self.attachments, self.to);
        let examples = self.to.map(|to| to.starters.as_slice()).unwrap_or_default();
        view! {
            <form class="composer" id="composer" method="post" action=self.action enctype="multipart/form-data" data-island=""
                data-max-files=most data-max-bytes=bytes data-reads=reads data-agent=agent>
                <input type="hidden" name="id" value=self.id.to_string() />
                <input type="hidden" name="parent" value=self.parent.map(|id| id.to_string()) />
                {to.map(|to| view! { <input type="hidden" name="to" value=to /> })}
                {self.is_temporary.then(|| view! { <input type="hidden" name="temporary" value="yes" /> })}
                {editing}
                <p class="error" id="composer-error" role="alert" dir="auto" hidden=silent>{error}</p>
                {queue}
                {attachments::chips(&self.attachments.files)}
                <label class="hidden" for="composer-text">{label.clone()}</label>
                <textarea id="composer-text" name="text" dir="auto" rows="1" maxlength=MAX placeholder=label data-draft=draft
                    autofocus=ready aria-describedby="composer-error composer-hint">{text}</textarea>
                <div class="bar">
                    {attachments::inputs(&limits)}
                    {addressee(self.to)}
                    <button class="button primary send">{Icon::Send.view()} {text!("message-send")}</button>
                </div>
                <p class="limits" id="composer-limits">{limits}</p>
                <p class="unread" id="composer-unread" role="status" hidden=true></p>
                <p class="hidden" id="composer-hint">{hint}" "{text!("commands-hint")}</p>
                {chat_commands(examples)}
            </form>
        }
        .into_any()
    }
}

/// Renders the list of messages that wait for the answer. The island fills it.
fn queue() -> AnyView {
    view! {
        <p class="queue-status" id="composer-queue-status" role="status" hidden=true></p>
        <ul class="queue" id="composer-queue" aria-label=text!("queued-messages")></ul>
    }
    .into_any()
}

/// Renders the line that says that a message is edited. The island shows and hides it.
fn editing(chat: &str, edits: Option<MessageId>) -> AnyView {
    let href = chat.to_owned();
    view! {
        <input type="hidden" name="edits" value=edits.map(|id| id.to_string()) />
        <p class="editing" id="composer-editing" hidden=edits.is_none()>
            {Icon::Edit.view()} <span>{text!("composer-editing")}</span> <a href=href>{text!("cancel")}</a>
        </p>
    }
    .into_any()
}

fn addressee(to: Option<&AgentChoice>) -> AnyView {
    match to {
        Some(to) => {
            let (seed, name, address) = (to.seed.clone(), to.name.clone(), to.address.to_string());
            view! { <p class="to"><Mark seed /> <span dir="auto">{name}</span>" "<span class="address">{address}</span></p> }.into_any()
        }
        None => view! { <p class="to quiet">{text!("composer-choose-agent")}</p> }.into_any(),
    }
}
