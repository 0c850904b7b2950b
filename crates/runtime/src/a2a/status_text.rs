//! Text of the status messages of an agent: its answer if it gives no other.

use plexus_domain::sanitized_text::byte_prefix;

/// Maximum size in bytes. It bounds memory, as status messages are held back until the run ends.
const MAX_BYTES: usize = 1 << 20;

/// Status text so far. Agents send it in whole messages, in chunks under one message id, or cumulatively.
#[derive(Debug, Default)]
pub struct StatusText {
    text: String,
    /// Id of the last message, and where its text starts.
    message: Option<String>,
    start: usize,
    is_cut: bool,
}

impl StatusText {
    /// Returns true if the last message has this id.
    pub fn is_current(&self, message: &str) -> bool {
        self.message.as_deref() == Some(message)
    }

    /// Adds the text of a message. Returns false if it is known. `is_snapshot`: the status comes with a task,
    /// which repeats the last chunk.
    pub fn add(&mut self, message: &str, text: &str, is_snapshot: bool) -> bool {
        let is_current = self.is_current(message);
        if !is_current {
            self.message = Some(message.to_owned());
            let is_cumulative = !self.text.is_empty() && text.len() > self.text.len();
            self.start = if is_cumulative && text.starts_with(&self.text) { 0 } else { self.text.len() };
        }
        let known = &self.text[self.start..];
        if is_current && (text == known || is_snapshot && known.ends_with(text)) {
            return false;
        }
        if let Some(more) = text.strip_prefix(known).filter(|_| !known.is_empty()) {
            self.push(more);
        } else if begins_sentence(&self.text, text) {
            // Some agents give all of their messages one id.
            self.push("\n\n");
            self.start = self.text.len();
            self.push(text);
        } else {
            self.push(text);
        }
        true
    }

    /// Takes the text of the last message.
    pub fn take_current(&mut self) -> String {
        let start = self.start;
        self.take_all().split_off(start)
    }

    /// Takes the text of all messages.
    pub fn take_all(&mut self) -> String {
        let Self { mut text, is_cut, .. } = std::mem::take(self);
        if is_cut {
            text.push_str(&format!("\n\n[The agent's status text was cut after {MAX_BYTES} bytes.]"));
        }
        text
    }

    fn push(&mut self, text: &str) {
        let fitting = byte_prefix(text, MAX_BYTES - self.text.len()).len();
        self.text.push_str(&text[..fitting]);
        self.is_cut |= fitting < text.len();
    }
}

/// Returns whether a text is no chunk of a sentence before it: a chunk after the end of a sentence begins with a space.
fn begins_sentence(before: &str, text: &str) -> bool {
    before.ends_with(['.', '!', '?', '…']) && text.starts_with(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(messages: &[(&str, &str)]) -> String {
        let mut text = StatusText::default();
        for (id, words) in messages {
            text.add(id, words, false);
        }
        text.take_all()
    }

    #[test]
    fn text_is_complete_however_it_is_sent() {
        assert_eq!(all(&[("1", "Hel"), ("2", "lo "), ("3", "world")]), "Hello world");
        assert_eq!(all(&[("1", "Hel"), ("1", "l"), ("1", "l"), ("1", "o")]), "Helllo");
        assert_eq!(all(&[("1", "Hel"), ("1", "Hello "), ("1", "Hello world")]), "Hello world");
        assert_eq!(all(&[("1", "Hel"), ("2", "Hello "), ("3", "Hello world")]), "Hello world");
        assert_eq!(all(&[("1", "ha"), ("2", "ha")]), "haha");
        assert_eq!(all(&[("1", "So"), ("1", "So")]), "So");
        assert_eq!(
            all(&[("1", "It rises."), ("1", " It falls."), ("1", "3"), ("1", "."), ("1", "5")]),
            "It rises. It falls.3.5"
        );
        assert_eq!(all(&[("1", "I look at it."), ("2", "It rises.")]), "I look at it.\n\nIt rises.");
    }

    #[test]
    fn a_sentence_under_the_same_id_is_a_message_of_its_own() {
        let mut text = StatusText::default();
        assert!(text.add("m", "I look at it.", false) && text.add("m", "Which day?", false));
        assert_eq!(text.take_current(), "Which day?");
    }

    #[test]
    fn a_task_repeats_the_last_chunk() {
        let mut text = StatusText::default();
        assert!(text.add("1", "Hel", false) && text.add("1", "lo", false));
        assert!(!text.add("1", "lo", true));
        assert_eq!(text.take_current(), "Hello");
    }

    #[test]
    fn a_cut_is_told() {
        let text = all(&[("1", &"é".repeat(MAX_BYTES / 2)), ("2", "more")]);
        assert!(text.ends_with("é\n\n[The agent's status text was cut after 1048576 bytes.]"));
    }
}
