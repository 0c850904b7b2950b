//! Tree of teams: ancestor teams, and subteams that members formed.

use leptos::prelude::*;

use super::index::standing;
use crate::{components::section::Section, view_models::team::SubteamNode};

/// Renders the path from the outermost team to this one.
pub(super) fn path(above: Vec<SubteamNode>) -> Option<AnyView> {
    if above.is_empty() {
        return None;
    }
    let steps =
        above.into_iter().map(|team| view! { <li><a href=team.href>{team.title}</a></li> }).collect_view();
    Some(view! { <nav class="team-path" aria-label="Parent teams"><span class="quiet">"Subteam of "</span><ol role="list">{steps}</ol></nav> }.into_any())
}

pub(super) fn tree(below: Vec<SubteamNode>) -> Option<AnyView> {
    if below.is_empty() {
        return None;
    }
    Some(view! { <Section title="Subteams">{branches(below)}</Section> }.into_any())
}

fn branches(teams: Vec<SubteamNode>) -> AnyView {
    let items = teams
        .into_iter()
        .map(|team| {
            let below = (!team.below.is_empty()).then(|| branches(team.below));
            view! { <li><span class="team-branch"><a href=team.href>{team.title}</a>{standing(team.standing)}</span>{below}</li> }
        })
        .collect_view();
    view! { <ul class="team-tree" role="list">{items}</ul> }.into_any()
}
