//! Assignment board: assignments with their results, side by side.

use leptos::prelude::*;

use crate::{
    components::{
        button::{ActionForm, Button, Kind},
        icon::Icon,
        section::Section,
    },
    locales::translated_text,
    text,
    view_models::team::{AssignmentCard, AssignmentTone},
};

/// Renders the board; `None` if there are no assignments.
pub fn board(work: Vec<AssignmentCard>, action: &str, over: bool) -> Option<AnyView> {
    if work.is_empty() {
        return None;
    }
    let cards = work.into_iter().map(|work| card(work, action, over)).collect_view();
    Some(
        view! { <Section title=text!("assignments")><ul class="team-board" role="list">{cards}</ul></Section> }
            .into_any(),
    )
}

fn card(work: AssignmentCard, action: &str, over: bool) -> AnyView {
    let (tone, icon) = match work.tone {
        AssignmentTone::Open => ("neutral", Icon::Answering),
        AssignmentTone::Asking => ("caution", Icon::Caution),
        AssignmentTone::Good => ("good", Icon::Done),
        AssignmentTone::Bad => ("bad", Icon::Failed),
        AssignmentTone::Neutral => ("neutral", Icon::Stop),
    };
    let is_open = matches!(work.tone, AssignmentTone::Open | AssignmentTone::Asking);
    let fields = vec![("action", "cancel_assignment".to_owned()), ("assignment", work.number.to_string())];
    let stop = (is_open && !over).then(|| {
        view! { <ActionForm action=action label=text!("assignment-stop") kind=Kind::Quiet icon=Icon::Stop fields=fields about=work.title.clone() /> }
    });
    let form_subteam = (work.may_form_subteam && !over).then(|| {
        let fields = vec![("action", "form_subteam".to_owned()), ("assignment", work.number.to_string())];
        view! { <ActionForm action=action label=text!("assignment-subteam") kind=Kind::Quiet icon=Icon::Add fields=fields about=work.title.clone() /> }
    });
    let team = work.team.map(|href| view! { <p><a href=href>{text!("assignment-open-subteam")}</a></p> });
    let take_over = (is_open && !over).then(|| take_over(work.number, action));
    let question = work.question.filter(|_| !over).map(|question| ask(work.number, question, action));
    let tokens = (work.tokens > 0).then(|| text!("assignment-tokens", count = work.tokens));
    let tokens = tokens.map(|tokens| view! { {text!("list-separator")}{tokens} });
    view! {
        <li>
            <h3 dir="auto">{work.title}</h3>
            <p class="quiet"><code>{work.to}</code>{tokens}</p>
            <p class="badges"><span class=format!("badge {tone}")>{icon.view()} {translated_text(work.state.to_owned())}</span></p>
            {work.text.map(|text| view! { <div class="prose" tabindex="0" inner_html=text.into_string()></div> })}
            {team}
            {question}
            <div class="row-actions">{form_subteam}{stop}</div>
            {take_over}
        </li>
    }
    .into_any()
}

/// Renders a question of the member, with a form for the answer.
fn ask(assignment: u32, question: String, action: &str) -> AnyView {
    let words = Words { act: "answer", assignment, label: text!("assignment-question"), hint: question };
    form(words, action, view! { <Button label=text!("team-answer") icon=Icon::Send /> }.into_any())
}

/// Renders a form in which the owner enters the result instead of the member.
fn take_over(assignment: u32, action: &str) -> AnyView {
    let hint = text!("assignment-take-over-hint");
    let words = Words { act: "complete_assignment", assignment, label: text!("assignment-result"), hint };
    let button =
        view! { <Button label=text!("assignment-submit") kind=Kind::Quiet icon=Icon::Done /> }.into_any();
    view! {
        <details class="fold" id=format!("d-take-over-{assignment}")>
            <summary><span>{text!("assignment-take-over")}</span></summary>
            <div>{form(words, action, button)}</div>
        </details>
    }
    .into_any()
}

/// Texts of a form about an assignment.
struct Words {
    act: &'static str,
    assignment: u32,
    label: String,
    hint: String,
}

fn form(words: Words, action: &str, button: AnyView) -> AnyView {
    let Words { act, assignment, label, hint } = words;
    let id = format!("f-{act}-{assignment}");
    let (of, hint_id) = (id.clone(), format!("{id}-hint"));
    let described_by = hint_id.clone();
    view! {
        <form class="stack" method="post" action=action.to_owned()>
            <input type="hidden" name="action" value=act />
            <input type="hidden" name="assignment" value=assignment.to_string() />
            <div class="field">
                <label for=of>{label}</label>
                <p class="hint" id=hint_id>{hint}</p>
                <textarea class="control" id=id name="text" rows="2" required maxlength="16000" aria-describedby=described_by></textarea>
            </div>
            <p class="actions">{button}</p>
        </form>
    }
    .into_any()
}
