//! Page `/chat/{id}/people`: the people of a chat and the invitations to it.

use axum::{
    extract::{Path, State},
    response::Response,
};
use plexus_app::view_models::{
    Form,
    chat_people::{ChatAgentRow, ChatPeoplePage, ChatPersonRow, SentInvitationRow},
};
use plexus_domain::{
    Address, ChatId, Error as Refusal,
    chat::{DailyLimit, DailyLimitUnit, RoomRole},
};
use plexus_hub::{
    Error,
    caller::Caller,
    chats::{self, ChatAgent, NewChatInvitation, RoomPerson, SentInvitation},
};

use super::thread::gone;
use crate::{
    api::invitations::url,
    app_state::AppState,
    pages::account::refused,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

pub async fn show(State(site): State<AppState>, visit: PageContext, Path(id): Path<String>) -> Response {
    let page = page(&site, &visit.caller, &id).await;
    visit.show_or_refuse(page)
}

async fn page(site: &AppState, caller: &Caller, id: &str) -> Result<ChatPeoplePage, Error> {
    let chat: ChatId = id.parse().map_err(gone)?;
    let people = chats::list_people(&site.hub, caller, chat).await?;
    let agents = chats::list_agents(&site.hub, caller, chat).await?;
    let invitations = match people.role {
        RoomRole::Owner => chats::list_invitations(&site.hub, caller, chat).await?,
        RoomRole::Member | RoomRole::Reader => Vec::new(),
    };
    Ok(ChatPeoplePage {
        chat,
        title: people.title,
        viewer: people.viewer,
        role: people.role,
        people: people.people.into_iter().map(person).collect(),
        agents: agents.into_iter().map(agent).collect(),
        invitations: invitations.into_iter().map(invitation).collect(),
        created: None,
        form: Form::default(),
    })
}

fn person(person: RoomPerson) -> ChatPersonRow {
    ChatPersonRow { name: person.name, role: person.role, joined: person.joined_at }
}

fn agent(agent: ChatAgent) -> ChatAgentRow {
    ChatAgentRow {
        address: agent.address,
        name: agent.name,
        limit: agent.limit,
        answers: agent.answers,
        tokens: agent.tokens,
    }
}

fn invitation(sent: SentInvitation) -> SentInvitationRow {
    SentInvitationRow {
        id: sent.id,
        user: sent.invitee.map(|name| name.to_string()),
        role: sent.role.into(),
        expires: sent.expires_at,
    }
}

/// What a form of the page did.
enum Outcome {
    Done(&'static str),
    /// A link was created; its secret part.
    Link(String),
    Left,
}

pub async fn act(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    match acted(&site, &visit.caller, &id, &fields).await {
        Ok(Outcome::Done(notice)) => redirect_with_notice(&format!("/chat/{id}/people"), notice),
        Ok(Outcome::Left) => redirect_with_notice("/chat", "chat-left"),
        Ok(Outcome::Link(token)) => match page(&site, &visit.caller, &id).await {
            Ok(page) => visit.show(ChatPeoplePage { created: Some(url(&site, &token)), ..page }),
            Err(error) => visit.refuse(error),
        },
        Err(error) => match page(&site, &visit.caller, &id).await {
            Ok(page) => refused(visit, error, fields, |form| ChatPeoplePage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

async fn acted(site: &AppState, caller: &Caller, id: &str, fields: &Fields) -> Result<Outcome, Error> {
    let chat: ChatId = id.parse().map_err(gone)?;
    let (hub, user) = (&site.hub, fields.get("user"));
    match fields.get("action") {
        "invite" => {
            let user = Some(user.to_owned());
            chats::invite(hub, caller, new_invitation(chat, user, fields)?).await?;
            Ok(Outcome::Done("person-invited"))
        }
        "link" => {
            let created = chats::invite(hub, caller, new_invitation(chat, None, fields)?).await?;
            Ok(Outcome::Link(created.token.unwrap_or_default()))
        }
        "revoke" => {
            let invitation = fields.get("invitation").parse().map_err(gone)?;
            chats::revoke_invitation(hub, caller, chat, invitation).await?;
            Ok(Outcome::Done("invitation-revoked"))
        }
        "role" => {
            chats::set_role(hub, caller, chat, user, role(fields)?).await?;
            Ok(Outcome::Done("person-role"))
        }
        "remove" => {
            chats::remove_person(hub, caller, chat, user).await?;
            Ok(Outcome::Done("person-removed"))
        }
        "limit" => {
            let agent: Address = fields.get("agent").parse().map_err(gone)?;
            chats::set_agent_limit(hub, caller, chat, &agent, limit(fields)?).await?;
            Ok(Outcome::Done("saved"))
        }
        "leave" => {
            chats::leave(hub, caller, chat).await?;
            Ok(Outcome::Left)
        }
        _ => Err(Refusal::invalid("action", "Choose an action.").into()),
    }
}

fn new_invitation(chat: ChatId, user: Option<String>, fields: &Fields) -> Result<NewChatInvitation, Refusal> {
    let days = fields.get("days").parse();
    let days = days.map_err(|_| Refusal::invalid("days", "Choose when the invitation expires."))?;
    Ok(NewChatInvitation { chat, user, role: role(fields)?, days })
}

/// Returns the limit of the form; none if its number is empty.
fn limit(fields: &Fields) -> Result<Option<DailyLimit>, Refusal> {
    let Some(amount) = fields.given("amount") else { return Ok(None) };
    let unit = DailyLimitUnit::parse(fields.get("unit"));
    let unit = unit.ok_or_else(|| Refusal::invalid("unit", "Choose answers or tokens."))?;
    // What is no number is out of the range, whose error says what to enter.
    DailyLimit::new(unit, amount.trim().parse().unwrap_or(0)).map(Some)
}

fn role(fields: &Fields) -> Result<RoomRole, Refusal> {
    RoomRole::parse(fields.get("role")).ok_or_else(|| Refusal::invalid("role", "Choose a role."))
}
