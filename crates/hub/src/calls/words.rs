//! What an agent says, as the one text that some protocols have for an answer.

use std::collections::{HashMap, HashSet};

use plexus_domain::{Content, MessageId, Part, message::Message};

use super::{News, Task};
use crate::Hub;

/// Between two parts, as between two paragraphs.
const BETWEEN: &str = "\n\n";

/// A part as markdown; none for what a program is not told.
pub fn in_words(hub: &Hub, part: &Part) -> Option<String> {
    let linked = |url: &str| match &part.name {
        Some(name) => format!("[{}]({url})", name.replace(['[', ']', '\n'], " ")),
        None => format!("<{url}>"),
    };
    match &part.content {
        Content::Text { text } => Some(text.clone()),
        Content::Data { data } => Some(format!("```json\n{data:#}\n```")),
        Content::File { blob, .. } => {
            Some(linked(&format!("{}api/v1/blobs/{blob}", hub.config().public_url)))
        }
        Content::Link { url } => Some(linked(url)),
        Content::Tool(_) | Content::Reasoning { .. } | Content::Approval { .. } => None,
    }
}

/// The answer to the caller's last message, in the pieces in which it comes.
pub struct Words {
    hub: Hub,
    /// What the run said before that message.
    earlier: HashSet<MessageId>,
    /// How much of each part was told: bytes of a text, 1 of anything else.
    told: HashMap<(MessageId, usize), usize>,
    last: Option<(MessageId, usize)>,
    text: String,
}

impl Words {
    /// What there is by now, and what follows it.
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

    pub fn take(&mut self, news: &News) {
        match news {
            News::Part { message, index, start, part } => self.part(*message, *index, *start, part),
            News::Ended { message } => self.whole(message),
            News::Waits { .. } | News::State { .. } => {}
        }
    }

    /// All that was told so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn whole(&mut self, message: &Message) {
        for (index, part) in message.parts.iter().enumerate() {
            self.part(message.id, index, 0, part);
        }
    }

    /// Text is placed by its byte offset: what is known already is dropped, and what is missing comes with the end.
    fn part(&mut self, message: MessageId, index: usize, start: usize, part: &Part) {
        let place = (message, index);
        let known = self.told.get(&place).copied().unwrap_or(0);
        if self.earlier.contains(&message) {
            return;
        }
        let (fresh, end) = match &part.content {
            Content::Text { text } => (
                known.checked_sub(start).and_then(|skip| text.get(skip..)).map(str::to_owned),
                start + text.len(),
            ),
            _ if known > 0 => return,
            _ => (in_words(&self.hub, part), 1),
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
