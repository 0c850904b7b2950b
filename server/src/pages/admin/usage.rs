//! Page `/admin/usage`: use and cost of the models, and the monthly budget.

use axum::{
    extract::{Query, State},
    response::Response,
};
use plexus_app::view_models::{
    Form,
    model_usage::{AdminUsagePage, BudgetItem},
};
use plexus_domain::money;
use plexus_hub::{
    Error,
    model_budget::{self, BudgetForm, BudgetStatus},
    model_usage::{self, UsagePeriod},
};

use super::models::administrator;
use crate::{
    app_state::AppState,
    pages::{
        account::refused,
        usage_report::{self, PeriodQuery},
    },
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<PeriodQuery>,
) -> Response {
    let page = page(&site, &visit, query.period()).await;
    visit.show_or_refuse(page)
}

async fn page(site: &AppState, visit: &PageContext, period: UsagePeriod) -> Result<AdminUsagePage, Error> {
    let caller = &visit.caller;
    let report = model_usage::hub_report(&site.hub, caller, period).await?;
    let budget = model_budget::status(&site.hub, caller).await?;
    let form = stored_form(&budget);
    let report = usage_report::report(visit.frame().locale, report);
    Ok(AdminUsagePage { report, budget: budget_item(&budget), form })
}

fn budget_item(budget: &BudgetStatus) -> BudgetItem {
    BudgetItem {
        monthly_micro: budget.monthly_micro,
        cost_micro: budget.cost_micro,
        used_percent: budget.used_percent(),
        notice: budget.notice(),
    }
}

fn stored_form(budget: &BudgetStatus) -> Form {
    let percents: Vec<_> = budget.alert_percents.iter().map(ToString::to_string).collect();
    Form::filled([
        ("amount", budget.monthly_micro.map(money::format_micros).unwrap_or_default()),
        ("alert_percents", percents.join(", ")),
        ("stops_models", if budget.stops_models { "yes" } else { "no" }.to_owned()),
    ])
}

pub async fn set_budget(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<PeriodQuery>,
    fields: Fields,
) -> Response {
    let form = BudgetForm {
        amount: fields.get("amount").to_owned(),
        alert_percents: fields.get("alert_percents").to_owned(),
        stops_models: fields.get("stops_models") == "yes",
    };
    match model_budget::set(&site.hub, administrator(&visit), &form).await {
        Ok(()) => redirect_with_notice(&format!("/admin/usage?days={}", query.period().days()), "saved"),
        Err(error) => match page(&site, &visit, query.period()).await {
            Ok(page) => refused(visit, error, fields, |form| AdminUsagePage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

/// Returns the rows of the report as a file.
pub async fn csv(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<PeriodQuery>,
) -> Response {
    match model_usage::hub_rows(&site.hub, &visit.caller, query.period()).await {
        Ok(rows) => usage_report::csv(&rows),
        Err(error) => visit.refuse(error),
    }
}
