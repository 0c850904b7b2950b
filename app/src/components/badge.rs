//! Badges of an agent.
//!
//! The label is short. The full meaning is the tooltip, and is listed on the agent's page.

use leptos::prelude::*;

use super::{
    format::{hub_href, hub_label},
    icon::Icon,
    time,
};
use crate::{components::context, text, view_models::Badge};

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
    view! { <span class="badge neutral" title=text!("message-imported-meaning")>{text!("message-imported")}</span> }
}

/// Row of all badges of an agent.
#[component]
pub fn Badges(badges: Vec<Badge>) -> impl IntoView {
    let tags = badges.into_iter().map(|badge| view! { <li><BadgeTag badge /></li> }).collect_view();
    view! { <ul class="badges" role="list">{tags}</ul> }
}

fn label(badge: &Badge) -> String {
    match badge {
        Badge::Online => text!("badge-online"),
        Badge::Offline { since: Some(since) } => match context::now() {
            Some(now) => text!("badge-offline-since", time = time::elapsed(*since, now)),
            None => text!("badge-offline"),
        },
        Badge::Offline { since: None } => text!("badge-offline"),
        Badge::Detached => text!("badge-detached"),
        Badge::Domain(domain) => text!("badge-domain", domain = domain.clone()),
        Badge::Trusted(origin) => text!("badge-trusted", origin = origin.clone()),
        Badge::SignedCard => text!("badge-signed-card"),
        Badge::Unverified => text!("badge-unverified"),
        Badge::Elsewhere { hub, name } => text!("badge-elsewhere", hub = hub_label(hub, name.as_deref())),
        Badge::NotCarried => text!("badge-not-replicated"),
        Badge::BuiltIn => text!("badge-built-in"),
        Badge::Private => text!("badge-private"),
        Badge::Unlisted => text!("badge-unlisted"),
        Badge::Paused => text!("badge-paused"),
    }
}

/// Returns the meaning of a badge in one sentence.
pub fn meaning(badge: &Badge) -> String {
    match badge {
        Badge::Online => text!("badge-online-meaning"),
        Badge::Offline { .. } => text!("badge-offline-meaning"),
        Badge::Detached => text!("badge-detached-meaning"),
        Badge::Domain(_) => text!("badge-domain-meaning"),
        Badge::Trusted(_) => text!("badge-trusted-meaning"),
        Badge::SignedCard => text!("badge-signed-card-meaning"),
        Badge::Unverified => text!("badge-unverified-meaning"),
        Badge::Elsewhere { .. } => text!("badge-elsewhere-meaning"),
        Badge::NotCarried => text!("badge-not-replicated-meaning"),
        Badge::BuiltIn => text!("badge-built-in-meaning"),
        Badge::Private => text!("badge-private-meaning"),
        Badge::Unlisted => text!("badge-unlisted-meaning"),
        Badge::Paused => text!("badge-paused-meaning"),
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
