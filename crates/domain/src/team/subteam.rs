//! Subteams: a member forms a team for its assignment. Cancellation propagates down, results propagate up.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    AssignmentNo, CONCLUDING_GRACE, LogEntry, LongText, MemberIdentity, Proposal, Team, TeamActor, TeamError,
    TeamEvent, TeamFailure, TeamLimits, TeamOutcome, TeamSpec,
    assignment::{AssignmentOutcome, AssignmentReport, BETWEEN_PARTS},
    formation::{self, Skill},
    member::Invitee,
    spec::{Goal, TeamBudget},
};
use crate::{ChatId, Digest, Timestamp};

/// Ancestry of a subteam. The aliases are the names in logs stored before 0.1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamAncestry {
    pub parent: ChatId,
    /// The assignment that the subteam was formed for.
    #[serde(alias = "work")]
    pub assignment: AssignmentNo,
    /// Digests of the member sets of the ancestor teams, outermost first.
    #[serde(alias = "above")]
    pub ancestors: Vec<Digest>,
}

impl TeamAncestry {
    /// Returns true if an ancestor team has exactly these members. Such a subteam could recurse forever.
    pub fn has_ancestor_with_members(&self, circle: &Digest) -> bool {
        self.ancestors.contains(circle)
    }
}

/// Returns an order-independent digest of a set of members.
pub fn member_set<'a>(members: impl IntoIterator<Item = &'a MemberIdentity>) -> Digest {
    let keys: BTreeSet<String> = members.into_iter().map(MemberIdentity::key).collect();
    let text: String = keys.iter().map(|key| format!("{}:{key}\n", key.len())).collect();
    Digest::of(text)
}

/// A newly created subteam. Both logs must be committed in one transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct SubteamCreation {
    pub team: Team,
    /// The first entries of the subteam's log.
    pub log: Vec<LogEntry>,
    /// The entries appended to the parent's log.
    pub parent_log: Vec<LogEntry>,
}

impl Team {
    pub(super) fn member_set(&self) -> Digest {
        member_set(self.active().filter_map(|seat| self.member(seat)).map(|member| &member.invitee.identity))
    }

    /// Returns the skills an assignment needs: those of the parts of the goal that it names, those of the goal if it is
    /// the whole goal, or those of its title.
    pub fn skills_of_assignment(&self, no: AssignmentNo) -> Vec<Skill> {
        let Some(work) = self.assignment(no) else { return Vec::new() };
        if work.spec.description.as_str() == self.charter.goal.as_str() {
            return self.charter.required_skills();
        }
        let title = work.spec.title.as_str();
        let parts = self.charter.parts();
        let skill =
            |words: &str| parts.iter().find(|part| part.words == words).map(|part| part.skill.clone());
        let known: Option<Vec<Skill>> = title.split(BETWEEN_PARTS).map(skill).collect();
        known.unwrap_or_else(|| formation::required_skills(title))
    }

    /// Creates a subteam for an assignment and invites its members.
    pub fn create_subteam(
        &self,
        by: TeamActor,
        no: AssignmentNo,
        id: ChatId,
        members: Vec<Invitee>,
        now: Timestamp,
    ) -> Result<SubteamCreation, TeamError> {
        let mut charter = self.subteam_spec(no, now)?;
        let new = member_set(members.iter().map(|invitee| &invitee.identity));
        if charter.lineage.as_ref().is_some_and(|lineage| lineage.has_ancestor_with_members(&new)) {
            return Err(TeamError::NoTeamBelow("the same members are at work above"));
        }
        let places = u16::try_from(members.len()).map_err(|_| TeamError::Full("members"))?;
        charter.limits.max_members = charter.limits.max_members.max(places);
        let budget = charter.limits.budget();
        let say = |team, by, event| Proposal { team, by, event, proof: None };
        let formed = TeamEvent::SubteamFormed { assignment: no, team: id, budget };
        let parent_log = self.propose(&say(self.id, by, formed), now)?;
        let (mut team, founding) = Self::create(id, charter, now)?;
        let inviter = if by == TeamActor::Owner { TeamActor::Owner } else { TeamActor::Home };
        let invited = team.propose(&say(id, inviter, TeamEvent::Invited { members }), now)?;
        invited.iter().try_for_each(|entry| team.apply(entry))?;
        Ok(SubteamCreation { team, log: [vec![founding], invited].concat(), parent_log })
    }

    /// Returns the spec of a subteam for this assignment.
    ///
    /// The budget is an equal share of the remaining budget over the open assignments without subteam. The
    /// time limit ends early enough for the answer to arrive before the assignment's deadline.
    pub fn subteam_spec(&self, no: AssignmentNo, now: Timestamp) -> Result<TeamSpec, TeamError> {
        let work = self.assignment(no).filter(|work| work.is_open()).ok_or(TeamError::NoSuchWork(no))?;
        let max_subteam_depth = self
            .limits()
            .max_subteam_depth
            .checked_sub(1)
            .ok_or(TeamError::NoTeamBelow("the depth is used up"))?;
        let sharers = self.open_assignments().filter(|(_, work)| work.child.is_none()).count();
        let TeamBudget { assignments: max_assignments, tokens, cost_micro } =
            self.remaining().share(u32::try_from(sharers).unwrap_or(u32::MAX));
        let time = work.deadline.since(now).saturating_sub(CONCLUDING_GRACE);
        let time_ms = u64::try_from(time.as_millis()).unwrap_or(0);
        if max_assignments == 0 || tokens == 0 || time_ms == 0 {
            return Err(TeamError::NoTeamBelow("too little is left of the limits"));
        }
        let mut ancestors =
            self.charter.lineage.as_ref().map_or_else(Vec::new, |lineage| lineage.ancestors.clone());
        ancestors.push(self.member_set());
        let goal = Goal::truncate(work.spec.description.as_str())
            .ok_or(TeamError::Malformed("the goal is empty"))?;
        let lineage = Some(TeamAncestry { parent: self.id, assignment: no, ancestors });
        let limits =
            TeamLimits { max_subteam_depth, max_assignments, tokens, cost_micro, time_ms, ..*self.limits() };
        Ok(TeamSpec { goal, limits, lineage, needs: self.skills_of_assignment(no), ..self.charter.clone() })
    }

    /// Returns the report of an ended subteam to its parent, or `None` while it is running.
    pub fn report_to_parent(&self) -> Option<AssignmentReport> {
        let (end, text) = match self.outcome()? {
            TeamOutcome::Concluded { text, .. } => (AssignmentOutcome::Completed, Some(text.clone())),
            TeamOutcome::Cancelled { reason } => {
                (AssignmentOutcome::Cancelled, LongText::truncate(reason.as_str()))
            }
            TeamOutcome::Failed(TeamFailure::OutOfTime) => (AssignmentOutcome::TimedOut, None),
            TeamOutcome::Failed(failed) => (AssignmentOutcome::Failed, LongText::truncate(failed.as_str())),
        };
        let subteam_assignments = self.limits().max_assignments.saturating_sub(self.remaining().assignments);
        Some(AssignmentReport { end, text, usage: self.usage(), subteam_assignments })
    }
}
