//! Validates and applies utterances. Only a member that is asked may speak.

use std::collections::BTreeSet;

use super::{Checked, seat_of};
use crate::{
    Timestamp,
    run::Usage,
    team::{
        Assignment, AssignmentMode, AssignmentNo, AssignmentState, ExhaustedLimit, LongText, Phase, Seat,
        ShortText, Team, TeamActor, TeamError, TeamFailure, TeamOutcome, Utterance,
        assignment::AssignmentSpec,
        state::TranscriptLine,
        utterance::{AssignmentDraft, GroupQuestion},
    },
};

/// Number of consecutive near-duplicates after which the discussion is considered circular.
const MAX_REPEATS: u32 = 3;

impl Team {
    /// Checks that the member may say this now. Used for entries, proposals and model answers alike.
    pub fn may_say(&self, seat: Seat, utterance: &Utterance) -> Result<(), TeamError> {
        if !self.is_asked(seat) || !self.is_active(seat) {
            return Err(TeamError::NotYourTurn);
        }
        if !self.allowed(seat).contains(&utterance.kind()) {
            return Err(TeamError::NotAllowed(utterance.kind()));
        }
        match utterance {
            Utterance::Discuss { next: Some(next), .. } if !self.is_active(*next) => {
                Err(TeamError::NoSuchMember(*next))
            }
            Utterance::Assign { assignments, .. } => self.may_assign(assignments),
            Utterance::WaitFor { assignments } => self.may_wait_for(assignments),
            Utterance::Plan { steps } => within(1..=Utterance::MAX_STEPS, steps.len(), "steps of the plan"),
            Utterance::Vote { options, .. } => {
                within(2..=Utterance::MAX_OPTIONS, options.len(), "options of a vote")
            }
            Utterance::Ballot { option: Some(option) } => self.may_vote(*option),
            Utterance::Conclude { text: None } if matches!(self.phase, Phase::Concluding { .. }) => {
                Err(TeamError::Malformed("the conclusion has words"))
            }
            Utterance::Discuss { .. } | Utterance::Ballot { option: None } | Utterance::Conclude { .. } => {
                Ok(())
            }
        }
    }

    fn may_assign(&self, tasks: &[AssignmentDraft]) -> Checked {
        let most = usize::try_from(self.remaining().assignments).unwrap_or(usize::MAX);
        within(1..=most, tasks.len(), "assignments")?;
        for (index, AssignmentDraft { to, spec }) in tasks.iter().enumerate() {
            if !self.is_active(*to) {
                return Err(TeamError::NoSuchMember(*to));
            }
            within(0..=AssignmentSpec::MAX_INPUTS, spec.inputs.len(), "inputs of an assignment")?;
            if let Some(no) = spec.inputs.iter().find(|no| self.assignment(**no).is_none()) {
                return Err(TeamError::NoSuchWork(*no));
            }
            let doing = self.open_assignments().any(|(_, work)| work.to == *to && work.spec == *spec);
            if doing || tasks[..index].iter().any(|task| task.to == *to && task.spec == *spec) {
                return Err(TeamError::AlreadyAssigned(*to));
            }
        }
        Ok(())
    }

    fn may_wait_for(&self, assignments: &BTreeSet<AssignmentNo>) -> Checked {
        match assignments.iter().find(|no| self.assignment(**no).is_none()) {
            Some(no) => Err(TeamError::NoSuchWork(*no)),
            None if assignments.is_empty() => Err(TeamError::Malformed("it waits for no assignment")),
            None => Ok(()),
        }
    }

    fn may_vote(&self, option: u8) -> Checked {
        match &self.phase {
            Phase::Polling { poll: GroupQuestion::Vote { options, .. }, .. }
                if usize::from(option) < options.len() =>
            {
                Ok(())
            }
            _ => Err(TeamError::Malformed("there is no such option")),
        }
    }

    /// Applies an utterance of the current turn.
    pub(super) fn say(
        &mut self,
        by: TeamActor,
        turn: u32,
        utterance: &Utterance,
        usage: Usage,
        at: Timestamp,
    ) -> Checked {
        let seat = seat_of(by)?;
        if turn != self.turn {
            return Err(TeamError::Stale { now: self.turn });
        }
        self.may_say(seat, utterance)?;
        self.count(seat, usage)?;
        match utterance {
            Utterance::Discuss { text, next } => self.discuss(seat, text, *next, at)?,
            Utterance::Assign { mode, assignments } => self.assign(seat, *mode, assignments, at),
            Utterance::WaitFor { assignments } => self.wait_for(assignments.clone(), seat, at),
            Utterance::Plan { steps } => {
                self.plan.clone_from(steps);
                self.set_speaker(seat, at);
            }
            Utterance::Vote { question, options } => self.open_vote(seat, question, options, at),
            Utterance::Ballot { option } => self.cast(seat, *option),
            Utterance::Conclude { text: None } => self.conclude(seat, None, at),
            // An answer that only states that there is none counts as a failure.
            Utterance::Conclude { text: Some(text) } if text.as_str() == TeamFailure::NoResult.as_str() => {
                self.close(TeamOutcome::Failed(TeamFailure::NoResult));
            }
            Utterance::Conclude { text: Some(text) } => {
                self.close(TeamOutcome::Concluded { by: seat, text: text.clone() });
            }
        }
        Ok(())
    }

    fn count(&mut self, seat: Seat, usage: Usage) -> Checked {
        let counts = &mut self.member_mut(seat)?.counts;
        counts.messages += 1;
        counts.turns += 1;
        counts.silences = 0;
        counts.usage = counts.usage.saturating_add(usage);
        Ok(())
    }

    fn discuss(&mut self, seat: Seat, text: &LongText, next: Option<Seat>, at: Timestamp) -> Checked {
        let line = TranscriptLine::new(Some(seat), text);
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
            _ => self.advance_speaker(seat, next, at),
        }
        Ok(())
    }

    /// Ends a circular discussion: waits for open assignments, or concludes if there are none.
    fn stop_circling(&mut self, seat: Seat, at: Timestamp) {
        let open: BTreeSet<AssignmentNo> = self.open_assignments().map(|(no, _)| no).collect();
        match open.is_empty() {
            true => self.conclude(seat, Some(ExhaustedLimit::Repeats), at),
            false => self.wait_for(open, seat, at),
        }
    }

    /// Returns true if this text would be suppressed as a near-duplicate.
    pub fn is_repeat(&self, text: &LongText) -> bool {
        self.repeats_recent(&TranscriptLine::new(None, text))
    }

    fn repeats_recent(&self, line: &TranscriptLine) -> bool {
        self.charter.suppress_repeats && self.recent.iter().any(|earlier| line.nearly_repeats(earlier))
    }

    pub(super) fn remember(&mut self, line: TranscriptLine) {
        self.recent.push_back(line);
        if self.recent.len() > Self::RECENT {
            self.recent.pop_front();
        }
    }

    fn assign(&mut self, by: Seat, mode: AssignmentMode, tasks: &[AssignmentDraft], at: Timestamp) {
        let first = self.assignments.len();
        let deadline = self.work_deadline(at);
        self.assignments.extend(tasks.iter().map(|AssignmentDraft { to, spec }| Assignment {
            by,
            to: *to,
            mode,
            spec: spec.clone(),
            state: AssignmentState::Offered,
            deadline,
            child: None,
            late: None,
            subteam_assignments: 0,
        }));
        let given = (first..self.assignments.len()).filter_map(|no| u32::try_from(no).ok()).map(AssignmentNo);
        match mode {
            AssignmentMode::Now => self.wait_for(given.collect(), by, at),
            AssignmentMode::Background => self.set_speaker(by, at),
        }
    }

    /// Starts a wait. If all the assignments have ended already, `settle` ends the wait in the same step.
    fn wait_for(&mut self, on: BTreeSet<AssignmentNo>, back: Seat, at: Timestamp) {
        self.enter_phase(Phase::Waiting { on, back }, at);
    }

    fn open_vote(&mut self, back: Seat, question: &ShortText, options: &[ShortText], at: Timestamp) {
        let poll = GroupQuestion::Vote {
            question: question.clone(),
            options: options.to_vec(),
            ballots: std::collections::BTreeMap::new(),
        };
        self.open_poll(poll, self.active().filter(|&seat| seat != back).collect(), back, at);
    }

    fn cast(&mut self, seat: Seat, option: Option<u8>) {
        if let Phase::Polling { poll: GroupQuestion::Vote { ballots, .. }, open, .. } = &mut self.phase {
            ballots.extend(option.map(|option| (seat, option)));
            open.remove(&seat);
        }
    }
}

fn within(range: std::ops::RangeInclusive<usize>, count: usize, what: &'static str) -> Checked {
    if range.contains(&count) { Ok(()) } else { Err(TeamError::Full(what)) }
}
