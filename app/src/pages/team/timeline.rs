//! SVG timeline of a team: a row for each member, assignments as bars, events as marks.
//!
//! The horizontal axis is time. Overlapping assignments of a row are drawn below each other.

use leptos::prelude::*;
use plexus_domain::team::timeline::TimelineEventKind;

use crate::{
    components::format::duration,
    text,
    view_models::team::{AssignmentTone, TimelineBar, TimelineChart, TimelineMark, TimelineRow},
};

/// Width in SVG units.
const WIDTH: u64 = 1_000;
const NAMES: u64 = 220;
const LANE: u64 = 16;
const BAR: u64 = 10;
const ROW_SPACE: u64 = 14;
const AXIS: u64 = 26;
/// Minimum width of a bar, so that it stays visible.
const SHORTEST: u64 = 3;
const TICKS: u64 = 4;
/// Characters of a name that fit beside a row.
const NAME_CHARS: usize = 30;

pub(super) fn drawing(timeline: &TimelineChart) -> AnyView {
    let mut top = AXIS;
    let rows = timeline
        .rows
        .iter()
        .map(|row| {
            let drawn = draw_row(row, top, timeline.length);
            top += height(row);
            drawn
        })
        .collect_view();
    let ticks = (0..=TICKS).map(|tick| draw_tick(tick, top, timeline.length)).collect_view();
    let view_box = format!("0 0 {WIDTH} {top}");
    view! {
        <div class="timeline" role="region" aria-label=text!("timeline") tabindex="0">
            <svg viewBox=view_box role="img" aria-label=text_alternative(timeline)>{ticks}{rows}</svg>
        </div>
        {legend()}
    }
    .into_any()
}

/// Returns the text alternative of the timeline. The table of members has the numbers.
fn text_alternative(timeline: &TimelineChart) -> String {
    let rows: Vec<String> = timeline
        .rows
        .iter()
        .filter(|row| !row.bars.is_empty())
        .map(|row| {
            let bars: Vec<String> = row
                .bars
                .iter()
                .map(|bar| {
                    let length = duration(bar.until.saturating_sub(bar.from));
                    text!(
                        "timeline-bar",
                        words = bar.words.clone(),
                        length = length,
                        start = duration(bar.from)
                    )
                })
                .collect();
            text!("timeline-row", name = row.name.clone(), bars = bars.join("; "))
        })
        .collect();
    text!("timeline-total", length = duration(timeline.length), rows = rows.join(". "))
}

fn x(at: u64, length: u64) -> u64 {
    // Leave room for the line of a mark at the end.
    let wide = u128::from(WIDTH - NAMES - 2) * u128::from(at.min(length)) / u128::from(length.max(1));
    NAMES + u64::try_from(wide).unwrap_or(0)
}

fn draw_tick(tick: u64, bottom: u64, length: u64) -> AnyView {
    let at = length / TICKS * tick;
    let place = x(if tick == TICKS { length } else { at }, length);
    let anchor = match tick {
        0 => "start",
        TICKS => "end",
        _ => "middle",
    };
    let above = AXIS - 6;
    view! {
        <line class="tick" x1=place x2=place y1=above y2=bottom></line>
        <text class="at" x=place y="14" text-anchor=anchor>{duration(at)}</text>
    }
    .into_any()
}

fn height(row: &TimelineRow) -> u64 {
    let lanes = lanes(&row.bars).into_iter().max().map_or(1, |last| last + 1);
    lanes * LANE + ROW_SPACE
}

fn draw_row(row: &TimelineRow, top: u64, length: u64) -> AnyView {
    let bars = row
        .bars
        .iter()
        .zip(lanes(&row.bars))
        .map(|(bar, lane)| draw_bar(bar, top + ROW_SPACE / 2 + lane * LANE, length))
        .collect_view();
    let marks = row.marks.iter().map(|mark| draw_mark(*mark, top + ROW_SPACE / 2, length)).collect_view();
    let (name, base) =
        (plexus_domain::sanitized_text::ellipsize(&row.name, NAME_CHARS), top + ROW_SPACE / 2 + BAR);
    view! {
        <line class="row" x1="0" x2=WIDTH y1=top y2=top></line>
        <text class="name" x="0" y=base>{name}</text>
        {bars}
        {marks}
    }
    .into_any()
}

fn draw_bar(bar: &TimelineBar, top: u64, length: u64) -> AnyView {
    let (from, until) = (x(bar.from, length), x(bar.until, length));
    let class = match bar.tone {
        AssignmentTone::Open | AssignmentTone::Neutral => "bar",
        AssignmentTone::Asking => "bar caution",
        AssignmentTone::Good => "bar good",
        AssignmentTone::Bad => "bar bad",
    };
    let length = duration(bar.until.saturating_sub(bar.from));
    let words = text!("timeline-bar-title", words = bar.words.clone(), length = length);
    let width = until.saturating_sub(from).max(SHORTEST);
    view! { <rect class=class x=from y=top width=width height=BAR rx="2"><title>{words}</title></rect> }
        .into_any()
}

/// Renders an event: a line for a new speaker and for the end, a dot for anything else.
fn draw_mark(mark: TimelineMark, top: u64, length: u64) -> AnyView {
    let at = x(mark.at, length);
    let words = text!("timeline-mark", words = mark_words(mark.kind), time = duration(mark.at));
    let (above, height, middle) = (top - 3, BAR + 6, top + BAR / 2);
    let is_line = matches!(mark.kind, TimelineEventKind::SpeakerSet | TimelineEventKind::Ended);
    if is_line {
        return view! { <rect class="mark-line" x=at y=above width="2" height=height><title>{words}</title></rect> }.into_any();
    }
    view! { <circle class="mark-dot" cx=at cy=middle r="4"><title>{words}</title></circle> }.into_any()
}

fn mark_words(kind: TimelineEventKind) -> String {
    match kind {
        TimelineEventKind::Joined => text!("mark-joined"),
        TimelineEventKind::Left => text!("mark-left"),
        TimelineEventKind::SpeakerSet => text!("mark-speaker"),
        TimelineEventKind::Asked => text!("mark-asked"),
        TimelineEventKind::Answered => text!("mark-answered"),
        TimelineEventKind::SubteamFormed => text!("mark-subteam"),
        TimelineEventKind::MessageSent => text!("mark-message"),
        TimelineEventKind::Ended => text!("mark-ended"),
    }
}

/// Returns the lane of each bar: the first one that is free when the bar begins.
fn lanes(bars: &[TimelineBar]) -> Vec<u64> {
    let mut free: Vec<u64> = Vec::new();
    let place = |bar: &TimelineBar| {
        let lane = free.iter().position(|&free| free <= bar.from).unwrap_or(free.len());
        if lane == free.len() {
            free.push(bar.until);
        } else {
            free[lane] = bar.until;
        }
        lane as u64
    };
    bars.iter().map(place).collect()
}

fn legend() -> AnyView {
    view! { <p class="quiet">{text!("timeline-legend")}</p> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(from: u64, until: u64) -> TimelineBar {
        TimelineBar { from, until, tone: AssignmentTone::Good, words: "Work: Done".to_owned() }
    }

    #[test]
    fn what_goes_on_at_once_is_drawn_beneath() {
        assert_eq!(lanes(&[bar(0, 10), bar(5, 20), bar(10, 15), bar(12, 13)]), [0, 1, 0, 2]);
        assert!(lanes(&[]).is_empty());
    }

    #[test]
    fn time_is_length() {
        assert_eq!((x(0, 500), x(500, 500), x(900, 500)), (NAMES, WIDTH - 2, WIDTH - 2));
        assert_eq!(x(0, 0), NAMES);
        let rows =
            vec![TimelineRow { name: "@ada/tide".to_owned(), bars: vec![bar(0, 2_000)], marks: Vec::new() }];
        let words = text_alternative(&TimelineChart { length: 4_000, rows });
        assert_eq!(words, "4.0 s in total. @ada/tide: Work: Done, 2.0 s from 0 ms");
    }
}
