//! Applies one event: all checks first, then the change. Derived transitions are in `flow`.

use super::Checked;
use crate::{
    MessageId, Timestamp,
    team::{
        LongText, Phase, Seat, Team, TeamActor, TeamError, TeamEvent, TeamOutcome,
        assignment::SubteamRef,
        member::{DepartureReason, MemberStatus},
        state::TranscriptLine,
    },
};

/// Maximum number of remarks per team.
const MAX_REMARKS: usize = 1_000;

impl Team {
    /// Applies an event, or returns an error and leaves the team unchanged.
    pub(super) fn step(&mut self, by: TeamActor, event: &TeamEvent, at: Timestamp) -> Checked {
        // After the end only late reports are accepted, for their usage.
        if self.outcome().is_some() && !matches!(event, TeamEvent::Reported { .. }) {
            return Err(TeamError::Closed);
        }
        match event {
            TeamEvent::Founded { .. } => Err(TeamError::Already),
            TeamEvent::Invited { members } => self.invite(by, members),
            TeamEvent::Accepted => self.answer_invitation(by, MemberStatus::Active, at),
            TeamEvent::Declined { reason } => {
                self.answer_invitation(by, MemberStatus::Gone(DepartureReason::Declined(reason.clone())), at)
            }
            TeamEvent::Said { turn, utterance, usage } => self.say(by, *turn, utterance, *usage, at),
            TeamEvent::Remarked { message, text } => self.remark(by, *message, text),
            TeamEvent::Started { work } => self.start(by, *work),
            TeamEvent::Asked { work, question } => self.ask(by, *work, question),
            TeamEvent::Answered { work, answer } => self.reply(by, *work, answer),
            TeamEvent::Nested { work, team, budget } => {
                self.nest_under(by, *work, SubteamRef { team: *team, budget: *budget, heard: None })
            }
            TeamEvent::Reported { work, report } => self.report(by, *work, report),
            TeamEvent::Stopped { work } => self.stop(*work),
            TeamEvent::Left { seat, reason } => self.leave(*seat, reason, at),
            TeamEvent::Held { seat } => self.pause_member(*seat),
            TeamEvent::Resumed { seat } => self.resume_member(*seat),
            TeamEvent::Skipped { turn } => self.skip(*turn, at),
            TeamEvent::FloorGiven { to } => self.take_over(*to, at),
            TeamEvent::Cancelled { reason } => {
                self.close(TeamOutcome::Cancelled { reason: reason.clone() });
                Ok(())
            }
            TeamEvent::Decided { usage } => {
                self.deciding = self.deciding.saturating_add(*usage);
                Ok(())
            }
            TeamEvent::Extended { by_ms } => self.extend(*by_ms),
            TeamEvent::Elapsed => self.apply_timeout(at),
        }
    }

    fn remark(&mut self, by: TeamActor, message: MessageId, text: &LongText) -> Checked {
        let seat = match by {
            TeamActor::Seat(seat) if !self.is_person(seat) => return Err(TeamError::NotYourTurn),
            TeamActor::Seat(seat) => Some(seat),
            TeamActor::Home | TeamActor::Owner => None,
        };
        if self.remarks.contains(&message) {
            return Err(TeamError::Already);
        }
        if self.remarks.len() >= MAX_REMARKS {
            return Err(TeamError::Full("remarks"));
        }
        self.remarks.insert(message);
        self.remember(TranscriptLine::new(seat, text));
        Ok(())
    }

    fn skip(&mut self, turn: u32, at: Timestamp) -> Checked {
        match self.phase {
            _ if turn != self.turn => Err(TeamError::Stale { now: self.turn }),
            Phase::Discussing { floor } => {
                self.advance_floor(floor, None, at);
                Ok(())
            }
            _ => Err(TeamError::NotYourTurn),
        }
    }

    fn take_over(&mut self, to: Seat, at: Timestamp) -> Checked {
        match self.phase {
            _ if !self.is_active(to) => Err(TeamError::NoSuchMember(to)),
            Phase::Discussing { floor } if floor == to => Err(TeamError::Already),
            Phase::Discussing { .. } | Phase::Polling { .. } | Phase::Waiting { .. } => {
                self.give_floor(to, at);
                Ok(())
            }
            Phase::Forming { .. } | Phase::Concluding { .. } | Phase::Closed(_) => {
                Err(TeamError::NotYourTurn)
            }
        }
    }
}
