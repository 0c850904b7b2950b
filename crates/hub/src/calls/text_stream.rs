//! An agent's answer as one growing text, for protocols whose answers are plain text.

use std::collections::{HashMap, HashSet};

use plexus_domain::{MessageId, Part, PartBody, message::Message};

use super::{Task, TaskUpdate};
use crate::Hub;

/// Separator between two parts: a paragraph break.
const BETWEEN: &str = "\n\n";

/// Returns a part as markdown. None for parts that programs do not receive: tool calls, reasoning and
/// approvals.
pub fn part_to_markdown(hub: &Hub, part: &Part) -> Option<String> {
    let linked = |url: &str| match &part.name {
        Some(name) => format!("[{}]({url})", name.replace(['[', ']', '\n'], " ")),
        None => format!("<{url}>"),
    };
    match &part.content {
        PartBody::Text { text } => Some(text.clone()),
        PartBody::Data { data } => Some(format!("```json\n{data:#}\n```")),
        PartBody::File { blob, .. } => {
            Some(linked(&format!("{}api/v1/blobs/{blob}", hub.config().public_url)))
        }
        PartBody::Link { url } => Some(linked(url)),
        PartBody::Tool(_) | PartBody::Reasoning { .. } | PartBody::Approval { .. } => None,
    }
}

/// The answer to the caller's last message, as text that grows with each update.
pub struct AnswerText {
    hub: Hub,
    /// Messages of the run before the caller's last message.
    earlier: HashSet<MessageId>,
    /// How much of each part is in `text`: bytes for text, 1 for any other part.
    told: HashMap<(MessageId, usize), usize>,
    last: Option<(MessageId, usize)>,
    text: String,
}

impl AnswerText {
    /// Starts with the text that the task has already.
    pub fn of(hub: &Hub, task: &Task) -> Self {
        let asked = task.messages.iter().rposition(|message| message.author != task.agent);
        let (earlier, answer) = task.messages.split_at(asked.map_or(0, |asked| asked + 1));
        let mut words = Self {
            hub: hub.clone(),
            earlier: earlier.iter().map(|message| message.id).collect(),
            told: HashMap::new(),
            last: None,
            text: String::new(),
        };
        answer.iter().for_each(|message| words.whole(message));
        words
    }

    /// Appends the text of an update. Idempotent: text that is there already is skipped.
    pub fn take(&mut self, news: &TaskUpdate) {
        match news {
            TaskUpdate::Part { message, index, start, part } => self.part(*message, *index, *start, part),
            TaskUpdate::Ended { message } => self.whole(message),
            TaskUpdate::Waits { .. } | TaskUpdate::State { .. } => {}
        }
    }

    /// Returns all text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn whole(&mut self, message: &Message) {
        for (index, part) in message.parts.iter().enumerate() {
            self.part(message.id, index, 0, part);
        }
    }

    /// Appends a part. Text is placed by byte offset: known bytes are skipped, and a gap is filled when the
    /// message ends.
    fn part(&mut self, message: MessageId, index: usize, start: usize, part: &Part) {
        let place = (message, index);
        let known = self.told.get(&place).copied().unwrap_or(0);
        if self.earlier.contains(&message) {
            return;
        }
        let (fresh, end) = match &part.content {
            PartBody::Text { text } => (
                known.checked_sub(start).and_then(|skip| text.get(skip..)).map(str::to_owned),
                start + text.len(),
            ),
            _ if known > 0 => return,
            _ => (part_to_markdown(&self.hub, part), 1),
        };
        let Some(fresh) = fresh.filter(|fresh| !fresh.is_empty()) else { return };
        if self.last.is_some_and(|last| last != place) && !self.text.is_empty() {
            self.text.push_str(BETWEEN);
        }
        self.text.push_str(&fresh);
        self.last = Some(place);
        self.told.insert(place, end);
    }
}
