//! Timeline of a team log: assignments as time spans, and point events.

use super::{AssignmentNo, LogEntry, Phase, Seat, Team, TeamActor, TeamError, TeamEvent};
use crate::Timestamp;

/// Timeline of a team.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Assignments, in order of creation.
    pub bars: Vec<TimelineSpan>,
    pub marks: Vec<TimelineEvent>,
}

/// Time span of one assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineSpan {
    pub work: AssignmentNo,
    pub to: Seat,
    pub from: Timestamp,
    /// `None` while it is open.
    pub until: Option<Timestamp>,
}

/// A point event and the log entry that caused it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineEvent {
    pub seq: u64,
    pub at: Timestamp,
    /// The affected member; `None` for the whole team.
    pub seat: Option<Seat>,
    pub kind: TimelineEventKind,
}

/// Kind of a point event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimelineEventKind {
    Joined,
    Left,
    /// The member became the speaker.
    SpeakerSet,
    /// The member asked a question about its assignment.
    Asked,
    Answered,
    /// The member formed a subteam.
    SubteamFormed,
    /// A person sent a message to all members.
    MessageSent,
    /// The team ended.
    Ended,
}

/// Replays a log and returns the team and its timeline.
pub fn build_timeline(log: &[LogEntry]) -> Result<(Team, Timeline), TeamError> {
    let (first, rest) = log.split_first().ok_or(TeamError::Gap { expected: 0 })?;
    let (mut team, mut story, mut turn) = (Team::from_first_entry(first)?, Timeline::default(), 0);
    for entry in rest {
        let ended = team.outcome().is_some();
        team.apply(entry)?;
        story.follow_work(&team, entry.at());
        story.mark_event(&team, entry);
        if team.turn() != turn {
            turn = team.turn();
            story.mark_speaker(&team, entry);
        }
        if team.outcome().is_some() && !ended {
            story.mark(entry, None, TimelineEventKind::Ended);
        }
    }
    Ok((team, story))
}

impl Timeline {
    /// Returns the time in which a member had work, in milliseconds. Overlapping assignments count once.
    pub fn busy_ms(&self, seat: Seat, now: Timestamp) -> u64 {
        let mut own: Vec<(u64, u64)> = self
            .bars
            .iter()
            .filter(|bar| bar.to == seat)
            .map(|bar| (millis(bar.from), millis(bar.until.unwrap_or(now))))
            .collect();
        own.sort_unstable();
        let (mut total, mut reached) = (0_u64, 0);
        for (from, until) in own {
            total += until.saturating_sub(from.max(reached));
            reached = reached.max(until);
        }
        total
    }

    fn follow_work(&mut self, team: &Team, at: Timestamp) {
        for bar in &mut self.bars {
            if bar.until.is_none() && team.assignment(bar.work).is_some_and(|work| !work.is_open()) {
                bar.until = Some(at);
            }
        }
        let new = (0..).map(AssignmentNo).zip(team.assignments()).skip(self.bars.len());
        let bars = new.map(|(work, item)| {
            let until = (!item.is_open()).then_some(at);
            TimelineSpan { work, to: item.to, from: at, until }
        });
        self.bars.extend(bars);
    }

    fn mark_event(&mut self, team: &Team, entry: &LogEntry) {
        let seat = match entry.by() {
            TeamActor::Seat(seat) => Some(seat),
            TeamActor::Home | TeamActor::Owner => None,
        };
        let assignee = |no: &AssignmentNo| team.assignment(*no).map(|work| work.to);
        let (seat, kind) = match entry.event() {
            TeamEvent::Accepted => (seat, TimelineEventKind::Joined),
            TeamEvent::Declined { .. } => (seat, TimelineEventKind::Left),
            TeamEvent::Left { seat, .. } => (Some(*seat), TimelineEventKind::Left),
            TeamEvent::Asked { assignment, .. } => (assignee(assignment), TimelineEventKind::Asked),
            TeamEvent::Answered { assignment, .. } => (assignee(assignment), TimelineEventKind::Answered),
            TeamEvent::SubteamFormed { assignment, .. } => {
                (assignee(assignment), TimelineEventKind::SubteamFormed)
            }
            TeamEvent::MessageSent { .. } => (seat, TimelineEventKind::MessageSent),
            _ => return,
        };
        self.mark(entry, seat, kind);
    }

    fn mark_speaker(&mut self, team: &Team, entry: &LogEntry) {
        let asked: Vec<Seat> = match team.phase() {
            Phase::Discussing { speaker: seat } | Phase::Concluding { by: seat, .. } => vec![*seat],
            Phase::Polling { open, .. } => open.iter().copied().collect(),
            Phase::Forming { .. } | Phase::Waiting { .. } | Phase::Closed(_) => Vec::new(),
        };
        for seat in asked {
            self.mark(entry, Some(seat), TimelineEventKind::SpeakerSet);
        }
    }

    fn mark(&mut self, entry: &LogEntry, seat: Option<Seat>, kind: TimelineEventKind) {
        self.marks.push(TimelineEvent { seq: entry.seq(), at: entry.at(), seat, kind });
    }
}

fn millis(at: Timestamp) -> u64 {
    at.millis().unsigned_abs()
}
