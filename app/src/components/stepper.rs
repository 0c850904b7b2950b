//! Progress indicator of a registration.

use leptos::prelude::*;
use plexus_domain::DraftId;

use crate::{
    text,
    view_models::register::{RegistrationKind, Step},
};

/// List of the steps of a registration. Completed ones, except the address, are links if there is a draft.
#[component]
pub fn Steps(at: Step, way: RegistrationKind, #[prop(optional)] draft: Option<DraftId>) -> impl IntoView {
    let items = way
        .steps()
        .iter()
        .map(|&step| {
            let current = (step == at).then_some("step");
            let link = draft.filter(|_| step < at && step != Step::Address);
            let text = name(step);
            let inner = match link {
                Some(draft) => {
                    let href = format!("/register/{draft}/{}", step.as_str());
                    view! { <a href=href>{text}</a> }.into_any()
                }
                None => view! { <span>{text}</span> }.into_any(),
            };
            view! { <li aria-current=current class:done=step < at>{inner}</li> }
        })
        .collect_view();
    view! { <ol class="steps" role="list" aria-label=text!("register-steps")>{items}</ol> }
}

pub fn name(step: Step) -> String {
    match step {
        Step::Address => text!("step-address"),
        Step::Request => text!("step-request"),
        Step::Card => text!("step-card"),
        Step::Proof => text!("step-proof"),
        Step::Try => text!("step-try"),
        Step::Publish => text!("step-publish"),
    }
}
