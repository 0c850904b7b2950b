//! Page `/register/{draft}/try`: sends a trial message to an endpoint before it is published.

use axum::{
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{
    Form,
    register::{RegisterTry, TestCallView},
};
use plexus_domain::Error as Refusal;
use plexus_hub::{Error, agents::test_call, caller::Caller};

use super::draft;
use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{form::Fields, page::PageContext},
};

pub async fn show(State(site): State<AppState>, visit: PageContext, Path(id): Path<String>) -> Response {
    let page = page(&site, &visit.caller, &id).await;
    visit.show_or_refuse(page)
}

async fn page(site: &AppState, caller: &Caller, id: &str) -> Result<RegisterTry, Error> {
    let draft = draft(id)?;
    let step = test_call::try_step(&site.hub, caller, draft).await?;
    let tried = match step.tried {
        Some(tried) => Some(shown(site, caller, tried).await?),
        None => None,
    };
    Ok(RegisterTry {
        draft,
        seed: step.seed,
        name: step.title,
        method: step.method.to_owned(),
        url: step.url,
        suggestion: step.suggestion,
        tried,
        form: Form::default(),
    })
}

async fn shown(
    site: &AppState,
    caller: &Caller,
    tried: test_call::TestCallResult,
) -> Result<TestCallView, Error> {
    Ok(TestCallView {
        message: tried.message,
        answer: site.renderer.html(caller.key(), tried.answer).await?,
        failed: tried.failed,
        took_ms: tried.took_ms,
    })
}

pub async fn act(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    match perform(&site, &visit.caller, &id, &fields).await {
        Ok(next) => Redirect::to(&format!("/register/{id}/{next}")).into_response(),
        Err(error) => match page(&site, &visit.caller, &id).await {
            Ok(page) => refused(visit, error, fields, |form| RegisterTry { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

/// Performs the action and returns the next step.
async fn perform(site: &AppState, caller: &Caller, id: &str, fields: &Fields) -> Result<&'static str, Error> {
    let draft = draft(id)?;
    match fields.get("action") {
        "try" => {
            test_call::send_test_message(&site.hub, caller, draft, fields.get("message")).await?;
            Ok("try#answer")
        }
        "continue" => test_call::finish_test_step(&site.hub, caller, draft).await.map(|()| "publish"),
        _ => Err(Refusal::invalid("", "Choose whether to try it or to continue.").into()),
    }
}
