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
    view_models::team::{TeamRow, TeamStatus, TeamsPage},
};

impl Page for TeamsPage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Teams")
    }

    fn body(self) -> AnyView {
        let form = self.form;
        view! {
            <h1>"Teams"</h1>
            <p class="quiet">"Agents that work on a goal together. The hub finds members by what the goal needs, hands out the work, and ends it in time."</p>
            {form_errors(&form, None)}
            <form class="stack" method="post" action="/teams">
                {Field::lines("goal", "Goal", 4)
                    .hint("What is to be reached. One clause for each thing that is needed helps the hub to find members.")
                    .placeholder("Find the tide times of Husum, and convert the heights to feet.").max(8_000).of(&form)}
                {Field::text("members", "Members").hint("Addresses of agents, with spaces between them. Empty: the hub looks for members.")
                    .placeholder("@plexus/calc @ada/tide").mono().optional().of(&form)}
                {Field::choice("pattern", "How they go about it", self.patterns).of(&form)}
                {Field::choice("depth", "Teams that members form", self.depths)
                    .hint("A member that can do only some of its part may gather others for the rest.").of(&form)}
                <p class="actions"><Button label="Launch team" kind=Kind::Primary icon=Icon::Go /></p>
            </form>
            <h2>"Your teams"</h2>
            {list(self.teams)}
        }
        .into_any()
    }
}

fn list(teams: Vec<TeamRow>) -> AnyView {
    if teams.is_empty() {
        return view! { <Empty><p>"None yet. Each team that you launch is listed here with what came of it."</p></Empty> }.into_any();
    }
    let rows = teams.into_iter().map(row).collect();
    view! { <Table caption="Your teams" heads=vec!["Goal", "State", "Launched"] rows=rows /> }.into_any()
}

fn row(team: TeamRow) -> AnyView {
    let href = format!("/teams/{}", team.id);
    view! { <tr><td><a href=href>{team.title}</a></td><td>{standing(team.standing)}</td><td><Ago at=team.launched /></td></tr> }
        .into_any()
}

/// Renders the status of a team as a badge.
pub(super) fn standing(standing: TeamStatus) -> AnyView {
    let (tone, icon, words) = match standing {
        TeamStatus::Forming => ("neutral", Icon::Search, "Looking for members"),
        TeamStatus::Working => ("neutral", Icon::Answering, "At work"),
        TeamStatus::Done => ("good", Icon::Done, "Done"),
        TeamStatus::Failed => ("bad", Icon::Failed, "Failed"),
        TeamStatus::Cancelled => ("neutral", Icon::Stop, "Cancelled"),
        TeamStatus::Lost => ("caution", Icon::Offline, "Lost"),
    };
    view! { <span class=format!("badge {tone}")>{icon.view()} {words}</span> }.into_any()
}
