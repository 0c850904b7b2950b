//! Tree of teams: ancestor teams, and subteams that members formed.

use leptos::prelude::*;

use super::index::standing;
use crate::{components::section::Section, text, view_models::team::SubteamNode};

/// Renders the path from the outermost team to this one.
pub(super) fn path(ancestors: Vec<SubteamNode>) -> Option<AnyView> {
    if ancestors.is_empty() {
        return None;
    }
    let steps = ancestors
        .into_iter()
        .map(|team| view! { <li><a href=team.href>{team.title}</a></li> })
        .collect_view();
    Some(view! { <nav class="team-path" aria-label=text!("team-parents")><span class="quiet">{text!("team-subteam-of")}" "</span><ol role="list">{steps}</ol></nav> }.into_any())
}

pub(super) fn tree(subteams: Vec<SubteamNode>) -> Option<AnyView> {
    if subteams.is_empty() {
        return None;
    }
    Some(view! { <Section title=text!("subteams")>{branches(subteams)}</Section> }.into_any())
}

fn branches(teams: Vec<SubteamNode>) -> AnyView {
    let items = teams
        .into_iter()
        .map(|team| {
            let subteams = (!team.subteams.is_empty()).then(|| branches(team.subteams));
            view! { <li><span class="team-branch"><a href=team.href>{team.title}</a>{standing(team.standing)}</span>{subteams}</li> }
        })
        .collect_view();
    view! { <ul class="team-tree" role="list">{items}</ul> }.into_any()
}
