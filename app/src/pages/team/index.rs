//! Page with the user's teams and a form for a new one.

use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, Kind},
        empty::Empty,
        field::Field,
        form_errors::form_errors,
        icon::Icon,
        table::Table,
        time::Ago,
    },
    locales::translated_text,
    pages::{Page, PageMeta},
    text,
    view_models::team::{GoalExample, TeamRow, TeamStatus, TeamsPage},
};

impl Page for TeamsPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("nav-teams"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let form = self.form;
        let placeholder = self.examples.first().map_or("", |example| example.goal);
        view! {
            <h1>{text!("nav-teams")}</h1>
            <p class="quiet">{text!("teams-lead")}</p>
            {form_errors(&form, None)}
            {examples(self.examples)}
            <form class="stack form-wide" method="post" action="/teams">
                {Field::lines("goal", text!("team-goal"), 4)
                    .hint(text!("team-goal-hint"))
                    .placeholder(placeholder).max(8_000).of(&form)}
                {Field::text("members", text!("team-members")).hint(text!("team-members-hint"))
                    .placeholder("@plexus/calc @ada/tide").mono().optional().of(&form)}
                {Field::choice("pattern", text!("team-pattern"), self.patterns).of(&form)}
                {Field::choice("max_subteam_depth", text!("subteams"), self.depths)
                    .hint(text!("subteams-hint")).of(&form)}
                <p class="actions"><Button label=text!("team-launch") kind=Kind::Primary icon=Icon::Go /></p>
            </form>
            <h2>{text!("teams-yours")}</h2>
            {list(self.teams)}
        }
        .into_any()
    }
}

/// Renders links that fill the form. The built-in agents reach these goals.
fn examples(examples: Vec<GoalExample>) -> AnyView {
    let links = examples
        .into_iter()
        .map(
            |example| view! { <li><a href=example.href>{translated_text(example.title.to_owned())}</a></li> },
        )
        .collect_view();
    view! {
        <p id="goal-examples" class="quiet">{text!("teams-examples")}</p>
        <ul class="starters" role="list" aria-labelledby="goal-examples">{links}</ul>
    }
    .into_any()
}

fn list(teams: Vec<TeamRow>) -> AnyView {
    if teams.is_empty() {
        return view! { <Empty><p>{text!("teams-none")}</p></Empty> }.into_any();
    }
    let rows = teams.into_iter().map(row).collect();
    view! { <Table caption=text!("teams-yours") heads=vec![text!("team-goal"), text!("team-state"), text!("team-launched")] rows=rows /> }.into_any()
}

fn row(team: TeamRow) -> AnyView {
    let href = format!("/teams/{}", team.id);
    view! { <tr><td dir="auto"><a href=href>{team.title}</a></td><td>{standing(team.standing)}</td><td><Ago at=team.launched /></td></tr> }
        .into_any()
}

/// Renders the status of a team as a badge.
pub(super) fn standing(standing: TeamStatus) -> AnyView {
    let (tone, icon, words) = match standing {
        TeamStatus::Forming => ("neutral", Icon::Search, text!("team-forming")),
        TeamStatus::Working => ("neutral", Icon::Answering, text!("team-running")),
        TeamStatus::Done => ("good", Icon::Done, text!("team-done")),
        TeamStatus::Failed => ("bad", Icon::Failed, text!("team-failed")),
        TeamStatus::Cancelled => ("neutral", Icon::Stop, text!("team-cancelled")),
        TeamStatus::Lost => ("caution", Icon::Offline, text!("team-lost")),
    };
    view! { <span class=format!("badge {tone}")>{icon.view()} {words}</span> }.into_any()
}
