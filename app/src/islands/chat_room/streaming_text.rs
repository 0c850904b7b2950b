//! Text of a part that is still being written. Byte offsets give ordering and deduplication.

/// Known text of a part: bytes before `start` are closed, `text` follows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamingText {
    start: usize,
    text: String,
}

/// Effect of a received piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextChange {
    /// Duplicate: nothing changed.
    Nothing,
    /// This text was appended to the tail.
    Appended(String),
    /// A block was closed and removed from the tail.
    Closed,
    /// Bytes are missing: the stream must be reopened.
    Gap,
}

impl StreamingText {
    pub fn new(start: usize, text: String) -> Self {
        Self { start, text }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Appends `text`, which begins at byte `start` of the part. Known bytes are skipped.
    pub fn push(&mut self, start: usize, text: &str) -> TextChange {
        let Some(known) = self.end().checked_sub(start) else { return TextChange::Gap };
        match text.get(known..) {
            Some("") => TextChange::Nothing,
            Some(new) => {
                self.text.push_str(new);
                TextChange::Appended(new.to_owned())
            }
            // Duplicate of older text, unless the offset is inside a UTF-8 character.
            None if known > text.len() => TextChange::Nothing,
            None => TextChange::Gap,
        }
    }

    /// Closes the bytes `start..end`. They may reach beyond the received text.
    pub fn close(&mut self, start: usize, end: usize) -> TextChange {
        if end <= self.start {
            return TextChange::Nothing;
        }
        if start != self.start {
            return TextChange::Gap;
        }
        match self.text.get(end - start..) {
            Some(rest) => self.text = rest.to_owned(),
            None if end >= self.end() => self.text.clear(),
            None => return TextChange::Gap,
        }
        self.start = end;
        TextChange::Closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_arrives_once_and_in_order() {
        let mut tail = StreamingText::default();
        assert_eq!(tail.push(0, "Hel"), TextChange::Appended("Hel".into()));
        assert_eq!(tail.push(0, "Hello"), TextChange::Appended("lo".into()));
        assert_eq!(tail.push(0, "Hel"), TextChange::Nothing);
        assert_eq!(tail.push(2, "l"), TextChange::Nothing);
        assert_eq!(tail.push(5, ""), TextChange::Nothing);
        assert_eq!(tail.push(7, "!"), TextChange::Gap);
        assert_eq!(tail.text(), "Hello");
    }

    #[test]
    fn a_cut_inside_a_character_is_a_gap() {
        let mut tail = StreamingText::new(0, "a".into());
        assert_eq!(tail.push(0, "é"), TextChange::Gap);
        assert_eq!(tail.push(1, "é"), TextChange::Appended("é".into()));
        assert_eq!(tail.close(0, 2), TextChange::Gap);
    }

    #[test]
    fn closing_cuts_the_start_of_the_tail() {
        let mut tail = StreamingText::default();
        tail.push(0, "one\n\ntwo");
        assert_eq!(tail.close(0, 5), TextChange::Closed);
        assert_eq!(tail.text(), "two");
        assert_eq!(tail.close(0, 5), TextChange::Nothing, "told twice");
        assert_eq!(tail.push(5, "two more"), TextChange::Appended(" more".into()));
        assert_eq!(tail.close(9, 12), TextChange::Gap);
    }

    #[test]
    fn a_block_may_close_more_than_was_heard_of() {
        let mut tail = StreamingText::new(10, "ab".into());
        assert_eq!(tail.close(10, 20), TextChange::Closed);
        assert_eq!(tail, StreamingText::new(20, String::new()));
        assert_eq!(tail.push(12, "cdefgh"), TextChange::Nothing);
        assert_eq!(tail.push(12, "cdefghijk"), TextChange::Appended("k".into()));
    }
}
