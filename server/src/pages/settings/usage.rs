//! Page `/settings/usage`: use and cost of models by the user's own messages.

use axum::{
    extract::{Query, State},
    response::Response,
};
use plexus_app::view_models::model_usage::OwnUsagePage;
use plexus_hub::model_usage;

use crate::{
    app_state::AppState,
    pages::usage_report::{self, PeriodQuery},
    web::page::PageContext,
};

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<PeriodQuery>,
) -> Response {
    let report = model_usage::own_report(&site.hub, &visit.caller, query.period()).await;
    let page = report.map(|report| OwnUsagePage { report: usage_report::report(report) });
    visit.show_or_refuse(page)
}

/// Returns the rows of the report as a file.
pub async fn csv(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<PeriodQuery>,
) -> Response {
    match model_usage::own_rows(&site.hub, &visit.caller, query.period()).await {
        Ok(rows) => usage_report::csv(&rows),
        Err(error) => visit.refuse(error),
    }
}
