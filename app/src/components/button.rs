//! Buttons, links styled as buttons, and one-button forms.
//!
//! Labels are verbs. A page has at most one primary button.

use leptos::prelude::*;

use super::icon::Icon;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    Primary,
    #[default]
    Plain,
    /// For destructive actions.
    Danger,
    /// Low emphasis: looks like the surrounding text.
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

/// Submit button. `name` and `value` are sent with the form.
#[component]
pub fn Button(
    #[prop(into)] label: String,
    #[prop(optional)] kind: Kind,
    #[prop(optional)] icon: Option<Icon>,
    #[prop(optional, into)] name: Option<&'static str>,
    #[prop(optional, into)] value: Option<String>,
    /// Extra label for screen readers, such as "session on Firefox".
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

/// Link styled as a button.
#[component]
pub fn ButtonLink(
    #[prop(into)] label: String,
    #[prop(into)] href: String,
    #[prop(optional)] kind: Kind,
    #[prop(optional)] icon: Option<Icon>,
    /// Extra label for screen readers.
    #[prop(optional, into)]
    about: Option<String>,
) -> impl IntoView {
    view! {
        <a class=kind.class() href=href>
            {icon.map(Icon::view)}
            {label}
            {about.map(|about| view! { <span class="hidden">" "{about}</span> })}
        </a>
    }
}

/// POST form with one button and hidden fields.
#[component]
pub fn ActionForm(
    #[prop(into)] action: String,
    #[prop(into)] label: String,
    #[prop(optional)] kind: Kind,
    #[prop(optional)] icon: Option<Icon>,
    /// Hidden fields of the form.
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
