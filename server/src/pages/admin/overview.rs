//! Page `/admin`: overview of the hub. Moderators are redirected to the agents.

use axum::{
    extract::State,
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::admin::{AdminOverview, BackupArchive, ScheduledBackups, TopAccount};
use plexus_domain::account::Role;
use plexus_hub::{
    admin,
    backups::ScheduleStatus,
    quotas::{Top, in_units},
};

use crate::{app_state::AppState, web::page::PageContext};

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    if visit.caller.person.as_ref().is_some_and(|person| person.role == Role::Moderator) {
        return Redirect::to("/admin/agents").into_response();
    }
    let page = admin::overview(&site.hub, &visit.caller).await.map(page);
    visit.show_or_refuse(page)
}

fn top(account: Top) -> TopAccount {
    let Top { name, chats, bytes, agents, .. } = account;
    TopAccount { name: name.to_string(), stored: in_units(bytes), chats, agents }
}

fn scheduled_backups(status: &ScheduleStatus) -> ScheduledBackups {
    let archives = status.archives.iter().map(|archive| BackupArchive {
        name: archive.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        created_at: archive.created_at,
        size: in_units(archive.bytes),
    });
    let retention = status.schedule.retention;
    ScheduledBackups {
        folder: status.schedule.folder.0.display().to_string(),
        next_at: status.next_at,
        hours: status.schedule.interval.as_secs() / 3_600,
        keep_days: retention.days,
        keep_weeks: retention.weeks,
        archives: archives.collect(),
    }
}

fn page(found: admin::AdminOverview) -> AdminOverview {
    AdminOverview {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: found.started,
        database: found.database,
        public_url: found.public_url,
        registration: found.registration,
        accounts: found.counts.accounts,
        waiting: found.counts.waiting,
        agents: found.counts.agents,
        unverified: found.counts.unverified,
        running: found.counts.running,
        runs_today: found.counts.runs,
        failed_today: found.counts.failed,
        database_size: in_units(found.database_bytes),
        last_backup: found.last_backup,
        backups: found.schedule.as_ref().map(scheduled_backups),
        top: found.top.into_iter().map(top).collect(),
        warnings: found.warnings,
    }
}
