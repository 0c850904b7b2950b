//! Built-in agent `@plexus/guide`: finds agents by searching, without a model.

use std::{fmt::Write, sync::Arc};

use async_trait::async_trait;
use plexus_domain::{
    Address, Part, PartBody,
    run::Failure,
    sanitized_text::{ellipsize, one_line},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::markdown::escape;
use crate::{Connector, Output, RunEnd, RunRequest};

/// Search over the agents that the caller may see. The hub implements it with its index.
#[async_trait]
pub trait AgentSearch: Send + Sync {
    /// Returns the best matches for all words of `query`, best first, at most `limit`.
    async fn find(&self, query: &str, limit: usize) -> Vec<Found>;

    /// Returns the built-in agent that can answer a question as it stands, if one can.
    async fn can_answer(&self, question: &str) -> Option<Found>;
}

/// Agent found by the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub address: Address,
    pub name: String,
    pub summary: String,
    /// Path of the agent's page on this hub.
    pub url: String,
    /// Seed of the agent's identicon.
    pub seed: String,
}

const SHOWN: usize = 5;
const SUMMARY_CHARS: usize = 200;
const QUERY_CHARS: usize = 200;
/// Number of words, longest first, that are searched alone if no agent matches all words.
const WORDS_TRIED: usize = 4;

const HELP: &str = "I find agents on this hub. Tell me what you need, for example *translate a letter into German* \
or *unit conversion*. You can also [look through all agents](/agents).";

/// Stop words to remove from a question. Must be sorted, for binary search.
const FILLERS: &[&str] = &[
    "a",
    "about",
    "agent",
    "agents",
    "an",
    "and",
    "any",
    "anybody",
    "anyone",
    "are",
    "ask",
    "bot",
    "can",
    "could",
    "do",
    "does",
    "find",
    "for",
    "from",
    "get",
    "give",
    "good",
    "have",
    "hello",
    "help",
    "helps",
    "hey",
    "hi",
    "how",
    "i",
    "in",
    "into",
    "is",
    "it",
    "like",
    "look",
    "looking",
    "me",
    "my",
    "need",
    "of",
    "on",
    "one",
    "or",
    "our",
    "please",
    "search",
    "show",
    "some",
    "somebody",
    "someone",
    "something",
    "tell",
    "than",
    "thanks",
    "that",
    "the",
    "there",
    "to",
    "us",
    "want",
    "we",
    "what",
    "where",
    "which",
    "who",
    "with",
    "would",
    "you",
    "your",
];

/// Answers with a list of links, and one button per agent that continues the chat with that agent.
pub struct Guide {
    finder: Arc<dyn AgentSearch>,
}

impl Guide {
    pub fn new(finder: Arc<dyn AgentSearch>) -> Self {
        Self { finder }
    }

    async fn search(&self, words: &[String]) -> Vec<Found> {
        let mut found = self.finder.find(&words.join(" "), SHOWN).await;
        if !found.is_empty() || words.len() < 2 {
            return found;
        }
        let mut longest = words.to_vec();
        longest.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
        for word in longest.iter().take(WORDS_TRIED) {
            for agent in self.finder.find(word, SHOWN).await {
                if found.len() < SHOWN && !found.iter().any(|other| other.address == agent.address) {
                    found.push(agent);
                }
            }
        }
        found
    }
}

#[async_trait]
impl Connector for Guide {
    async fn run(
        &self,
        request: RunRequest,
        output: &mut dyn Output,
        _stop: &CancellationToken,
    ) -> Result<RunEnd, Failure> {
        let question = ellipsize(&one_line(&request.question()), QUERY_CHARS);
        let words = wanted(&question);
        if words.is_empty() {
            output.text(HELP)?;
            return Ok(RunEnd::Completed);
        }
        let mut found = self.search(&words).await;
        if let Some(first) = self.finder.can_answer(&question).await {
            found.retain(|agent| agent.address != first.address);
            found.insert(0, first);
            found.truncate(SHOWN);
        }
        output.text(&answer(&words.join(" "), &found))?;
        for agent in found {
            output.part(PartBody::Data { data: go_on_with(&agent, &question) }.into())?;
        }
        Ok(RunEnd::Completed)
    }
}

const CONTINUE_WITH: &str = "continue_with";

/// Returns true if a part is a button of the guide. Buttons are for the user and not sent to other agents.
pub fn is_offer(part: &Part) -> bool {
    matches!(&part.content, PartBody::Data { data } if data.get("action").is_some_and(|action| action == CONTINUE_WITH))
}

/// Returns the data of a button. The page that shows it sends `text` to the agent at `address`.
fn go_on_with(agent: &Found, question: &str) -> Value {
    json!({
        "action": CONTINUE_WITH,
        "address": agent.address,
        "name": one_line(&agent.name),
        "summary": ellipsize(&one_line(&agent.summary), SUMMARY_CHARS),
        "seed": agent.seed,
        "text": question,
    })
}

/// Returns the words of the question without stop words and punctuation.
fn wanted(question: &str) -> Vec<String> {
    let is_edge = |c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#');
    let words = question.split_whitespace().map(|word| word.trim_matches(is_edge));
    let is_filler = |word: &str| FILLERS.binary_search(&word.to_lowercase().as_str()).is_ok();
    words.filter(|word| !word.is_empty() && !is_filler(word)).map(str::to_owned).collect()
}

fn answer(query: &str, found: &[Found]) -> String {
    let query = escape(query);
    if found.is_empty() {
        return format!(
            "I found no agent for “{query}”. Try other words, or fewer: one that says what the agent does, such as \
             *weather* or *translate*. You can also [look through all agents](/agents)."
        );
    }
    let count = if found.len() == 1 { "one agent".to_owned() } else { format!("{} agents", found.len()) };
    let mut text = format!("I found {count} for “{query}”:\n\n");
    for agent in found {
        let name = escape(&one_line(&agent.name));
        let summary = escape(&ellipsize(&one_line(&agent.summary), SUMMARY_CHARS));
        let _ =
            writeln!(text, "- [{name}](<{}>) ({}): {summary}", agent.url, escape(&agent.address.to_string()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Recorder, ask, run};

    /// Finds the agents whose summaries contain all words of the query.
    struct List(Vec<Found>);

    #[async_trait]
    impl AgentSearch for List {
        async fn find(&self, query: &str, limit: usize) -> Vec<Found> {
            let has = |agent: &&Found, word| agent.summary.split(' ').any(|other| other == word);
            let matches = |agent: &&Found| query.split(' ').all(|word| has(agent, word));
            self.0.iter().filter(matches).take(limit).cloned().collect()
        }

        async fn can_answer(&self, question: &str) -> Option<Found> {
            question.starts_with("Weigh").then(|| agent("@bob/scales", "weighs"))
        }
    }

    fn agent(address: &str, summary: &str) -> Found {
        let url = format!("/{address}");
        Found {
            address: address.parse().unwrap(),
            name: "An [agent]".to_owned(),
            summary: summary.to_owned(),
            url,
            seed: address.to_owned(),
        }
    }

    async fn answer_to(question: &str) -> Recorder {
        let list = vec![
            agent("@ada/weather", "weather for <b>sailors</b>"),
            agent("@bob/letters", "translate letters"),
        ];
        run(&Guide::new(Arc::new(List(list))), ask(question)).await.unwrap().1
    }

    #[tokio::test]
    async fn agents_are_shown_as_links_and_offered_as_buttons() {
        let heard = answer_to("Can you find me an agent for the weather, please?").await;
        assert_eq!(
            heard.text,
            "I found one agent for “weather”:\n\n\
             - [An \\[agent\\]](</@ada/weather>) (@ada/weather): weather for \\<b\\>sailors\\</b\\>\n"
        );
        let button = json!({
            "action": "continue_with",
            "address": "@ada/weather",
            "name": "An [agent]",
            "summary": "weather for <b>sailors</b>",
            "seed": "@ada/weather",
            "text": "Can you find me an agent for the weather, please?",
        });
        assert_eq!(heard.parts, [PartBody::Data { data: button }.into()]);
    }

    #[tokio::test]
    async fn one_word_of_several_is_enough() {
        assert!(answer_to("translate weather reports").await.text.starts_with("I found 2 agents"));
    }

    #[tokio::test]
    async fn the_agent_that_can_answer_comes_first() {
        let heard = answer_to("Weigh letters").await;
        assert!(heard.text.starts_with("I found 2 agents"), "{}", heard.text);
        assert!(heard.text.find("@bob/scales") < heard.text.find("@bob/letters"), "{}", heard.text);
    }

    #[tokio::test]
    async fn nothing_found_says_what_to_do_next() {
        let heard = answer_to("I need *astrology*").await;
        assert!(heard.text.starts_with("I found no agent for “astrology”"), "{}", heard.text);
        assert!(heard.text.contains("(/agents)") && heard.parts.is_empty());
        assert_eq!(answer_to("hello").await.text, HELP);
    }

    #[test]
    fn the_filler_words_are_sorted() {
        assert!(FILLERS.is_sorted());
    }
}
