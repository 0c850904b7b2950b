use leptos::prelude::*;
use plexus_domain::Timestamp;

use super::{warnings_section, with_side};
use crate::{
    components::{
        definition_list::{fact, facts, mono},
        format::registration_meaning,
        section::Section,
        table::Table,
        time::Ago,
    },
    locales::grouped,
    pages::{Page, PageMeta},
    rich, text,
    view_models::admin::{AdminOverview, ScheduledBackups, TopAccount},
};

impl Page for AdminOverview {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("nav-administration"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let database = text!("overview-database-size", database = self.database, size = self.database_size);
        let waiting = (self.waiting > 0).then(|| text!("figure-pending", count = self.waiting));
        let unverified = (self.unverified > 0).then(|| text!("figure-unverified", count = self.unverified));
        let failed = (self.failed_today > 0).then(|| text!("figure-failed", count = self.failed_today));
        let content = view! {
            <h1>{text!("admin-overview")}</h1>
            {warnings_section(self.warnings)}
            <ul class="figures" role="list">
                {figure("/admin/users", self.accounts, text!("figure-users", count = self.accounts), waiting)}
                {figure("/admin/agents", self.agents, text!("figure-agents", count = self.agents), unverified)}
                {figure("/admin/agents", self.runs_today, text!("figure-runs", count = self.runs_today), failed)}
                {figure("/admin/agents", self.running, text!("figure-running"), None)}
            </ul>
            {facts(vec![
                (text!("step-address"), mono(self.public_url)),
                (text!("overview-registration"), fact(registration_meaning(self.registration))),
                (text!("overview-database"), fact(database)),
                (text!("overview-backup"), last_backup(self.last_backup)),
                (text!("agent-version"), mono(self.version)),
                (text!("overview-started"), Some(view! { <Ago at=self.started /> }.into_any())),
            ])}
            {self.backups.map(scheduled_backups)}
            {(!self.top.is_empty()).then(|| top(&self.top))}
        };
        with_side("/admin", content.into_any())
    }
}

fn last_backup(at: Option<Timestamp>) -> Option<AnyView> {
    let backup = match at {
        Some(at) => view! { <Ago at=at /> }.into_any(),
        None => {
            rich!("overview-no-backup"; link = |inner| view! { <a href="/docs/operate#back-up">{inner}</a> })
        }
    };
    Some(backup)
}

fn scheduled_backups(backups: ScheduledBackups) -> AnyView {
    let rows: Vec<AnyView> = backups
        .archives
        .iter()
        .map(|archive| {
            view! {
                <tr>
                    <th scope="row" class="mono">{archive.name.clone()}</th>
                    <td><Ago at=archive.created_at /></td>
                    <td class="number">{archive.size.clone()}</td>
                </tr>
            }
            .into_any()
        })
        .collect();
    let heads = vec![text!("backup-archive"), text!("backup-made"), text!("knowledge-size")];
    let table = (!rows.is_empty()).then(|| view! { <Table caption=text!("backups-caption") heads rows /> });
    let every = match backups.hours {
        24 => text!("backups-daily"),
        hours => text!("backups-every", count = hours),
    };
    let days = text!("backups-days", count = backups.keep_days);
    let weeks = text!("backups-weeks", count = backups.keep_weeks);
    let kept = text!("backups-kept-of", days = days, weeks = weeks);
    view! {
        <Section title=text!("backups")>
            {facts(vec![
                (text!("backups-folder"), mono(backups.folder)),
                (text!("backups-interval"), fact(every)),
                (text!("backups-kept"), fact(kept)),
                (text!("backups-next"), Some(view! { <Ago at=backups.next_at /> }.into_any())),
            ])}
            {table}
        </Section>
    }
    .into_any()
}

fn top(accounts: &[TopAccount]) -> AnyView {
    let rows = accounts.iter().map(|account| {
        let href = format!("/admin/users?q={}", account.name);
        view! {
            <tr>
                <th scope="row"><a href=href>"@"{account.name.clone()}</a></th>
                <td class="number">{account.stored.clone()}</td>
                <td class="number">{grouped(account.chats)}</td>
                <td class="number">{grouped(account.agents)}</td>
            </tr>
        }
        .into_any()
    });
    let heads = vec![text!("name"), text!("top-stored"), text!("settings-chats"), text!("nav-agents")];
    let rows = rows.collect();
    view! { <Section title=text!("top")><Table caption=text!("top-caption") heads rows /></Section> }
        .into_any()
}

fn figure(href: &'static str, number: u64, what: String, part: Option<String>) -> AnyView {
    view! {
        <li><a class="reach" href=href><span class="number">{grouped(number)}</span> {what}</a>
        {part.map(|part| view! { <span class="quiet">{part}</span> })}</li>
    }
    .into_any()
}
