//! Monthly budget of the hub for its models: alerts for administrators, and an optional stop.

use plexus_domain::{Error as Refusal, Timestamp, account::Role, money};
use plexus_store::{
    Conn, Tx,
    model_budget::{self, ModelBudget},
    model_usage,
};
use serde_json::json;

use crate::{Caller, Hub, Result, audit::Administrator};

/// Maximum number of alert thresholds.
const MAX_PERCENTS: usize = 10;
const MAX_PERCENT: u32 = 1_000;
/// Larger budgets would overflow sums in the database.
const MAX_BUDGET: u64 = 1_000_000_000_000_000;

/// The budget with the cost of the present month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetStatus {
    /// In millionths of the currency unit; none for no budget.
    pub monthly_micro: Option<u64>,
    /// Percentages of the budget at which administrators are alerted, ascending.
    pub alert_percents: Vec<u32>,
    /// Whether models with a price stop when the budget is used up.
    pub stops_models: bool,
    /// Cost of the present month in UTC.
    pub cost_micro: u64,
}

impl BudgetStatus {
    /// Returns the used percentage; none without a budget.
    pub fn used_percent(&self) -> Option<u64> {
        let budget = u128::from(self.monthly_micro?).max(1);
        u64::try_from(u128::from(self.cost_micro) * 100 / budget).ok()
    }

    /// Returns the notice for administrators, if the cost has reached a threshold.
    pub fn notice(&self) -> Option<String> {
        let used = self.used_percent()?;
        self.alert_percents.iter().find(|percent| used >= u64::from(**percent))?;
        let (cost, budget) = (money::format_micros(self.cost_micro), self.monthly_micro?);
        let stop = match self.stops_models && used >= 100 {
            true => " Models with a price are stopped until the next month.",
            false => "",
        };
        Some(format!(
            "Models have cost {cost} this month, {used} % of the budget of {}.{stop}",
            money::format_micros(budget)
        ))
    }
}

/// What an administrator enters about the budget.
#[derive(Clone, Debug)]
pub struct BudgetForm {
    /// Amount such as `50` or `12.50`; empty for no budget.
    pub amount: String,
    /// Percentages, separated by commas.
    pub alert_percents: String,
    pub stops_models: bool,
}

/// Returns the budget, for administrators.
pub async fn status(hub: &Hub, caller: &Caller) -> Result<BudgetStatus> {
    caller.require(Role::Admin)?;
    current(hub).await
}

/// Returns the notice for administrators about the budget. Costs one query if there is no budget.
pub async fn notice(hub: &Hub) -> Result<Option<String>> {
    let mut conn = hub.store().read().await?;
    let stored = model_budget::find(&mut conn).await?;
    if stored.monthly_micro.is_none() {
        return Ok(None);
    }
    Ok(status_of(&mut conn, &stored, hub.env().now()).await?.notice())
}

async fn current(hub: &Hub) -> Result<BudgetStatus> {
    let mut conn = hub.store().read().await?;
    let stored = model_budget::find(&mut conn).await?;
    status_of(&mut conn, &stored, hub.env().now()).await
}

/// Returns a stored budget with the cost of the month.
async fn status_of(conn: &mut Conn, stored: &ModelBudget, now: Timestamp) -> Result<BudgetStatus> {
    Ok(BudgetStatus {
        monthly_micro: stored.monthly_micro,
        alert_percents: stored.percents(),
        stops_models: stored.stops_models,
        cost_micro: model_usage::cost_since(conn, now.first_day_of_month()).await?,
    })
}

/// Stores the budget. Thresholds that the cost has passed already are not logged again.
pub async fn set(hub: &Hub, by: Administrator<'_>, form: &BudgetForm) -> Result<()> {
    by.check()?;
    let monthly_micro = amount(&form.amount)?;
    let percents = percents(&form.alert_percents)?;
    let mut tx = hub.store().write().await?;
    let mut stored = model_budget::find(&mut tx).await?;
    stored.monthly_micro = monthly_micro;
    stored.alert_percents = json!(percents);
    stored.stops_models = form.stops_models;
    stored.alerted_percent = 0;
    model_budget::put(&mut tx, &stored).await?;
    let change = json!({
        "monthly_micro": monthly_micro, "alert_percents": percents, "stops_models": form.stops_models
    });
    by.write_audit(hub, &mut tx, "model_budget.change", "hub".to_owned(), change).await?;
    alert(&mut tx, hub.env().now()).await?;
    Ok(tx.commit().await?)
}

fn amount(text: &str) -> Result<Option<u64>, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let micros = money::parse_micros(text).filter(|micros| (1..=MAX_BUDGET).contains(micros));
    let wrong = || Refusal::invalid("amount", "Enter an amount above 0, such as 50 or 12.50.");
    micros.map(Some).ok_or_else(wrong)
}

fn percents(text: &str) -> Result<Vec<u32>, Refusal> {
    let wrong = || {
        let words = format!("Enter up to {MAX_PERCENTS} percentages from 1 to {MAX_PERCENT}, as in 80, 100.");
        Refusal::invalid("alert_percents", words)
    };
    let given = text.split(',').map(str::trim).filter(|text| !text.is_empty());
    let mut percents =
        given.map(|text| text.parse().map_err(|_| wrong())).collect::<Result<Vec<u32>, _>>()?;
    percents.sort_unstable();
    percents.dedup();
    if percents.len() > MAX_PERCENTS || percents.iter().any(|percent| !(1..=MAX_PERCENT).contains(percent)) {
        return Err(wrong());
    }
    Ok(percents)
}

/// Logs the highest threshold that the cost of the month has reached since the last alert.
pub(crate) async fn alert(tx: &mut Tx, now: Timestamp) -> Result<()> {
    let stored = model_budget::find(tx).await?;
    if stored.monthly_micro.is_none() {
        return Ok(());
    }
    let status = status_of(tx, &stored, now).await?;
    let used = status.used_percent().unwrap_or(0);
    let reached = status.alert_percents.iter().rev().find(|percent| used >= u64::from(**percent));
    let Some(&percent) = reached else { return Ok(()) };
    if model_budget::set_alerted(tx, now.first_day_of_month(), percent).await? {
        tracing::warn!(
            percent,
            cost = money::format_micros(status.cost_micro),
            "model budget: threshold reached"
        );
    }
    Ok(())
}

/// Returns whether models with a price are stopped, because the budget of the month is used up.
pub(crate) async fn stops_models(conn: &mut Conn, now: Timestamp) -> Result<bool> {
    let stored = model_budget::find(conn).await?;
    let Some(budget) = stored.monthly_micro.filter(|_| stored.stops_models) else { return Ok(false) };
    Ok(model_usage::cost_since(conn, now.first_day_of_month()).await? >= budget)
}

/// Returns the reason why a model with a price is stopped.
pub(crate) fn used_up() -> Refusal {
    Refusal::forbidden(
        "This hub has used its model budget of this month. Models with a price answer again next month, or when an \
         administrator raises the budget.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_names_cost_budget_and_stop() {
        let status = |cost_micro, stops_models| BudgetStatus {
            monthly_micro: Some(50_000_000),
            alert_percents: vec![80, 100],
            stops_models,
            cost_micro,
        };
        assert_eq!(status(39_999_999, true).notice(), None);
        let notice = status(40_000_000, true).notice().unwrap();
        assert_eq!(notice, "Models have cost 40 this month, 80 % of the budget of 50.");
        assert!(status(51_000_000, true).notice().unwrap().ends_with("stopped until the next month."));
        assert_eq!(BudgetStatus { monthly_micro: None, ..status(1, false) }.notice(), None);
    }

    #[test]
    fn thresholds_are_sorted_numbers_in_range() {
        assert_eq!(percents("100, 80,80").unwrap(), [80, 100]);
        assert_eq!(percents(" ").unwrap(), [] as [u32; 0]);
        for wrong in ["0", "x", "1001", "-5", "1,2,3,4,5,6,7,8,9,10,11"] {
            assert!(percents(wrong).is_err(), "{wrong}");
        }
    }
}
