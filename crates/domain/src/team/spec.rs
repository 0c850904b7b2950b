//! Immutable founding data of a team: goal, pattern and limits.

use serde::{Deserialize, Serialize};

use super::{
    Pattern, TeamError,
    formation::{self, GoalPart, Skill},
    member::Member,
    subteam::TeamAncestry,
};
use crate::Text;

/// Sanitized goal text, up to 8,000 characters.
pub type Goal = Text<8_000>;

/// Immutable founding data of a team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamSpec {
    pub goal: Goal,
    pub pattern: Pattern,
    pub limits: TeamLimits,
    /// Hub that orders the log, identified by its signing key.
    pub home: Text<128>,
    /// Ancestors of a subteam. `None` for a team launched by a user or a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lineage: Option<TeamAncestry>,
    /// Required skills. If empty, they are derived from the goal's text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Skill>,
    /// If true, utterances that nearly repeat recent ones are not shown to the other members.
    pub suppress_repeats: bool,
}

impl TeamSpec {
    /// Returns the required skills by which members are searched.
    pub fn required_skills(&self) -> Vec<Skill> {
        self.parts().into_iter().map(|part| part.skill).collect()
    }

    /// Returns the parts of the goal in the order of work.
    pub fn parts(&self) -> Vec<GoalPart> {
        let of_goal = formation::goal_parts(self.goal.as_str());
        if self.needs.is_empty() {
            return of_goal;
        }
        // Two parts of one skill are two needs.
        let mut left = of_goal;
        let part = |need: &Skill| match left.iter().position(|part| part.skill == *need) {
            Some(at) => left.remove(at),
            None => GoalPart {
                skill: need.clone(),
                words: need.to_string(),
                full_text: need.to_string(),
                is_subject: false,
            },
        };
        self.needs.iter().map(part).collect()
    }

    pub(super) fn check(&self) -> Result<(), TeamError> {
        self.limits.check()?;
        let ancestors = self.lineage.as_ref().map_or(0, |lineage| lineage.ancestors.len());
        if ancestors + usize::from(self.limits.max_subteam_depth) > usize::from(TeamLimits::MAX_SUBTEAM_DEPTH)
        {
            return Err(TeamError::BadCharter("teams are nested too deeply"));
        }
        if self.needs.len() > Member::MAX_ROLES {
            return Err(TeamError::BadCharter("the goal needs too much"));
        }
        Ok(())
    }
}

/// Limits of a team. Times are in milliseconds. The aliases are the names in data stored before 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamLimits {
    /// Maximum number of members that the hub recruits, including open invitations. The owner may add more.
    #[serde(alias = "members")]
    pub max_members: u16,
    /// Minimum number of accepted invitations before the team starts. The last round starts without it.
    pub quorum: u16,
    /// Maximum number of invitation rounds.
    pub rounds: u8,
    /// Maximum number of turns, that is, of times the speaker is chosen.
    pub turns: u32,
    /// Maximum number of assignments, including those of subteams.
    #[serde(alias = "hops")]
    pub max_assignments: u32,
    /// Maximum nesting depth of subteams below this team.
    #[serde(alias = "depth")]
    pub max_subteam_depth: u8,
    pub tokens: u64,
    /// Maximum cost in millionths of the currency unit.
    pub cost_micro: u64,
    /// Time from founding until the team must conclude.
    pub time_ms: u64,
    /// Time limit for a turn of an agent. For a person the limit is `assignment_ms`.
    pub turn_ms: u64,
    /// Time limit for replying to an invitation.
    pub invite_ms: u64,
    /// Time limit for one assignment.
    #[serde(alias = "work_ms")]
    pub assignment_ms: u64,
}

impl TeamLimits {
    pub const MAX_MEMBERS: u16 = 64;
    pub const MAX_ROUNDS: u8 = 10;
    pub const MAX_TURNS: u32 = 1_000;
    pub const MAX_ASSIGNMENTS: u32 = 1_000;
    pub const MAX_SUBTEAM_DEPTH: u8 = 8;
    const MAX_TIME_MS: u64 = 7 * 24 * 60 * 60 * 1_000;

    pub const fn budget(&self) -> TeamBudget {
        TeamBudget { assignments: self.max_assignments, tokens: self.tokens, cost_micro: self.cost_micro }
    }

    /// Fails with the first limit that is out of bounds. The names are those of the API.
    fn check(&self) -> Result<(), TeamError> {
        let bounds = [
            ("max_members", u64::from(self.max_members), 1, u64::from(Self::MAX_MEMBERS)),
            ("quorum", self.quorum.into(), 1, self.max_members.into()),
            ("rounds", self.rounds.into(), 1, Self::MAX_ROUNDS.into()),
            ("turns", self.turns.into(), 1, Self::MAX_TURNS.into()),
            ("max_assignments", self.max_assignments.into(), 0, Self::MAX_ASSIGNMENTS.into()),
            ("max_subteam_depth", self.max_subteam_depth.into(), 0, Self::MAX_SUBTEAM_DEPTH.into()),
            ("seconds", self.time_ms.div_ceil(1_000), 1, Self::MAX_TIME_MS / 1_000),
            ("turn_seconds", self.turn_ms.div_ceil(1_000), 1, Self::MAX_TIME_MS / 1_000),
            ("invite_seconds", self.invite_ms.div_ceil(1_000), 1, Self::MAX_TIME_MS / 1_000),
            ("assignment_seconds", self.assignment_ms.div_ceil(1_000), 1, Self::MAX_TIME_MS / 1_000),
        ];
        match bounds.into_iter().find(|(_, value, min, max)| !(min..=max).contains(&value)) {
            Some((limit, _, min, max)) => Err(TeamError::LimitOutOfBounds { limit, min, max }),
            None => Ok(()),
        }
    }
}

/// Remaining budget of a team, or the budget reserved for a subteam.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamBudget {
    /// The alias is its name in logs stored before 0.1.
    #[serde(alias = "hops")]
    pub assignments: u32,
    pub tokens: u64,
    pub cost_micro: u64,
}

impl TeamBudget {
    pub const fn checked_sub(self, other: Self) -> Self {
        Self {
            assignments: self.assignments.saturating_sub(other.assignments),
            tokens: self.tokens.saturating_sub(other.tokens),
            cost_micro: self.cost_micro.saturating_sub(other.cost_micro),
        }
    }

    /// Returns one of `parts` equal shares, rounded down.
    pub(super) fn share(self, parts: u32) -> Self {
        let parts = parts.max(1);
        Self {
            assignments: self.assignments / parts,
            tokens: self.tokens / u64::from(parts),
            cost_micro: self.cost_micro / u64::from(parts),
        }
    }

    pub(super) const fn covers(self, other: Self) -> bool {
        self.assignments >= other.assignments
            && self.tokens >= other.tokens
            && self.cost_micro >= other.cost_micro
    }
}

impl Default for TeamLimits {
    fn default() -> Self {
        Self {
            max_members: 4,
            quorum: 1,
            rounds: 3,
            turns: 40,
            max_assignments: 32,
            max_subteam_depth: 2,
            tokens: 1_000_000,
            cost_micro: 5_000_000,
            time_ms: 30 * 60_000,
            turn_ms: 2 * 60_000,
            invite_ms: 20_000,
            assignment_ms: 10 * 60_000,
        }
    }
}
