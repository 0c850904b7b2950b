//! Encoding of an open message as pieces of the stream journal, and replay from them.
//!
//! Text is journaled as a piece of its part. When several instances run, the journal also has complete parts,
//! labels of text parts, and the status line: pieces whose start is [`NOT_TEXT`].

use plexus_domain::{ChatId, MessageId, Part, PartBody};
use plexus_store::stream_journal::JournalEntry;

use super::{ClosedText, OpenMessage, OpenPart};

/// Start offset of a piece that is a part in JSON, or a status line.
const NOT_TEXT: i64 = -1;
/// Part index of a piece that is a status line.
const STATUS: i64 = -1;

/// A piece to be journaled.
#[derive(Debug, PartialEq, Eq)]
pub struct JournalPiece {
    pub part: i64,
    pub start: i64,
    pub body: Vec<u8>,
}

/// Effect of a replayed piece.
#[derive(Debug, PartialEq)]
pub enum ReplayEffect {
    Nothing,
    Text { part: usize, start: usize, delta: String, closed: Vec<ClosedText> },
    Whole { part: usize, whole: Box<Part> },
    Status,
}

impl OpenMessage {
    /// Drains the pieces that are not journaled yet. `all` includes parts other than text, labels and the
    /// status.
    pub fn take_unlogged(&mut self, all: bool) -> Vec<JournalPiece> {
        let mut unlogged = Vec::new();
        for (index, open) in self.parts.iter_mut().enumerate() {
            let part = to_i64(index);
            if all && let Some(whole) = open.unlogged_whole() {
                unlogged.push(JournalPiece { part, start: NOT_TEXT, body: json(&whole) });
            }
            if let OpenPart::Text(open) = open
                && open.logged < open.text.len()
            {
                let start = std::mem::replace(&mut open.logged, open.text.len());
                let body = open.text.as_bytes()[start..].to_vec();
                unlogged.push(JournalPiece { part, start: to_i64(start), body });
            }
        }
        if all && !std::mem::replace(&mut self.status_logged, true) {
            unlogged.push(JournalPiece {
                part: STATUS,
                start: NOT_TEXT,
                body: self.status.clone().into_bytes(),
            });
        }
        unlogged
    }

    /// Restores a message from its journal.
    pub fn replayed(chat: ChatId, message: MessageId, pieces: &[JournalEntry]) -> Self {
        let mut open = Self::copy(chat, message);
        for piece in pieces {
            open.apply(piece);
        }
        open
    }

    /// Applies the next piece. Idempotent: a piece that was applied before has no effect.
    pub fn apply(&mut self, piece: &JournalEntry) -> ReplayEffect {
        let body = || String::from_utf8_lossy(&piece.body);
        if piece.part == STATUS {
            return if self.set_status(&body()) { ReplayEffect::Status } else { ReplayEffect::Nothing };
        }
        let Ok(part) = usize::try_from(piece.part) else { return ReplayEffect::Nothing };
        // Insert empty placeholders for parts missing in the journal, to keep indexes stable.
        while self.parts.len() < part {
            self.parts.push(OpenPart::text(None, None, None));
        }
        match usize::try_from(piece.byte_offset) {
            Ok(start) => self.apply_text(part, start, &body()),
            Err(_) => self.apply_part(part, &piece.body),
        }
    }

    fn apply_text(&mut self, part: usize, start: usize, body: &str) -> ReplayEffect {
        if self.parts.len() == part {
            self.parts.push(OpenPart::text(None, None, None));
        }
        let OpenPart::Text(open) = &mut self.parts[part] else { return ReplayEffect::Nothing };
        let known = open.text.len().saturating_sub(start);
        let Some(delta) = body.get(known..).filter(|delta| !delta.is_empty()) else {
            return ReplayEffect::Nothing;
        };
        let (start, closed) = open.push(delta);
        ReplayEffect::Text { part, start, delta: delta.to_owned(), closed }
    }

    fn apply_part(&mut self, part: usize, body: &[u8]) -> ReplayEffect {
        let Ok(whole) = serde_json::from_slice::<Part>(body) else { return ReplayEffect::Nothing };
        let is_text = matches!(&whole.content, PartBody::Text { text } if text.is_empty());
        let open = match is_text {
            true => OpenPart::text(whole.artifact.as_deref(), whole.name.as_deref(), None),
            false => OpenPart::whole(whole.clone()),
        };
        match self.parts.get_mut(part) {
            // The labels of this text were already journaled before its text.
            Some(OpenPart::Text(known)) if is_text && !known.text.is_empty() => return ReplayEffect::Nothing,
            Some(OpenPart::Whole { part: known, .. }) if *known == whole => return ReplayEffect::Nothing,
            Some(place) => *place = open,
            None => self.parts.push(open),
        }
        if is_text { ReplayEffect::Nothing } else { ReplayEffect::Whole { part, whole: Box::new(whole) } }
    }
}

impl OpenPart {
    /// Returns the part if it, or its labels, are not journaled yet. Marks them as journaled.
    fn unlogged_whole(&mut self) -> Option<Part> {
        match self {
            Self::Whole { part, logged } => (!std::mem::replace(logged, true)).then(|| part.clone()),
            Self::Text(open) => {
                let is_known = std::mem::replace(&mut open.labels_logged, true);
                (!is_known).then(|| open.part(String::new()))
            }
        }
    }
}

fn json(part: &Part) -> Vec<u8> {
    // Cannot fail: all maps have string keys, and no serializer is fallible.
    serde_json::to_vec(part).unwrap_or_default()
}

fn to_i64(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use plexus_domain::Timestamp;

    use super::*;

    fn open() -> OpenMessage {
        let at = Timestamp::from_millis(1);
        OpenMessage::new(ChatId::new(at, &[0; 10]), MessageId::new(at, &[0; 10]))
    }

    fn data(value: serde_json::Value) -> Part {
        PartBody::Data { data: value }.into()
    }

    /// Returns the pieces as the journal would store them.
    fn pieces(open: &mut OpenMessage, all: bool) -> Vec<JournalEntry> {
        let message = open.message();
        let unlogged = open.take_unlogged(all).into_iter();
        unlogged
            .map(|piece| JournalEntry {
                seq: 0,
                message,
                part: piece.part,
                byte_offset: piece.start,
                body: piece.body,
            })
            .collect()
    }

    #[test]
    fn text_is_logged_once() {
        let piece = |part, start, text: &str| JournalPiece { part, start, body: text.into() };
        let mut open = open();
        open.append(None, None, "ab");
        assert_eq!(open.take_unlogged(false), [piece(0, 0, "ab")]);
        open.append(None, None, "cd");
        open.append(Some("plot"), None, "x");
        assert_eq!(open.take_unlogged(false), [piece(0, 2, "cd"), piece(1, 0, "x")]);
        assert!(open.take_unlogged(false).is_empty());
    }

    #[test]
    fn whoever_reads_along_sees_all_of_it() {
        let mut open = open();
        let mut copy = OpenMessage::copy(open.chat(), open.message());
        let mut told = Vec::new();
        let steps: [fn(&mut OpenMessage); 7] = [
            |open| _ = open.append(None, None, "One.\n\nTw"),
            |open| _ = open.push(data(serde_json::json!({ "n": 1 }))),
            |open| _ = open.append(Some("plot"), Some("plot.csv"), "1,"),
            |open| open.replace(1, data(serde_json::json!({ "n": 2 }))),
            |open| {
                open.append(Some("plot"), None, "2é");
                open.set_status("Draws.");
            },
            |open| _ = open.discard("plot"),
            |open| _ = open.append(Some("plot"), Some("plot.csv"), "3,"),
        ];
        for step in steps {
            step(&mut open);
            let new = pieces(&mut open, true);
            for piece in &new {
                copy.apply(piece);
                assert_eq!(copy.apply(piece), ReplayEffect::Nothing, "the same twice");
            }
            assert_eq!(copy.snapshot(), open.snapshot());
            assert_eq!((copy.parts(), copy.status()), (open.parts(), open.status()));
            told.extend(new);
        }
        let late = OpenMessage::replayed(open.chat(), open.message(), &told);
        assert_eq!((late.snapshot(), late.parts()), (open.snapshot(), open.parts()));
    }

    #[test]
    fn a_log_of_text_alone_keeps_the_places_of_other_parts() {
        let mut open = open();
        open.append(None, None, "a");
        open.push(data(serde_json::json!(1)));
        open.append(None, None, "b");
        let late = OpenMessage::replayed(open.chat(), open.message(), &pieces(&mut open, false));
        assert_eq!(late.parts(), [Part::text("a"), Part::text("b")]);
    }
}
