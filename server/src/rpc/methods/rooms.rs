//! Methods of the people of chats and of invitations.

use jsonrpsee::{RpcModule, core::RegisterMethodError};
use plexus_domain::{
    Address, ChatId, ChatInvitationId,
    chat::{DailyLimit, DailyLimitUnit},
};
use plexus_hub::{Caller, chats};
use serde::Deserialize;

use super::{Answer, Nothing, add};
use crate::{
    api::{
        chat_agents::{self, ChatAgents},
        invitations::{
            self, CreatedChatInvitationJson, InviteLink, JoinedChat, NewChatInvitationJson,
            ReceivedInvitationList, SentInvitationList,
        },
        people::{self, ChatPeople, ChatRoleJson},
    },
    app_state::AppState,
};

pub fn add_to(module: &mut RpcModule<AppState>) -> Result<(), RegisterMethodError> {
    add(module, "chats.people", list_people)?;
    add(module, "chats.set_role", set_role)?;
    add(module, "chats.remove_person", remove_person)?;
    add(module, "chats.leave", leave)?;
    add(module, "chats.mark_read", mark_read)?;
    add(module, "chats.report_typing", report_typing)?;
    add(module, "chats.agents", list_agents)?;
    add(module, "chats.set_agent_limit", set_agent_limit)?;
    add(module, "chats.remove_agent_limit", remove_agent_limit)?;
    add(module, "chats.invite", invite)?;
    add(module, "chats.invitations", list_sent)?;
    add(module, "chats.revoke_invitation", revoke)?;
    add(module, "invitations.list", list_received)?;
    add(module, "invitations.accept", accept)?;
    add(module, "invitations.decline", decline)?;
    add(module, "invitations.join", join)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneRoom {
    chat: ChatId,
}

async fn list_people(site: AppState, caller: Caller, asked: OneRoom) -> Answer<ChatPeople> {
    Ok(people::of(&site.hub, &caller, asked.chat).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RoleChange {
    chat: ChatId,
    user: String,
    role: ChatRoleJson,
}

async fn set_role(site: AppState, caller: Caller, asked: RoleChange) -> Answer<bool> {
    chats::set_role(&site.hub, &caller, asked.chat, &asked.user, asked.role.into()).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnePerson {
    chat: ChatId,
    user: String,
}

async fn remove_person(site: AppState, caller: Caller, asked: OnePerson) -> Answer<bool> {
    chats::remove_person(&site.hub, &caller, asked.chat, &asked.user).await?;
    Ok(true)
}

async fn leave(site: AppState, caller: Caller, asked: OneRoom) -> Answer<bool> {
    chats::leave(&site.hub, &caller, asked.chat).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadParams {
    chat: ChatId,
    seq: i64,
}

async fn mark_read(site: AppState, caller: Caller, asked: ReadParams) -> Answer<bool> {
    chats::mark_read(&site.hub, &caller, asked.chat, asked.seq).await?;
    Ok(true)
}

async fn report_typing(site: AppState, caller: Caller, asked: OneRoom) -> Answer<bool> {
    chats::report_typing(&site.hub, &caller, asked.chat).await?;
    Ok(true)
}

async fn list_agents(site: AppState, caller: Caller, asked: OneRoom) -> Answer<ChatAgents> {
    Ok(chat_agents::of(&site.hub, &caller, asked.chat).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentLimitParams {
    chat: ChatId,
    agent: Address,
    unit: DailyLimitUnit,
    amount: u64,
}

async fn set_agent_limit(site: AppState, caller: Caller, asked: AgentLimitParams) -> Answer<bool> {
    let limit = DailyLimit::new(asked.unit, asked.amount).map_err(plexus_hub::Error::from)?;
    chats::set_agent_limit(&site.hub, &caller, asked.chat, &asked.agent, Some(limit)).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneChatAgent {
    chat: ChatId,
    agent: Address,
}

async fn remove_agent_limit(site: AppState, caller: Caller, asked: OneChatAgent) -> Answer<bool> {
    chats::set_agent_limit(&site.hub, &caller, asked.chat, &asked.agent, None).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Invite {
    chat: ChatId,
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    role: Option<ChatRoleJson>,
    #[serde(default)]
    expires_in_days: Option<u16>,
}

async fn invite(site: AppState, caller: Caller, asked: Invite) -> Answer<CreatedChatInvitationJson> {
    let new = NewChatInvitationJson::new(asked.user, asked.role, asked.expires_in_days);
    Ok(invitations::created(&site, &caller, asked.chat, new).await?)
}

async fn list_sent(site: AppState, caller: Caller, asked: OneRoom) -> Answer<SentInvitationList> {
    Ok(invitations::listed(&site.hub, &caller, asked.chat).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RevokeParams {
    chat: ChatId,
    invitation: ChatInvitationId,
}

async fn revoke(site: AppState, caller: Caller, asked: RevokeParams) -> Answer<bool> {
    chats::revoke_invitation(&site.hub, &caller, asked.chat, asked.invitation).await?;
    Ok(true)
}

async fn list_received(site: AppState, caller: Caller, _: Nothing) -> Answer<ReceivedInvitationList> {
    Ok(invitations::own(&site.hub, &caller).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneInvitation {
    invitation: ChatInvitationId,
}

async fn accept(site: AppState, caller: Caller, asked: OneInvitation) -> Answer<JoinedChat> {
    Ok(chats::accept_invitation(&site.hub, &caller, asked.invitation).await?.into())
}

async fn decline(site: AppState, caller: Caller, asked: OneInvitation) -> Answer<bool> {
    chats::decline_invitation(&site.hub, &caller, asked.invitation).await?;
    Ok(true)
}

async fn join(site: AppState, caller: Caller, asked: InviteLink) -> Answer<JoinedChat> {
    Ok(chats::join_by_link(&site.hub, &caller, asked.token()).await?.into())
}
