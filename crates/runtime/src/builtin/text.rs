//! Built-in agent `@plexus/text`: counts words and sentences of a text, and finds its most frequent terms.

mod statistics;
mod stop_words;

use std::fmt::Write as _;

use async_trait::async_trait;
use plexus_domain::run::{Failure, FailureClass};
use tokio::task;
use tokio_util::sync::CancellationToken;

use self::statistics::TextStatistics;
use super::{input_text::InputText, markdown::escape};
use crate::{Connector, Output, RunEnd, RunRequest};

const HELP: &str = "I count the words, sentences and characters of a text, and find its most frequent terms. Send the text, \
attach it as a file, or put it in quotation marks: Count the words of “The sea is calm. The boats are out.”";

/// First words of requests.
const REQUESTS: [&str; 5] = ["analyse", "analyze", "count", "find", "statistics"];

/// Connector of the agent for text statistics.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextAnalyzer;

#[async_trait]
impl Connector for TextAnalyzer {
    async fn run(
        &self,
        request: RunRequest,
        output: &mut dyn Output,
        _stop: &CancellationToken,
    ) -> Result<RunEnd, Failure> {
        let text = match InputText::of(&request) {
            Ok(texts) => texts.into_iter().next(),
            Err(reason) => return Ok(RunEnd::Rejected { reason }),
        };
        let text = match text {
            // Words of an assignment are a request, not a text.
            Some(InputText::Message(words)) if request.is_assignment() => match quoted(&words) {
                Some(text) => text.to_owned(),
                None => {
                    let reason = "There is no text to count. Put it in quotation marks.".to_owned();
                    return Ok(RunEnd::Rejected { reason });
                }
            },
            Some(InputText::Message(text)) => without_request(&text).to_owned(),
            Some(text) => text.as_str().to_owned(),
            None => String::new(),
        };
        if text.trim().is_empty() {
            output.text(HELP)?;
            return Ok(RunEnd::Completed);
        }
        let statistics = task::spawn_blocking(move || TextStatistics::of(&text)).await;
        let failed =
            |_| Failure::new(FailureClass::Internal, "The text could not be counted. Try a shorter one.");
        output.text(&render(&statistics.map_err(failed)?))?;
        Ok(RunEnd::Completed)
    }
}

/// Returns the text of a message such as "Count the words: The sea is calm". A message without a request is the text.
fn without_request(message: &str) -> &str {
    let first = message.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if !REQUESTS.iter().any(|request| first.eq_ignore_ascii_case(request)) {
        return message;
    }
    let after_colon = || message.split_once(':').map(|(_, text)| text.trim());
    quoted(message).or_else(after_colon).filter(|text| !text.is_empty()).unwrap_or(message)
}

/// Returns what stands in the quotation marks of a request.
fn quoted(request: &str) -> Option<&str> {
    let (_, rest) = request.split_once(['“', '"', '„', '«', '「'])?;
    let (text, _) = rest.rsplit_once(['”', '"', '“', '»', '」'])?;
    Some(text.trim()).filter(|text| !text.is_empty())
}

fn render(statistics: &TextStatistics) -> String {
    let TextStatistics { words, distinct_words, sentences, characters, spaces, terms } = statistics;
    let mut text = format!(
        "**{}**, {distinct_words} different, in {}. {} ({} without spaces).\n",
        counted(*words, "word", "words"),
        counted(*sentences, "sentence", "sentences"),
        counted(*characters, "character", "characters"),
        characters - spaces,
    );
    if !terms.is_empty() {
        text.push_str(
            "\nMost frequent terms, without function words such as *the*:\n\n| term | count |\n|---|---:|\n",
        );
    }
    for (term, count) in terms {
        let _ = writeln!(text, "| {} | {count} |", escape(term));
    }
    text
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ask, run};

    async fn answer_to(question: &str) -> String {
        let (end, heard) = run(&TextAnalyzer, ask(question)).await.unwrap();
        assert_eq!(end, RunEnd::Completed);
        heard.text
    }

    #[tokio::test]
    async fn counts_the_text_and_not_the_request() {
        for question in [
            "The sea is calm.",
            "Count the words: The sea is calm.",
            "Count the words of “The sea is calm.”, please",
            "count the words in \"The sea is calm.\"",
            "Count this:\n```\nThe sea is calm.\n```",
        ] {
            assert_eq!(
                answer_to(question).await,
                "**4 words**, 4 different, in 1 sentence. 16 characters (13 without spaces).\n\nMost frequent terms, \
                 without function words such as *the*:\n\n| term | count |\n|---|---:|\n| sea | 1 |\n| calm | 1 |\n",
                "{question}"
            );
        }
        assert_eq!(answer_to(" ").await, HELP);
    }

    #[tokio::test]
    async fn a_larger_text_is_refused() {
        let (end, _) = run(&TextAnalyzer, ask(&"sea ".repeat(300_000))).await.unwrap();
        assert!(matches!(&end, RunEnd::Rejected { reason } if reason.contains("1 MiB")), "{end:?}");
    }
}
