//! An agent's answer as one growing text, for protocols whose answers are plain text.

use std::collections::{HashMap, HashSet};

use plexus_domain::{Digest, MessageId, Part, PartBody, RunId, message::Message};

use super::{AuthorizedAgent, Task, TaskUpdate, signed_links::LinkSigner, task};
use crate::{Hub, Result, media_types::inline_type};

/// Separator between two parts: a paragraph break.
const BETWEEN: &str = "\n\n";

/// Returns a part as markdown; `file` returns the URL of a file. None for parts that programs do not receive: tool
/// calls, reasoning and approvals.
pub fn part_to_markdown(part: &Part, file: impl FnOnce(&Digest) -> String) -> Option<String> {
    let linked = |url: &str| match &part.name {
        Some(name) => format!("[{}]({url})", link_label(name)),
        None => format!("<{url}>"),
    };
    match &part.content {
        PartBody::Text { text } => Some(text.clone()),
        PartBody::Data { data } => Some(format!("```json\n{data:#}\n```")),
        PartBody::File { blob, .. } if part.media_type.as_deref().and_then(inline_type).is_some() => {
            let name = part.name.as_deref().unwrap_or("image");
            Some(format!("![{}]({})", link_label(name), file(blob)))
        }
        PartBody::File { blob, .. } => Some(linked(&file(blob))),
        PartBody::Link { url } => Some(linked(url)),
        PartBody::Tool(_)
        | PartBody::Reasoning { .. }
        | PartBody::Approval { .. }
        | PartBody::Question { .. } => None,
    }
}

/// Returns a name as the label of a Markdown link, which ends at a bracket or a line break.
pub(crate) fn link_label(name: &str) -> String {
    name.replace(['[', ']', '\n'], " ")
}

/// URLs of the files of a caller's runs. For callers with an account they are signed, so that the caller's browser opens
/// them without a token.
pub struct FileLinks {
    hub: Hub,
    authorized: AuthorizedAgent,
    signer: Option<LinkSigner>,
}

impl FileLinks {
    /// Creates the links for a caller of the agent. Files of anonymous callers need no signature.
    pub async fn load(hub: &Hub, authorized: &AuthorizedAgent) -> Result<Self> {
        let signer = if authorized.is_anonymous() { None } else { Some(LinkSigner::load(hub).await?) };
        Ok(Self { hub: hub.clone(), authorized: authorized.clone(), signer })
    }

    pub fn url(&self, run: RunId, blob: &Digest) -> String {
        let agent = self.authorized.address();
        match &self.signer {
            Some(signer) => signer.file_url(&self.hub, &agent, run, blob),
            None => task::file_url(&self.hub, &agent, run, blob),
        }
    }
}

/// The answer to the caller's last message, as text that grows with each update.
pub struct AnswerText {
    hub: Hub,
    authorized: AuthorizedAgent,
    run: RunId,
    /// Loaded for the first file.
    links: Option<FileLinks>,
    /// Messages of the run before the caller's last message.
    earlier: HashSet<MessageId>,
    /// How much of each part is in `text`: bytes for text, 1 for any other part.
    told: HashMap<(MessageId, usize), usize>,
    last: Option<(MessageId, usize)>,
    text: String,
}

impl AnswerText {
    /// Starts with the text that the task has already.
    pub async fn of(hub: &Hub, authorized: &AuthorizedAgent, task: &Task) -> Result<Self> {
        let asked = task.messages.iter().rposition(|message| message.author != task.agent);
        let (earlier, answer) = task.messages.split_at(asked.map_or(0, |asked| asked + 1));
        let mut words = Self {
            hub: hub.clone(),
            authorized: authorized.clone(),
            run: task.id,
            links: None,
            earlier: earlier.iter().map(|message| message.id).collect(),
            told: HashMap::new(),
            last: None,
            text: String::new(),
        };
        for message in answer {
            words.whole(message).await?;
        }
        Ok(words)
    }

    /// Appends the text of an update. Idempotent: text that is there already is skipped.
    pub async fn take(&mut self, news: &TaskUpdate) -> Result<()> {
        match news {
            TaskUpdate::Part { message, index, start, part } => {
                self.part(*message, *index, *start, part).await
            }
            TaskUpdate::Ended { message, .. } => self.whole(message).await,
            TaskUpdate::Status { .. } | TaskUpdate::State { .. } => Ok(()),
        }
    }

    /// Returns all text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    async fn whole(&mut self, message: &Message) -> Result<()> {
        for (index, part) in message.parts.iter().enumerate() {
            self.part(message.id, index, 0, part).await?;
        }
        Ok(())
    }

    /// Appends a part. Text is placed by byte offset: known bytes are skipped, and a gap is filled when the
    /// message ends.
    async fn part(&mut self, message: MessageId, index: usize, start: usize, part: &Part) -> Result<()> {
        let place = (message, index);
        let known = self.told.get(&place).copied().unwrap_or(0);
        if self.earlier.contains(&message) {
            return Ok(());
        }
        let (fresh, end) = match &part.content {
            PartBody::Text { text } => (
                known.checked_sub(start).and_then(|skip| text.get(skip..)).map(str::to_owned),
                start + text.len(),
            ),
            _ if known > 0 => return Ok(()),
            _ => (self.markdown(part).await?, 1),
        };
        let Some(fresh) = fresh.filter(|fresh| !fresh.is_empty()) else { return Ok(()) };
        if self.last.is_some_and(|last| last != place) && !self.text.is_empty() {
            self.text.push_str(BETWEEN);
        }
        self.text.push_str(&fresh);
        self.last = Some(place);
        self.told.insert(place, end);
        Ok(())
    }

    async fn markdown(&mut self, part: &Part) -> Result<Option<String>> {
        if matches!(part.content, PartBody::File { .. }) && self.links.is_none() {
            self.links = Some(FileLinks::load(&self.hub, &self.authorized).await?);
        }
        let url =
            |blob: &Digest| self.links.as_ref().map(|links| links.url(self.run, blob)).unwrap_or_default();
        Ok(part_to_markdown(part, url))
    }
}
