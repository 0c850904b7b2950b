//! Pages `/chat/invitations` and `/join/{token}`: accepts and declines invitations to chats.

use axum::{
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{
    Form,
    chat_people::{JoinChatPage, ReceivedInvitationRow, ReceivedInvitationsPage},
};
use plexus_domain::{ChatId, Error as Refusal};
use plexus_hub::{
    Error,
    caller::Caller,
    chats::{self, ReceivedInvitation},
};

use crate::{
    app_state::AppState,
    pages::{account::refused, team::share::unlisted},
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let invitations = chats::received_invitations(&site.hub, &visit.caller).await;
    let page = invitations
        .map(|all| ReceivedInvitationsPage { invitations: all.into_iter().map(received).collect() });
    visit.show_or_refuse(page)
}

fn received(row: ReceivedInvitation) -> ReceivedInvitationRow {
    ReceivedInvitationRow {
        id: row.id,
        title: row.title.into(),
        role: row.role.into(),
        invited_by: row.invited_by.to_string(),
        expires: row.expires_at,
    }
}

pub async fn answer(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    match answered(&site, &visit.caller, &fields).await {
        Ok(Some(chat)) => redirect_with_notice(&format!("/chat/{chat}"), "chat-joined"),
        Ok(None) => redirect_with_notice("/chat/invitations", "invitation-declined"),
        Err(error) => visit.refuse(error),
    }
}

async fn answered(site: &AppState, caller: &Caller, fields: &Fields) -> Result<Option<ChatId>, Error> {
    let invitation = fields.get("invitation").parse();
    let invitation = invitation.map_err(|_| Refusal::not_found("Invitation not found."))?;
    match fields.get("answer") {
        "accept" => chats::accept_invitation(&site.hub, caller, invitation).await.map(Some),
        "decline" => chats::decline_invitation(&site.hub, caller, invitation).await.map(|()| None),
        _ => Err(Refusal::invalid("answer", "Choose to accept or to decline.").into()),
    }
}

pub async fn show_link(
    State(site): State<AppState>,
    visit: PageContext,
    Path(token): Path<String>,
) -> Response {
    let page = link_page(&site, &visit.caller, token).await;
    unlisted(visit.show_or_refuse(page))
}

async fn link_page(site: &AppState, caller: &Caller, token: String) -> Result<JoinChatPage, Error> {
    let link = chats::preview_invite_link(&site.hub, caller, &token).await?;
    Ok(JoinChatPage {
        token,
        title: link.title,
        role: link.role,
        invited_by: link.invited_by,
        form: Form::default(),
    })
}

pub async fn join(
    State(site): State<AppState>,
    visit: PageContext,
    Path(token): Path<String>,
    fields: Fields,
) -> Response {
    match chats::join_by_link(&site.hub, &visit.caller, &token).await {
        Ok(chat) => Redirect::to(&format!("/chat/{chat}")).into_response(),
        Err(error) => match link_page(&site, &visit.caller, token).await {
            Ok(page) => unlisted(refused(visit, error, fields, |form| JoinChatPage { form, ..page })),
            Err(error) => visit.refuse(error),
        },
    }
}
