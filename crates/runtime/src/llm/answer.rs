//! An answer as it comes in, event by event.

use plexus_domain::{
    Content,
    run::{Failure, FailureClass, Usage},
};

use super::chunk::{self, Choice, Chunk, Delta};
use crate::{
    End, Output,
    outbound::{quote, words},
    sse::Noise,
};

/// How many bytes a token is taken for when a server does not count.
const BYTES_PER_TOKEN: usize = 4;

/// What it says goes to an [`Output`].
pub struct Answer<'a> {
    output: &'a mut dyn Output,
    peer: String,
    max_bytes: usize,
    /// What the model thought and has not been given on.
    reasoning: String,
    noise: Noise,
    has_text: bool,
    is_done: bool,
    finish_reason: Option<String>,
    usage: Usage,
}

impl<'a> Answer<'a> {
    pub fn new(output: &'a mut dyn Output, peer: String, max_bytes: usize) -> Self {
        Self {
            output,
            peer,
            max_bytes,
            reasoning: String::new(),
            noise: Noise::default(),
            has_text: false,
            is_done: false,
            finish_reason: None,
            usage: Usage::default(),
        }
    }

    /// An estimate that holds until the server counts.
    pub fn set_tokens_in(&mut self, sent_bytes: usize) {
        self.usage.tokens_in = (sent_bytes / BYTES_PER_TOKEN) as u64;
    }

    pub fn report_usage(&mut self) {
        self.output.usage(self.usage);
    }

    /// Whether the server has said that this is all.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    pub fn count_received(&mut self, bytes: usize) -> Result<(), Failure> {
        self.noise.add(bytes)
    }

    /// Takes the data of one event, or a whole completion.
    pub fn event(&mut self, data: &[u8]) -> Result<(), Failure> {
        if data == b"[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        let chunk: Chunk<'_> = serde_json::from_slice(data).map_err(|error| {
            self.garbage(&format!("sent an event that is not a completion ({})", quote(&error.to_string())))
        })?;
        if let Some(error) = chunk.error.filter(|error| error.get() != "null") {
            let words = words(data).unwrap_or_else(|| quote(error.get()));
            let words = format!("The model server {} reported an error: {words}", self.peer);
            return Err(Failure::new(FailureClass::Refused, words));
        }
        if let Some(usage) = chunk.usage {
            self.count(usage);
        }
        chunk.choices.0.map_or(Ok(()), |choice| self.choice(choice))
    }

    fn choice(&mut self, choice: Choice<'_>) -> Result<(), Failure> {
        if let Some(reason) = choice.finish_reason {
            self.finish_reason = Some(reason.0.into_owned());
        }
        choice.delta.map_or(Ok(()), |delta| self.delta(&delta))
    }

    fn delta(&mut self, delta: &Delta<'_>) -> Result<(), Failure> {
        if let Some(thought) = delta.reasoning_content.as_ref().filter(|thought| !thought.0.is_empty()) {
            self.think(&thought.0)?;
        }
        let Some(text) = delta.content.as_ref().filter(|text| !text.0.is_empty()) else { return Ok(()) };
        self.noise.clear();
        self.usage.tokens_out += 1;
        if !self.has_text {
            self.has_text = true;
            self.tell_thoughts()?;
        }
        self.output.text(&text.0)
    }

    fn think(&mut self, thought: &str) -> Result<(), Failure> {
        self.noise.clear();
        self.usage.tokens_out += 1;
        if self.reasoning.is_empty() {
            self.output.status("Thinking");
        }
        if self.reasoning.len() + thought.len() > self.max_bytes {
            let words =
                format!("{} thought more than {} bytes without an answer.", self.peer, self.max_bytes);
            return Err(Failure::new(FailureClass::TooLarge, words));
        }
        self.reasoning.push_str(thought);
        Ok(())
    }

    fn tell_thoughts(&mut self) -> Result<(), Failure> {
        if self.reasoning.is_empty() {
            return Ok(());
        }
        let text = std::mem::take(&mut self.reasoning);
        self.output.part(Content::Reasoning { text }.into())
    }

    fn count(&mut self, usage: chunk::Usage) {
        self.usage.tokens_in = usage.prompt_tokens.unwrap_or(self.usage.tokens_in);
        self.usage.tokens_out = usage.completion_tokens.unwrap_or(self.usage.tokens_out);
    }

    /// What it comes to when nothing more follows.
    pub fn end(&mut self) -> Result<End, Failure> {
        self.tell_thoughts()?;
        match self.finish_reason.as_deref() {
            None if !self.is_done => {
                let words =
                    format!("The model server {} ended the answer early. What came is kept.", self.peer);
                Err(Failure::new(FailureClass::Unreachable, words))
            }
            Some("content_filter") => Ok(End::Rejected {
                reason: "The model server held the answer back (content filter).".to_owned(),
            }),
            _ if !self.has_text => {
                Err(self.garbage("ended without saying anything. Try again, or change the instructions"))
            }
            Some("length") => {
                self.output.status("The answer was cut at the model's length limit.");
                Ok(End::Completed)
            }
            _ => Ok(End::Completed),
        }
    }

    fn garbage(&self, what: &str) -> Failure {
        Failure::new(FailureClass::Garbage, format!("The model server {} {what}.", self.peer))
    }
}
