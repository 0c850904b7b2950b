//! Converts terminal output to append-only plain text.

use anstream::adapter::StripBytes;

use crate::suffix_buffer::SuffixBuffer;

/// Maximum characters of a line that is being redrawn. A longer line is emitted as it is.
const WIDEST: usize = 4_096;

/// Converter of terminal output: removes escape sequences, emits only complete characters, and emits a line
/// that the program redraws (spinner, progress bar) once, in its final state.
#[derive(Default)]
pub struct TerminalText {
    strip: StripBytes,
    /// Incomplete UTF-8 sequence.
    part: Vec<u8>,
    tail: SuffixBuffer,
    /// True if part of the line was already emitted. It cannot be retracted.
    begun: bool,
    /// Buffered line, after the program returned to its start.
    drawn: Option<Line>,
}

#[derive(Default)]
struct Line {
    shown: Vec<char>,
    /// Column of the next character.
    at: usize,
}

impl TerminalText {
    /// Converts the next bytes and returns the text to append.
    pub fn take(&mut self, bytes: &[u8]) -> String {
        for printable in self.strip.strip_next(bytes) {
            self.part.extend_from_slice(printable);
        }
        let whole = match std::str::from_utf8(&self.part) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.part.len(),
        };
        let rest = self.part.split_off(whole);
        let text = String::from_utf8_lossy(&std::mem::replace(&mut self.part, rest)).into_owned();
        self.tail.push(&text);
        text.split_inclusive(['\r', '\n']).map(|piece| self.draw(piece)).collect()
    }

    /// Returns the buffered line, once it will not be redrawn.
    pub fn rest(&mut self) -> String {
        let line = self.drawn.take().map(Line::text).filter(|line| !line.is_empty());
        let apart = line.is_some() && self.begun;
        self.begun |= line.is_some();
        format!("{}{}", if apart { "\n" } else { "" }, line.unwrap_or_default())
    }

    /// Returns the end of the text, to search for a prompt.
    pub const fn tail(&self) -> &SuffixBuffer {
        &self.tail
    }

    /// Handles at most one line, which may end with a carriage return or line feed.
    fn draw(&mut self, piece: &str) -> String {
        let words = piece.trim_end_matches(['\r', '\n']);
        if self.drawn.is_none() && !piece.ends_with('\r') {
            self.begun = !piece.ends_with('\n');
            return piece.to_owned();
        }
        let line = self.drawn.get_or_insert_default();
        line.write(words);
        if piece.ends_with('\r') {
            line.at = 0;
        }
        if piece.ends_with('\n') {
            let line = self.rest() + "\n";
            self.begun = false;
            return line;
        }
        if line.shown.len() > WIDEST { self.rest() } else { String::new() }
    }
}

impl Line {
    fn write(&mut self, words: &str) {
        for letter in words.chars() {
            match self.shown.get_mut(self.at) {
                Some(place) => *place = letter,
                None => self.shown.push(letter),
            }
            self.at += 1;
        }
    }

    fn text(self) -> String {
        self.shown.into_iter().collect::<String>().trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[&str]) -> String {
        let mut plain = TerminalText::default();
        let mut all: String = pieces.iter().map(|piece| plain.take(piece.as_bytes())).collect();
        all.push_str(&plain.rest());
        all
    }

    #[test]
    fn characters_are_not_cut() {
        let mut plain = TerminalText::default();
        let wave = "🌊".as_bytes();
        assert_eq!(plain.take(&wave[..2]), "");
        assert_eq!(plain.take(&wave[2..]), "🌊");
        assert_eq!(plain.take(b"\xff!"), "!", "what is no text is left out");
    }

    #[test]
    fn a_line_that_is_drawn_over_is_shown_as_it_is_in_the_end() {
        let spinner = [
            "- Thinking... \r",
            "\r              \r/ Thinking... \r",
            "\r              \r",
            "I see.\n",
            "Yes? ",
        ];
        assert_eq!(shown(&spinner), "I see.\nYes? ");
        assert_eq!(shown(&["10%\r", " 55%\r", "100% done", "\nAll\n"]), "100% done\nAll\n");
        assert_eq!(shown(&["Loading", "\rLoaded \n", "Go"]), "Loading\nLoaded\nGo", "what was shown stays");
        assert_eq!(shown(&["| wait\r", "      \r"]), "");
        assert_eq!(shown(&["| wait\r      \rInput:"]), "Input:", "it may wait for a person there");
    }

    #[test]
    fn line_ends_of_other_systems_are_line_ends() {
        assert_eq!(shown(&["one\r\ntwo\r", "\nthree", "\r\n", "\r\nfour"]), "one\ntwo\nthree\n\nfour");
    }

    #[test]
    fn a_line_without_end_is_not_kept_for_ever() {
        let mut plain = TerminalText::default();
        assert_eq!(plain.take(b"x\r"), "");
        let long = "y".repeat(WIDEST + 1);
        assert_eq!(plain.take(long.as_bytes()), long);
    }

    // Slow: it reads long texts of each kind.
    #[test]
    fn time_is_linear_in_the_text_however_it_is_divided() {
        for piece in [16, 4_096] {
            plexus_testing::cost::assert_linear("terminal", |text| {
                let mut terminal = TerminalText::default();
                text.as_bytes().chunks(piece).for_each(|chunk| drop(terminal.take(chunk)));
                terminal.rest()
            });
        }
    }
}
