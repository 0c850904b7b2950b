//! Membership: inviting, leaving, pausing and resuming.

use std::collections::BTreeSet;

use super::{Checked, seat_of};
use crate::{
    Timestamp,
    team::{
        Author, Limits, Note, Refusal, Seat, Team,
        member::{Absence, Counts, Invitee, Member, Presence},
        work::End,
    },
};

/// Maximum number of seats over a team's life. Seat numbers are not reused.
const MAX_SEATS: usize = 512;

impl Team {
    pub(super) fn invite(&mut self, by: Author, invitees: &[Invitee]) -> Checked {
        self.may_invite(by, invitees)?;
        self.members.extend(invitees.iter().map(|invitee| Member {
            invitee: invitee.clone(),
            presence: Presence::Invited,
            counts: Counts::default(),
        }));
        Ok(())
    }

    /// Checks an invitation. The team's member limit binds the
    /// hub; the owner may fill up to [`Limits::MAX_MEMBERS`].
    fn may_invite(&self, by: Author, invitees: &[Invitee]) -> Checked {
        let places = match by {
            Author::Owner => Limits::MAX_MEMBERS,
            Author::Home | Author::Seat(_) => self.limits().members,
        };
        let here: BTreeSet<String> = self
            .members
            .iter()
            .filter(|member| !member.is_gone())
            .map(|member| member.invitee.identity.key())
            .collect();
        let invited: BTreeSet<String> = invitees.iter().map(|invitee| invitee.identity.key()).collect();
        if invited.is_empty() || invited.len() != invitees.len() {
            Err(Refusal::Malformed("each invitation names somebody else"))
        } else if !here.is_disjoint(&invited) {
            Err(Refusal::Already)
        } else if here.len() + invited.len() > usize::from(places)
            || self.members.len() + invited.len() > MAX_SEATS
        {
            Err(Refusal::Full("members"))
        } else if invitees.iter().any(|invitee| invitee.roles.len() > Member::MAX_ROLES) {
            Err(Refusal::Full("roles of a member"))
        } else {
            Ok(())
        }
    }

    pub(super) fn answer_invitation(&mut self, by: Author, presence: Presence, at: Timestamp) -> Checked {
        let seat = seat_of(by)?;
        let member = self.member_mut(seat)?;
        if member.presence != Presence::Invited {
            return Err(Refusal::Already);
        }
        member.presence = presence;
        self.end_round_if_answered(at);
        Ok(())
    }

    pub(super) fn leave(&mut self, seat: Seat, reason: &Note, at: Timestamp) -> Checked {
        let member = self.member_mut(seat)?;
        if member.is_gone() {
            return Err(Refusal::Already);
        }
        member.presence = Presence::Gone(Absence::Left(reason.clone()));
        self.end_work(|work| work.to == seat, End::Failed, "The member left the team.");
        self.end_round_if_answered(at);
        Ok(())
    }

    /// Pauses a member. The last active member cannot be paused.
    pub(super) fn hold(&mut self, seat: Seat) -> Checked {
        if self.is_active(seat) && self.active().count() == 1 {
            return Err(Refusal::Malformed("somebody must be left who can speak"));
        }
        self.change_presence(seat, &Presence::Active, Presence::Held)
    }

    pub(super) fn resume(&mut self, seat: Seat) -> Checked {
        self.change_presence(seat, &Presence::Held, Presence::Active)
    }

    fn change_presence(&mut self, seat: Seat, from: &Presence, to: Presence) -> Checked {
        let member = self.member_mut(seat)?;
        if member.presence != *from {
            return Err(Refusal::NoSuchMember(seat));
        }
        member.presence = to;
        Ok(())
    }

    pub(super) fn member_mut(&mut self, seat: Seat) -> Result<&mut Member, Refusal> {
        self.members.get_mut(usize::from(seat.0)).ok_or(Refusal::NoSuchMember(seat))
    }
}
