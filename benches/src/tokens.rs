//! Tokens that say which they are and when they were sent, so that whoever receives them measures and checks at once.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;

/// So many tokens make a paragraph.
const PARAGRAPH: usize = 50;

/// The machine's clock in microseconds, which the model server and the client share.
#[expect(clippy::disallowed_methods, reason = "two processes of the bench compare their readings of it")]
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// The `n`th token of an answer, sent now.
pub fn write(n: usize) -> String {
    let end = if n % PARAGRAPH == PARAGRAPH - 1 { "\n\n" } else { " " };
    format!("{n}.{}{end}", now())
}

/// One answer as it is received: every token once and in order.
#[derive(Default)]
pub struct Heard {
    /// From the request to the first token, in milliseconds.
    pub first: f64,
    /// From sending to receiving each later token, in milliseconds.
    pub later: Vec<f64>,
    pub count: usize,
}

impl Heard {
    /// Takes a piece of an answer that was asked for at `asked`. A piece of a page (`again`) may repeat what is known,
    /// and has other words.
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

/// Which token it is, and when it was sent.
fn read(token: &str) -> Option<(usize, u64)> {
    let (n, sent) = token.split_once('.')?;
    Some((n.parse().ok()?, sent.parse().ok()?))
}

fn millis(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64 / 1e3
}

/// The words of html that holds tokens.
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
