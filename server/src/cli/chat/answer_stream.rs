//! Follows the runs that answer a message, and prints the answers while they are written.

use std::{
    collections::BTreeSet,
    io::{IsTerminal as _, Write as _},
    time::Duration,
};

use anyhow::bail;
use futures::StreamExt as _;
use serde_json::Value;
use sse_stream::{Sse, SseStream};

use super::{
    approvals::ApprovalPrompt,
    chat_text::{author, items, other_part, printable, word},
};
use crate::cli::api_client::HubClient;

/// Pause after a stream that failed, or ended without an event.
const RECONNECT_DELAY: Duration = Duration::from_millis(500);
/// Maximum number of such streams one after another: a hub restarts in a few seconds.
const MAX_EMPTY_STREAMS: u32 = 20;

/// The runs that answer a message, as the hub accepted them.
pub struct PendingAnswers {
    pub chat: String,
    /// Runs that have not ended.
    runs: BTreeSet<String>,
    /// Message whose replies are the answers, if the runs were created by a message.
    question: Option<String>,
    answers: Vec<StreamedAnswer>,
}

impl PendingAnswers {
    /// Creates the answers to a message that was posted.
    pub fn to_message(posted: &Value) -> Self {
        Self::of(posted, Some(word(&posted["message"]).to_owned()), Vec::new())
    }

    /// Creates the answer that a retry created.
    pub fn of_retry(posted: &Value) -> Self {
        Self::of(posted, None, vec![StreamedAnswer::new(word(&posted["message"]))])
    }

    fn of(posted: &Value, question: Option<String>, answers: Vec<StreamedAnswer>) -> Self {
        let runs = items(&posted["runs"]).iter().map(|run| word(run).to_owned());
        Self { chat: word(&posted["chat"]).to_owned(), runs: runs.collect(), question, answers }
    }

    /// Prints the answers to standard output until all runs have ended, and returns their messages. `after` is the
    /// number of the chat's last event before the message. With `is_quiet`, nothing is printed.
    pub async fn follow(
        mut self,
        hub: &HubClient,
        mut after: i64,
        is_quiet: bool,
    ) -> anyhow::Result<Vec<Value>> {
        let is_streamed = !is_quiet && self.runs.len() == 1;
        let mut prompt = ApprovalPrompt::new(&self.chat);
        let mut empty_streams = 0;
        while !self.runs.is_empty() {
            if empty_streams > 0 {
                tokio::time::sleep(RECONNECT_DELAY).await;
            }
            empty_streams += 1;
            let bytes = match hub.read(&format!("events?chat={}&after={after}", self.chat)).await {
                Ok(bytes) => bytes,
                // The hub may be restarting.
                Err(_) if empty_streams <= MAX_EMPTY_STREAMS => continue,
                Err(error) => return Err(error),
            };
            let mut events = SseStream::from_bytes_stream(bytes);
            while !self.runs.is_empty()
                && let Some(Ok(event)) = events.next().await
            {
                let Some(data) = data(&event) else { continue };
                empty_streams = 0;
                after = after.max(data["seq"].as_i64().unwrap_or_default());
                self.apply(event.event.as_deref().unwrap_or_default(), &data, is_streamed)?;
                if data["w"] == true {
                    prompt.check(hub).await?;
                }
            }
            if empty_streams > MAX_EMPTY_STREAMS {
                bail!("the hub ends each event stream at once; the answer is at /chat/{}", self.chat);
            }
        }
        let has_several = self.answers.len() > 1;
        let mut messages = Vec::new();
        for answer in self.answers {
            let message = hub.get(&format!("messages/{}", answer.id)).await?;
            if !is_quiet {
                answer.complete(&message, has_several)?;
            }
            messages.push(message);
        }
        Ok(messages)
    }

    fn apply(&mut self, event: &str, data: &Value, is_streamed: bool) -> anyhow::Result<()> {
        match event {
            "message_created"
                if self.question.as_deref() == data["parent"].as_str() && !data["parent"].is_null() =>
            {
                let id = word(&data["id"]);
                if !self.answers.iter().any(|answer| answer.id == id) {
                    self.answers.push(StreamedAnswer::new(id));
                }
            }
            "text_delta" | "part_snapshot" if is_streamed && data["w"] != true => {
                let answer = self.answers.iter_mut().find(|answer| answer.id == word(&data["m"]));
                let part = data["p"].as_u64().and_then(|part| usize::try_from(part).ok());
                let start = data["s"].as_u64().and_then(|start| usize::try_from(start).ok());
                if let (Some(answer), Some(part), Some(start)) = (answer, part, start) {
                    answer.append(part, start, word(&data["t"]))?;
                }
            }
            "run_updated" if !matches!(word(&data["state"]), "queued" | "working") => {
                self.runs.remove(word(&data["run"]));
            }
            "chat_unavailable" | "stream_end" => {
                bail!("the chat was deleted, or you may not read it any more")
            }
            _ => {}
        }
        Ok(())
    }
}

fn data(event: &Sse) -> Option<Value> {
    serde_json::from_str(event.data.as_deref()?).ok()
}

/// An answer, and how much of it is printed.
struct StreamedAnswer {
    id: String,
    /// What is printed: the texts of the parts, separated by a blank line.
    printed: String,
    /// Number of the last part of which text is printed, and where its text begins in `printed`.
    last: Option<(usize, usize)>,
    /// Whether text was received that cannot be appended to what is printed: the rest is printed at the end.
    is_behind: bool,
}

/// Line break between two parts.
const BETWEEN: &str = "\n\n";

impl StreamedAnswer {
    fn new(id: &str) -> Self {
        Self { id: id.to_owned(), printed: String::new(), last: None, is_behind: false }
    }

    /// Prints text of a part that begins at byte `start` of the part, as far as it is not printed yet.
    fn append(&mut self, part: usize, start: usize, text: &str) -> anyhow::Result<()> {
        let new = self.rest(part, start, text);
        match new {
            Some(new) => self.print(&new)?,
            None => self.is_behind = true,
        }
        Ok(())
    }

    /// Returns what follows on the printed text, with the blank line before a new part; `None` if something between is
    /// missing.
    fn rest(&mut self, part: usize, start: usize, text: &str) -> Option<String> {
        if self.is_behind {
            return None;
        }
        let (last, begin) = self.last.unwrap_or((part, 0));
        if part > last {
            self.last = Some((part, self.printed.len() + BETWEEN.len()));
            return (start == 0).then(|| format!("{BETWEEN}{text}"));
        }
        if part < last {
            return None;
        }
        self.last = Some((part, begin));
        let known = self.printed.len() - begin;
        text.get(known.checked_sub(start)?..)
            .map(str::to_owned)
            .or_else(|| (start + text.len() <= known).then(String::new))
    }

    fn print(&mut self, text: &str) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        match out.is_terminal() {
            true => out.write_all(printable(text).as_bytes())?,
            false => out.write_all(text.as_bytes())?,
        }
        out.flush()?;
        self.printed += text;
        Ok(())
    }

    /// Prints what is missing of the finished message, and the parts that are not text.
    fn complete(mut self, message: &Value, with_author: bool) -> anyhow::Result<()> {
        let parts = items(&message["parts"]);
        let texts = parts.iter().filter(|part| part["kind"] == "text").map(|part| word(&part["text"]));
        let text = texts.collect::<Vec<_>>().join(BETWEEN);
        if with_author {
            self.print(&format!("{}:\n", author(message)))?;
            self.printed.clear();
        }
        match text.strip_prefix(&self.printed) {
            Some(rest) => self.print(rest)?,
            // The agent replaced what it had written.
            None => self.print(&format!("{BETWEEN}{text}"))?,
        }
        self.print("\n")?;
        for line in parts.iter().filter(|part| part["kind"] != "text").filter_map(other_part) {
            self.print(&format!("{line}\n"))?;
        }
        if let Some(failure) = message["run"]["failure"]["message"].as_str() {
            writeln!(std::io::stderr(), "{}", printable(failure))?;
        } else if message["state"] != "done" {
            writeln!(std::io::stderr(), "The answer is {}.", word(&message["state"]))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is printed of these pieces of text: part, first byte and text.
    fn printed(pieces: &[(usize, usize, &str)]) -> (String, bool) {
        let mut answer = StreamedAnswer::new("1");
        for (part, start, text) in pieces {
            match answer.rest(*part, *start, text) {
                Some(new) => answer.printed += &new,
                None => answer.is_behind = true,
            }
        }
        (answer.printed, answer.is_behind)
    }

    #[test]
    fn text_is_printed_once_and_in_order() {
        assert_eq!(printed(&[(0, 0, "High "), (0, 5, "tide")]), ("High tide".to_owned(), false));
        // After a reconnect, a snapshot repeats what is printed.
        assert_eq!(
            printed(&[(0, 0, "High "), (0, 0, "High ti"), (0, 7, "de")]),
            ("High tide".to_owned(), false)
        );
        assert_eq!(
            printed(&[(0, 0, "High tide"), (0, 0, "High"), (0, 9, "!")]),
            ("High tide!".to_owned(), false)
        );
        assert_eq!(printed(&[(1, 0, "one"), (3, 0, "two"), (3, 3, "!")]), ("one\n\ntwo!".to_owned(), false));
    }

    #[test]
    fn text_after_a_gap_is_left_to_the_end() {
        assert_eq!(printed(&[(0, 0, "High"), (0, 9, "!"), (0, 4, " tide")]), ("High".to_owned(), true));
        assert_eq!(printed(&[(0, 0, "a"), (1, 0, "b"), (0, 1, "c")]), ("a\n\nb".to_owned(), true));
        assert_eq!(printed(&[(0, 4, "tide")]), (String::new(), true));
    }
}
