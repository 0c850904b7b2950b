//! Text of a part that is still being written. Byte offsets give ordering and deduplication.

/// Known text of a part: bytes before `start` are closed, `text` follows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    start: usize,
    text: String,
}

/// Effect of a received piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Duplicate: nothing changed.
    Nothing,
    /// This text was appended to the tail.
    Appended(String),
    /// A block was closed and removed from the tail.
    Closed,
    /// Bytes are missing: the stream must be reopened.
    Gap,
}

impl Tail {
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
    pub fn push(&mut self, start: usize, text: &str) -> Change {
        let Some(known) = self.end().checked_sub(start) else { return Change::Gap };
        match text.get(known..) {
            Some("") => Change::Nothing,
            Some(new) => {
                self.text.push_str(new);
                Change::Appended(new.to_owned())
            }
            // Duplicate of older text, unless the offset is inside a UTF-8 character.
            None if known > text.len() => Change::Nothing,
            None => Change::Gap,
        }
    }

    /// Closes the bytes `start..end`. They may reach beyond the received text.
    pub fn close(&mut self, start: usize, end: usize) -> Change {
        if end <= self.start {
            return Change::Nothing;
        }
        if start != self.start {
            return Change::Gap;
        }
        match self.text.get(end - start..) {
            Some(rest) => self.text = rest.to_owned(),
            None if end >= self.end() => self.text.clear(),
            None => return Change::Gap,
        }
        self.start = end;
        Change::Closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_arrives_once_and_in_order() {
        let mut tail = Tail::default();
        assert_eq!(tail.push(0, "Hel"), Change::Appended("Hel".into()));
        assert_eq!(tail.push(0, "Hello"), Change::Appended("lo".into()));
        assert_eq!(tail.push(0, "Hel"), Change::Nothing);
        assert_eq!(tail.push(2, "l"), Change::Nothing);
        assert_eq!(tail.push(5, ""), Change::Nothing);
        assert_eq!(tail.push(7, "!"), Change::Gap);
        assert_eq!(tail.text(), "Hello");
    }

    #[test]
    fn a_cut_inside_a_character_is_a_gap() {
        let mut tail = Tail::new(0, "a".into());
        assert_eq!(tail.push(0, "é"), Change::Gap);
        assert_eq!(tail.push(1, "é"), Change::Appended("é".into()));
        assert_eq!(tail.close(0, 2), Change::Gap);
    }

    #[test]
    fn closing_cuts_the_start_of_the_tail() {
        let mut tail = Tail::default();
        tail.push(0, "one\n\ntwo");
        assert_eq!(tail.close(0, 5), Change::Closed);
        assert_eq!(tail.text(), "two");
        assert_eq!(tail.close(0, 5), Change::Nothing, "told twice");
        assert_eq!(tail.push(5, "two more"), Change::Appended(" more".into()));
        assert_eq!(tail.close(9, 12), Change::Gap);
    }

    #[test]
    fn a_block_may_close_more_than_was_heard_of() {
        let mut tail = Tail::new(10, "ab".into());
        assert_eq!(tail.close(10, 20), Change::Closed);
        assert_eq!(tail, Tail::new(20, String::new()));
        assert_eq!(tail.push(12, "cdefgh"), Change::Nothing);
        assert_eq!(tail.push(12, "cdefghijk"), Change::Appended("k".into()));
    }
}
