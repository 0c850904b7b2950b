//! Validates and applies utterances. Only a member that is asked may speak.

use std::collections::BTreeSet;

use super::{Checked, seat_of};
use crate::{
    Timestamp,
    run::Usage,
    team::{
        Author, Failed, Limit, Mode, Note, Outcome, Phase, Refusal, Seat, Team, Utterance, Words, Work,
        WorkNo, WorkState,
        state::Line,
        utterance::{Poll, Task},
        work::Spec,
    },
};

/// Number of consecutive near-duplicates after which the discussion is considered circular.
const MAX_REPEATS: u32 = 3;

impl Team {
    /// Checks that the member may say this now. Used for entries, proposals and model answers alike.
    pub fn may_say(&self, seat: Seat, utterance: &Utterance) -> Result<(), Refusal> {
        if !self.is_asked(seat) || !self.is_active(seat) {
            return Err(Refusal::NotYourTurn);
        }
        if !self.allowed(seat).contains(&utterance.kind()) {
            return Err(Refusal::NotAllowed(utterance.kind()));
        }
        match utterance {
            Utterance::Discuss { next: Some(next), .. } if !self.is_active(*next) => {
                Err(Refusal::NoSuchMember(*next))
            }
            Utterance::Assign { work, .. } => self.may_assign(work),
            Utterance::PauseFor { work } => self.may_pause_for(work),
            Utterance::Plan { steps } => within(1..=Utterance::MAX_STEPS, steps.len(), "steps of the plan"),
            Utterance::Vote { options, .. } => {
                within(2..=Utterance::MAX_OPTIONS, options.len(), "options of a vote")
            }
            Utterance::Ballot { option: Some(option) } => self.may_vote(*option),
            Utterance::Conclude { text: None } if matches!(self.phase, Phase::Concluding { .. }) => {
                Err(Refusal::Malformed("the conclusion has words"))
            }
            Utterance::Discuss { .. } | Utterance::Ballot { option: None } | Utterance::Conclude { .. } => {
                Ok(())
            }
        }
    }

    fn may_assign(&self, tasks: &[Task]) -> Checked {
        let hops = usize::try_from(self.left().hops).unwrap_or(usize::MAX);
        within(1..=hops, tasks.len(), "pieces of work")?;
        for (index, Task { to, spec }) in tasks.iter().enumerate() {
            if !self.is_active(*to) {
                return Err(Refusal::NoSuchMember(*to));
            }
            within(0..=Spec::MAX_INPUTS, spec.inputs.len(), "inputs of an assignment")?;
            if let Some(no) = spec.inputs.iter().find(|no| self.work_item(**no).is_none()) {
                return Err(Refusal::NoSuchWork(*no));
            }
            let doing = self.open_work().any(|(_, work)| work.to == *to && work.spec == *spec);
            if doing || tasks[..index].iter().any(|task| task.to == *to && task.spec == *spec) {
                return Err(Refusal::AlreadyAssigned(*to));
            }
        }
        Ok(())
    }

    fn may_pause_for(&self, work: &BTreeSet<WorkNo>) -> Checked {
        match work.iter().find(|no| self.work_item(**no).is_none()) {
            Some(no) => Err(Refusal::NoSuchWork(*no)),
            None if work.is_empty() => Err(Refusal::Malformed("a pause waits for something")),
            None => Ok(()),
        }
    }

    fn may_vote(&self, option: u8) -> Checked {
        match &self.phase {
            Phase::Polling { poll: Poll::Vote { options, .. }, .. }
                if usize::from(option) < options.len() =>
            {
                Ok(())
            }
            _ => Err(Refusal::Malformed("there is no such option")),
        }
    }

    /// Applies an utterance of the current turn.
    pub(super) fn say(
        &mut self,
        by: Author,
        turn: u32,
        utterance: &Utterance,
        usage: Usage,
        at: Timestamp,
    ) -> Checked {
        let seat = seat_of(by)?;
        if turn != self.turn {
            return Err(Refusal::Stale { now: self.turn });
        }
        self.may_say(seat, utterance)?;
        self.count(seat, usage)?;
        match utterance {
            Utterance::Discuss { text, next } => self.discuss(seat, text, *next, at)?,
            Utterance::Assign { mode, work } => self.assign(seat, *mode, work, at),
            Utterance::PauseFor { work } => self.wait_for(work.clone(), seat, at),
            Utterance::Plan { steps } => {
                self.plan.clone_from(steps);
                self.give_floor(seat, at);
            }
            Utterance::Vote { question, options } => self.open_vote(seat, question, options, at),
            Utterance::Ballot { option } => self.cast(seat, *option),
            Utterance::Conclude { text: None } => self.conclude(seat, None, at),
            // An answer that only states that there is none counts as a failure.
            Utterance::Conclude { text: Some(text) } if text.as_str() == Failed::NoResult.as_str() => {
                self.close(Outcome::Failed(Failed::NoResult));
            }
            Utterance::Conclude { text: Some(text) } => {
                self.close(Outcome::Concluded { by: seat, text: text.clone() });
            }
        }
        Ok(())
    }

    fn count(&mut self, seat: Seat, usage: Usage) -> Checked {
        let counts = &mut self.member_mut(seat)?.counts;
        counts.messages += 1;
        counts.turns += 1;
        counts.silences = 0;
        counts.usage = counts.usage.plus(usage);
        Ok(())
    }

    fn discuss(&mut self, seat: Seat, text: &Words, next: Option<Seat>, at: Timestamp) -> Checked {
        let line = Line::new(Some(seat), text);
        if self.repeats_recent(&line) {
            self.repeats += 1;
            self.member_mut(seat)?.counts.suppressed += 1;
        } else {
            self.repeats = 0;
            self.remember(line);
        }
        match &mut self.phase {
            Phase::Polling { open, .. } => {
                open.remove(&seat);
            }
            _ if self.repeats >= MAX_REPEATS => self.stop_circling(seat, at),
            _ => self.pass_on(seat, next, at),
        }
        Ok(())
    }

    /// Ends a circular discussion: waits for open assignments, or concludes if there are none.
    fn stop_circling(&mut self, seat: Seat, at: Timestamp) {
        let open: BTreeSet<WorkNo> = self.open_work().map(|(no, _)| no).collect();
        match open.is_empty() {
            true => self.conclude(seat, Some(Limit::Repeats), at),
            false => self.wait_for(open, seat, at),
        }
    }

    /// Returns true if this text would be suppressed as a near-duplicate.
    pub fn is_repeat(&self, text: &Words) -> bool {
        self.repeats_recent(&Line::new(None, text))
    }

    fn repeats_recent(&self, line: &Line) -> bool {
        self.charter.suppress_repeats && self.recent.iter().any(|earlier| line.nearly_repeats(earlier))
    }

    pub(super) fn remember(&mut self, line: Line) {
        self.recent.push_back(line);
        if self.recent.len() > Self::RECENT {
            self.recent.pop_front();
        }
    }

    fn assign(&mut self, by: Seat, mode: Mode, tasks: &[Task], at: Timestamp) {
        let first = self.work.len();
        let deadline = self.work_deadline(at);
        self.work.extend(tasks.iter().map(|Task { to, spec }| Work {
            by,
            to: *to,
            mode,
            spec: spec.clone(),
            state: WorkState::Offered,
            deadline,
            child: None,
            late: None,
            hops: 0,
        }));
        let given = (first..self.work.len()).filter_map(|no| u32::try_from(no).ok()).map(WorkNo);
        match mode {
            Mode::Now => self.wait_for(given.collect(), by, at),
            Mode::Background => self.give_floor(by, at),
        }
    }

    /// Starts a wait. If all the assignments have ended already, `settle` ends the wait in the same step.
    fn wait_for(&mut self, on: BTreeSet<WorkNo>, back: Seat, at: Timestamp) {
        self.enter(Phase::Waiting { on, back }, at);
    }

    fn open_vote(&mut self, back: Seat, question: &Note, options: &[Note], at: Timestamp) {
        let poll = Poll::Vote {
            question: question.clone(),
            options: options.to_vec(),
            ballots: std::collections::BTreeMap::new(),
        };
        self.open_poll(poll, self.active().filter(|&seat| seat != back).collect(), back, at);
    }

    fn cast(&mut self, seat: Seat, option: Option<u8>) {
        if let Phase::Polling { poll: Poll::Vote { ballots, .. }, open, .. } = &mut self.phase {
            ballots.extend(option.map(|option| (seat, option)));
            open.remove(&seat);
        }
    }
}

fn within(range: std::ops::RangeInclusive<usize>, count: usize, what: &'static str) -> Checked {
    if range.contains(&count) { Ok(()) } else { Err(Refusal::Full(what)) }
}
