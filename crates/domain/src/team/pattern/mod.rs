//! Patterns of conversation, chosen at launch: who speaks first, who speaks next, and what may be said.
//!
//! A pattern only arranges the conversation. That one member speaks at a time, that turns end and that limits
//! hold is the machine's affair and the same in all of them.

mod debate;
mod discuss_only;
mod plan_and_delegate;
mod reply_to_all;
mod round_robin;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use debate::Debate;
pub use discuss_only::DiscussOnly;
pub use plan_and_delegate::PlanAndDelegate;
pub use reply_to_all::ReplyToAll;
pub use round_robin::RoundRobin;

use super::{Kind, Seat, Team};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Pattern {
    PlanAndDelegate(PlanAndDelegate),
    DiscussOnly(DiscussOnly),
    RoundRobin(RoundRobin),
    Debate(Debate),
    ReplyToAll(ReplyToAll),
}

impl Pattern {
    /// Each pattern, as it is when nothing else is asked for.
    pub const ALL: [Self; 5] = [
        Self::PlanAndDelegate(PlanAndDelegate {}),
        Self::DiscussOnly(DiscussOnly {}),
        Self::RoundRobin(RoundRobin { rounds: 2 }),
        Self::Debate(Debate { rounds: 2 }),
        Self::ReplyToAll(ReplyToAll {}),
    ];

    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::PlanAndDelegate(_) => "plan_and_delegate",
            Self::DiscussOnly(_) => "discuss_only",
            Self::RoundRobin(_) => "round_robin",
            Self::Debate(_) => "debate",
            Self::ReplyToAll(_) => "reply_to_all",
        }
    }

    /// Whether the words of the members count, not what comes of work.
    pub const fn is_talk(&self) -> bool {
        !matches!(self, Self::PlanAndDelegate(_))
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pattern| pattern.as_str() == text)
    }

    pub fn rules(&self) -> &dyn Rules {
        match self {
            Self::PlanAndDelegate(rules) => rules,
            Self::DiscussOnly(rules) => rules,
            Self::RoundRobin(rules) => rules,
            Self::Debate(rules) => rules,
            Self::ReplyToAll(rules) => rules,
        }
    }
}

/// How a conversation goes. Given the same team, the same answer.
pub trait Rules {
    /// Who has the floor when the team begins; none when nobody came.
    fn first(&self, team: &Team) -> Option<Seat> {
        team.lead()
    }

    /// What the holder of the floor may say.
    fn allowed(&self, team: &Team, seat: Seat) -> Vec<Kind>;

    /// What follows when `seat` spoke, was silent or left; `named` is whom it wishes to hear next.
    fn after(&self, team: &Team, seat: Seat, named: Option<Seat>) -> Next;
}

/// What follows a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    Floor(Seat),
    /// All of these answer once, side by side.
    Everybody(BTreeSet<Seat>),
    Conclude(Seat),
}

/// The floor as members wish it: whoever was named, else the lead, else the next round the table.
fn by_wish(team: &Team, seat: Seat, named: Option<Seat>) -> Next {
    let lead = team.lead().filter(|&lead| lead != seat);
    Next::Floor(named.or(lead).or_else(|| team.next_after(seat)).unwrap_or(seat))
}

/// The next of `speakers` round the table who has had fewer than `rounds` turns; none when all have had theirs.
fn next_with_turns_left(team: &Team, speakers: &[Seat], after: Seat, rounds: u8) -> Option<Seat> {
    let has_left =
        |seat: &&Seat| team.member(**seat).is_some_and(|member| member.counts.turns < rounds.into());
    let (before, behind): (Vec<Seat>, Vec<Seat>) = speakers.iter().partition(|&&seat| seat <= after);
    behind.iter().chain(&before).find(has_left).copied()
}
