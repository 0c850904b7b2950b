//! Invitations of the viewer, and the page of an invite link.

use leptos::prelude::*;
use plexus_domain::chat::RoomRole;

use crate::{
    components::{
        button::{ActionForm, Button, ButtonLink, Kind},
        empty::Empty,
        form_errors::form_errors,
        time::Ago,
    },
    pages::{Layout, Page, PageMeta},
    view_models::chat_people::{JoinChatPage, ReceivedInvitationRow, ReceivedInvitationsPage},
};

impl Page for ReceivedInvitationsPage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Invitations")
    }

    fn body(self) -> AnyView {
        let list = if self.invitations.is_empty() {
            view! { <Empty title="No invitations"><p>"When a user invites you to a chat, the invitation is listed here."</p></Empty> }.into_any()
        } else {
            let rows = self.invitations.into_iter().map(row).collect_view();
            view! { <ul class="rows" role="list">{rows}</ul> }.into_any()
        };
        view! {
            <div class="stack">
            <h1>"Invitations"</h1>
            {list}
            <p class="actions"><ButtonLink label="Back to chats" href="/chat" kind=Kind::Quiet /></p>
            </div>
        }
        .into_any()
    }
}

fn row(row: ReceivedInvitationRow) -> AnyView {
    let fields = |answer: &str| vec![("invitation", row.id.to_string()), ("answer", answer.to_owned())];
    let (accept, decline) = (fields("accept"), fields("decline"));
    let (accepted, declined) = (row.title.clone(), row.title.clone());
    view! {
        <li class="listed">
            <span class="name" dir="auto">{row.title}</span>
            <span class="when">"From "<bdi>{row.invited_by}</bdi>", as "{meaning(row.role)}", expires "<Ago at=row.expires /></span>
            <ActionForm action="/chat/invitations" label="Accept" fields=accept about=accepted />
            <ActionForm action="/chat/invitations" label="Decline" kind=Kind::Quiet fields=decline about=declined />
        </li>
    }
    .into_any()
}

impl Page for JoinChatPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private("Join chat") }
    }

    fn body(self) -> AnyView {
        view! {
            <h1>"Join “"<bdi>{self.title}</bdi>"”"</h1>
            {form_errors(&self.form, None)}
            <p><bdi>{self.invited_by}</bdi>" invites you to this chat as "{meaning(self.role)}". You will read its whole history, and its people will see your name."</p>
            <form class="stack" method="post" action=format!("/join/{}", self.token)>
                <p class="actions"><Button label="Join chat" kind=Kind::Primary /> <ButtonLink label="Cancel" href="/chat" kind=Kind::Quiet /></p>
            </form>
        }
        .into_any()
    }
}

const fn meaning(role: RoomRole) -> &'static str {
    match role {
        RoomRole::Owner => "its owner",
        RoomRole::Member => "a member",
        RoomRole::Reader => "a reader",
    }
}
