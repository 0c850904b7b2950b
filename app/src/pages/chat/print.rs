//! Print view of a chat: all messages of a branch, without anything around them.

use leptos::prelude::*;

use crate::{
    components::{
        button::{ButtonLink, Kind},
        icon::Icon,
        transcript::transcript_message,
    },
    pages::{Layout, Page, PageMeta},
    text,
    view_models::shared_chat::PrintPage,
};

impl Page for PrintPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Column, ..PageMeta::private(self.title.clone()) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let omitted = u64::try_from(self.omitted).unwrap_or(u64::MAX);
        let omitted = (omitted > 0).then(|| {
            view! { <p class="quiet">{text!("print-omitted", count = omitted)}</p> }
        });
        let messages = self.messages.into_iter().map(transcript_message).collect_view();
        view! {
            <div class="transcript">
                <h1 dir="auto">{self.title}</h1>
                <p class="actions no-print">
                    // Shown by the script without which it does nothing.
                    <button type="button" class=Kind::Primary.class() data-print="" hidden=true>{text!("print-chat")}</button>
                    <ButtonLink label=text!("back-to-chat") href=format!("/chat/{}", self.chat) kind=Kind::Quiet icon=Icon::Back />
                </p>
                {omitted}
                {messages}
            </div>
        }
        .into_any()
    }
}
