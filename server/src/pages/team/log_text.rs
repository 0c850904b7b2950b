//! Formats entries of a team's log as sentences.

use plexus_domain::team::{
    AssignmentMode, AssignmentNo, LogEntry, Seat, TeamActor, TeamEvent, Utterance,
    assignment::AssignmentOutcome,
};

/// Names for the numbers in a log.
pub struct LogNames<'a> {
    /// Members by seat, as they are after the entry.
    pub members: &'a [String],
    /// Titles of assignments by number.
    pub assignments: &'a [String],
    /// Name of the account that launched the team.
    pub owner: &'a str,
}

impl LogNames<'_> {
    fn member(&self, seat: Seat) -> &str {
        self.members.get(usize::from(seat.0)).map_or("", String::as_str)
    }

    fn assignment(&self, no: AssignmentNo) -> &str {
        usize::try_from(no.0).ok().and_then(|no| self.assignments.get(no)).map_or("", String::as_str)
    }

    /// Returns the members that were invited last.
    fn newest(&self, count: usize) -> &[String] {
        &self.members[self.members.len().saturating_sub(count)..]
    }
}

/// Returns the sentence for an entry, and its text if it has one. `reasons`: whether to include reasons of
/// failures.
pub fn words(entry: &LogEntry, names: &LogNames<'_>, reasons: bool) -> (String, Option<String>) {
    let (who, member, work) =
        (who(entry.by(), names), |seat: Seat| names.member(seat), |no: AssignmentNo| names.assignment(no));
    let why = |reason: &str| reasons.then(|| reason.to_owned());
    match entry.event() {
        TeamEvent::Founded { charter } => {
            ("Team created.".to_owned(), Some(charter.goal.as_str().to_owned()))
        }
        TeamEvent::Invited { members } => {
            (format!("Invited: {}.", names.newest(members.len()).join(", ")), None)
        }
        TeamEvent::NoCandidates => ("No agent was found for the goal.".to_owned(), None),
        TeamEvent::Accepted => (format!("{who} joined."), None),
        TeamEvent::Declined { reason } => (format!("{who} declined."), why(reason.as_str())),
        TeamEvent::Said { utterance, .. } => utterance_line(&who, utterance, names),
        TeamEvent::MessageSent { text, .. } => (format!("{who} to all members:"), Some(text.to_string())),
        TeamEvent::Started { assignment: no } => (format!("{who} started: {}.", work(*no)), None),
        TeamEvent::Asked { assignment: no, question } => {
            (format!("{who} asked about: {}.", work(*no)), Some(question.to_string()))
        }
        TeamEvent::Answered { assignment: no, answer } => {
            (format!("{who} answered about: {}.", work(*no)), Some(answer.to_string()))
        }
        TeamEvent::SubteamFormed { assignment: no, .. } => {
            (format!("Subteam formed for: {}.", work(*no)), None)
        }
        TeamEvent::Reported { assignment: no, report } => {
            let text = report.text.as_ref().filter(|_| reasons || report.end == AssignmentOutcome::Completed);
            if entry.by() == TeamActor::Owner {
                return (format!("{who} completed: {}.", work(*no)), text.map(ToString::to_string));
            }
            (format!("{}: {}.", work(*no), end(report.end)), text.map(ToString::to_string))
        }
        TeamEvent::AssignmentCancelled { assignment: no } => {
            (format!("{who} cancelled: {}.", work(*no)), None)
        }
        TeamEvent::Left { seat, reason } => (format!("{} left.", member(*seat)), why(reason.as_str())),
        TeamEvent::Paused { seat } => (format!("{who} paused {}.", member(*seat)), None),
        TeamEvent::Resumed { seat } => (format!("{who} resumed {}.", member(*seat)), None),
        TeamEvent::TurnSkipped { .. } => (format!("{who} skipped a turn."), None),
        TeamEvent::SpeakerSet { seat } => (format!("{who} made {} the speaker.", member(*seat)), None),
        TeamEvent::Cancelled { reason } => ("The team was stopped.".to_owned(), why(reason.as_str())),
        TeamEvent::Decided { usage } => {
            (format!("A model decided; it took {} tokens.", usage.tokens()), None)
        }
        TeamEvent::Extended { .. } => {
            ("The hub was not running. Deadlines were extended by that time.".to_owned(), None)
        }
        TeamEvent::Elapsed => ("A deadline passed.".to_owned(), None),
    }
}

fn who(by: TeamActor, names: &LogNames<'_>) -> String {
    match by {
        TeamActor::Home => "The hub".to_owned(),
        TeamActor::Owner => names.owner.to_owned(),
        TeamActor::Seat(seat) => names.member(seat).to_owned(),
    }
}

fn utterance_line(who: &str, utterance: &Utterance, names: &LogNames<'_>) -> (String, Option<String>) {
    match utterance {
        Utterance::Discuss { text, .. } => (format!("{who} said:"), Some(text.to_string())),
        Utterance::Assign { mode, assignments } => {
            let given: Vec<String> = assignments
                .iter()
                .map(|task| format!("{} to {}", task.spec.title, names.member(task.to)))
                .collect();
            let how = if *mode == AssignmentMode::Now { "and waits for the result" } else { "and continues" };
            (format!("{who} assigned work {how}: {}.", given.join("; ")), None)
        }
        Utterance::WaitFor { assignments } => {
            let waited: Vec<String> = assignments.iter().map(|no| names.assignment(*no).to_owned()).collect();
            (format!("{who} waits for: {}.", waited.join("; ")), None)
        }
        Utterance::Plan { steps } => {
            let lines: Vec<String> = steps
                .iter()
                .map(|step| format!("- {}{}", step.title, if step.done { " (done)" } else { "" }))
                .collect();
            (format!("{who} wrote the plan."), Some(lines.join("\n")))
        }
        Utterance::Vote { question, options } => {
            let options: Vec<String> = options.iter().map(|option| format!("- {option}")).collect();
            (format!("{who} called a vote."), Some(format!("{question}\n\n{}", options.join("\n"))))
        }
        Utterance::Ballot { option: Some(option) } => {
            (format!("{who} voted for option {}.", option + 1), None)
        }
        Utterance::Ballot { option: None } => (format!("{who} abstained."), None),
        Utterance::Conclude { text: Some(text) } => {
            (format!("{who} wrote the answer."), Some(text.to_string()))
        }
        Utterance::Conclude { text: None } => (format!("{who} ended the discussion."), None),
    }
}

pub const fn end(end: AssignmentOutcome) -> &'static str {
    match end {
        AssignmentOutcome::Completed => "done",
        AssignmentOutcome::Failed => "failed",
        AssignmentOutcome::Cancelled => "stopped",
        AssignmentOutcome::Rejected => "declined",
        AssignmentOutcome::TimedOut => "timed out",
    }
}
