//! Formats entries of a team's log as sentences.

use plexus_app::{text, view_models::Locale};
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
    pub locale: Locale,
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
    let locale = names.locale;
    let who = who(entry.by(), names);
    let member = |seat: Seat| names.member(seat).to_owned();
    let work = |no: AssignmentNo| names.assignment(no).to_owned();
    let why = |reason: &str| reasons.then(|| reason.to_owned());
    match entry.event() {
        TeamEvent::Founded { charter } => {
            (text!(locale => "log-created"), Some(charter.goal.as_str().to_owned()))
        }
        TeamEvent::Invited { members } => {
            let members = names.newest(members.len()).join(", ");
            (text!(locale => "log-invited", members = members), None)
        }
        TeamEvent::NoCandidates => (text!(locale => "log-no-candidates"), None),
        TeamEvent::Accepted => (text!(locale => "log-joined", who = who), None),
        TeamEvent::Declined { reason } => (text!(locale => "log-declined", who = who), why(reason.as_str())),
        TeamEvent::Said { utterance, .. } => utterance_line(&who, utterance, names),
        TeamEvent::MessageSent { text, .. } => {
            (text!(locale => "log-to-all", who = who), Some(text.to_string()))
        }
        TeamEvent::Started { assignment: no } => {
            (text!(locale => "log-started", who = who, work = work(*no)), None)
        }
        TeamEvent::Asked { assignment: no, question } => {
            (text!(locale => "log-asked", who = who, work = work(*no)), Some(question.to_string()))
        }
        TeamEvent::Answered { assignment: no, answer } => {
            (text!(locale => "log-answered", who = who, work = work(*no)), Some(answer.to_string()))
        }
        TeamEvent::SubteamFormed { assignment: no, .. } => {
            (text!(locale => "log-subteam", work = work(*no)), None)
        }
        TeamEvent::Reported { assignment: no, report } => {
            let text = report.text.as_ref().filter(|_| reasons || report.end == AssignmentOutcome::Completed);
            let words = match entry.by() {
                TeamActor::Owner => text!(locale => "log-completed", who = who, work = work(*no)),
                TeamActor::Home | TeamActor::Seat(_) => end(locale, report.end, work(*no)),
            };
            (words, text.map(ToString::to_string))
        }
        TeamEvent::AssignmentCancelled { assignment: no } => {
            (text!(locale => "log-cancelled", who = who, work = work(*no)), None)
        }
        TeamEvent::Left { seat, reason } => {
            (text!(locale => "log-left", member = member(*seat)), why(reason.as_str()))
        }
        TeamEvent::Paused { seat } => {
            (text!(locale => "log-paused", who = who, member = member(*seat)), None)
        }
        TeamEvent::Resumed { seat } => {
            (text!(locale => "log-resumed", who = who, member = member(*seat)), None)
        }
        TeamEvent::TurnSkipped { .. } => (text!(locale => "log-turn-skipped", who = who), None),
        TeamEvent::SpeakerSet { seat } => {
            (text!(locale => "log-speaker", who = who, member = member(*seat)), None)
        }
        TeamEvent::Cancelled { reason } => (text!(locale => "log-team-stopped"), why(reason.as_str())),
        TeamEvent::Decided { usage } => (text!(locale => "log-decided", count = usage.tokens()), None),
        TeamEvent::Extended { .. } => (text!(locale => "log-extended"), None),
        TeamEvent::Elapsed => (text!(locale => "log-elapsed"), None),
    }
}

fn who(by: TeamActor, names: &LogNames<'_>) -> String {
    match by {
        TeamActor::Home => text!(names.locale => "log-hub"),
        TeamActor::Owner => names.owner.to_owned(),
        TeamActor::Seat(seat) => names.member(seat).to_owned(),
    }
}

fn utterance_line(who: &str, utterance: &Utterance, names: &LogNames<'_>) -> (String, Option<String>) {
    let locale = names.locale;
    match utterance {
        Utterance::Discuss { text, .. } => (text!(locale => "log-said", who = who), Some(text.to_string())),
        Utterance::Assign { mode, assignments } => {
            let given = assignments.iter().map(|task| {
                let member = names.member(task.to).to_owned();
                text!(locale => "log-given", title = task.spec.title.to_string(), member = member)
            });
            let list = given.collect::<Vec<_>>().join("; ");
            let words = match mode {
                AssignmentMode::Now => text!(locale => "log-assigned-now", who = who, list = list),
                AssignmentMode::Background => text!(locale => "log-assigned-later", who = who, list = list),
            };
            (words, None)
        }
        Utterance::WaitFor { assignments } => {
            let waited: Vec<String> = assignments.iter().map(|no| names.assignment(*no).to_owned()).collect();
            (text!(locale => "log-waits", who = who, list = waited.join("; ")), None)
        }
        Utterance::Plan { steps } => {
            let lines = steps.iter().map(|step| match step.done {
                true => text!(locale => "log-step-done", title = step.title.to_string()),
                false => text!(locale => "log-step", title = step.title.to_string()),
            });
            (text!(locale => "log-plan", who = who), Some(lines.collect::<Vec<_>>().join("\n")))
        }
        Utterance::Vote { question, options } => {
            let options: Vec<String> = options.iter().map(|option| format!("- {option}")).collect();
            let text = format!("{question}\n\n{}", options.join("\n"));
            (text!(locale => "log-vote", who = who), Some(text))
        }
        Utterance::Ballot { option: Some(option) } => {
            (text!(locale => "log-ballot", who = who, number = option + 1), None)
        }
        Utterance::Ballot { option: None } => (text!(locale => "log-abstained", who = who), None),
        Utterance::Conclude { text: Some(text) } => {
            (text!(locale => "log-answer", who = who), Some(text.to_string()))
        }
        Utterance::Conclude { text: None } => (text!(locale => "log-concluded", who = who), None),
    }
}

fn end(locale: Locale, end: AssignmentOutcome, work: String) -> String {
    match end {
        AssignmentOutcome::Completed => text!(locale => "log-work-done", work = work),
        AssignmentOutcome::Failed => text!(locale => "log-work-failed", work = work),
        AssignmentOutcome::Cancelled => text!(locale => "log-work-stopped", work = work),
        AssignmentOutcome::Rejected => text!(locale => "log-work-declined", work = work),
        AssignmentOutcome::TimedOut => text!(locale => "log-work-timed-out", work = work),
    }
}
