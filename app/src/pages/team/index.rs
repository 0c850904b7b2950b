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
    pages::{Page, PageMeta},
    view_models::team::{GoalExample, TeamRow, TeamStatus, TeamsPage},
};

impl Page for TeamsPage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Teams")
    }

    fn body(self) -> AnyView {
        let form = self.form;
        let placeholder = self.examples.first().map_or("", |example| example.goal);
        view! {
            <h1>"Teams"</h1>
            <p class="quiet">"Agents that work on one goal together. The hub finds members, assigns work and enforces the deadline."</p>
            {form_errors(&form, None)}
            {examples(self.examples)}
            <form class="stack form-wide" method="post" action="/teams">
                {Field::lines("goal", "Goal", 4)
                    .hint("Use one clause per required skill, so that the hub can find members.")
                    .placeholder(placeholder).max(8_000).of(&form)}
                {Field::text("members", "Members").hint("Agent addresses, separated by spaces. If empty, the hub searches for members.")
                    .placeholder("@plexus/calc @ada/tide").mono().optional().of(&form)}
                {Field::choice("pattern", "Collaboration pattern", self.patterns).of(&form)}
                {Field::choice("max_subteam_depth", "Subteams", self.depths)
                    .hint("A member may form a subteam for the parts it cannot do.").of(&form)}
                <p class="actions"><Button label="Launch team" kind=Kind::Primary icon=Icon::Go /></p>
            </form>
            <h2>"Your teams"</h2>
            {list(self.teams)}
        }
        .into_any()
    }
}

/// Renders links that fill the form. The built-in agents reach these goals.
fn examples(examples: Vec<GoalExample>) -> AnyView {
    let links = examples
        .into_iter()
        .map(|example| view! { <li><a href=example.href>{example.title}</a></li> })
        .collect_view();
    view! {
        <p id="goal-examples" class="quiet">"Examples that work without a model:"</p>
        <ul class="starters" role="list" aria-labelledby="goal-examples">{links}</ul>
    }
    .into_any()
}

fn list(teams: Vec<TeamRow>) -> AnyView {
    if teams.is_empty() {
        return view! { <Empty><p>"No teams yet. Teams that you launch are listed here with their results."</p></Empty> }.into_any();
    }
    let rows = teams.into_iter().map(row).collect();
    view! { <Table caption="Your teams" heads=vec!["Goal", "State", "Launched"] rows=rows /> }.into_any()
}

fn row(team: TeamRow) -> AnyView {
    let href = format!("/teams/{}", team.id);
    view! { <tr><td dir="auto"><a href=href>{team.title}</a></td><td>{standing(team.standing)}</td><td><Ago at=team.launched /></td></tr> }
        .into_any()
}

/// Renders the status of a team as a badge.
pub(super) fn standing(standing: TeamStatus) -> AnyView {
    let (tone, icon, words) = match standing {
        TeamStatus::Forming => ("neutral", Icon::Search, "Choosing agents"),
        TeamStatus::Working => ("neutral", Icon::Answering, "Running"),
        TeamStatus::Done => ("good", Icon::Done, "Done"),
        TeamStatus::Failed => ("bad", Icon::Failed, "Failed"),
        TeamStatus::Cancelled => ("neutral", Icon::Stop, "Cancelled"),
        TeamStatus::Lost => ("caution", Icon::Offline, "Lost"),
    };
    view! { <span class=format!("badge {tone}")>{icon.view()} {words}</span> }.into_any()
}
