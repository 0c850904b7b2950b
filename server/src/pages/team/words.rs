//! Formats entries of a team's log as sentences.

use plexus_domain::team::{Author, Entry, Event, Mode, Seat, Utterance, WorkNo, work::End};

/// Names for the numbers in a log.
pub struct Names<'a> {
    /// Members by seat, as they are after the entry.
    pub members: &'a [String],
    /// Titles of assignments by number.
    pub work: &'a [String],
    /// Name of the account that launched the team.
    pub owner: &'a str,
}

impl Names<'_> {
    fn member(&self, seat: Seat) -> &str {
        self.members.get(usize::from(seat.0)).map_or("", String::as_str)
    }

    fn work(&self, no: WorkNo) -> &str {
        usize::try_from(no.0).ok().and_then(|no| self.work.get(no)).map_or("", String::as_str)
    }

    /// Returns the members that were invited last.
    fn newest(&self, count: usize) -> &[String] {
        &self.members[self.members.len().saturating_sub(count)..]
    }
}

/// Returns the sentence for an entry, and its text if it has one. `reasons`: whether to include reasons of
/// failures.
pub fn words(entry: &Entry, names: &Names<'_>, reasons: bool) -> (String, Option<String>) {
    let (who, member, work) =
        (who(entry.by(), names), |seat: Seat| names.member(seat), |no: WorkNo| names.work(no));
    let why = |reason: &str| reasons.then(|| reason.to_owned());
    match entry.event() {
        Event::Founded { charter } => {
            ("The team was founded.".to_owned(), Some(charter.goal.as_str().to_owned()))
        }
        Event::Invited { members } => (format!("Invited: {}.", names.newest(members.len()).join(", ")), None),
        Event::Accepted => (format!("{who} takes part."), None),
        Event::Declined { reason } => (format!("{who} declined."), why(reason.as_str())),
        Event::Said { utterance, .. } => said(&who, utterance, names),
        Event::Remarked { text, .. } => (format!("{who} said to all:"), Some(text.to_string())),
        Event::Started { work: no } => (format!("{who} began: {}.", work(*no)), None),
        Event::Asked { work: no, question } => {
            (format!("{who} asked about: {}.", work(*no)), Some(question.to_string()))
        }
        Event::Answered { work: no, answer } => {
            (format!("{who} answered about: {}.", work(*no)), Some(answer.to_string()))
        }
        Event::Nested { work: no, .. } => (format!("A team was formed for: {}.", work(*no)), None),
        Event::Reported { work: no, report } => {
            let text = report.text.as_ref().filter(|_| reasons || report.end == End::Completed);
            if entry.by() == Author::Owner {
                return (format!("{who} took over: {}.", work(*no)), text.map(ToString::to_string));
            }
            (format!("{}: {}.", work(*no), end(report.end)), text.map(ToString::to_string))
        }
        Event::Stopped { work: no } => (format!("{who} stopped: {}.", work(*no)), None),
        Event::Left { seat, reason } => (format!("{} left.", member(*seat)), why(reason.as_str())),
        Event::Held { seat } => (format!("{who} paused {}.", member(*seat)), None),
        Event::Resumed { seat } => (format!("{who} resumed {}.", member(*seat)), None),
        Event::Skipped { .. } => (format!("{who} skipped a turn."), None),
        Event::FloorGiven { to } => (format!("{who} gave the floor to {}.", member(*to)), None),
        Event::Cancelled { reason } => ("The team was stopped.".to_owned(), why(reason.as_str())),
        Event::Decided { usage } => (format!("A model decided; it took {} tokens.", usage.tokens()), None),
        Event::Extended { .. } => {
            ("The hub was not running; deadlines were extended by that time.".to_owned(), None)
        }
        Event::Elapsed => ("A deadline passed.".to_owned(), None),
    }
}

fn who(by: Author, names: &Names<'_>) -> String {
    match by {
        Author::Home => "The hub".to_owned(),
        Author::Owner => names.owner.to_owned(),
        Author::Seat(seat) => names.member(seat).to_owned(),
    }
}

fn said(who: &str, utterance: &Utterance, names: &Names<'_>) -> (String, Option<String>) {
    match utterance {
        Utterance::Discuss { text, .. } => (format!("{who} said:"), Some(text.to_string())),
        Utterance::Assign { mode, work } => {
            let given: Vec<String> =
                work.iter().map(|task| format!("{} to {}", task.spec.title, names.member(task.to))).collect();
            let how = if *mode == Mode::Now { "and waits for it" } else { "and goes on" };
            (format!("{who} gave work, {how}: {}.", given.join("; ")), None)
        }
        Utterance::PauseFor { work } => {
            let waited: Vec<String> = work.iter().map(|no| names.work(*no).to_owned()).collect();
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
        Utterance::Conclude { text: None } => (format!("{who} ended the talk."), None),
    }
}

pub const fn end(end: End) -> &'static str {
    match end {
        End::Completed => "done",
        End::Failed => "failed",
        End::Cancelled => "stopped",
        End::Rejected => "declined",
        End::TimedOut => "out of time",
    }
}
