use leptos::prelude::*;

use super::with_side;
use crate::{
    components::{
        button::{ActionForm, ButtonLink, Kind},
        icon::Icon,
    },
    pages::{Page, PageMeta},
    view_models::setup::{SetupItem, SetupPage},
};

impl Page for SetupPage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Next steps")
    }

    fn body(self) -> AnyView {
        let next = self.steps.iter().position(|step| !step.is_done);
        let done = self.steps.iter().filter(|step| step.is_done).count();
        let summary = if next.is_none() {
            "Everything is done.".to_owned()
        } else {
            format!("{done} of {} done. You can do them in any order, or later.", self.steps.len())
        };
        let steps = self
            .steps
            .into_iter()
            .enumerate()
            .map(|(index, step)| item(step, next == Some(index)))
            .collect_view();
        let (label, value) =
            if self.is_dismissed { ("Show on the home page", "false") } else { ("Dismiss", "true") };
        let content = view! {
            <h1>"Next steps for " {self.hub}</h1>
            <p class="quiet">{summary}</p>
            <ol class="checklist" role="list">{steps}</ol>
            <ActionForm action="/admin/setup" label kind=Kind::Quiet fields=vec![("dismissed", value.to_owned())] />
        };
        with_side("Next steps", content.into_any())
    }
}

fn item(step: SetupItem, is_next: bool) -> AnyView {
    let kind = if is_next { Kind::Primary } else { Kind::Plain };
    let mark = if step.is_done {
        view! { <span class="mark done">{Icon::Check.view()}<span class="hidden">"Done: "</span></span> }
            .into_any()
    } else {
        view! { <span class="mark"></span> }.into_any()
    };
    let action = (!step.is_done).then(|| view! { <ButtonLink label=step.label href=step.href kind /> });
    view! {
        <li>
            {mark}
            <div><h2>{step.title}</h2><p class="quiet">{step.purpose}</p></div>
            {action}
        </li>
    }
    .into_any()
}
