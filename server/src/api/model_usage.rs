//! Use and cost of models: of the caller, and of the hub.

use axum::{
    Json,
    extract::{Query, State},
};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Caller, Hub, Result,
    caller::Scope,
    model_usage::{self, UsageEntry, UsagePeriod, UsageReport, UsageSums},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult},
};

/// Whose use is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsageOf {
    /// The caller's own.
    #[default]
    Account,
    /// That of all accounts, for administrators.
    Hub,
}

#[derive(Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UsageQuery {
    /// Length of the period until today: 7, 30 or 90 days (default: 30). Days begin at 00:00 UTC.
    days: Option<u32>,
    /// `account` (default) or `hub`, which needs the scope `admin` and the role of an administrator.
    #[param(inline)]
    of: UsageOf,
}

/// Sums over the answers of a period that have ended.
#[derive(Serialize, ToSchema)]
#[schema(as = ModelUsageSums)]
struct SumsJson {
    answers: u64,
    tokens_in: u64,
    tokens_out: u64,
    /// Cost in millionths of the currency unit that the models are priced in.
    cost_micro: u64,
}

/// Sums of one day.
#[derive(Serialize, ToSchema)]
#[schema(as = ModelUsageDay)]
struct DayJson {
    /// Date in UTC, such as `2026-11-28`.
    day: String,
    #[serde(flatten)]
    sums: SumsJson,
}

/// Sums of one provider, model, account or agent.
#[derive(Serialize, ToSchema)]
#[schema(as = ModelUsageEntry)]
struct EntryJson {
    /// Null for callers without an account, for decisions in teams and titles of chats, and for deleted accounts and agents.
    name: Option<String>,
    #[serde(flatten)]
    sums: SumsJson,
}

/// Use and cost of models in a period.
#[derive(Serialize, ToSchema)]
#[schema(as = ModelUsage)]
pub struct UsageJson {
    days: u32,
    total: SumsJson,
    /// Each day, oldest first.
    by_day: Vec<DayJson>,
    /// Most tokens first, as are the others.
    by_provider: Vec<EntryJson>,
    by_model: Vec<EntryJson>,
    /// Empty in the report of one account.
    by_account: Vec<EntryJson>,
    by_agent: Vec<EntryJson>,
}

/// Returns the use and cost of the models of this hub.
#[utoipa::path(get, path = "/usage", operation_id = "usage.get", tag = "Agents", params(UsageQuery),
    security(("token" = ["read"])),
    responses((status = OK, description = "The sums of the period.", body = UsageJson)))]
pub async fn show(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Query(query): Query<UsageQuery>,
) -> ApiResult<Json<UsageJson>> {
    Ok(Json(report(&site.hub, &caller, &query).await?))
}

/// Returns the report that a query names.
pub async fn report(hub: &Hub, caller: &Caller, query: &UsageQuery) -> Result<UsageJson> {
    // Check the scope first, so that a missing permission takes precedence over an invalid period.
    caller.may(Scope::Read)?;
    let wrong = || Refusal::invalid("days", "Choose 7, 30 or 90 days.");
    let period =
        query.days.map_or(Ok(UsagePeriod::Month), |days| UsagePeriod::of_days(days).ok_or_else(wrong))?;
    let found = match query.of {
        UsageOf::Account => model_usage::own_report(hub, caller, period).await?,
        UsageOf::Hub => model_usage::hub_report(hub, caller, period).await?,
    };
    Ok(json(found))
}

fn json(report: UsageReport) -> UsageJson {
    let entries = |entries: Vec<UsageEntry>| entries.into_iter().map(entry).collect();
    let day = |(day, of_day): (plexus_domain::Timestamp, UsageSums)| DayJson {
        day: day.to_date(),
        sums: sums(of_day),
    };
    UsageJson {
        days: report.period.days(),
        total: sums(report.total),
        by_day: report.days.into_iter().map(day).collect(),
        by_provider: entries(report.providers),
        by_model: entries(report.models),
        by_account: entries(report.accounts),
        by_agent: entries(report.agents),
    }
}

fn entry(entry: UsageEntry) -> EntryJson {
    EntryJson { name: entry.name, sums: sums(entry.sums) }
}

const fn sums(sums: UsageSums) -> SumsJson {
    SumsJson {
        answers: sums.runs,
        tokens_in: sums.tokens_in,
        tokens_out: sums.tokens_out,
        cost_micro: sums.cost_micro,
    }
}
