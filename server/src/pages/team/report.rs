//! Report of a team that has ended: timeline, files and links, replay and share link.

use plexus_app::{
    components::format::size,
    locales, text,
    view_models::{
        Locale,
        team::{
            ArtifactRow, Report as Shown, Share, TeamPage, TimelineBar, TimelineChart, TimelineMark,
            TimelineRow,
        },
    },
};
use plexus_domain::{
    PartBody, Timestamp,
    team::{Seat, timeline::Timeline},
};
use plexus_hub::teams::{TeamArtifact, TeamReport};

/// Adds the report to a page; `base` is the path of the page.
pub fn with_report(mut page: TeamPage, report: TeamReport, base: &str, locale: Locale) -> TeamPage {
    let (from, until) = (page.strip.launched, page.strip.ended.unwrap_or(page.strip.launched));
    for member in &mut page.members {
        member.worked = Some(report.story.busy_ms(Seat(member.seat), until));
    }
    let share =
        report.may_share.then(|| Share { action: format!("{base}/share"), made: report.shared, link: None });
    let files = if page.by_share_link { format!("{base}/files") } else { "/blobs".to_owned() };
    let artifacts = report.artifacts.into_iter().filter_map(|one| artifact(one, &files, locale)).collect();
    let timeline = timeline(&page, &report.story, (from, until), locale);
    let shown = Shown { timeline, artifacts, replay: format!("{base}/replay"), share };
    TeamPage { report: Some(shown), ..page }
}

fn artifact(artifact: TeamArtifact, files: &str, locale: Locale) -> Option<ArtifactRow> {
    let TeamArtifact { by, part, .. } = artifact;
    Some(match part.content {
        PartBody::File { blob, size: bytes, .. } => ArtifactRow {
            by,
            name: part.name.unwrap_or_else(|| text!(locale => "team-file")),
            about: [part.media_type.unwrap_or_default(), size(bytes)].join(" ").trim().to_owned(),
            href: format!("{files}/{blob}"),
            is_link: false,
        },
        // Only http and https: other schemes, such as `javascript:`, must not become links.
        PartBody::Link { url } if url.starts_with("https://") || url.starts_with("http://") => ArtifactRow {
            by,
            name: part.name.unwrap_or_else(|| url.clone()),
            about: url.clone(),
            href: url,
            is_link: true,
        },
        _ => return None,
    })
}

fn timeline(
    page: &TeamPage,
    story: &Timeline,
    (from, until): (Timestamp, Timestamp),
    locale: Locale,
) -> TimelineChart {
    let millis = |at: Timestamp| u64::try_from(at.since(from).as_millis()).unwrap_or(u64::MAX);
    let length = millis(until).max(1);
    let row = |seat: Seat, name: String| TimelineRow {
        name,
        bars: story
            .bars
            .iter()
            .filter(|bar| bar.to == seat)
            .filter_map(|bar| {
                let work = page.assignments.get(usize::try_from(bar.work.0).ok()?)?;
                let (from, until) = (millis(bar.from), bar.until.map_or(length, millis).min(length));
                let state = locales::translated_in(locale, work.state.to_owned());
                let words = text!(locale => "timeline-work", title = work.title.clone(), state = state);
                Some(TimelineBar { from, until, tone: work.tone, words })
            })
            .collect(),
        marks: marks(story, Some(seat), &millis),
    };
    let mut rows: Vec<TimelineRow> =
        page.members.iter().map(|member| row(Seat(member.seat), member.name.clone())).collect();
    let team = marks(story, None, &millis);
    rows.push(TimelineRow { name: text!(locale => "team-row"), bars: Vec::new(), marks: team });
    TimelineChart { length, rows }
}

fn marks(story: &Timeline, seat: Option<Seat>, millis: &impl Fn(Timestamp) -> u64) -> Vec<TimelineMark> {
    let own = story.marks.iter().filter(|mark| mark.seat == seat);
    own.map(|mark| TimelineMark { at: millis(mark.at), kind: mark.kind }).collect()
}
