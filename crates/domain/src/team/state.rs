//! State of a team, derived from its log.

use std::collections::{BTreeSet, VecDeque};

use super::{
    Assignment, AssignmentNo, LongText, Seat, ShortText, TeamLimits, TeamSpec, UtteranceKind,
    member::{Member, MemberStatus},
    near_duplicate::ShingleSet,
    spec::TeamBudget,
    utterance::{GroupQuestion, PlanStep},
};
use crate::{ChatId, Digest, MessageId, Timestamp, run::Usage};

/// State of a team after applying its log up to `seq`.
#[derive(Clone, Debug, PartialEq)]
pub struct Team {
    pub(super) id: ChatId,
    pub(super) charter: TeamSpec,
    pub(super) founded: Timestamp,
    /// Sequence number, digest (`log_head`) and time (`at`) of the last entry.
    pub(super) seq: u64,
    pub(super) head: Digest,
    pub(super) at: Timestamp,
    pub(super) members: Vec<Member>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) phase: Phase,
    /// Start of the phase, moved forward by the time in which no instance of the home hub served the team.
    pub(super) since: Timestamp,
    /// Extension of the team's time limit, in milliseconds.
    pub(super) extended_ms: u64,
    /// Number of turns so far.
    pub(super) turn: u32,
    pub(super) plan: Vec<PlanStep>,
    /// The last vote that ended.
    pub(super) vote: Option<GroupQuestion>,
    /// The most recent utterances and messages of people, oldest first; at most [`Team::RECENT`].
    pub(super) recent: VecDeque<TranscriptLine>,
    /// Number of consecutive near-duplicate utterances.
    pub(super) repeats: u32,
    /// Usage of the models that chose members and utterances for the team.
    pub(super) deciding: Usage,
    pub(super) messages: BTreeSet<MessageId>,
}

/// Phase of a team. Each phase except `Closed` is bounded by a deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Candidates are searched and invited.
    Forming {
        round: u8,
    },
    /// One member speaks.
    Discussing {
        speaker: Seat,
    },
    /// The members in `open` are asked the same question and answer once each; then `back` speaks.
    Polling {
        poll: GroupQuestion,
        open: BTreeSet<Seat>,
        back: Seat,
    },
    /// The team waits until all assignments in `on` have ended; then `back` speaks.
    Waiting {
        on: BTreeSet<AssignmentNo>,
        back: Seat,
    },
    /// `by` writes the final answer. `limit` is the exhausted limit that forced the conclusion, if any.
    Concluding {
        by: Seat,
        limit: Option<ExhaustedLimit>,
        tries: u8,
    },
    Closed(TeamOutcome),
}

impl Phase {
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Forming { .. } => "forming",
            Self::Discussing { .. } => "discussing",
            Self::Polling { .. } => "polling",
            Self::Waiting { .. } => "waiting",
            Self::Concluding { .. } => "concluding",
            Self::Closed(TeamOutcome::Concluded { .. }) => "concluded",
            Self::Closed(TeamOutcome::Failed(_)) => "failed",
            Self::Closed(TeamOutcome::Cancelled { .. }) => "cancelled",
        }
    }
}

/// Limit whose exhaustion forces a team to conclude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExhaustedLimit {
    Turns,
    Tokens,
    Cost,
    Time,
    /// The members only repeat themselves.
    Repeats,
}

/// How a team ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TeamOutcome {
    Concluded { by: Seat, text: LongText },
    Failed(TeamFailure),
    Cancelled { reason: ShortText },
}

/// Why a team ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TeamFailure {
    /// The hub found no agent for any part of the goal.
    NoCandidates,
    NoMemberAccepted,
    NoMembersLeft,
    /// The pattern needs more members than joined.
    TooFewMembers,
    NoConclusion,
    OutOfTime,
    /// A team with exactly the same members is an ancestor of this one.
    SameMembersAbove,
    /// The answer states that there is no result.
    NoResult,
}

impl TeamFailure {
    /// Returns the description shown to users.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoCandidates => {
                "No agent on this hub fits the goal. Name members, or say in other words what is to be done."
            }
            Self::NoMemberAccepted => "Nobody accepted the invitation.",
            Self::NoMembersLeft => "All members left before the goal was reached.",
            Self::TooFewMembers => {
                "A debate needs at least two members. Name another member, or choose another pattern."
            }
            Self::NoConclusion => "No member wrote an answer.",
            Self::NoResult => "No member produced a result.",
            Self::OutOfTime => "The time of the team was over.",
            Self::SameMembersAbove => "The same members are at work on it in a team above.",
        }
    }
}

/// An utterance, or a message of a person, in the transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptLine {
    /// `None` for the owner, who has no seat.
    pub seat: Option<Seat>,
    pub text: LongText,
    /// Shingles of the text. Cached, because each new line is compared with all recent ones.
    fingerprint: ShingleSet,
}

impl TranscriptLine {
    pub(super) fn new(seat: Option<Seat>, text: &LongText) -> Self {
        Self { seat, text: text.clone(), fingerprint: ShingleSet::of(text.as_str()) }
    }

    pub(super) fn nearly_repeats(&self, earlier: &Self) -> bool {
        self.fingerprint.nearly_repeats(&earlier.fingerprint)
    }
}

impl Team {
    /// Length of the transcript that is retained besides the log: context for decision makers and for
    /// near-duplicate detection.
    pub const RECENT: usize = 16;

    pub const fn id(&self) -> ChatId {
        self.id
    }

    pub const fn charter(&self) -> &TeamSpec {
        &self.charter
    }

    pub const fn limits(&self) -> &TeamLimits {
        &self.charter.limits
    }

    pub const fn founded(&self) -> Timestamp {
        self.founded
    }

    /// Returns the time of the last entry.
    pub const fn at(&self) -> Timestamp {
        self.at
    }

    /// Returns when the team ended. Late reports may be appended to the log afterwards.
    pub fn ended_at(&self) -> Option<Timestamp> {
        self.outcome().map(|_| self.since)
    }

    /// Returns the sequence number and the digest of the last entry.
    pub const fn log_head(&self) -> (u64, Digest) {
        (self.seq, self.head)
    }

    /// Returns all members ever invited, indexed by seat number.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Returns all assignments, indexed by their number.
    pub fn assignments(&self) -> &[Assignment] {
        &self.assignments
    }

    pub const fn phase(&self) -> &Phase {
        &self.phase
    }

    pub const fn turn(&self) -> u32 {
        self.turn
    }

    pub fn plan(&self) -> &[PlanStep] {
        &self.plan
    }

    pub const fn last_vote(&self) -> Option<&GroupQuestion> {
        self.vote.as_ref()
    }

    pub fn recent(&self) -> impl DoubleEndedIterator<Item = &TranscriptLine> {
        self.recent.iter()
    }

    pub const fn outcome(&self) -> Option<&TeamOutcome> {
        match &self.phase {
            Phase::Closed(outcome) => Some(outcome),
            _ => None,
        }
    }

    pub fn member(&self, seat: Seat) -> Option<&Member> {
        self.members.get(usize::from(seat.0))
    }

    pub fn assignment(&self, no: AssignmentNo) -> Option<&Assignment> {
        self.assignments.get(usize::try_from(no.0).ok()?)
    }

    /// Returns whether no other assignment has the title of this one. Work that failed is given twice at most.
    pub fn is_first_try(&self, work: &Assignment) -> bool {
        self.assignments.iter().filter(|other| other.spec.title == work.spec.title).count() == 1
    }

    pub fn open_assignments(&self) -> impl Iterator<Item = (AssignmentNo, &Assignment)> {
        (0..).map(AssignmentNo).zip(&self.assignments).filter(|(_, work)| work.is_open())
    }

    pub fn seats(&self) -> impl DoubleEndedIterator<Item = Seat> {
        (0..u16::try_from(self.members.len()).unwrap_or(u16::MAX)).map(Seat)
    }

    /// Returns true if the member is active: it can speak and get assignments.
    pub fn is_active(&self, seat: Seat) -> bool {
        self.member(seat).is_some_and(|member| member.status == MemberStatus::Active)
    }

    pub fn active(&self) -> impl DoubleEndedIterator<Item = Seat> {
        self.seats().filter(|&seat| self.is_active(seat))
    }

    /// Returns true if the seat belongs to a person who has not left.
    pub fn is_person(&self, seat: Seat) -> bool {
        self.member(seat).is_some_and(|member| member.is_person() && !member.is_gone())
    }

    /// Returns the leader: the first active member, who speaks by default.
    pub fn leader(&self) -> Option<Seat> {
        self.active().next()
    }

    /// Returns the active member after `seat` in cyclic order; `seat` itself if it is the only one.
    pub fn next_after(&self, seat: Seat) -> Option<Seat> {
        self.active().find(|&next| next > seat).or_else(|| self.leader())
    }

    /// Returns true if the team waits for an utterance of this member.
    pub fn is_asked(&self, seat: Seat) -> bool {
        match &self.phase {
            Phase::Discussing { speaker } => *speaker == seat,
            Phase::Polling { open, .. } => open.contains(&seat),
            Phase::Concluding { by, .. } => *by == seat,
            Phase::Forming { .. } | Phase::Waiting { .. } | Phase::Closed(_) => false,
        }
    }

    /// Returns the kinds of utterances allowed for this member now; empty if it is not asked.
    pub fn allowed(&self, seat: Seat) -> Vec<UtteranceKind> {
        match &self.phase {
            _ if !self.is_asked(seat) => Vec::new(),
            Phase::Discussing { .. } => {
                let mut kinds = self.charter.pattern.rules().allowed(self, seat);
                kinds.retain(|&kind| self.makes_sense(kind));
                kinds
            }
            Phase::Polling { poll: GroupQuestion::Views, .. } => vec![UtteranceKind::Discuss],
            Phase::Polling { poll: GroupQuestion::Vote { .. }, .. } => vec![UtteranceKind::Ballot],
            _ => vec![UtteranceKind::Conclude],
        }
    }

    fn makes_sense(&self, kind: UtteranceKind) -> bool {
        match kind {
            UtteranceKind::AssignNow | UtteranceKind::AssignBackground => self.remaining().assignments > 0,
            UtteranceKind::WaitFor => self.open_assignments().next().is_some(),
            UtteranceKind::Vote => self.active().nth(1).is_some(),
            UtteranceKind::Ballot => false,
            UtteranceKind::Discuss | UtteranceKind::Plan | UtteranceKind::Conclude => true,
        }
    }

    /// Returns the total usage of all members and decision makers.
    pub fn usage(&self) -> Usage {
        self.members.iter().fold(self.deciding, |sum, member| sum.saturating_add(member.counts.usage))
    }

    /// Returns the remaining budget: the limits minus usage and minus the budgets reserved for subteams.
    pub fn remaining(&self) -> TeamBudget {
        let usage = self.usage();
        let count =
            |sum: u32, work: &Assignment| sum.saturating_add(work.subteam_assignments).saturating_add(1);
        let assignments = self.assignments.iter().fold(0, count);
        let used = TeamBudget { assignments, tokens: usage.tokens(), cost_micro: usage.cost_micro };
        let below = self.open_assignments().filter_map(|(_, work)| work.child);
        below.fold(self.limits().budget().checked_sub(used), |left, child| left.checked_sub(child.budget))
    }

    /// Returns the exhausted limit, if any. Time limits are handled in `clock`.
    pub(super) fn exhausted_limit(&self) -> Option<ExhaustedLimit> {
        let (limits, usage) = (self.limits(), self.usage());
        if self.turn > limits.turns {
            Some(ExhaustedLimit::Turns)
        } else if usage.tokens() > limits.tokens {
            Some(ExhaustedLimit::Tokens)
        } else if usage.cost_micro > limits.cost_micro {
            Some(ExhaustedLimit::Cost)
        } else {
            None
        }
    }
}
