use leptos::prelude::*;

use super::with_side;
use crate::{
    components::{
        button::{ActionForm, ButtonLink, Kind},
        icon::Icon,
    },
    locales::{translated, translated_text},
    pages::{Page, PageMeta},
    text,
    view_models::setup::{SetupItem, SetupPage},
};

impl Page for SetupPage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("admin-setup"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let next = self.steps.iter().position(|step| !step.is_done);
        let done = self.steps.iter().filter(|step| step.is_done).count();
        let summary = if next.is_none() {
            text!("setup-all-done")
        } else {
            text!("setup-progress", done = done, all = self.steps.len())
        };
        let steps = self
            .steps
            .into_iter()
            .enumerate()
            .map(|(index, step)| item(step, next == Some(index)))
            .collect_view();
        let (label, value) =
            if self.is_dismissed { (text!("setup-show"), "false") } else { (text!("setup-dismiss"), "true") };
        let content = view! {
            <h1>{text!("setup-title", hub = self.hub)}</h1>
            <p class="quiet">{summary}</p>
            <ol class="checklist" role="list">{steps}</ol>
            <ActionForm action="/admin/setup" label kind=Kind::Quiet fields=vec![("dismissed", value.to_owned())] />
        };
        with_side("/admin/setup", content.into_any())
    }
}

fn item(step: SetupItem, is_next: bool) -> AnyView {
    let kind = if is_next { Kind::Primary } else { Kind::Plain };
    let mark = if step.is_done {
        view! { <span class="mark done">{Icon::Check.view()}<span class="hidden">{text!("setup-done")}" "</span></span> }
            .into_any()
    } else {
        view! { <span class="mark"></span> }.into_any()
    };
    let action = (!step.is_done)
        .then(|| view! { <ButtonLink label=translated_text(step.label.to_owned()) href=step.href kind /> });
    view! {
        <li>
            {mark}
            <div><h2>{translated_text(step.title.to_owned())}</h2><p class="quiet">{translated(step.purpose.to_owned())}</p></div>
            {action}
        </li>
    }
    .into_any()
}
