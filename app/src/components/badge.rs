//! Badges of an agent.
//!
//! The label is short. The full meaning is the tooltip, and is listed on the agent's page.

use leptos::prelude::*;

use super::{
    format::{hub_href, hub_label},
    icon::Icon,
    time,
};
use crate::{components::context, view_models::Badge};

#[component]
pub fn BadgeTag(badge: Badge) -> impl IntoView {
    let class = format!("badge {}", tone(&badge));
    let (title, inner) = (meaning(&badge), view! { {icon(&badge).view()} {label(&badge)} });
    match badge {
        Badge::Elsewhere { hub, .. } => {
            view! { <a class=class title=title href=hub_href(&hub)>{inner}</a> }.into_any()
        }
        _ => view! { <span class=class title=title>{inner}</span> }.into_any(),
    }
}

/// Badge of the author of an imported message.
#[component]
pub fn ImportedTag() -> impl IntoView {
    view! { <span class="badge neutral" title="Written by an assistant of another service, and imported.">"Imported"</span> }
}

/// Row of all badges of an agent.
#[component]
pub fn Badges(badges: Vec<Badge>) -> impl IntoView {
    let tags = badges.into_iter().map(|badge| view! { <li><BadgeTag badge /></li> }).collect_view();
    view! { <ul class="badges" role="list">{tags}</ul> }
}

fn label(badge: &Badge) -> String {
    match badge {
        Badge::Online => "Online".to_owned(),
        Badge::Offline { since: Some(since) } => match context::now() {
            Some(now) => {
                format!("Not answering since {}", time::relative(*since, now).trim_end_matches(" ago"))
            }
            None => "Not answering".to_owned(),
        },
        Badge::Offline { since: None } => "Not answering".to_owned(),
        Badge::Detached => "Not connected".to_owned(),
        Badge::Domain(domain) => format!("Verified: {domain}"),
        Badge::Trusted(origin) => format!("Trusted: {origin}"),
        Badge::SignedCard => "Signed card".to_owned(),
        Badge::Unverified => "Unverified".to_owned(),
        Badge::Elsewhere { hub, name } => format!("From {}", hub_label(hub, name.as_deref())),
        Badge::NotCarried => "Not replicated".to_owned(),
        Badge::BuiltIn => "Built in".to_owned(),
        Badge::Private => "Private".to_owned(),
        Badge::Unlisted => "Unlisted".to_owned(),
        Badge::Paused => "Paused".to_owned(),
    }
}

/// Returns the meaning of a badge in one sentence.
pub fn meaning(badge: &Badge) -> &'static str {
    match badge {
        Badge::Online => "It is part of this hub, is connected, or answered within the last 15 minutes.",
        Badge::Offline { .. } => "It did not answer the last health check.",
        Badge::Detached => "It runs on its owner's machine, which is not connected.",
        Badge::Domain(_) => "The owner proved control of this domain.",
        Badge::Trusted(_) => "An administrator of this hub trusts its origin.",
        Badge::SignedCard => "Its agent card has a valid signature.",
        Badge::Unverified => "Unverified origin: only the owner can use this agent.",
        Badge::Elsewhere { .. } => "Hosted on another hub; signature verified.",
        Badge::NotCarried => {
            "Not replicated: its hub is over its quota here, so this agent cannot be used from here."
        }
        Badge::BuiltIn => "It is part of this hub.",
        Badge::Private => "Only its owner can see it.",
        Badge::Unlisted => "It is not in lists or search.",
        Badge::Paused => "Paused by its owner or an administrator.",
    }
}

const fn icon(badge: &Badge) -> Icon {
    match badge {
        Badge::Online => Icon::Answering,
        Badge::Offline { .. } | Badge::Detached => Icon::Offline,
        Badge::Domain(_) | Badge::Trusted(_) => Icon::Verified,
        Badge::SignedCard => Icon::Signed,
        Badge::Unverified | Badge::NotCarried => Icon::Caution,
        Badge::Elsewhere { .. } => Icon::Link,
        Badge::BuiltIn => Icon::BuiltIn,
        Badge::Private => Icon::Lock,
        Badge::Unlisted => Icon::Unlisted,
        Badge::Paused => Icon::Paused,
    }
}

const fn tone(badge: &Badge) -> &'static str {
    match badge {
        Badge::Online | Badge::Domain(_) | Badge::Trusted(_) | Badge::SignedCard => "good",
        Badge::Offline { .. } | Badge::Detached | Badge::Unverified | Badge::NotCarried => "caution",
        Badge::Elsewhere { .. } | Badge::BuiltIn | Badge::Private | Badge::Unlisted | Badge::Paused => {
            "neutral"
        }
    }
}
