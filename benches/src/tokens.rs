//! Tokens that carry their number and send time, so that a receiver can verify order and measure latency.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;

/// Tokens per paragraph.
const PARAGRAPH: usize = 50;

/// Returns the system clock in microseconds. Model server and client run on the same machine, so it is
/// comparable.
#[expect(clippy::disallowed_methods, reason = "two processes of the bench compare their readings of it")]
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// Returns the `n`th token of an answer, with the current time.
pub fn write(n: usize) -> String {
    let end = if n % PARAGRAPH == PARAGRAPH - 1 { "\n\n" } else { " " };
    format!("{n}.{}{end}", now())
}

/// Receiver of one answer: verifies that every token arrives once and in order.
#[derive(Default)]
pub struct Heard {
    /// Time from the request to the first token, in milliseconds.
    pub first: f64,
    /// Time from sending to receiving each later token, in milliseconds.
    pub later: Vec<f64>,
    pub count: usize,
}

impl Heard {
    /// Processes a piece of an answer that was requested at time `asked`. A piece of a page (`again`) may
    /// repeat known tokens and contain other words.
    pub fn take(&mut self, asked: u64, piece: &str, again: bool) -> anyhow::Result<()> {
        let received = now();
        for token in piece.split_ascii_whitespace() {
            let (n, sent) = match read(token) {
                Some((n, _)) if again && n < self.count => continue,
                None if again => continue,
                read => read.with_context(|| format!("{token:?} is no token"))?,
            };
            anyhow::ensure!(n == self.count, "token {n} came where {} was due", self.count);
            self.count += 1;
            if n == 0 {
                self.first = millis(asked, received);
            } else {
                self.later.push(millis(sent, received));
            }
        }
        Ok(())
    }
}

/// Parses number and send time of a token.
fn read(token: &str) -> Option<(usize, u64)> {
    let (n, sent) = token.split_once('.')?;
    Some((n.parse().ok()?, sent.parse().ok()?))
}

fn millis(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64 / 1e3
}

/// Returns the text content of HTML.
pub fn words(html: &str) -> String {
    let mut in_tag = false;
    let outside = |c: char| match c {
        '<' | '>' => {
            in_tag = c == '<';
            ' '
        }
        _ if in_tag => ' ',
        _ => c,
    };
    html.chars().map(outside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_taken_once_and_in_order() {
        let mut heard = Heard::default();
        let text: String = (0..3).map(write).collect();
        heard.take(now(), &text, false).unwrap();
        assert_eq!((heard.count, heard.later.len()), (3, 2));
        assert!(heard.take(0, &text, false).is_err(), "the same tokens again");
        let more = format!("<p>{text}</p> {}", write(3));
        heard.take(0, &words(&more), true).unwrap();
        assert_eq!(heard.count, 4);
        assert!(heard.take(0, &write(5), true).is_err(), "one is missing");
    }
}
