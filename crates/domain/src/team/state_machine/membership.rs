//! Membership: inviting, leaving, pausing and resuming.

use std::collections::BTreeSet;

use super::{Checked, seat_of};
use crate::{
    Timestamp,
    team::{
        Phase, Seat, ShortText, Team, TeamActor, TeamError, TeamFailure, TeamLimits, TeamOutcome,
        assignment::AssignmentOutcome,
        member::{DepartureReason, Invitee, Member, MemberStats, MemberStatus},
    },
};

/// Maximum number of seats over a team's life. Seat numbers are not reused.
const MAX_SEATS: usize = 512;

impl Team {
    pub(super) fn invite(&mut self, by: TeamActor, invitees: &[Invitee]) -> Checked {
        self.may_invite(by, invitees)?;
        self.members.extend(invitees.iter().map(|invitee| Member {
            invitee: invitee.clone(),
            is_named: by == TeamActor::Owner,
            status: MemberStatus::Invited,
            counts: MemberStats::default(),
        }));
        Ok(())
    }

    /// Checks an invitation. The team's member limit binds the
    /// hub; the owner may fill up to [`TeamLimits::MAX_MEMBERS`].
    fn may_invite(&self, by: TeamActor, invitees: &[Invitee]) -> Checked {
        let places = match by {
            TeamActor::Owner => TeamLimits::MAX_MEMBERS,
            TeamActor::Home | TeamActor::Seat(_) => self.limits().max_members,
        };
        let here: BTreeSet<String> = self
            .members
            .iter()
            .filter(|member| !member.is_gone())
            .map(|member| member.invitee.identity.key())
            .collect();
        let invited: BTreeSet<String> = invitees.iter().map(|invitee| invitee.identity.key()).collect();
        if invited.is_empty() || invited.len() != invitees.len() {
            Err(TeamError::Malformed("each invitation must name another agent"))
        } else if !here.is_disjoint(&invited) {
            Err(TeamError::Already)
        } else if here.len() + invited.len() > usize::from(places)
            || self.members.len() + invited.len() > MAX_SEATS
        {
            Err(TeamError::Full("members"))
        } else if invitees.iter().any(|invitee| invitee.roles.len() > Member::MAX_ROLES) {
            Err(TeamError::Full("roles of a member"))
        } else {
            Ok(())
        }
    }

    /// Ends a team without members.
    pub(super) fn end_without_members(&mut self) -> Checked {
        if !matches!(self.phase, Phase::Forming { .. }) || !self.members.is_empty() {
            return Err(TeamError::Already);
        }
        self.close(TeamOutcome::Failed(TeamFailure::NoCandidates));
        Ok(())
    }

    pub(super) fn answer_invitation(
        &mut self,
        by: TeamActor,
        status: MemberStatus,
        at: Timestamp,
    ) -> Checked {
        let seat = seat_of(by)?;
        let member = self.member_mut(seat)?;
        if member.status != MemberStatus::Invited {
            return Err(TeamError::Already);
        }
        member.status = status;
        self.end_round_if_answered(at);
        Ok(())
    }

    pub(super) fn leave(&mut self, seat: Seat, reason: &ShortText, at: Timestamp) -> Checked {
        let member = self.member_mut(seat)?;
        if member.is_gone() {
            return Err(TeamError::Already);
        }
        member.status = MemberStatus::Gone(DepartureReason::Left(reason.clone()));
        self.end_work(|work| work.to == seat, AssignmentOutcome::Failed, "The member left the team.");
        self.end_round_if_answered(at);
        Ok(())
    }

    /// Pauses a member. The last active member cannot be paused.
    pub(super) fn pause_member(&mut self, seat: Seat) -> Checked {
        if self.is_active(seat) && self.active().count() == 1 {
            return Err(TeamError::Malformed("one active member must remain"));
        }
        self.change_status(seat, &MemberStatus::Active, MemberStatus::Paused)
    }

    pub(super) fn resume_member(&mut self, seat: Seat) -> Checked {
        self.change_status(seat, &MemberStatus::Paused, MemberStatus::Active)
    }

    fn change_status(&mut self, seat: Seat, from: &MemberStatus, to: MemberStatus) -> Checked {
        let member = self.member_mut(seat)?;
        if member.status != *from {
            return Err(TeamError::NoSuchMember(seat));
        }
        member.status = to;
        Ok(())
    }

    pub(super) fn member_mut(&mut self, seat: Seat) -> Result<&mut Member, TeamError> {
        self.members.get_mut(usize::from(seat.0)).ok_or(TeamError::NoSuchMember(seat))
    }
}
