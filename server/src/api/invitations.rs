//! Invitations to chats.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plexus_domain::{ChatId, ChatInvitationId, Timestamp};
use plexus_hub::{
    Caller, Error, Hub,
    chats::{
        self, CreatedInvitation, DEFAULT_INVITATION_DAYS, NewChatInvitation, ReceivedInvitation,
        SentInvitation,
    },
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{id, people::ChatRoleJson};
use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewChatInvitation)]
pub struct NewChatInvitationJson {
    /// Name of the user to invite; none creates a link.
    user: Option<String>,
    /// `member` or `reader`; default: member.
    role: Option<ChatRoleJson>,
    /// Days until the invitation expires; default: 7.
    #[schema(minimum = 1, maximum = 30)]
    expires_in_days: Option<u16>,
}

impl NewChatInvitationJson {
    pub const fn new(user: Option<String>, role: Option<ChatRoleJson>, expires_in_days: Option<u16>) -> Self {
        Self { user, role, expires_in_days }
    }
}

/// An invitation that was created.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedChatInvitation)]
pub struct CreatedChatInvitationJson {
    id: ChatInvitationId,
    role: ChatRoleJson,
    /// Address of a link. It is not shown again.
    #[schema(required)]
    url: Option<String>,
    created: Timestamp,
    expires: Timestamp,
}

/// Returns the URL of an invite link.
pub fn url(site: &AppState, token: &str) -> String {
    format!("{}join/{token}", site.hub.config().public_url)
}

/// Invites a user to your chat, or creates a link with which users of this hub join it.
#[utoipa::path(post, path = "/chats/{chat}/invitations", operation_id = "chats.invite", tag = "Rooms",
    params(("chat" = ChatId, Path)), request_body = NewChatInvitationJson, security(("token" = ["chat"])),
    responses((status = CREATED, description = "The invitation.", body = CreatedChatInvitationJson)))]
pub async fn create(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(chat): Path<String>,
    JsonBody(body): JsonBody<NewChatInvitationJson>,
) -> ApiResult<(StatusCode, Json<CreatedChatInvitationJson>)> {
    Ok((StatusCode::CREATED, Json(created(&site, &caller, id(&chat)?, body).await?)))
}

/// Creates an invitation to a chat of the caller.
pub async fn created(
    site: &AppState,
    caller: &Caller,
    chat: ChatId,
    asked: NewChatInvitationJson,
) -> Result<CreatedChatInvitationJson, Error> {
    let role = asked.role.unwrap_or(ChatRoleJson::Member).into();
    let days = asked.expires_in_days.unwrap_or(DEFAULT_INVITATION_DAYS);
    let new = NewChatInvitation { chat, user: asked.user, role, days };
    let CreatedInvitation { id, role, token, created_at, expires_at } =
        chats::invite(&site.hub, caller, new).await?;
    Ok(CreatedChatInvitationJson {
        id,
        role: role.into(),
        url: token.map(|token| url(site, &token)),
        created: created_at,
        expires: expires_at,
    })
}

#[derive(Serialize, ToSchema)]
pub struct SentInvitationList {
    items: Vec<SentInvitationJson>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
}

/// An invitation to a chat.
#[derive(Serialize, ToSchema)]
#[schema(as = SentInvitation)]
pub struct SentInvitationJson {
    id: ChatInvitationId,
    /// Name of the invited user; null for a link.
    #[schema(required)]
    user: Option<String>,
    role: ChatRoleJson,
    created: Timestamp,
    expires: Timestamp,
}

impl From<SentInvitation> for SentInvitationJson {
    fn from(sent: SentInvitation) -> Self {
        Self {
            id: sent.id,
            user: sent.invitee.map(|name| name.to_string()),
            role: plexus_domain::chat::RoomRole::from(sent.role).into(),
            created: sent.created_at,
            expires: sent.expires_at,
        }
    }
}

/// Lists the invitations to your chat that have not expired, newest first.
#[utoipa::path(get, path = "/chats/{chat}/invitations", operation_id = "chats.invitations", tag = "Rooms",
    params(("chat" = ChatId, Path)), security(("token" = ["read"])),
    responses((status = OK, description = "The invitations.", body = SentInvitationList)))]
pub async fn sent(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(chat): Path<String>,
) -> ApiResult<Json<SentInvitationList>> {
    Ok(Json(listed(&site.hub, &caller, id(&chat)?).await?))
}

/// Returns the invitations to a chat of the caller.
pub async fn listed(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<SentInvitationList, Error> {
    let items = chats::list_invitations(hub, caller, chat).await?;
    Ok(SentInvitationList { items: items.into_iter().map(Into::into).collect(), next: None })
}

/// Revokes an invitation to your chat. Users that have joined with a link stay.
#[utoipa::path(delete, path = "/chats/{chat}/invitations/{invitation}", operation_id = "chats.revoke_invitation",
    tag = "Rooms", params(("chat" = ChatId, Path), ("invitation" = ChatInvitationId, Path)),
    security(("token" = ["chat"])), responses((status = NO_CONTENT, description = "Revoked.")))]
pub async fn revoke(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path((chat, invitation)): Path<(String, String)>,
) -> ApiResult<StatusCode> {
    chats::revoke_invitation(&site.hub, &caller, id(&chat)?, id(&invitation)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize, ToSchema)]
pub struct ReceivedInvitationList {
    items: Vec<ReceivedInvitationJson>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
}

/// An invitation of yours.
#[derive(Serialize, ToSchema)]
#[schema(as = ReceivedInvitation)]
pub struct ReceivedInvitationJson {
    id: ChatInvitationId,
    /// Title of the chat.
    title: String,
    role: ChatRoleJson,
    /// Name of the user who invites you.
    invited_by: String,
    created: Timestamp,
    expires: Timestamp,
}

impl From<ReceivedInvitation> for ReceivedInvitationJson {
    fn from(received: ReceivedInvitation) -> Self {
        Self {
            id: received.id,
            title: received.title.into(),
            role: plexus_domain::chat::RoomRole::from(received.role).into(),
            invited_by: received.invited_by.to_string(),
            created: received.created_at,
            expires: received.expires_at,
        }
    }
}

/// Lists your invitations to chats, newest first.
#[utoipa::path(get, path = "/invitations", operation_id = "invitations.list", tag = "Rooms",
    security(("token" = ["read"])),
    responses((status = OK, description = "The invitations.", body = ReceivedInvitationList)))]
pub async fn received(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
) -> ApiResult<Json<ReceivedInvitationList>> {
    Ok(Json(own(&site.hub, &caller).await?))
}

/// Returns the invitations of the caller.
pub async fn own(hub: &Hub, caller: &Caller) -> Result<ReceivedInvitationList, Error> {
    let items = chats::received_invitations(hub, caller).await?;
    Ok(ReceivedInvitationList { items: items.into_iter().map(Into::into).collect(), next: None })
}

/// The chat that you have joined.
#[derive(Serialize, ToSchema)]
pub struct JoinedChat {
    chat: ChatId,
}

impl From<ChatId> for JoinedChat {
    fn from(chat: ChatId) -> Self {
        Self { chat }
    }
}

/// Accepts an invitation.
#[utoipa::path(post, path = "/invitations/{invitation}/accept", operation_id = "invitations.accept", tag = "Rooms",
    params(("invitation" = ChatInvitationId, Path)), security(("token" = ["chat"])),
    responses((status = OK, description = "You are in the chat.", body = JoinedChat)))]
pub async fn accept(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(invitation): Path<String>,
) -> ApiResult<Json<JoinedChat>> {
    Ok(Json(chats::accept_invitation(&site.hub, &caller, id(&invitation)?).await?.into()))
}

/// Declines an invitation.
#[utoipa::path(post, path = "/invitations/{invitation}/decline", operation_id = "invitations.decline", tag = "Rooms",
    params(("invitation" = ChatInvitationId, Path)), security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "Declined.")))]
pub async fn decline(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(invitation): Path<String>,
) -> ApiResult<StatusCode> {
    chats::decline_invitation(&site.hub, &caller, id(&invitation)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InviteLink {
    /// Address of the link, or its last part.
    link: String,
}

impl InviteLink {
    /// Returns the secret part of the link.
    pub fn token(&self) -> &str {
        self.link.trim().rsplit('/').next().unwrap_or_default()
    }
}

/// Joins a chat by an invite link.
#[utoipa::path(post, path = "/invitations/join", operation_id = "invitations.join", tag = "Rooms",
    request_body = InviteLink, security(("token" = ["chat"])),
    responses((status = OK, description = "You are in the chat.", body = JoinedChat)))]
pub async fn join(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    JsonBody(body): JsonBody<InviteLink>,
) -> ApiResult<Json<JoinedChat>> {
    Ok(Json(chats::join_by_link(&site.hub, &caller, body.token()).await?.into()))
}
