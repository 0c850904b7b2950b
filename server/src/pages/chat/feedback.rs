//! Page `/chat/{id}/feedback`: the user's feedback on an agent's message.

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use plexus_app::view_models::{Form, feedback::FeedbackPage};
use plexus_domain::{
    ChatId, Error as Refusal, MessageId,
    feedback::{FeedbackReason, Rating},
};
use plexus_hub::{
    Error,
    caller::Caller,
    chats::{self, NewFeedback},
};

use super::{
    messages::{MessageQuery, check_message},
    thread::gone,
};
use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    Query(query): Query<MessageQuery>,
) -> Response {
    let page = page(&site, &visit.caller, &id, &query.message).await;
    visit.show_or_refuse(page)
}

async fn page(site: &AppState, caller: &Caller, id: &str, message: &str) -> Result<FeedbackPage, Error> {
    let (chat, message): (ChatId, MessageId) = (id.parse().map_err(gone)?, message.parse().map_err(gone)?);
    check_message(site, caller, chat, message).await?;
    let own = chats::own_feedback(&site.hub, caller, message).await?;
    let is_given = own.given.is_some();
    let fields = own.given.map(|given| {
        let shown = if given.shown_to_owner { "yes" } else { "" };
        vec![
            ("rating", given.rating.as_str().to_owned()),
            ("reason", given.reason.map(FeedbackReason::as_str).unwrap_or_default().to_owned()),
            ("comment", given.comment.unwrap_or_default()),
            ("shown", shown.to_owned()),
        ]
    });
    let form = Form::filled(fields.unwrap_or_default());
    Ok(FeedbackPage { chat, message, agent: own.agent, is_remote: own.is_remote, is_given, form })
}

/// Stores the feedback or takes it back. The buttons in the chat send a rating only, which keeps the details of the
/// same rating.
pub async fn give(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    match given(&site, &visit.caller, &id, &fields).await {
        Ok((chat, message, Given::TakenBack)) => {
            redirect_with_notice(&format!("/chat/{chat}?m={message}"), "feedback-removed")
        }
        Ok((chat, message, Given::Rating)) => {
            redirect_with_notice(&format!("/chat/{chat}/feedback?message={message}"), "feedback-rated")
        }
        Ok((chat, message, Given::Details)) => {
            redirect_with_notice(&format!("/chat/{chat}?m={message}"), "feedback-saved")
        }
        Err(error) => match page(&site, &visit.caller, &id, fields.get("message")).await {
            Ok(page) => refused(visit, error, fields, |form| FeedbackPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

enum Given {
    Rating,
    Details,
    TakenBack,
}

async fn given(
    site: &AppState,
    caller: &Caller,
    id: &str,
    fields: &Fields,
) -> Result<(ChatId, MessageId, Given), Error> {
    let chat: ChatId = id.parse().map_err(gone)?;
    let message: MessageId = fields.get("message").parse().map_err(gone)?;
    check_message(site, caller, chat, message).await?;
    if fields.get("rating") == "none" {
        chats::take_back_feedback(&site.hub, caller, message).await?;
        return Ok((chat, message, Given::TakenBack));
    }
    let rating = Rating::parse(fields.get("rating"));
    let rating = rating.ok_or_else(|| Refusal::invalid("rating", "Choose a rating."))?;
    let has_details = fields.given("detail").is_some();
    let new = if has_details {
        let reason = fields.given("reason").map(|reason| {
            let unknown = || Refusal::invalid("reason", "Choose a reason from the list.");
            FeedbackReason::parse(reason).ok_or_else(unknown)
        });
        let (reason, comment) = (reason.transpose()?, fields.get("comment").to_owned());
        NewFeedback { rating, reason, comment, shown_to_owner: fields.get("shown") == "yes" }
    } else {
        let own = chats::own_feedback(&site.hub, caller, message).await?;
        let same = own.given.filter(|given| given.rating == rating);
        NewFeedback {
            rating,
            reason: same.as_ref().and_then(|given| given.reason),
            shown_to_owner: same.as_ref().is_some_and(|given| given.shown_to_owner),
            comment: same.and_then(|given| given.comment).unwrap_or_default(),
        }
    };
    chats::give_feedback(&site.hub, caller, message, new).await?;
    Ok((chat, message, if has_details { Given::Details } else { Given::Rating }))
}
