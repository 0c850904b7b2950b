//! A message while it is being written.

mod journal;

use plexus_domain::{ChatId, MessageId, Metadata, Part, PartBody};
use plexus_markup::Splitter;

pub use self::journal::{JournalPiece, ReplayEffect};
use super::FrameKind;
use crate::views::{ClosedBlock, Snapshot};

/// The parts of an open message so far. Text grows; other parts are added complete.
pub struct OpenMessage {
    chat: ChatId,
    message: MessageId,
    parts: Vec<OpenPart>,
    /// Status line of its agent; empty if there is none.
    status: String,
    /// Whether the current status is journaled.
    status_logged: bool,
    /// The number of its first piece in the stream journal.
    pub(super) first_piece: Option<i64>,
    /// A mirror: another instance writes the message.
    is_copy: bool,
}

enum OpenPart {
    Text(OpenText),
    Whole { part: Part, logged: bool },
}

struct OpenText {
    artifact: Option<String>,
    name: Option<String>,
    metadata: Option<Box<Metadata>>,
    text: String,
    splitter: Splitter,
    /// End offsets of the closed blocks, in order.
    closed: Vec<usize>,
    /// How many bytes of the text are journaled.
    logged: usize,
    /// Whether artifact and name are journaled.
    labels_logged: bool,
}

/// A markdown block that later text cannot change.
#[derive(Debug, PartialEq, Eq)]
pub struct ClosedText {
    pub start: usize,
    pub end: usize,
}

impl OpenMessage {
    pub const fn new(chat: ChatId, message: MessageId) -> Self {
        Self {
            chat,
            message,
            parts: Vec::new(),
            status: String::new(),
            status_logged: true,
            first_piece: None,
            is_copy: false,
        }
    }

    /// Creates a mirror of a message that another instance writes.
    pub fn copy(chat: ChatId, message: MessageId) -> Self {
        Self { is_copy: true, ..Self::new(chat, message) }
    }

    pub const fn is_copy(&self) -> bool {
        self.is_copy
    }

    pub const fn chat(&self) -> ChatId {
        self.chat
    }

    pub const fn message(&self) -> MessageId {
        self.message
    }

    /// Discards all parts.
    pub fn clear(&mut self) {
        self.parts.clear();
    }

    pub fn status(&self) -> &str {
        &self.status
    }

    /// Sets the status line. Returns false if it is unchanged.
    pub fn set_status(&mut self, line: &str) -> bool {
        let is_new = self.status != line;
        if is_new {
            line.clone_into(&mut self.status);
            self.status_logged = false;
        }
        is_new
    }

    /// Appends to the last text part of `artifact`, or starts one.
    ///
    /// Returns the index of the part, the offset of the delta, and the blocks that it closed.
    pub fn append(
        &mut self,
        artifact: Option<&str>,
        name: Option<&str>,
        delta: &str,
    ) -> (usize, usize, Vec<ClosedText>) {
        let part = self.text_part(artifact, name);
        let OpenPart::Text(open) = &mut self.parts[part] else { unreachable!("a text part was just found") };
        let (start, closed) = open.push(delta);
        (part, start, closed)
    }

    /// Starts a text part with metadata. Text of `artifact` that follows is appended to it.
    pub fn begin_text(
        &mut self,
        artifact: Option<&str>,
        name: Option<&str>,
        metadata: Option<Box<Metadata>>,
    ) {
        self.parts.push(OpenPart::text(artifact, name, metadata));
    }

    /// Adds a part that is not streamed text; returns its index.
    pub fn push(&mut self, part: Part) -> usize {
        self.parts.push(OpenPart::whole(part));
        self.parts.len() - 1
    }

    /// Replaces a part that is not streamed text.
    pub fn replace(&mut self, index: usize, part: Part) {
        if let Some(place @ OpenPart::Whole { .. }) = self.parts.get_mut(index) {
            *place = OpenPart::whole(part);
        }
    }

    /// Replaces the text at the end of the message itself by reasoning. Returns its index and the new part.
    pub fn text_to_reasoning(&mut self) -> Option<(usize, Part)> {
        let index = self.parts.len().checked_sub(1)?;
        let OpenPart::Text(open) = &mut self.parts[index] else { return None };
        if open.artifact.is_some() {
            return None;
        }
        let part = Part::from(PartBody::Reasoning { text: std::mem::take(&mut open.text) });
        self.parts[index] = OpenPart::whole(part.clone());
        Some((index, part))
    }

    /// Blanks the parts of an artifact. Their indexes stay taken, because readers know parts by index. Returns
    /// each index with the blank part that replaced it.
    pub fn discard(&mut self, artifact: &str) -> Vec<(usize, Part)> {
        let of_artifact = self.parts.iter_mut().enumerate();
        let of_artifact = of_artifact.filter(|(_, open)| open.artifact() == Some(artifact));
        let blank = |(index, open): (usize, &mut OpenPart)| {
            // Not empty: the journal writes the labels of streamed text as an empty text.
            let blank = Part::text(" ");
            *open = OpenPart::whole(blank.clone());
            (index, blank)
        };
        of_artifact.map(blank).collect()
    }

    /// Publishes text that was just appended, and the blocks that it closed.
    pub fn show(
        &self,
        part: usize,
        start: usize,
        delta: &str,
        closed: Vec<ClosedText>,
        tell: impl Fn(FrameKind),
    ) {
        let message = self.message;
        tell(FrameKind::Text { message, part, start, body: delta.into() });
        let OpenPart::Text(open) = &self.parts[part] else { return };
        for ClosedText { start, end } in closed {
            let text = open.text[start..end].into();
            tell(FrameKind::Block { message, part, start, end, text });
        }
    }

    pub fn snapshot(&self) -> Vec<Snapshot> {
        let message = self.message;
        self.parts.iter().enumerate().map(|(part, open)| open.snapshot(message, part)).collect()
    }

    /// Returns the parts to be stored, in order and without empty ones.
    pub fn parts(&self) -> Vec<Part> {
        self.parts.iter().filter_map(OpenPart::finished).collect()
    }

    fn text_part(&mut self, artifact: Option<&str>, name: Option<&str>) -> usize {
        let continues = |open: &OpenPart| match open {
            OpenPart::Text(open) => open.artifact.as_deref() == artifact,
            OpenPart::Whole { .. } => false,
        };
        // An artifact may be continued after other parts, but not after one of its own, to keep their order;
        // plain text only directly after itself.
        let found = match artifact {
            Some(_) => {
                let last = self.parts.iter().rposition(|open| open.artifact() == artifact);
                last.filter(|&last| continues(&self.parts[last]))
            }
            None => self.parts.len().checked_sub(1).filter(|&last| continues(&self.parts[last])),
        };
        found.unwrap_or_else(|| {
            self.parts.push(OpenPart::text(artifact, name, None));
            self.parts.len() - 1
        })
    }
}

impl OpenPart {
    const fn whole(part: Part) -> Self {
        Self::Whole { part, logged: false }
    }

    fn artifact(&self) -> Option<&str> {
        match self {
            Self::Text(open) => open.artifact.as_deref(),
            Self::Whole { part, .. } => part.artifact.as_deref(),
        }
    }

    fn text(artifact: Option<&str>, name: Option<&str>, metadata: Option<Box<Metadata>>) -> Self {
        Self::Text(OpenText {
            artifact: artifact.map(str::to_owned),
            name: name.map(str::to_owned),
            metadata,
            text: String::new(),
            splitter: Splitter::new(),
            closed: Vec::new(),
            logged: 0,
            labels_logged: artifact.is_none() && name.is_none(),
        })
    }

    fn snapshot(&self, message: MessageId, part: usize) -> Snapshot {
        match self {
            Self::Text(open) => {
                let mut start = 0;
                let block = |end: &usize| {
                    let text = open.text[std::mem::replace(&mut start, *end)..*end].into();
                    ClosedBlock { end: *end, text }
                };
                let closed: Vec<_> = open.closed.iter().map(block).collect();
                Snapshot { message, part, tail: open.text[start..].to_owned(), closed, whole: None }
            }
            Self::Whole { part: whole, .. } => Snapshot::whole(message, part, whole.clone()),
        }
    }

    fn finished(&self) -> Option<Part> {
        match self {
            Self::Text(open) if open.text.is_empty() => None,
            Self::Text(open) => Some(open.part(open.text.clone())),
            Self::Whole { part, .. } if part.as_text().is_some_and(|text| text.trim().is_empty()) => None,
            Self::Whole { part, .. } => Some(part.clone()),
        }
    }
}

impl OpenText {
    /// Appends the delta; returns its offset, and the blocks that it closed.
    fn push(&mut self, delta: &str) -> (usize, Vec<ClosedText>) {
        let start = self.text.len();
        self.text.push_str(delta);
        let blocks = self.splitter.push(delta);
        self.closed.extend(blocks.iter().map(|block| block.end));
        (start, blocks.iter().map(|block| ClosedText { start: block.start, end: block.end }).collect())
    }

    fn part(&self, text: String) -> Part {
        let (artifact, name) = (self.artifact.clone(), self.name.clone());
        Part { artifact, name, metadata: self.metadata.clone(), ..Part::text(text) }
    }
}

#[cfg(test)]
mod tests {
    use plexus_domain::{PartBody, Timestamp};

    use super::*;

    fn open() -> OpenMessage {
        let at = Timestamp::from_millis(1);
        OpenMessage::new(ChatId::new(at, &[0; 10]), MessageId::new(at, &[0; 10]))
    }

    #[test]
    fn text_grows_by_offset_and_closed_blocks_are_told_apart() {
        let mut open = open();
        assert_eq!(open.append(None, None, "One *par").1, 0);
        let (part, start, _) = open.append(None, None, "agraph*.\n\nTwo");
        assert_eq!((part, start), (0, 8));
        let snapshot = &open.snapshot()[0];
        let closed = ClosedBlock { end: 18, text: "One *paragraph*.\n\n".into() };
        assert_eq!(snapshot.closed, [closed]);
        assert_eq!(format!("{}{}", &"One *paragraph*.\n\nTwo"[..snapshot.start()], snapshot.tail).len(), 21);
        assert_eq!(open.parts(), [Part::text("One *paragraph*.\n\nTwo")]);
    }

    #[test]
    fn an_artifact_goes_on_after_other_parts_and_plain_text_begins_anew() {
        let mut open = open();
        open.append(None, None, "a");
        open.append(Some("plot"), Some("plot.csv"), "1,");
        open.append(None, None, "b");
        open.append(Some("plot"), None, "2");
        let parts = open.parts();
        assert_eq!(parts.iter().map(|part| part.as_text().unwrap()).collect::<Vec<_>>(), ["a", "1,2", "b"]);
        assert_eq!(parts[1].name.as_deref(), Some("plot.csv"));
    }

    #[test]
    fn an_artifact_keeps_its_order_and_begins_anew_after_it_was_discarded() {
        let data = || Part { artifact: Some("a".into()), ..PartBody::Data { data: 1.into() }.into() };
        let mut open = open();
        open.append(None, None, "x");
        open.append(Some("a"), None, "one");
        open.push(data());
        open.append(Some("a"), None, "two");
        let text = |text: &str| Part { artifact: Some("a".into()), ..Part::text(text) };
        assert_eq!(open.parts(), [Part::text("x"), text("one"), data(), text("two")]);
        let blanked: Vec<usize> = open.discard("a").into_iter().map(|(index, _)| index).collect();
        assert_eq!(blanked, [1, 2, 3]);
        assert_eq!(open.append(Some("a"), None, "new").0, 4);
        assert_eq!(open.parts(), [Part::text("x"), text("new")]);
    }
}
