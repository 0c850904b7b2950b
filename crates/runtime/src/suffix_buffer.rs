//! Buffer for the end of a growing text, to detect prompts and questions.

/// Maximum bytes of the buffer: the longest prompt, with white space after it.
const MAX_SAMPLES: usize = 1_024;

#[derive(Default)]
pub struct SuffixBuffer(String);

impl SuffixBuffer {
    pub fn push(&mut self, text: &str) {
        self.0.push_str(&text[text.ceil_char_boundary(text.len().saturating_sub(MAX_SAMPLES))..]);
        let from = self.0.ceil_char_boundary(self.0.len().saturating_sub(MAX_SAMPLES));
        self.0.drain(..from);
    }

    /// Returns true if the text ends with the prompt. Trailing white space is ignored.
    pub fn ends_with(&self, prompt: &str) -> bool {
        self.0.trim_end().ends_with(prompt.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_counts_however_it_came() {
        let mut tail = SuffixBuffer::default();
        for piece in ["Go on", "? ", "(y/n)", " \n"] {
            tail.push(piece);
        }
        assert!(tail.ends_with("Go on? (y/n) ") && tail.ends_with("n)") && !tail.ends_with("Go on?"));
        tail.push(&"ö".repeat(MAX_SAMPLES));
        assert!(tail.ends_with("ö") && !tail.ends_with("(y/n)") && tail.0.len() <= MAX_SAMPLES);
    }

    // Slow: it reads long texts of each kind.
    #[test]
    fn time_is_linear_in_the_text() {
        plexus_testing::cost::assert_linear("suffix buffer", |text| {
            let mut tail = SuffixBuffer::default();
            tail.push(text);
            let mut rest = text;
            while !rest.is_empty() {
                let (first, after) = rest.split_at(rest.ceil_char_boundary(64.min(rest.len())));
                tail.push(first);
                tail.ends_with("?");
                rest = after;
            }
        });
    }
}
