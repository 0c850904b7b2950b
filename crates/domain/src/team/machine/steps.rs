//! Applies one event: all checks first, then the change. Derived transitions are in `flow`.

use super::Checked;
use crate::{
    MessageId, Timestamp,
    team::{
        Author, Event, Outcome, Phase, Refusal, Seat, Team, Words,
        member::{Absence, Presence},
        state::Line,
        work::Child,
    },
};

/// Maximum number of remarks per team.
const MAX_REMARKS: usize = 1_000;

impl Team {
    /// Applies an event, or returns an error and leaves the team unchanged.
    pub(super) fn step(&mut self, by: Author, event: &Event, at: Timestamp) -> Checked {
        // After the end only late reports are accepted, for their usage.
        if self.outcome().is_some() && !matches!(event, Event::Reported { .. }) {
            return Err(Refusal::Closed);
        }
        match event {
            Event::Founded { .. } => Err(Refusal::Already),
            Event::Invited { members } => self.invite(by, members),
            Event::Accepted => self.answer_invitation(by, Presence::Active, at),
            Event::Declined { reason } => {
                self.answer_invitation(by, Presence::Gone(Absence::Declined(reason.clone())), at)
            }
            Event::Said { turn, utterance, usage } => self.say(by, *turn, utterance, *usage, at),
            Event::Remarked { message, text } => self.remark(by, *message, text),
            Event::Started { work } => self.start(by, *work),
            Event::Asked { work, question } => self.ask(by, *work, question),
            Event::Answered { work, answer } => self.reply(by, *work, answer),
            Event::Nested { work, team, budget } => {
                self.nest_under(by, *work, Child { team: *team, budget: *budget, heard: None })
            }
            Event::Reported { work, report } => self.report(by, *work, report),
            Event::Stopped { work } => self.stop(*work),
            Event::Left { seat, reason } => self.leave(*seat, reason, at),
            Event::Held { seat } => self.hold(*seat),
            Event::Resumed { seat } => self.resume(*seat),
            Event::Skipped { turn } => self.skip(*turn, at),
            Event::FloorGiven { to } => self.take_over(*to, at),
            Event::Cancelled { reason } => {
                self.close(Outcome::Cancelled { reason: reason.clone() });
                Ok(())
            }
            Event::Decided { usage } => {
                self.deciding = self.deciding.plus(*usage);
                Ok(())
            }
            Event::Extended { by_ms } => self.extend(*by_ms),
            Event::Elapsed => self.elapse(at),
        }
    }

    fn remark(&mut self, by: Author, message: MessageId, text: &Words) -> Checked {
        let seat = match by {
            Author::Seat(seat) if !self.is_person(seat) => return Err(Refusal::NotYourTurn),
            Author::Seat(seat) => Some(seat),
            Author::Home | Author::Owner => None,
        };
        if self.remarks.contains(&message) {
            return Err(Refusal::Already);
        }
        if self.remarks.len() >= MAX_REMARKS {
            return Err(Refusal::Full("remarks"));
        }
        self.remarks.insert(message);
        self.remember(Line::new(seat, text));
        Ok(())
    }

    fn skip(&mut self, turn: u32, at: Timestamp) -> Checked {
        match self.phase {
            _ if turn != self.turn => Err(Refusal::Stale { now: self.turn }),
            Phase::Discussing { floor } => {
                self.pass_on(floor, None, at);
                Ok(())
            }
            _ => Err(Refusal::NotYourTurn),
        }
    }

    fn take_over(&mut self, to: Seat, at: Timestamp) -> Checked {
        match self.phase {
            _ if !self.is_active(to) => Err(Refusal::NoSuchMember(to)),
            Phase::Discussing { floor } if floor == to => Err(Refusal::Already),
            Phase::Discussing { .. } | Phase::Polling { .. } | Phase::Waiting { .. } => {
                self.give_floor(to, at);
                Ok(())
            }
            Phase::Forming { .. } | Phase::Concluding { .. } | Phase::Closed(_) => Err(Refusal::NotYourTurn),
        }
    }
}
