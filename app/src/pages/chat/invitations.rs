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
    rich, text,
    view_models::chat_people::{JoinChatPage, ReceivedInvitationRow, ReceivedInvitationsPage},
};

impl Page for ReceivedInvitationsPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("invitations"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let list = if self.invitations.is_empty() {
            view! { <Empty title=text!("invitations-none")><p>{text!("invitations-none-next")}</p></Empty> }
                .into_any()
        } else {
            let rows = self.invitations.into_iter().map(row).collect_view();
            view! { <ul class="rows" role="list">{rows}</ul> }.into_any()
        };
        view! {
            <div class="stack">
            <h1>{text!("invitations")}</h1>
            {list}
            <p class="actions"><ButtonLink label=text!("back-to-chats") href="/chat" kind=Kind::Quiet /></p>
            </div>
        }
        .into_any()
    }
}

fn row(row: ReceivedInvitationRow) -> AnyView {
    let fields = |answer: &str| vec![("invitation", row.id.to_string()), ("answer", answer.to_owned())];
    let (accept, decline) = (fields("accept"), fields("decline"));
    let (accepted, declined) = (row.title.clone(), row.title.clone());
    let (by, at) = (row.invited_by, row.expires);
    let name = |_: String| view! { <bdi>{by}</bdi> };
    let time = |_: String| view! { <Ago at /> };
    let from = match row.role {
        RoomRole::Owner => rich!("invitation-owner"; name = name, time = time),
        RoomRole::Member => rich!("invitation-member"; name = name, time = time),
        RoomRole::Reader => rich!("invitation-reader"; name = name, time = time),
    };
    view! {
        <li class="listed">
            <span class="name" dir="auto">{row.title}</span>
            <span class="when">{from}</span>
            <ActionForm action="/chat/invitations" label=text!("invitation-accept") fields=accept about=accepted />
            <ActionForm action="/chat/invitations" label=text!("invitation-decline") kind=Kind::Quiet fields=decline about=declined />
        </li>
    }
    .into_any()
}

impl Page for JoinChatPage {
    fn head(&self) -> PageMeta {
        PageMeta { layout: Layout::Narrow, ..PageMeta::private(text!("join-chat")) }
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let (title, by) = (self.title, self.invited_by);
        let name = |_: String| view! { <bdi>{by}</bdi> };
        let lead = match self.role {
            RoomRole::Owner => rich!("join-owner"; name = name),
            RoomRole::Member => rich!("join-member"; name = name),
            RoomRole::Reader => rich!("join-reader"; name = name),
        };
        view! {
            <h1>{rich!("join-chat-title"; title = |_| view! { <bdi>{title}</bdi> })}</h1>
            {form_errors(&self.form, None)}
            <p>{lead}</p>
            <form class="stack" method="post" action=format!("/join/{}", self.token)>
                <p class="actions"><Button label=text!("join-chat") kind=Kind::Primary /> <ButtonLink label=text!("cancel") href="/chat" kind=Kind::Quiet /></p>
            </form>
        }
        .into_any()
    }
}
