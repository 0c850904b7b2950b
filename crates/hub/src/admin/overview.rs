//! Overview page of the administration.

use plexus_domain::{
    Timestamp,
    account::{Registration, Role},
};
use plexus_store::{
    admin::{self, Counts},
    usage::{self, Top},
};

use super::TODAY;
use crate::{
    Caller, Hub, Result, backups,
    backups::{ScheduleStatus, last_backup},
    federation,
};

/// Accounts in the list of the largest stores.
const TOP: u16 = 10;

/// State of the hub, for administrators.
pub struct AdminOverview {
    pub started: Timestamp,
    pub database: String,
    pub public_url: String,
    pub registration: Registration,
    /// Run counts cover the last 24 hours.
    pub counts: Counts,
    pub database_bytes: u64,
    /// The accounts that store the most.
    pub top: Vec<Top>,
    /// When the last complete backup was written, by `plexus backup` or the schedule.
    pub last_backup: Option<Timestamp>,
    /// None: no backups are scheduled.
    pub schedule: Option<ScheduleStatus>,
    /// Problems that need an administrator, as messages for display.
    pub warnings: Vec<String>,
}

/// Returns the overview.
pub async fn overview(hub: &Hub, caller: &Caller) -> Result<AdminOverview> {
    caller.require(Role::Admin)?;
    let schedule = backups::schedule_status(hub).await?;
    let mut conn = hub.store().snapshot().await?;
    let now = hub.env().now();
    let counts = admin::counts(&mut conn, now - TODAY).await?;
    Ok(AdminOverview {
        started: admin::started(&mut conn, hub.process()).await?.unwrap_or(now),
        database: admin::database(&mut conn).await?,
        public_url: hub.config().public_url.to_string(),
        registration: hub.config().registration,
        database_bytes: usage::database(&mut conn).await?,
        last_backup: last_backup(&mut conn).await?,
        top: usage::top(&mut conn, TOP).await?,
        warnings: [
            warnings(hub, &counts),
            federation::warnings(hub).await,
            schedule.iter().filter_map(ScheduleStatus::warning).collect(),
        ]
        .concat(),
        schedule,
        counts,
    })
}

fn warnings(hub: &Hub, counts: &Counts) -> Vec<String> {
    let mut warnings = hub.config().warnings();
    let mut warn = |holds: bool, text: String| {
        if holds {
            warnings.push(text);
        }
    };
    warn(counts.waiting > 0, format!("{} pending approval: see Users.", people(counts.waiting)));
    if let Some(failure) = hub.mail_status().last_failure {
        warn(
            true,
            format!(
                "The last e-mail was not sent: {}. Check smtp_url with “plexus mail test ADDRESS”.",
                failure.cause
            ),
        );
    }
    let mostly_failing = counts.runs >= 10 && counts.failed * 2 > counts.runs;
    warn(
        mostly_failing,
        "More than half of today’s runs failed. The agents with failures are under Agents.".to_owned(),
    );
    warnings
}

fn people(number: u64) -> String {
    if number == 1 { "One person is".to_owned() } else { format!("{number} people are") }
}
