//! State transitions of assignments.

use super::{Checked, seat_of};
use crate::team::{
    Assignment, AssignmentNo, AssignmentState, LongText, Team, TeamActor, TeamError,
    assignment::{AssignmentOutcome, AssignmentReport, SubteamRef, TeamUsage},
};

impl Team {
    pub(super) fn start(&mut self, by: TeamActor, no: AssignmentNo) -> Checked {
        let work = self.own_work(by, no)?;
        if !matches!(work.state, AssignmentState::Offered | AssignmentState::Answered(_)) {
            return Err(TeamError::WrongState(no));
        }
        work.state = AssignmentState::Working;
        Ok(())
    }

    /// Records a question of the assignee. It may ask again after an answer.
    pub(super) fn ask(&mut self, by: TeamActor, no: AssignmentNo, question: &LongText) -> Checked {
        let work = self.own_work(by, no)?;
        if !matches!(
            work.state,
            AssignmentState::Offered | AssignmentState::Working | AssignmentState::Answered(_)
        ) {
            return Err(TeamError::WrongState(no));
        }
        work.state = AssignmentState::Asking(question.clone());
        Ok(())
    }

    /// Answers a question. Allowed for the member who created
    /// the assignment, the owner and any person in the team.
    pub(super) fn reply(&mut self, by: TeamActor, no: AssignmentNo, answer: &LongText) -> Checked {
        let work = self.assignment(no).ok_or(TeamError::NoSuchWork(no))?;
        if let TeamActor::Seat(seat) = by
            && seat != work.by
            && !self.is_person(seat)
        {
            return Err(TeamError::NotYours);
        }
        let work = self.work_mut(no)?;
        if !matches!(work.state, AssignmentState::Asking(_)) {
            return Err(TeamError::WrongState(no));
        }
        work.state = AssignmentState::Answered(answer.clone());
        Ok(())
    }

    /// Attaches a subteam to an assignment and reserves its budget.
    pub(super) fn attach_subteam(&mut self, by: TeamActor, no: AssignmentNo, child: SubteamRef) -> Checked {
        if self.limits().max_subteam_depth == 0 || child.team == self.id {
            return Err(TeamError::NoTeamBelow("the depth is used up"));
        }
        if !self.remaining().covers(child.budget) {
            return Err(TeamError::NoTeamBelow("too little is left of the limits"));
        }
        let work = match by {
            TeamActor::Seat(_) => self.own_work(by, no)?,
            TeamActor::Home | TeamActor::Owner => self.work_mut(no)?,
        };
        if !work.is_open() || work.child.is_some() {
            return Err(TeamError::WrongState(no));
        }
        // An open question is now answered by the subteam.
        work.state = AssignmentState::Working;
        work.child = Some(child);
        Ok(())
    }

    /// Ends an assignment with a report, or records a late or repeated report.
    pub(super) fn report(&mut self, by: TeamActor, no: AssignmentNo, report: &AssignmentReport) -> Checked {
        let work = match by {
            TeamActor::Seat(_) => self.own_work(by, no)?,
            TeamActor::Home | TeamActor::Owner => self.work_mut(no)?,
        };
        let to = work.to;
        let used = match work.child.and_then(|child| child.heard).filter(|_| by != TeamActor::Owner) {
            None => first_report(work, by, report)?,
            Some(before) => later_report(by, before, report)?,
        };
        if let (Some(child), TeamActor::Seat(_)) = (&mut work.child, by) {
            child.heard = Some(report.used());
        }
        work.subteam_assignments = work.subteam_assignments.saturating_add(used.assignments);
        let counts = &mut self.member_mut(to)?.counts;
        counts.usage = counts.usage.saturating_add(used.usage);
        Ok(())
    }

    /// Cancels an open assignment on behalf of the owner.
    pub(super) fn cancel_assignment(&mut self, no: AssignmentNo) -> Checked {
        let work = self.work_mut(no)?;
        if !work.is_open() {
            return Err(TeamError::Already);
        }
        work.state = AssignmentState::Ended(AssignmentReport::without_result(
            AssignmentOutcome::Cancelled,
            "Stopped by a person.",
        ));
        Ok(())
    }

    /// Returns the assignment if it belongs to `by`.
    fn own_work(&mut self, by: TeamActor, no: AssignmentNo) -> Result<&mut Assignment, TeamError> {
        let seat = seat_of(by)?;
        let work = self.work_mut(no)?;
        if work.to == seat { Ok(work) } else { Err(TeamError::NotYours) }
    }

    pub(super) fn work_mut(&mut self, no: AssignmentNo) -> Result<&mut Assignment, TeamError> {
        let index = usize::try_from(no.0).map_err(|_| TeamError::NoSuchWork(no))?;
        self.assignments.get_mut(index).ok_or(TeamError::NoSuchWork(no))
    }
}

/// Ends the assignment, or stores the report as late. Returns the usage to count.
fn first_report(
    work: &mut Assignment,
    by: TeamActor,
    report: &AssignmentReport,
) -> Result<TeamUsage, TeamError> {
    let is_known = matches!(&work.state, AssignmentState::Ended(first) if first == report);
    if work.child.is_none() && is_known {
        return Err(TeamError::Already);
    }
    if work.is_open() {
        work.state = AssignmentState::Ended(report.clone());
    } else if work.late.is_none() && matches!(by, TeamActor::Seat(_)) {
        work.late = Some(report.clone());
    } else {
        return Err(TeamError::Already);
    }
    Ok(report.used())
}

/// Returns the additional usage of a repeated report from a subteam.
///
/// A subteam reports its total usage, so repeated reports are counted once. The total grows when a nested
/// subteam that ended later reports; only the usage changes then.
fn later_report(by: TeamActor, before: TeamUsage, report: &AssignmentReport) -> Result<TeamUsage, TeamError> {
    let more = report.used().beyond(before);
    match by {
        TeamActor::Seat(_) if more != TeamUsage::default() => Ok(more),
        _ => Err(TeamError::Already),
    }
}
