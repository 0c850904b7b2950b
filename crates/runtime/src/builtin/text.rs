//! Built-in agent `@plexus/text`: counts words and sentences of a text, and finds its most frequent terms.

mod statistics;
mod stop_words;

use std::fmt::Write as _;

use async_trait::async_trait;
use plexus_domain::{
    run::{Failure, FailureClass},
    text_request::text_requests,
};
use tokio::task;
use tokio_util::sync::CancellationToken;

use self::statistics::TextStatistics;
use super::{input_text::InputText, markdown::escape};
use crate::{Connector, Output, RunEnd, RunRequest};

const HELP: &str = "I count the words, sentences and characters of a text, and find its most frequent terms. Send the text, \
attach it as a file, or put it in quotation marks: Count the words of “The sea is calm. The boats are out.”";

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
        let texts = match InputText::of(&request) {
            Ok(texts) => texts,
            Err(reason) => return Ok(RunEnd::Rejected { reason }),
        };
        let text = match text_to_count(texts, request.is_assignment()) {
            Ok(text) => text,
            Err(reason) => return Ok(RunEnd::Rejected { reason }),
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

/// Returns whether a request asks for what this agent does. Its text may stand elsewhere.
pub(super) fn can_answer(request: &str) -> bool {
    !text_requests(request).is_empty()
}

/// Returns the text that a request is about: that of a file, of a block, of the request or of an earlier result. A message
/// without a request is the text itself, but the words of an assignment are none.
///
/// # Errors
/// If there is none, with the reason.
fn text_to_count(texts: Vec<InputText>, is_assignment: bool) -> Result<String, String> {
    let words =
        texts.iter().rev().find(|text| matches!(text, InputText::Message(_))).map_or("", InputText::as_str);
    let has_file = texts.iter().any(|text| matches!(text, InputText::File { .. } | InputText::Unreadable(_)));
    // With a file, words such as "in my notes of today" name it. The files of an assignment may be for others.
    let is_sure = |is_marked: bool| is_marked || is_assignment || !has_file;
    if let Some((text, _)) = requested_text(words).filter(|(_, is_marked)| is_sure(*is_marked)) {
        return Ok(text);
    }
    let mut problem = "There is no text to count. Put it in quotation marks.".to_owned();
    for text in texts {
        match text {
            InputText::Unreadable(reason) => problem = reason,
            InputText::Message(_) if is_assignment || has_file => {}
            text => return Ok(text.as_str().to_owned()),
        }
    }
    Err(problem)
}

/// Returns the text that the request in a message names, and whether it has marks of its own.
fn requested_text(message: &str) -> Option<(String, bool)> {
    let mut requests = text_requests(message).into_iter();
    let (text, is_marked) = requests.find_map(|request| Some((request.text?, request.is_marked)))?;
    let text = message[text].trim();
    (!text.is_empty()).then(|| (text.to_owned(), is_marked))
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
            "How many words are in: The sea is calm.",
            "Count the words:\nThe sea is calm.",
            "count the words in The sea is calm.",
            "Zähle die Wörter in „The sea is calm.“",
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
    async fn a_short_quotation_is_counted_whole() {
        for (open, close) in
            [("\"", "\""), ("“", "”"), ("‘", "’"), ("'", "'"), ("«", "»"), ("„", "“"), ("「", "」")]
        {
            for text in ["to be or not to be", "it's here"] {
                let answer = answer_to(&format!("count the words in {open}{text}{close}")).await;
                let words = text.split(' ').count();
                assert!(answer.starts_with(&format!("**{words} words**")), "{open}{text}{close}: {answer}");
                assert!(answer.contains(&format!(" {} characters", text.len())), "{answer}");
            }
        }
        assert!(
            can_answer("Find the most frequent words of “a b c”")
                && !can_answer("Write a poem about the sea")
        );
    }

    #[tokio::test]
    async fn a_larger_text_is_refused() {
        let (end, _) = run(&TextAnalyzer, ask(&"sea ".repeat(300_000))).await.unwrap();
        assert!(matches!(&end, RunEnd::Rejected { reason } if reason.contains("1 MiB")), "{end:?}");
    }
}
