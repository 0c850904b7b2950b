//! Use and cost of the models: recorded with the end of each run, summed by day, and reported.

use std::collections::BTreeMap;

use plexus_domain::{AccountId, AgentId, Timestamp, account::Role};
use plexus_runtime::ModelUsage;
use plexus_store::{
    Tx, model_usage,
    model_usage::{ModelUsageFilter, NewModelUsage, UsageByDay, UsageByModel, UsageByName},
};

pub use plexus_store::model_usage::ModelUsageRow;

use crate::{Caller, Hub, Result, caller::Scope, model_budget};

/// Accounts and agents of a report.
const MAX_NAMES: u16 = 50;
/// Rows of a CSV file.
const MAX_ROWS: u32 = 100_000;

/// Records the use of models for an account by an agent; `None` for the work of the hub itself. In the transaction that
/// ends the work.
pub(crate) async fn record(
    tx: &mut Tx,
    account: Option<AccountId>,
    agent: Option<AgentId>,
    used: &[ModelUsage],
    now: Timestamp,
) -> Result<()> {
    // The same order in all transactions, so that they do not wait for each other's rows in a cycle.
    let mut used: Vec<_> = used.iter().collect();
    used.sort_by(|one, other| (&one.provider, &one.model).cmp(&(&other.provider, &other.model)));
    for ModelUsage { provider, model, usage } in &used {
        let new = NewModelUsage { day: now.day(), provider, model, account, agent, usage: *usage };
        model_usage::add(tx, &new).await?;
    }
    if used.iter().any(|one| one.usage.cost_micro > 0) {
        model_budget::alert(tx, now).await?;
    }
    Ok(())
}

/// Length of a report, until today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsagePeriod {
    Week,
    Month,
    Quarter,
}

impl UsagePeriod {
    pub const ALL: [Self; 3] = [Self::Week, Self::Month, Self::Quarter];

    pub const fn days(self) -> u32 {
        match self {
            Self::Week => 7,
            Self::Month => 30,
            Self::Quarter => 90,
        }
    }

    pub fn of_days(days: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|period| period.days() == days)
    }
}

/// Sums of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsageSums {
    pub runs: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub cost_micro: u64,
}

impl UsageSums {
    pub const fn tokens(self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            runs: self.runs.saturating_add(other.runs),
            tokens_in: self.tokens_in.saturating_add(other.tokens_in),
            tokens_out: self.tokens_out.saturating_add(other.tokens_out),
            cost_micro: self.cost_micro.saturating_add(other.cost_micro),
        }
    }
}

/// Sums of one provider, model, account or agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageEntry {
    /// `None` for callers without an account, the work of the hub itself, and deleted accounts and agents.
    pub name: Option<String>,
    /// True if the name is missing because it has been deleted.
    pub is_deleted: bool,
    pub sums: UsageSums,
}

/// Use and cost of the models in a period.
#[derive(Clone, Debug)]
pub struct UsageReport {
    pub period: UsagePeriod,
    pub total: UsageSums,
    /// Each day of the period with its begin, oldest first.
    pub days: Vec<(Timestamp, UsageSums)>,
    /// Most tokens first, as are the others.
    pub providers: Vec<UsageEntry>,
    pub models: Vec<UsageEntry>,
    /// Empty in the report of one account.
    pub accounts: Vec<UsageEntry>,
    pub agents: Vec<UsageEntry>,
}

/// Returns the report of the hub, for administrators.
pub async fn hub_report(hub: &Hub, caller: &Caller, period: UsagePeriod) -> Result<UsageReport> {
    caller.require(Role::Admin)?;
    report(hub, period, None).await
}

/// Returns the report of the caller's own account.
pub async fn own_report(hub: &Hub, caller: &Caller, period: UsagePeriod) -> Result<UsageReport> {
    let person = caller.may(Scope::Read)?;
    report(hub, period, Some(person.account)).await
}

/// Returns the rows of the hub's report, for administrators.
pub async fn hub_rows(hub: &Hub, caller: &Caller, period: UsagePeriod) -> Result<Vec<ModelUsageRow>> {
    caller.require(Role::Admin)?;
    rows(hub, period, None).await
}

/// Returns the rows of the caller's own report.
pub async fn own_rows(hub: &Hub, caller: &Caller, period: UsagePeriod) -> Result<Vec<ModelUsageRow>> {
    let person = caller.may(Scope::Read)?;
    rows(hub, period, Some(person.account)).await
}

async fn rows(hub: &Hub, period: UsagePeriod, account: Option<AccountId>) -> Result<Vec<ModelUsageRow>> {
    let filter = filter(hub, period, account);
    Ok(model_usage::list(&mut hub.store().read().await?, &filter, MAX_ROWS).await?)
}

fn filter(hub: &Hub, period: UsagePeriod, account: Option<AccountId>) -> ModelUsageFilter {
    let last_day = hub.env().now().day();
    ModelUsageFilter { first_day: last_day + 1 - i64::from(period.days()), last_day, account }
}

async fn report(hub: &Hub, period: UsagePeriod, account: Option<AccountId>) -> Result<UsageReport> {
    let filter = filter(hub, period, account);
    let mut conn = hub.store().snapshot().await?;
    let by_day = model_usage::by_day(&mut conn, &filter).await?;
    let by_model = model_usage::by_model(&mut conn, &filter).await?;
    let accounts = match account {
        None => model_usage::by_account(&mut conn, &filter, MAX_NAMES).await?,
        Some(_) => Vec::new(),
    };
    let agents = model_usage::by_agent(&mut conn, &filter, MAX_NAMES).await?;
    Ok(UsageReport {
        period,
        total: by_day.iter().map(sums_of_day).fold(UsageSums::default(), UsageSums::plus),
        days: days(&filter, &by_day),
        providers: providers(&by_model),
        models: by_model.iter().map(model_entry).collect(),
        accounts: accounts.into_iter().map(name_entry).collect(),
        agents: agents.into_iter().map(name_entry).collect(),
    })
}

/// Returns all days of a report, those without use with zeros.
fn days(filter: &ModelUsageFilter, found: &[UsageByDay]) -> Vec<(Timestamp, UsageSums)> {
    let day = |day: i64| {
        let found = found.iter().find(|one| one.day == day);
        (Timestamp::of_day(day), found.map(sums_of_day).unwrap_or_default())
    };
    (filter.first_day..=filter.last_day).map(day).collect()
}

const fn sums_of_day(row: &UsageByDay) -> UsageSums {
    UsageSums {
        runs: row.runs,
        tokens_in: row.tokens_in,
        tokens_out: row.tokens_out,
        cost_micro: row.cost_micro,
    }
}

const fn sums_of_model(row: &UsageByModel) -> UsageSums {
    UsageSums {
        runs: row.runs,
        tokens_in: row.tokens_in,
        tokens_out: row.tokens_out,
        cost_micro: row.cost_micro,
    }
}

fn providers(models: &[UsageByModel]) -> Vec<UsageEntry> {
    let mut sums: BTreeMap<&str, UsageSums> = BTreeMap::new();
    for row in models {
        let sum = sums.entry(&row.provider).or_default();
        *sum = sum.plus(sums_of_model(row));
    }
    let entry = |(name, sums)| UsageEntry { name: Some(provider_title(name)), is_deleted: false, sums };
    let mut entries: Vec<_> = sums.into_iter().map(entry).collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.sums.tokens()));
    entries
}

/// Returns the name of a provider for display.
pub fn provider_title(stored_name: &str) -> String {
    match stored_name {
        crate::config::FIRST_PROVIDER => "Default".to_owned(),
        crate::config::FALLBACK_PROVIDER => "Fallback".to_owned(),
        name => match name.strip_suffix(model_usage::OWN_KEY_SUFFIX) {
            Some(name) => format!("{name} (own keys)"),
            None => name.to_owned(),
        },
    }
}

fn model_entry(row: &UsageByModel) -> UsageEntry {
    let name = match row.provider.as_str() {
        crate::config::FIRST_PROVIDER => row.model.clone(),
        provider => format!("{}/{}", provider_title(provider), row.model),
    };
    UsageEntry { name: Some(name), is_deleted: false, sums: sums_of_model(row) }
}

fn name_entry(row: UsageByName) -> UsageEntry {
    UsageEntry {
        is_deleted: row.name.is_none() && !row.id.is_nil(),
        name: row.name,
        sums: UsageSums {
            runs: row.runs,
            tokens_in: row.tokens_in,
            tokens_out: row.tokens_out,
            cost_micro: row.cost_micro,
        },
    }
}
