//! Replay step of a team: what happened, with links to the neighbouring steps.

use leptos::prelude::*;

use crate::{
    components::{
        button::{Button, ButtonLink},
        icon::Icon,
        time::Clock,
    },
    text,
    view_models::team::TimelineStep,
};

pub(super) fn step(step: TimelineStep) -> AnyView {
    let TimelineStep { number, last, at, words, text, back, replay } = step;
    let to = |number: u64| format!("{replay}?step={number}");
    let before = number.checked_sub(1).map(|before| {
        view! { <ButtonLink label=text!("replay-first") href=to(0) /> <ButtonLink label=text!("replay-back") href=to(before) icon=Icon::Back /> }
    });
    let after = (number < last).then(|| {
        view! { <ButtonLink label=text!("replay-next") href=to(number + 1) icon=Icon::Forward /> <ButtonLink label=text!("replay-last") href=to(last) /> }
    });
    let action = replay.clone();
    view! {
        <nav class="team-step" aria-label=text!("replay-steps")>
            {before}
            {after}
            <form class="inline" method="get" action=action>
                <label for="f-step">{text!("replay-step")}" "</label>
                <input class="control" id="f-step" type="number" name="step" min="0" max=last value=number />
                " "{text!("replay-of", last = last)}" "
                <Button label=text!("replay-go") />
            </form>
            <a href=back>{text!("replay-team")}</a>
        </nav>
        <div class="team-now">
            <p><strong>{words}</strong>" "<span class="quiet"><Clock at=at /></span></p>
            {text.map(|text| view! { <div class="prose" inner_html=text.into_string()></div> })}
        </div>
    }
    .into_any()
}
