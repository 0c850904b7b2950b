//! Monthly budget of the hub for its models.

use serde_json::{Value, json};
use sqlx::{query, query_as};

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, record},
};

record! {
    /// The budget, and the last alert about it.
    pub struct ModelBudget {
        /// In millionths of the currency unit; `None` for no budget.
        pub monthly_micro: Option<u64>,
        /// JSON list of the percentages at which administrators are alerted.
        pub alert_percents: Value,
        /// Whether models with a price stop when the budget is used up.
        pub stops_models: bool,
        /// First day of the month of the last alert.
        pub alerted_month: i64,
        pub alerted_percent: u32,
    }
}

impl ModelBudget {
    pub fn percents(&self) -> Vec<u32> {
        serde_json::from_value(self.alert_percents.clone()).unwrap_or_default()
    }
}

/// Returns the budget; the default has no limit.
pub async fn find(conn: &mut Conn) -> Result<ModelBudget> {
    let text = "select monthly_micro, alert_percents, stops_models, alerted_month, alerted_percent \
                from model_budget where id = 1";
    let found: Option<ModelBudget> = on!(conn, c => query_as(text).fetch_optional(c))?;
    Ok(found.unwrap_or_else(|| ModelBudget {
        monthly_micro: None,
        alert_percents: json!([80, 100]),
        stops_models: false,
        alerted_month: 0,
        alerted_percent: 0,
    }))
}

/// Stores the budget with the last alert.
pub async fn put(tx: &mut Tx, budget: &ModelBudget) -> Result<()> {
    let text = "insert into model_budget (id, monthly_micro, alert_percents, stops_models, alerted_month, \
                alerted_percent) values (1, $1, $2, $3, $4, $5) \
                on conflict (id) do update set monthly_micro = excluded.monthly_micro, \
                alert_percents = excluded.alert_percents, stops_models = excluded.stops_models, \
                alerted_month = excluded.alerted_month, alerted_percent = excluded.alerted_percent";
    execute!(
        tx,
        query(text)
            .bind(budget.monthly_micro.to_column())
            .bind(budget.alert_percents.to_column())
            .bind(budget.stops_models)
            .bind(budget.alerted_month)
            .bind(budget.alerted_percent.to_column())
    )?;
    Ok(())
}

/// Records an alert. Returns false if another instance has recorded it or a later one.
pub async fn set_alerted(tx: &mut Tx, month: i64, percent: u32) -> Result<bool> {
    let text = "update model_budget set alerted_month = $1, alerted_percent = $2 \
                where id = 1 and (alerted_month < $1 or (alerted_month = $1 and alerted_percent < $2))";
    Ok(execute!(tx, query(text).bind(month).bind(percent.to_column()))? > 0)
}
