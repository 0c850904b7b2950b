use leptos::prelude::*;
use plexus_domain::Timestamp;

use super::{warnings_section, with_side};
use crate::{
    components::{
        definition_list::{fact, facts, mono},
        format::{count, grouped, registration_meaning},
        section::Section,
        table::Table,
        time::Ago,
    },
    pages::{Page, PageMeta},
    view_models::admin::{AdminOverview, ScheduledBackups, TopAccount},
};

impl Page for AdminOverview {
    fn head(&self) -> PageMeta {
        PageMeta::private("Administration")
    }

    fn body(self) -> AnyView {
        let content = view! {
            <h1>"Overview"</h1>
            {warnings_section(self.warnings)}
            <ul class="figures" role="list">
                {figure("/admin/users", self.accounts, ["user", "users"], part(self.waiting, "pending"))}
                {figure("/admin/agents", self.agents, ["agent", "agents"], part(self.unverified, "unverified"))}
                {figure("/admin/agents", self.runs_today, ["run today", "runs today"], part(self.failed_today, "failed"))}
                {figure("/admin/agents", self.running, ["running now", "running now"], None)}
            </ul>
            {facts(vec![
                ("Address", mono(self.public_url)),
                ("Registration", fact(registration_meaning(self.registration))),
                ("Database", fact(format!("{}, {}", self.database, self.database_size))),
                ("Last backup", last_backup(self.last_backup)),
                ("Version", mono(self.version)),
                ("Started", Some(view! { <Ago at=self.started /> }.into_any())),
            ])}
            {self.backups.map(scheduled_backups)}
            {(!self.top.is_empty()).then(|| top(&self.top))}
        };
        with_side("Overview", content.into_any())
    }
}

fn last_backup(at: Option<Timestamp>) -> Option<AnyView> {
    let backup = match at {
        Some(at) => view! { <Ago at=at /> }.into_any(),
        None => view! { "None yet. "<a href="/docs/operate#back-up">"Back up the hub"</a> }.into_any(),
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
    let heads = vec!["Archive", "Made", "Size"];
    let table =
        (!rows.is_empty()).then(|| view! { <Table caption="Archives of scheduled backups" heads rows /> });
    let every = match backups.hours {
        24 => "Every day".to_owned(),
        hours => format!("Every {}", count(hours, "hour", "hours")),
    };
    let (days, weeks) = (backups.keep_days as u64, backups.keep_weeks as u64);
    let kept = format!("the newest of {} and {}", count(days, "day", "days"), count(weeks, "week", "weeks"));
    view! {
        <Section title="Scheduled backups">
            {facts(vec![
                ("Folder", mono(backups.folder)),
                ("Interval", fact(every)),
                ("Kept", fact(kept)),
                ("Next", Some(view! { <Ago at=backups.next_at /> }.into_any())),
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
    let heads = vec!["Name", "Chats and files", "Chats", "Agents"];
    let rows = rows.collect();
    view! { <Section title="Largest accounts"><Table caption="Accounts with the largest storage" heads rows /></Section> }
        .into_any()
}

fn part(number: u64, word: &str) -> Option<String> {
    (number > 0).then(|| format!("{} {word}", grouped(number)))
}

fn figure(href: &'static str, number: u64, [one, many]: [&'static str; 2], part: Option<String>) -> AnyView {
    let what = if number == 1 { one } else { many };
    view! {
        <li><a class="reach" href=href><span class="number">{grouped(number)}</span> {what}</a>
        {part.map(|part| view! { <span class="quiet">{part}</span> })}</li>
    }
    .into_any()
}
