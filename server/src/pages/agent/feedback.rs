//! Page `/@{owner}/{agent}/feedback`: feedback on an agent, for its owner.

use axum::{
    extract::{Path, State},
    response::Response,
};
use plexus_app::view_models::{
    agent::{AgentPage, AgentTab},
    feedback::{AgentFeedback, FeedbackComment, FeedbackWeek},
};
use plexus_hub::{Error, caller::Caller, chats};

use crate::{
    app_state::AppState,
    pages::agent_manage::{address, page},
    web::page::PageContext,
};

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Path(at): Path<(String, String)>,
) -> Response {
    let shown = tab(&site, &visit.caller, &at).await;
    visit.show_or_refuse(shown)
}

async fn tab(site: &AppState, caller: &Caller, at: &(String, String)) -> Result<AgentPage, Error> {
    let address = address(at)?;
    let feedback = chats::agent_feedback(&site.hub, caller, &address).await?;
    let weeks = feedback.weeks.into_iter();
    let weeks = weeks.map(|week| FeedbackWeek { begins: week.begins, up: week.up, down: week.down });
    let comments = feedback.comments.into_iter().map(|given| FeedbackComment {
        rating: given.rating,
        reason: given.reason,
        comment: given.comment,
        at: given.created_at,
    });
    let tab = AgentFeedback { weeks: weeks.collect(), comments: comments.collect() };
    page(site, caller, &address, AgentTab::Feedback(tab)).await
}
