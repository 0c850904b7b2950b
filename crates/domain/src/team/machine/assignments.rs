//! State transitions of assignments.

use super::{Checked, seat_of};
use crate::team::{
    Author, Refusal, Team, Words, Work, WorkNo, WorkState,
    work::{Child, End, Report, Used},
};

impl Team {
    pub(super) fn start(&mut self, by: Author, no: WorkNo) -> Checked {
        let work = self.own_work(by, no)?;
        if !matches!(work.state, WorkState::Offered | WorkState::Answered(_)) {
            return Err(Refusal::WrongState(no));
        }
        work.state = WorkState::Working;
        Ok(())
    }

    /// Records a question of the assignee. It may ask again after an answer.
    pub(super) fn ask(&mut self, by: Author, no: WorkNo, question: &Words) -> Checked {
        let work = self.own_work(by, no)?;
        if !matches!(work.state, WorkState::Offered | WorkState::Working | WorkState::Answered(_)) {
            return Err(Refusal::WrongState(no));
        }
        work.state = WorkState::Asking(question.clone());
        Ok(())
    }

    /// Answers a question. Allowed for the member who created
    /// the assignment, the owner and any person in the team.
    pub(super) fn reply(&mut self, by: Author, no: WorkNo, answer: &Words) -> Checked {
        let work = self.work_item(no).ok_or(Refusal::NoSuchWork(no))?;
        if let Author::Seat(seat) = by
            && seat != work.by
            && !self.is_person(seat)
        {
            return Err(Refusal::NotYours);
        }
        let work = self.work_mut(no)?;
        if !matches!(work.state, WorkState::Asking(_)) {
            return Err(Refusal::WrongState(no));
        }
        work.state = WorkState::Answered(answer.clone());
        Ok(())
    }

    /// Attaches a subteam to an assignment and reserves its budget.
    pub(super) fn nest_under(&mut self, by: Author, no: WorkNo, child: Child) -> Checked {
        if self.limits().depth == 0 || child.team == self.id {
            return Err(Refusal::NoTeamBelow("the depth is used up"));
        }
        if !self.left().covers(child.budget) {
            return Err(Refusal::NoTeamBelow("too little is left of the limits"));
        }
        let work = match by {
            Author::Seat(_) => self.own_work(by, no)?,
            Author::Home | Author::Owner => self.work_mut(no)?,
        };
        if !work.is_open() || work.child.is_some() {
            return Err(Refusal::WrongState(no));
        }
        // An open question is now answered by the subteam.
        work.state = WorkState::Working;
        work.child = Some(child);
        Ok(())
    }

    /// Ends an assignment with a report, or records a late or repeated report.
    pub(super) fn report(&mut self, by: Author, no: WorkNo, report: &Report) -> Checked {
        let work = match by {
            Author::Seat(_) => self.own_work(by, no)?,
            Author::Home | Author::Owner => self.work_mut(no)?,
        };
        let to = work.to;
        let used = match work.child.and_then(|child| child.heard).filter(|_| by != Author::Owner) {
            None => first_report(work, by, report)?,
            Some(before) => later_report(by, before, report)?,
        };
        if let (Some(child), Author::Seat(_)) = (&mut work.child, by) {
            child.heard = Some(report.used());
        }
        work.hops = work.hops.saturating_add(used.hops);
        let counts = &mut self.member_mut(to)?.counts;
        counts.usage = counts.usage.plus(used.usage);
        Ok(())
    }

    /// Cancels an open assignment on behalf of the owner.
    pub(super) fn stop(&mut self, no: WorkNo) -> Checked {
        let work = self.work_mut(no)?;
        if !work.is_open() {
            return Err(Refusal::Already);
        }
        work.state = WorkState::Ended(Report::without_result(End::Cancelled, "Stopped by a person."));
        Ok(())
    }

    /// Returns the assignment if it belongs to `by`.
    fn own_work(&mut self, by: Author, no: WorkNo) -> Result<&mut Work, Refusal> {
        let seat = seat_of(by)?;
        let work = self.work_mut(no)?;
        if work.to == seat { Ok(work) } else { Err(Refusal::NotYours) }
    }

    pub(super) fn work_mut(&mut self, no: WorkNo) -> Result<&mut Work, Refusal> {
        let index = usize::try_from(no.0).map_err(|_| Refusal::NoSuchWork(no))?;
        self.work.get_mut(index).ok_or(Refusal::NoSuchWork(no))
    }
}

/// Ends the assignment, or stores the report as late. Returns the usage to count.
fn first_report(work: &mut Work, by: Author, report: &Report) -> Result<Used, Refusal> {
    let is_known = matches!(&work.state, WorkState::Ended(first) if first == report);
    if work.child.is_none() && is_known {
        return Err(Refusal::Already);
    }
    if work.is_open() {
        work.state = WorkState::Ended(report.clone());
    } else if work.late.is_none() && matches!(by, Author::Seat(_)) {
        work.late = Some(report.clone());
    } else {
        return Err(Refusal::Already);
    }
    Ok(report.used())
}

/// Returns the additional usage of a repeated report from a subteam.
///
/// A subteam reports its total usage, so repeated reports are counted once. The total grows when a nested
/// subteam that ended later reports; only the usage changes then.
fn later_report(by: Author, before: Used, report: &Report) -> Result<Used, Refusal> {
    let more = report.used().beyond(before);
    match by {
        Author::Seat(_) if more != Used::default() => Ok(more),
        _ => Err(Refusal::Already),
    }
}
