//! Subteams: a member forms a team for its assignment. Cancellation propagates down, results propagate up.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    Author, CONCLUDING_GRACE, Charter, Entry, Event, Failed, Identity, Limits, Outcome, Proposal, Refusal,
    Team, Words, WorkNo,
    charter::{Budget, Goal},
    formation::{self, Skill},
    member::Invitee,
    work::{End, Report},
};
use crate::{ChatId, Digest, Timestamp};

/// Ancestry of a subteam.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lineage {
    pub parent: ChatId,
    /// The assignment that the subteam was formed for.
    pub work: WorkNo,
    /// Digests of the member sets of the ancestor teams, outermost first.
    pub above: Vec<Digest>,
}

impl Lineage {
    /// Returns true if an ancestor team has exactly these members. Such a subteam could recurse forever.
    pub fn has_above(&self, circle: &Digest) -> bool {
        self.above.contains(circle)
    }
}

/// Returns an order-independent digest of a set of members.
pub fn circle<'a>(members: impl IntoIterator<Item = &'a Identity>) -> Digest {
    let keys: BTreeSet<String> = members.into_iter().map(Identity::key).collect();
    let text: String = keys.iter().map(|key| format!("{}:{key}\n", key.len())).collect();
    Digest::of(text)
}

/// A newly created subteam. Both logs must be committed in one transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Founding {
    pub team: Team,
    /// The first entries of the subteam's log.
    pub log: Vec<Entry>,
    /// The entries appended to the parent's log.
    pub above: Vec<Entry>,
}

impl Team {
    pub(super) fn circle(&self) -> Digest {
        circle(self.active().filter_map(|seat| self.member(seat)).map(|member| &member.invitee.identity))
    }

    /// Returns the skills an assignment needs: from its title, or those of the goal if it is the whole goal.
    pub fn needs_of(&self, no: WorkNo) -> Vec<Skill> {
        let Some(work) = self.work_item(no) else { return Vec::new() };
        match work.spec.description.as_str() == self.charter.goal.as_str() {
            true => self.charter.needs(),
            false => formation::needs(work.spec.title.as_str()),
        }
    }

    /// Creates a subteam for an assignment and invites its members.
    pub fn found_below(
        &self,
        by: Author,
        no: WorkNo,
        id: ChatId,
        members: Vec<Invitee>,
        now: Timestamp,
    ) -> Result<Founding, Refusal> {
        let mut charter = self.charter_below(no, now)?;
        let new = circle(members.iter().map(|invitee| &invitee.identity));
        if charter.lineage.as_ref().is_some_and(|lineage| lineage.has_above(&new)) {
            return Err(Refusal::NoTeamBelow("the same members are at work above"));
        }
        let places = u16::try_from(members.len()).map_err(|_| Refusal::Full("members"))?;
        charter.limits.members = charter.limits.members.max(places);
        let budget = charter.limits.budget();
        let say = |team, by, event| Proposal { team, by, event, proof: None };
        let above = self.propose(&say(self.id, by, Event::Nested { work: no, team: id, budget }), now)?;
        let (mut team, founding) = Self::found(id, charter, now)?;
        let invited = team.propose(&say(id, Author::Home, Event::Invited { members }), now)?;
        invited.iter().try_for_each(|entry| team.apply(entry))?;
        Ok(Founding { team, log: [vec![founding], invited].concat(), above })
    }

    /// Returns the spec of a subteam for this assignment.
    ///
    /// The budget is an equal share of the remaining budget over the open assignments without subteam. The
    /// time limit ends early enough for the answer to arrive before the assignment's deadline.
    pub fn charter_below(&self, no: WorkNo, now: Timestamp) -> Result<Charter, Refusal> {
        let work = self.work_item(no).filter(|work| work.is_open()).ok_or(Refusal::NoSuchWork(no))?;
        let depth = self.limits().depth.checked_sub(1).ok_or(Refusal::NoTeamBelow("the depth is used up"))?;
        let sharers = self.open_work().filter(|(_, work)| work.child.is_none()).count();
        let Budget { hops, tokens, cost_micro } =
            self.left().share(u32::try_from(sharers).unwrap_or(u32::MAX));
        let time = work.deadline.since(now).saturating_sub(CONCLUDING_GRACE);
        let time_ms = u64::try_from(time.as_millis()).unwrap_or(0);
        if hops == 0 || tokens == 0 || time_ms == 0 {
            return Err(Refusal::NoTeamBelow("too little is left of the limits"));
        }
        let mut above = self.charter.lineage.as_ref().map_or_else(Vec::new, |lineage| lineage.above.clone());
        above.push(self.circle());
        let goal =
            Goal::cut(work.spec.description.as_str()).ok_or(Refusal::Malformed("the goal is empty"))?;
        let lineage = Some(Lineage { parent: self.id, work: no, above });
        let limits = Limits { depth, hops, tokens, cost_micro, time_ms, ..*self.limits() };
        Ok(Charter { goal, limits, lineage, needs: self.needs_of(no), ..self.charter.clone() })
    }

    /// Returns the report of an ended subteam to its parent, or `None` while it is running.
    pub fn report_above(&self) -> Option<Report> {
        let (end, text) = match self.outcome()? {
            Outcome::Concluded { text, .. } => (End::Completed, Some(text.clone())),
            Outcome::Cancelled { reason } => (End::Cancelled, Words::cut(reason.as_str())),
            Outcome::Failed(Failed::OutOfTime) => (End::TimedOut, None),
            Outcome::Failed(failed) => (End::Failed, Words::cut(failed.as_str())),
        };
        let hops = self.limits().hops.saturating_sub(self.left().hops);
        Some(Report { end, text, usage: self.usage(), hops })
    }
}
