//! Notice boxes: one or two sentences set apart from the text.

use leptos::prelude::*;

use super::icon::Icon;
use crate::{
    locales::translated,
    text,
    view_models::{Notice, Tone},
};

/// Notice that screen readers announce. Errors interrupt (`alert`); others wait (`status`).
#[component]
pub fn NoticeBox(notice: Notice) -> impl IntoView {
    let class = format!("notice {}", notice.tone.as_str());
    let role = if notice.tone == Tone::Bad { "alert" } else { "status" };
    let link = notice.link.map(|(label, href)| view! { " "<a href=href>{translated(label.to_owned())}</a> });
    view! { <div class=class role=role>{icon(notice.tone).view()} <p>{translated(notice.text)}{link}</p></div> }
}

/// Static notice that screen readers do not announce.
#[component]
pub fn Note(#[prop(optional)] tone: Option<Tone>, children: Children) -> impl IntoView {
    let tone = tone.unwrap_or(Tone::Neutral);
    view! { <div class=format!("notice {}", tone.as_str())>{icon(tone).view()} <div>{children()}</div></div> }
}

/// Notice above a list while the search index is being built after a start.
#[component]
pub fn StillReading() -> impl IntoView {
    view! {
        <Note><p>{text!("index-incomplete")}</p></Note>
    }
}

const fn icon(tone: Tone) -> Icon {
    match tone {
        Tone::Neutral => Icon::Info,
        Tone::Good => Icon::Done,
        Tone::Caution | Tone::Bad => Icon::Alert,
    }
}
