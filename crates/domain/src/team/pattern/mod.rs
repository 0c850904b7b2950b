//! Conversation patterns: who speaks first, who speaks next and which utterances are allowed.
//!
//! A pattern is chosen at launch and only defines the order of turns. The state machine enforces the rules
//! common to all patterns: one speaker at a time, turn timeouts and limits.

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

use super::{Seat, Team, UtteranceKind};

/// A conversation pattern with its parameters.
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
    /// All patterns with default parameters.
    pub const ALL: [Self; 5] = [
        Self::PlanAndDelegate(PlanAndDelegate {}),
        Self::DiscussOnly(DiscussOnly {}),
        Self::RoundRobin(RoundRobin { rounds: 2 }),
        Self::Debate(Debate { rounds: 2, pair_argues: true }),
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

    /// Returns true if the answer comes from the discussion instead of from assignment results.
    pub const fn is_talk(&self) -> bool {
        !matches!(self, Self::PlanAndDelegate(_))
    }

    /// Minimum number of members.
    pub const fn min_members(&self) -> u16 {
        match self {
            Self::Debate(Debate { pair_argues: true, .. }) => 2,
            _ => 1,
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pattern| pattern.as_str() == text)
    }

    pub fn rules(&self) -> &dyn TurnPolicy {
        match self {
            Self::PlanAndDelegate(rules) => rules,
            Self::DiscussOnly(rules) => rules,
            Self::RoundRobin(rules) => rules,
            Self::Debate(rules) => rules,
            Self::ReplyToAll(rules) => rules,
        }
    }
}

/// Turn policy. Deterministic: equal teams give equal results.
pub trait TurnPolicy {
    /// Returns the first speaker, or `None` if the team has no active member.
    fn first(&self, team: &Team) -> Option<Seat> {
        team.leader()
    }

    /// Returns the utterances allowed for the speaker.
    fn allowed(&self, team: &Team, seat: Seat) -> Vec<UtteranceKind>;

    /// Returns what follows after `seat` spoke, timed out or left. `named` is the next speaker it requested.
    fn after(&self, team: &Team, seat: Seat, named: Option<Seat>) -> NextTurn;
}

/// What follows a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextTurn {
    Speaker(Seat),
    /// All these members answer once, in parallel.
    AllMembers(BTreeSet<Seat>),
    Conclude(Seat),
}

/// Returns the requested speaker, else the leader, else the next member in cyclic order.
fn requested_or_next(team: &Team, seat: Seat, named: Option<Seat>) -> NextTurn {
    let lead = team.leader().filter(|&lead| lead != seat);
    NextTurn::Speaker(named.or(lead).or_else(|| team.next_after(seat)).unwrap_or(seat))
}

/// Returns the next of `speakers` in cyclic order with fewer than `rounds` turns, or `None` if all are done.
fn next_with_turns_left(team: &Team, speakers: &[Seat], after: Seat, rounds: u8) -> Option<Seat> {
    let has_left =
        |seat: &&Seat| team.member(**seat).is_some_and(|member| member.counts.turns < rounds.into());
    let (before, behind): (Vec<Seat>, Vec<Seat>) = speakers.iter().partition(|&&seat| seat <= after);
    behind.iter().chain(&before).find(has_left).copied()
}
