//! Feedback tab of an agent's page, for its owner: a chart and a table of the last weeks, and comments.

use leptos::prelude::*;
use plexus_domain::feedback::Rating;

use crate::{
    components::{
        empty::Empty,
        format::reason_label,
        section::Section,
        table::Table,
        time::{Ago, Date},
    },
    text,
    view_models::feedback::{AgentFeedback, FeedbackComment, FeedbackWeek},
};

/// Height of the larger half of the chart, in SVG units.
const HALF: u64 = 60;
/// Width of the place of a week.
const STEP: u64 = 40;
const BAR: u64 = 24;

pub fn view(model: AgentFeedback) -> AnyView {
    let is_empty = model.weeks.iter().all(|week| week.up + week.down == 0);
    let weeks = if is_empty {
        view! { <Empty title=text!("feedback-none")><p>{text!("feedback-none-next")}</p></Empty> }.into_any()
    } else {
        let rows = model.weeks.iter().rev().map(|week| row(*week)).collect();
        view! {
            {chart(&model.weeks)}
            <Table caption=text!("feedback-caption") heads=vec![text!("feedback-week"), text!("feedback-good"), text!("feedback-bad")] rows />
        }
        .into_any()
    };
    let comments = if model.comments.is_empty() {
        view! { <Empty title=text!("feedback-no-comments")><p>{text!("feedback-no-comments-why")}</p></Empty> }.into_any()
    } else {
        let items = model.comments.into_iter().map(comment).collect_view();
        view! { <ul class="rows feedback-comments" role="list">{items}</ul> }.into_any()
    };
    view! {
        <Section title=text!("feedback-ratings") lead=text!("feedback-ratings-lead")>{weeks}</Section>
        <Section title=text!("feedback-comments") lead=text!("feedback-comments-lead")>{comments}</Section>
    }
    .into_any()
}

fn row(week: FeedbackWeek) -> AnyView {
    view! { <tr><th scope="row"><Date at=week.begins /></th><td>{week.up}</td><td>{week.down}</td></tr> }
        .into_any()
}

/// Renders good answers above the line and bad ones below it.
fn chart(weeks: &[FeedbackWeek]) -> AnyView {
    let most = weeks.iter().map(|week| week.up.max(week.down)).max().unwrap_or(0).max(1);
    let bars = weeks
        .iter()
        .zip(0_u64..)
        .map(|(week, place)| {
            let x = place * STEP + (STEP - BAR) / 2;
            let (up, down) = (week.up * HALF / most, week.down * HALF / most);
            view! {
                <rect class="bar good" x=x y=HALF - up width=BAR height=up></rect>
                <rect class="bar bad" x=x y=HALF + 1 width=BAR height=down></rect>
            }
        })
        .collect_view();
    let width = STEP * u64::try_from(weeks.len()).unwrap_or(1);
    let view_box = format!("0 0 {width} {}", 2 * HALF + 1);
    let (good, bad) = weeks.iter().fold((0, 0), |(up, down), week| (up + week.up, down + week.down));
    let label = text!("feedback-chart", good = good, bad = bad);
    view! {
        <div class="timeline feedback-chart" role="region" aria-label=text!("feedback-by-week") tabindex="0">
            <svg viewBox=view_box role="img" aria-label=label>
                <line x1="0" x2=width y1=HALF y2=HALF></line>
                {bars}
            </svg>
        </div>
    }
    .into_any()
}

fn comment(comment: FeedbackComment) -> AnyView {
    let rating = match comment.rating {
        Rating::Up => view! { <span class="badge good">{text!("feedback-good-answer")}</span> },
        Rating::Down => view! { <span class="badge bad">{text!("feedback-bad-answer")}</span> },
    };
    view! {
        <li>
            <p>{rating} " " {comment.reason.map(reason_label)} " " <span class="quiet small"><Ago at=comment.at /></span></p>
            {comment.comment.map(|text| view! { <p class="comment" dir="auto">{text}</p> })}
        </li>
    }
    .into_any()
}
