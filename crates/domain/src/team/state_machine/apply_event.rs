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

/// Maximum number of messages of people per team.
const MAX_MESSAGES: usize = 1_000;

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
            TeamEvent::NoCandidates => self.end_without_members(),
            TeamEvent::Accepted => self.answer_invitation(by, MemberStatus::Active, at),
            TeamEvent::Declined { reason } => {
                self.answer_invitation(by, MemberStatus::Gone(DepartureReason::Declined(reason.clone())), at)
            }
            TeamEvent::Said { turn, utterance, usage } => self.say(by, *turn, utterance, *usage, at),
            TeamEvent::MessageSent { message, text } => self.send_message(by, *message, text),
            TeamEvent::Started { assignment } => self.start(by, *assignment),
            TeamEvent::Asked { assignment, question } => self.ask(by, *assignment, question),
            TeamEvent::Answered { assignment, answer } => self.reply(by, *assignment, answer),
            TeamEvent::SubteamFormed { assignment, team, budget } => {
                self.attach_subteam(by, *assignment, SubteamRef { team: *team, budget: *budget, heard: None })
            }
            TeamEvent::Reported { assignment, report } => self.report(by, *assignment, report),
            TeamEvent::AssignmentCancelled { assignment } => self.cancel_assignment(*assignment),
            TeamEvent::Left { seat, reason } => self.leave(*seat, reason, at),
            TeamEvent::Paused { seat } => self.pause_member(*seat),
            TeamEvent::Resumed { seat } => self.resume_member(*seat),
            TeamEvent::TurnSkipped { turn } => self.skip(*turn, at),
            TeamEvent::SpeakerSet { seat } => self.choose_speaker(*seat, at),
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

    fn send_message(&mut self, by: TeamActor, message: MessageId, text: &LongText) -> Checked {
        let seat = match by {
            TeamActor::Seat(seat) if !self.is_person(seat) => return Err(TeamError::NotYourTurn),
            TeamActor::Seat(seat) => Some(seat),
            TeamActor::Home | TeamActor::Owner => None,
        };
        if self.messages.contains(&message) {
            return Err(TeamError::Already);
        }
        if self.messages.len() >= MAX_MESSAGES {
            return Err(TeamError::Full("messages of people"));
        }
        self.messages.insert(message);
        self.remember(TranscriptLine::new(seat, text));
        Ok(())
    }

    fn skip(&mut self, turn: u32, at: Timestamp) -> Checked {
        match self.phase {
            _ if turn != self.turn => Err(TeamError::Stale { now: self.turn }),
            Phase::Discussing { speaker } => {
                self.advance_speaker(speaker, None, at);
                Ok(())
            }
            _ => Err(TeamError::NotYourTurn),
        }
    }

    fn choose_speaker(&mut self, to: Seat, at: Timestamp) -> Checked {
        match self.phase {
            _ if !self.is_active(to) => Err(TeamError::NoSuchMember(to)),
            Phase::Discussing { speaker } if speaker == to => Err(TeamError::Already),
            Phase::Discussing { .. } | Phase::Polling { .. } | Phase::Waiting { .. } => {
                self.set_speaker(to, at);
                Ok(())
            }
            Phase::Forming { .. } | Phase::Concluding { .. } | Phase::Closed(_) => {
                Err(TeamError::NotYourTurn)
            }
        }
    }
}
