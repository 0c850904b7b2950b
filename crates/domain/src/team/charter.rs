//! What a team is founded on. It never changes afterwards.

use serde::{Deserialize, Serialize};

use super::{
    Pattern, Refusal,
    formation::{self, Skill},
    member::Member,
    nested::Lineage,
};
use crate::Text;

pub type Goal = Text<8_000>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charter {
    pub goal: Goal,
    pub pattern: Pattern,
    pub limits: Limits,
    /// The hub that orders the log, by the key it signs with.
    pub home: Text<128>,
    /// The teams above; none for a team that a person or a program launched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lineage: Option<Lineage>,
    /// What the goal needs, where that is known better than from its words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Skill>,
    /// Whether what nearly repeats recent words is kept from the others.
    pub suppress_repeats: bool,
}

impl Charter {
    /// What members are looked for by.
    pub fn needs(&self) -> Vec<Skill> {
        if self.needs.is_empty() { formation::needs(self.goal.as_str()) } else { self.needs.clone() }
    }

    pub(super) fn check(&self) -> Result<(), Refusal> {
        let above = self.lineage.as_ref().map_or(0, |lineage| lineage.above.len());
        if above + usize::from(self.limits.depth) > usize::from(Limits::MAX_DEPTH) {
            return Err(Refusal::BadCharter("teams are nested too deeply"));
        }
        if self.needs.len() > Member::MAX_ROLES {
            return Err(Refusal::BadCharter("the goal needs too much"));
        }
        self.limits.check()
    }
}

/// How much of everything a team may use. Times are milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Members at a time that the hub looks for, invited ones included. Its owner may take in more.
    pub members: u16,
    /// How many must accept before the team begins; the last round begins with whoever came.
    pub quorum: u16,
    /// Rounds of inviting.
    pub rounds: u8,
    /// How often the floor is given.
    pub turns: u32,
    /// Pieces of work handed to members, those of teams below included.
    pub hops: u32,
    /// Levels of teams below this one.
    pub depth: u8,
    pub tokens: u64,
    /// Millionths of the currency unit.
    pub cost_micro: u64,
    /// From founding until the team must conclude.
    pub time_ms: u64,
    /// For an agent that has the floor; a person has `work_ms`.
    pub turn_ms: u64,
    /// For an answer to an invitation.
    pub invite_ms: u64,
    /// For one assignment.
    pub work_ms: u64,
}

impl Limits {
    pub const MAX_MEMBERS: u16 = 64;
    pub const MAX_ROUNDS: u8 = 10;
    pub const MAX_TURNS: u32 = 1_000;
    pub const MAX_HOPS: u32 = 1_000;
    pub const MAX_DEPTH: u8 = 8;
    const MAX_TIME_MS: u64 = 7 * 24 * 60 * 60 * 1_000;

    pub const fn budget(&self) -> Budget {
        Budget { hops: self.hops, tokens: self.tokens, cost_micro: self.cost_micro }
    }

    fn check(&self) -> Result<(), Refusal> {
        let times = [self.time_ms, self.turn_ms, self.invite_ms, self.work_ms];
        let counts = (1..=Self::MAX_MEMBERS).contains(&self.members)
            && (1..=self.members).contains(&self.quorum)
            && (1..=Self::MAX_ROUNDS).contains(&self.rounds)
            && (1..=Self::MAX_TURNS).contains(&self.turns)
            && self.hops <= Self::MAX_HOPS
            && self.depth <= Self::MAX_DEPTH;
        match counts && times.iter().all(|time| (1..=Self::MAX_TIME_MS).contains(time)) {
            true => Ok(()),
            false => Err(Refusal::BadCharter("a limit is out of bounds")),
        }
    }
}

/// What a team may still use, or what it sets aside for a team below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    pub hops: u32,
    pub tokens: u64,
    pub cost_micro: u64,
}

impl Budget {
    pub const fn minus(self, other: Self) -> Self {
        Self {
            hops: self.hops.saturating_sub(other.hops),
            tokens: self.tokens.saturating_sub(other.tokens),
            cost_micro: self.cost_micro.saturating_sub(other.cost_micro),
        }
    }

    /// One of `parts` equal shares.
    pub(super) fn share(self, parts: u32) -> Self {
        let parts = parts.max(1);
        Self {
            hops: self.hops / parts,
            tokens: self.tokens / u64::from(parts),
            cost_micro: self.cost_micro / u64::from(parts),
        }
    }

    pub(super) const fn covers(self, other: Self) -> bool {
        self.hops >= other.hops && self.tokens >= other.tokens && self.cost_micro >= other.cost_micro
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            members: 4,
            quorum: 1,
            rounds: 3,
            turns: 40,
            hops: 32,
            depth: 2,
            tokens: 1_000_000,
            cost_micro: 5_000_000,
            time_ms: 30 * 60_000,
            turn_ms: 2 * 60_000,
            invite_ms: 20_000,
            work_ms: 10 * 60_000,
        }
    }
}
