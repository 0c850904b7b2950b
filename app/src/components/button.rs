//! Buttons are verbs. One primary button a page.

use leptos::prelude::*;

use super::icon::Icon;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    Primary,
    #[default]
    Plain,
    /// Takes something away for good.
    Danger,
    /// As quiet as the text around it.
    Quiet,
}

impl Kind {
    pub const fn class(self) -> &'static str {
        match self {
            Self::Primary => "button primary",
            Self::Plain => "button",
            Self::Danger => "button danger",
            Self::Quiet => "button quiet",
        }
    }
}

/// Sends the form it is in; `name` and `value` go with it.
#[component]
pub fn Button(
    #[prop(into)] label: String,
    #[prop(optional)] kind: Kind,
    #[prop(optional)] icon: Option<Icon>,
    #[prop(optional, into)] name: Option<&'static str>,
    #[prop(optional, into)] value: Option<String>,
    /// More for those who cannot see what the button stands beside, such as "session on Firefox".
    #[prop(optional, into)]
    about: Option<String>,
    #[prop(optional)] disabled: bool,
) -> impl IntoView {
    view! {
        <button class=kind.class() name=name value=value disabled=disabled>
            {icon.map(Icon::view)}
            {label}
            {about.map(|about| view! { <span class="hidden">" "{about}</span> })}
        </button>
    }
}

/// Looks like a button and goes somewhere.
#[component]
pub fn ButtonLink(
    #[prop(into)] label: String,
    #[prop(into)] href: String,
    #[prop(optional)] kind: Kind,
    #[prop(optional)] icon: Option<Icon>,
) -> impl IntoView {
    view! { <a class=kind.class() href=href>{icon.map(Icon::view)} {label}</a> }
}

/// A form of nothing but one button and what it is about.
#[component]
pub fn ActionForm(
    #[prop(into)] action: String,
    #[prop(into)] label: String,
    #[prop(optional)] kind: Kind,
    #[prop(optional)] icon: Option<Icon>,
    /// Fields that nobody sees.
    #[prop(optional)]
    fields: Vec<(&'static str, String)>,
    #[prop(optional, into)] about: Option<String>,
) -> impl IntoView {
    let fields = fields
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value /> })
        .collect_view();
    view! {
        <form class="inline" method="post" action=action>
            {fields}
            <button class=kind.class()>
                {icon.map(Icon::view)}
                {label}
                {about.map(|about| view! { <span class="hidden">" "{about}</span> })}
            </button>
        </form>
    }
}
