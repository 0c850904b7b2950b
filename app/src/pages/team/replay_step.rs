//! Replay step of a team: what happened, with links to the neighbouring steps.

use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink},
        icon::Icon,
        time::Clock,
    },
    view_models::team::TimelineStep,
};

pub(super) fn step(step: TimelineStep) -> AnyView {
    let TimelineStep { number, last, at, words, text, back, replay } = step;
    let to = |number: u64| format!("{replay}?step={number}");
    let before = number.checked_sub(1).map(|before| {
        view! { <ButtonLink label="First" href=to(0) /> <ButtonLink label="Back" href=to(before) icon=Icon::Back /> }
    });
    let after = (number < last).then(|| {
        view! { <ButtonLink label="Next" href=to(number + 1) icon=Icon::Forward /> <ButtonLink label="Last" href=to(last) /> }
    });
    let action = replay.clone();
    view! {
        <nav class="team-step" aria-label="Steps">
            {before}
            {after}
            <form class="inline" method="get" action=action>
                <label for="f-step">"Step "</label>
                <input class="control" id="f-step" type="number" name="step" min="0" max=last value=number />
                " of "{last}" "
                <Button label="Go" />
            </form>
            <a href=back>"Team page"</a>
        </nav>
        <div class="team-now">
            <p><strong>{words}</strong>" "<span class="quiet"><Clock at=at /></span></p>
            {text.map(|text| view! { <div class="prose" inner_html=text.into_string()></div> })}
        </div>
    }
    .into_any()
}
