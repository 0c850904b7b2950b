//! Ends streamed text before a stop sequence, or at a number of tokens.

/// Bytes counted as one token of an agent that reports no tokens.
const BYTES_PER_TOKEN: usize = 4;

/// Why the text of an answer ended before the agent did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerCut {
    /// A stop sequence followed.
    Stop,
    /// The length limit was reached.
    Length,
}

/// Filter for streamed text. Text that may begin a stop sequence is held back until more follows.
pub(crate) struct TextCutter {
    stop: Vec<String>,
    bytes_left: Option<usize>,
    held: String,
    end: Option<AnswerCut>,
}

impl TextCutter {
    pub fn new(stop: Vec<String>, max_tokens: Option<u32>) -> Self {
        let stop = stop.into_iter().filter(|stop| !stop.is_empty()).collect();
        let bytes_left = max_tokens.map(|tokens| (tokens as usize).saturating_mul(BYTES_PER_TOKEN));
        Self { stop, bytes_left, held: String::new(), end: None }
    }

    /// Returns true if all text passes.
    pub const fn is_idle(&self) -> bool {
        self.stop.is_empty() && self.bytes_left.is_none()
    }

    /// Returns why the text ended, if it did.
    pub const fn end(&self) -> Option<AnswerCut> {
        self.end
    }

    /// Returns the text that may be emitted now. After the end that is none.
    pub fn push(&mut self, delta: &str) -> String {
        if self.end.is_some() {
            return String::new();
        }
        self.held.push_str(delta);
        let found = self.stop.iter().filter_map(|stop| self.held.find(stop.as_str())).min();
        if let Some(at) = found {
            self.held.truncate(at);
            self.end = Some(AnswerCut::Stop);
            return self.flush();
        }
        let kept = self.stop.iter().map(|stop| longest_overlap(&self.held, stop)).max().unwrap_or(0);
        let held = self.held.split_off(self.held.len() - kept);
        let text = std::mem::replace(&mut self.held, held);
        self.within_limit(text)
    }

    /// Returns the text that was held back.
    pub fn flush(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        self.within_limit(held)
    }

    fn within_limit(&mut self, mut text: String) -> String {
        let Some(left) = self.bytes_left else { return text };
        if text.len() > left {
            text.truncate(text.floor_char_boundary(left));
            self.held.clear();
            self.end = Some(AnswerCut::Length);
        }
        self.bytes_left = Some(left.saturating_sub(text.len()));
        text
    }
}

/// Returns the length of the longest proper prefix of `stop` with which `text` ends.
fn longest_overlap(text: &str, stop: &str) -> usize {
    let lengths = stop.char_indices().skip(1).map(|(at, _)| at);
    lengths.filter(|length| text.ends_with(&stop[..*length])).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(stop: &[&str], max_tokens: Option<u32>, pieces: &[&str]) -> (String, Option<AnswerCut>) {
        let mut cutter = TextCutter::new(stop.iter().map(|stop| (*stop).to_owned()).collect(), max_tokens);
        let mut text: String = pieces.iter().map(|piece| cutter.push(piece)).collect();
        text.push_str(&cutter.flush());
        (text, cutter.end())
    }

    #[test]
    fn text_ends_before_the_first_stop_sequence_wherever_pieces_meet() {
        for pieces in [&["one END two"][..], &["one E", "N", "D two"], &["one ", "END", " two"]] {
            assert_eq!(cut(&["never", "END"], None, pieces), ("one ".to_owned(), Some(AnswerCut::Stop)));
        }
        assert_eq!(cut(&["END"], None, &["one E", "N two EN"]), ("one EN two EN".to_owned(), None));
        assert_eq!(cut(&["b", "a"], None, &["xaby"]), ("x".to_owned(), Some(AnswerCut::Stop)));
        assert_eq!(cut(&["ää"], None, &["ö", "ä", "ä!"]), ("ö".to_owned(), Some(AnswerCut::Stop)));
        assert_eq!(cut(&["aab"], None, &["aa", "ab"]), ("a".to_owned(), Some(AnswerCut::Stop)));
    }

    #[test]
    fn text_has_at_most_so_many_tokens() {
        assert_eq!(cut(&[], Some(1), &["ab", "cdef"]), ("abcd".to_owned(), Some(AnswerCut::Length)));
        assert_eq!(cut(&[], Some(1), &["abcd"]), ("abcd".to_owned(), None));
        assert_eq!(cut(&[], Some(1), &["abcä", "x"]), ("abc".to_owned(), Some(AnswerCut::Length)));
        assert_eq!(cut(&["END"], Some(2), &["abEND"]), ("ab".to_owned(), Some(AnswerCut::Stop)));
    }

    // Slow: it reads long texts of each kind.
    #[test]
    fn time_is_linear_in_the_text() {
        plexus_testing::cost::assert_linear("text cutter", |text| {
            let stop = ["))))))))".to_owned(), "http://b".to_owned(), "x".repeat(60) + "y"];
            let mut cutter = TextCutter::new(stop.to_vec(), None);
            let mut rest = text;
            while !rest.is_empty() {
                let (first, after) = rest.split_at(rest.ceil_char_boundary(4.min(rest.len())));
                cutter.push(first);
                rest = after;
            }
            cutter.flush()
        });
    }
}
