//! Reports of the use and cost of models as pages and as CSV.

use axum::{body::Body, response::Response};
use plexus_app::{
    text,
    view_models::{
        Locale,
        model_usage::{UsageBreakdownRow, UsageReport, UsageSums},
    },
};
use plexus_domain::{Timestamp, money};
use plexus_hub::model_usage::{self, ModelUsageRow, UsageEntry, UsagePeriod, provider_title};
use serde::Deserialize;

use crate::web::download;

#[derive(Deserialize)]
pub struct PeriodQuery {
    days: Option<u32>,
}

impl PeriodQuery {
    /// Returns the period, 30 days for any other number.
    pub fn period(&self) -> UsagePeriod {
        self.days.and_then(UsagePeriod::of_days).unwrap_or(UsagePeriod::Month)
    }
}

pub fn report(locale: Locale, found: model_usage::UsageReport) -> UsageReport {
    let deleted = text!(locale => "usage-deleted");
    let rows = |entries, nameless: String, href| rows(entries, &nameless, &deleted, href);
    UsageReport {
        days: found.period.days(),
        periods: UsagePeriod::ALL.map(UsagePeriod::days).to_vec(),
        total: sums(found.total),
        by_day: found.days.into_iter().map(|(day, of_day)| (day, sums(of_day))).collect(),
        providers: rows(found.providers, text!(locale => "usage-unknown"), |_| None),
        models: rows(found.models, text!(locale => "usage-unknown"), |_| None),
        accounts: rows(found.accounts, text!(locale => "usage-no-account"), |name| {
            Some(format!("/admin/users?q={name}"))
        }),
        agents: rows(found.agents, text!(locale => "usage-internal"), |address| Some(format!("/{address}"))),
    }
}

const fn sums(found: model_usage::UsageSums) -> UsageSums {
    UsageSums {
        answers: found.runs,
        tokens_in: found.tokens_in,
        tokens_out: found.tokens_out,
        cost_micro: found.cost_micro,
    }
}

fn rows(
    entries: Vec<UsageEntry>,
    nameless: &str,
    deleted: &str,
    href: fn(&str) -> Option<String>,
) -> Vec<UsageBreakdownRow> {
    let row = |entry: UsageEntry| UsageBreakdownRow {
        href: entry.name.as_deref().and_then(href),
        sums: sums(entry.sums),
        label: match (entry.name, entry.is_deleted) {
            (Some(name), _) => name,
            (None, true) => deleted.to_owned(),
            (None, false) => nameless.to_owned(),
        },
    };
    entries.into_iter().map(row).collect()
}

/// Returns rows as a CSV file (RFC 4180).
pub fn csv(rows: &[ModelUsageRow]) -> Response {
    let mut text = "day,provider,model,user,agent,answers,input_tokens,output_tokens,cost\r\n".to_owned();
    for row in rows {
        let cells = [
            Timestamp::of_day(row.day).to_date(),
            quoted(&provider_title(&row.provider)),
            quoted(&row.model),
            quoted(row.account.as_deref().unwrap_or_default()),
            quoted(row.agent.as_deref().unwrap_or_default()),
            row.runs.to_string(),
            row.tokens_in.to_string(),
            row.tokens_out.to_string(),
            money::format_micros(row.cost_micro),
        ];
        text.push_str(&cells.join(","));
        text.push_str("\r\n");
    }
    download::attachment(Body::from(text), "text/csv; charset=utf-8", "plexus-usage.csv")
}

/// Quotes a text cell. A leading apostrophe keeps spreadsheets from reading it as a formula (CSV injection).
fn quoted(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_are_no_formulas() {
        assert_eq!(quoted("a \"b\", c"), "\"a \"\"b\"\", c\"");
        assert_eq!(quoted("=1+1"), "\"'=1+1\"");
        assert_eq!(quoted("@ada/clerk"), "\"'@ada/clerk\"");
    }
}
