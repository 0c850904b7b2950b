//! View models of the use and cost of models, at `/admin/usage` and `/settings/usage`.

use plexus_domain::Timestamp;

use super::Form;

/// Use and cost of the models of the hub at `/admin/usage?days=DAYS`. Posts the budget to itself.
#[derive(Clone, Debug)]
pub struct AdminUsagePage {
    pub report: UsageReport,
    pub budget: BudgetItem,
    pub form: Form,
}

/// Use and cost of the viewer's own runs at `/settings/usage?days=DAYS`.
#[derive(Clone, Debug)]
pub struct OwnUsagePage {
    pub report: UsageReport,
    /// Whether model providers take keys of users.
    pub offers_keys: bool,
}

#[derive(Clone, Debug)]
pub struct BudgetItem {
    /// In millionths of the currency unit; none for no budget.
    pub monthly_micro: Option<u64>,
    /// Cost of the present month.
    pub cost_micro: u64,
    pub used_percent: Option<u64>,
    /// What administrators are alerted of now.
    pub notice: Option<String>,
}

#[derive(Clone, Debug)]
pub struct UsageReport {
    /// Length of the period, until today.
    pub days: u32,
    /// Lengths to choose from.
    pub periods: Vec<u32>,
    pub total: UsageSums,
    /// Each day with its begin, oldest first.
    pub by_day: Vec<(Timestamp, UsageSums)>,
    /// Most tokens first, as are the others.
    pub providers: Vec<UsageBreakdownRow>,
    pub models: Vec<UsageBreakdownRow>,
    pub accounts: Vec<UsageBreakdownRow>,
    pub agents: Vec<UsageBreakdownRow>,
}

#[derive(Clone, Debug)]
pub struct UsageBreakdownRow {
    pub label: String,
    pub href: Option<String>,
    pub sums: UsageSums,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsageSums {
    pub answers: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub cost_micro: u64,
}

impl UsageSums {
    pub const fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }
}
