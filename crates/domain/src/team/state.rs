//! Where a team stands.

use std::collections::{BTreeSet, VecDeque};

use super::{
    Charter, Kind, Limits, Note, Seat, Words, Work, WorkNo,
    charter::Budget,
    member::{Member, Presence},
    repeat::Fingerprint,
    utterance::{Poll, Step},
};
use crate::{ChatId, Digest, MessageId, Timestamp, run::Usage};

/// A team, as its log has it so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Team {
    pub(super) id: ChatId,
    pub(super) charter: Charter,
    pub(super) founded: Timestamp,
    /// The last entry: its number, its digest, its time.
    pub(super) seq: u64,
    pub(super) head: Digest,
    pub(super) at: Timestamp,
    pub(super) members: Vec<Member>,
    pub(super) work: Vec<Work>,
    pub(super) phase: Phase,
    /// When the phase began, plus the time since then that no process of the home hub served the team.
    pub(super) since: Timestamp,
    /// How much later the team's time ends, in milliseconds.
    pub(super) extended_ms: u64,
    /// How often the floor was given.
    pub(super) turn: u32,
    pub(super) plan: Vec<Step>,
    /// The last vote that ended.
    pub(super) vote: Option<Poll>,
    /// The last words, oldest first; see [`Team::RECENT`].
    pub(super) recent: VecDeque<Line>,
    /// Near-repeats in a row.
    pub(super) repeats: u32,
    /// What models took that decided for the team.
    pub(super) deciding: Usage,
    pub(super) remarks: BTreeSet<MessageId>,
}

/// What the team is doing. Each phase but the last ends by a deadline, if by nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Members are looked for and invited.
    Forming {
        round: u8,
    },
    /// One member has the floor.
    Discussing {
        floor: Seat,
    },
    /// Those in `open` are asked the same and answer once each; then `back` has the floor.
    Polling {
        poll: Poll,
        open: BTreeSet<Seat>,
        back: Seat,
    },
    /// Until all of `on` have ended; then `back` has the floor.
    Waiting {
        on: BTreeSet<WorkNo>,
        back: Seat,
    },
    /// `by` writes the answer to the goal; `limit` is what made the team stop, if one did.
    Concluding {
        by: Seat,
        limit: Option<Limit>,
        tries: u8,
    },
    Closed(Outcome),
}

impl Phase {
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Forming { .. } => "forming",
            Self::Discussing { .. } => "discussing",
            Self::Polling { .. } => "polling",
            Self::Waiting { .. } => "waiting",
            Self::Concluding { .. } => "concluding",
            Self::Closed(Outcome::Concluded { .. }) => "concluded",
            Self::Closed(Outcome::Failed(_)) => "failed",
            Self::Closed(Outcome::Cancelled { .. }) => "cancelled",
        }
    }
}

/// Why a team must conclude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    Turns,
    Tokens,
    Cost,
    Time,
    /// The members only repeat themselves.
    Repeats,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Concluded { by: Seat, text: Words },
    Failed(Failed),
    Cancelled { reason: Note },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failed {
    NobodyCame,
    NobodyLeft,
    NobodyConcluded,
    OutOfTime,
    /// The same members are at work in a team above.
    SameMembersAbove,
    /// The answer says that there is none.
    NoResult,
}

impl Failed {
    /// For people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NobodyCame => "Nobody accepted the invitation.",
            Self::NobodyLeft => "All members left before the goal was reached.",
            Self::NobodyConcluded => "No member wrote an answer.",
            Self::NoResult => "No member produced a result.",
            Self::OutOfTime => "The time of the team was over.",
            Self::SameMembersAbove => "The same members are at work on it in a team above.",
        }
    }
}

/// Words that were said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// None for the owner, who has no seat.
    pub seat: Option<Seat>,
    pub text: Words,
    /// Follows from the text; kept, since each new line is compared with all recent ones.
    fingerprint: Fingerprint,
}

impl Line {
    pub(super) fn new(seat: Option<Seat>, text: &Words) -> Self {
        Self { seat, text: text.clone(), fingerprint: Fingerprint::of(text.as_str()) }
    }

    pub(super) fn nearly_repeats(&self, earlier: &Self) -> bool {
        self.fingerprint.nearly_repeats(&earlier.fingerprint)
    }
}

impl Team {
    /// Lines that are remembered besides the log: what a decider reads, and what a near-repeat is compared with.
    pub const RECENT: usize = 16;

    pub const fn id(&self) -> ChatId {
        self.id
    }

    pub const fn charter(&self) -> &Charter {
        &self.charter
    }

    pub const fn limits(&self) -> &Limits {
        &self.charter.limits
    }

    pub const fn founded(&self) -> Timestamp {
        self.founded
    }

    /// The time of the last entry.
    pub const fn at(&self) -> Timestamp {
        self.at
    }

    /// When it ended. What came too late is written down after that.
    pub fn ended(&self) -> Option<Timestamp> {
        self.outcome().map(|_| self.since)
    }

    /// The number and the digest of the last entry.
    pub const fn head(&self) -> (u64, Digest) {
        (self.seq, self.head)
    }

    /// Every member that was ever invited; a seat is the place in this list.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Every assignment; its number is the place in this list.
    pub fn work(&self) -> &[Work] {
        &self.work
    }

    pub const fn phase(&self) -> &Phase {
        &self.phase
    }

    pub const fn turn(&self) -> u32 {
        self.turn
    }

    pub fn plan(&self) -> &[Step] {
        &self.plan
    }

    pub const fn last_vote(&self) -> Option<&Poll> {
        self.vote.as_ref()
    }

    pub fn recent(&self) -> impl DoubleEndedIterator<Item = &Line> {
        self.recent.iter()
    }

    pub const fn outcome(&self) -> Option<&Outcome> {
        match &self.phase {
            Phase::Closed(outcome) => Some(outcome),
            _ => None,
        }
    }

    pub fn member(&self, seat: Seat) -> Option<&Member> {
        self.members.get(usize::from(seat.0))
    }

    pub fn work_item(&self, no: WorkNo) -> Option<&Work> {
        self.work.get(usize::try_from(no.0).ok()?)
    }

    pub fn open_work(&self) -> impl Iterator<Item = (WorkNo, &Work)> {
        (0..).map(WorkNo).zip(&self.work).filter(|(_, work)| work.is_open())
    }

    pub fn seats(&self) -> impl DoubleEndedIterator<Item = Seat> {
        (0..u16::try_from(self.members.len()).unwrap_or(u16::MAX)).map(Seat)
    }

    /// Whether the member takes part: may be given the floor and work.
    pub fn is_active(&self, seat: Seat) -> bool {
        self.member(seat).is_some_and(|member| member.presence == Presence::Active)
    }

    pub fn active(&self) -> impl DoubleEndedIterator<Item = Seat> {
        self.seats().filter(|&seat| self.is_active(seat))
    }

    /// Whether a person sits there.
    pub fn is_person(&self, seat: Seat) -> bool {
        self.member(seat).is_some_and(|member| member.is_person() && !member.is_gone())
    }

    /// Who has the floor when nobody else has: the first active member.
    pub fn lead(&self) -> Option<Seat> {
        self.active().next()
    }

    /// The active member after `seat`, round the table; `seat` itself when it is the only one.
    pub fn next_after(&self, seat: Seat) -> Option<Seat> {
        self.active().find(|&next| next > seat).or_else(|| self.lead())
    }

    /// Whether the team waits for words of this member.
    pub fn is_asked(&self, seat: Seat) -> bool {
        match &self.phase {
            Phase::Discussing { floor } => *floor == seat,
            Phase::Polling { open, .. } => open.contains(&seat),
            Phase::Concluding { by, .. } => *by == seat,
            Phase::Forming { .. } | Phase::Waiting { .. } | Phase::Closed(_) => false,
        }
    }

    /// What this member may say now; empty when it is not asked.
    pub fn allowed(&self, seat: Seat) -> Vec<Kind> {
        match &self.phase {
            _ if !self.is_asked(seat) => Vec::new(),
            Phase::Discussing { .. } => {
                let mut kinds = self.charter.pattern.rules().allowed(self, seat);
                kinds.retain(|&kind| self.makes_sense(kind));
                kinds
            }
            Phase::Polling { poll: Poll::Views, .. } => vec![Kind::Discuss],
            Phase::Polling { poll: Poll::Vote { .. }, .. } => vec![Kind::Ballot],
            _ => vec![Kind::Conclude],
        }
    }

    fn makes_sense(&self, kind: Kind) -> bool {
        match kind {
            Kind::AssignNow | Kind::AssignBackground => self.left().hops > 0,
            Kind::PauseFor => self.open_work().next().is_some(),
            Kind::Vote => self.active().nth(1).is_some(),
            Kind::Ballot => false,
            Kind::Discuss | Kind::Plan | Kind::Conclude => true,
        }
    }

    /// What all members used together, and those who decided for them.
    pub fn usage(&self) -> Usage {
        self.members.iter().fold(self.deciding, |sum, member| sum.plus(member.counts.usage))
    }

    /// What may still be used: the limits, less what was used, less what is set aside for teams below.
    pub fn left(&self) -> Budget {
        let usage = self.usage();
        let hops = self.work.iter().fold(0_u32, |sum, work| sum.saturating_add(work.hops).saturating_add(1));
        let used = Budget { hops, tokens: usage.tokens(), cost_micro: usage.cost_micro };
        let below = self.open_work().filter_map(|(_, work)| work.child);
        below.fold(self.limits().budget().minus(used), |left, child| left.minus(child.budget))
    }

    /// The limit that is used up, if one is. Time is the clock's affair.
    pub(super) fn used_up(&self) -> Option<Limit> {
        let (limits, usage) = (self.limits(), self.usage());
        if self.turn > limits.turns {
            Some(Limit::Turns)
        } else if usage.tokens() > limits.tokens {
            Some(Limit::Tokens)
        } else if usage.cost_micro > limits.cost_micro {
            Some(Limit::Cost)
        } else {
            None
        }
    }
}
