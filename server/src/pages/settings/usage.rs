//! Page `/settings/usage`: use and cost of models by the user's own messages.

use axum::{
    extract::{Query, State},
    response::Response,
};
use plexus_app::view_models::model_usage::OwnUsagePage;
use plexus_hub::{
    Error, Hub, model_providers,
    model_usage::{self, UsagePeriod},
};

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
    let page = page(&site.hub, &visit, query.period()).await;
    visit.show_or_refuse(page)
}

async fn page(hub: &Hub, visit: &PageContext, period: UsagePeriod) -> Result<OwnUsagePage, Error> {
    let caller = &visit.caller;
    let report = model_usage::own_report(hub, caller, period).await?;
    let report = usage_report::report(visit.frame().locale, report);
    let offers_keys = !model_providers::account_keys(hub, caller).await?.is_empty();
    Ok(OwnUsagePage { report, offers_keys })
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
