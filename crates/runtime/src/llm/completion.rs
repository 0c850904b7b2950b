//! Parses a chat completion as it streams in, and emits its content.

use plexus_domain::{
    PartBody,
    agent::AnswerLimits,
    run::{Failure, FailureClass, Usage},
};

use super::{
    ModelClient, Prices,
    chunk::{self, CallDelta, Choice, Chunk, Delta},
    think_tag::{SplitText, ThinkTag},
    tool_call::ToolCall,
};
use crate::{
    ModelUsage, Output, RunEnd,
    outbound::{peer, quote_foreign_text, words},
    sse::IgnoredBytes,
};

/// Bytes counted as one token while a server reports no usage.
const BYTES_PER_TOKEN: usize = 4;
/// Maximum tool calls of a model in one turn.
const MAX_CALLS: usize = 16;
const MAX_ARGUMENT_BYTES: usize = 64 << 10;

/// Parser of a model's completions in one run: emits their content to an [`Output`].
pub struct CompletionStream<'a> {
    output: &'a mut dyn Output,
    peer: String,
    max_bytes: usize,
    budget: Option<AnswerLimits>,
    prices: Prices,
    /// Reasoning text received and not emitted yet.
    reasoning: String,
    think_tag: ThinkTag,
    noise: IgnoredBytes,
    has_text: bool,
    is_done: bool,
    finish_reason: Option<String>,
    /// True if the caller limited the length, so that an answer without text is none of the server's faults.
    may_be_cut: bool,
    /// Text of this turn.
    said: String,
    /// Tool calls of this turn, in order.
    calls: Vec<ToolCall>,
    /// Usage of this turn.
    usage: Usage,
    /// Usage of the turns before it.
    spent: Usage,
    /// Provider and name of the model of this turn.
    model: Option<(String, String)>,
    /// Usage of the turns before it, by model.
    spent_by_model: Vec<ModelUsage>,
}

impl<'a> CompletionStream<'a> {
    pub fn new(output: &'a mut dyn Output, peer: String, max_bytes: usize) -> Self {
        Self {
            output,
            peer,
            max_bytes,
            budget: None,
            prices: Prices::default(),
            reasoning: String::new(),
            think_tag: ThinkTag::default(),
            noise: IgnoredBytes::default(),
            has_text: false,
            is_done: false,
            finish_reason: None,
            may_be_cut: false,
            said: String::new(),
            calls: Vec::new(),
            usage: Usage::default(),
            spent: Usage::default(),
            model: None,
            spent_by_model: Vec::new(),
        }
    }

    /// Estimates the input tokens of this turn, until the server reports its own count.
    pub fn set_tokens_in(&mut self, sent_bytes: usize) {
        self.usage.tokens_in = (sent_bytes / BYTES_PER_TOKEN) as u64;
    }

    /// Reports the usage of all turns, and ends the current one.
    pub fn report_usage(&mut self) {
        self.settle_turn();
        self.output.usage(self.spent);
        self.output.model_usage(&self.spent_by_model);
    }

    /// Adds the usage of the current turn to the total and to that of its model.
    fn settle_turn(&mut self) {
        let usage = self.prices.of(std::mem::take(&mut self.usage));
        self.spent = self.spent.saturating_add(usage);
        let Some((provider, model)) = self.model.take().filter(|_| usage != Usage::default()) else { return };
        let is_same = |known: &&mut ModelUsage| known.provider == provider && known.model == model;
        match self.spent_by_model.iter_mut().find(is_same) {
            Some(known) => known.usage = known.usage.saturating_add(usage),
            None => self.spent_by_model.push(ModelUsage { provider, model, usage }),
        }
    }

    /// Returns the total usage of all turns so far.
    pub fn total(&self) -> Usage {
        self.spent.saturating_add(self.prices.of(self.usage))
    }

    /// Fails the run when its usage exceeds `budget`.
    pub(super) fn within(self, budget: AnswerLimits) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// Accepts answers that a length limit of the caller has cut.
    pub(super) const fn may_be_cut(mut self, may_be_cut: bool) -> Self {
        self.may_be_cut = may_be_cut;
        self
    }

    /// Resets the state of the turn, and adds the usage of the previous turn to the total.
    pub(super) fn begin_turn(&mut self, provider: &ModelClient) {
        self.settle_turn();
        self.model = Some((provider.model.provider.clone(), provider.model.name.clone()));
        self.peer = peer(&provider.endpoint);
        self.prices = provider.model.prices;
        self.is_done = false;
        self.finish_reason = None;
        self.said.clear();
        self.calls.clear();
        self.reasoning.clear();
        self.think_tag = ThinkTag::default();
    }

    /// Discards the usage estimate of a failed turn that produced no output.
    pub(super) fn forget_turn(&mut self) {
        if self.usage.tokens_out == 0 {
            self.usage = Usage::default();
        }
    }

    /// Returns true if text of this turn was emitted. Such a turn cannot be retried with another provider.
    pub(super) const fn is_begun(&self) -> bool {
        !self.said.is_empty()
    }

    /// Takes the text of this turn and its tool calls.
    pub(super) fn take_turn(&mut self) -> (String, Vec<ToolCall>) {
        (std::mem::take(&mut self.said), std::mem::take(&mut self.calls))
    }

    pub(super) const fn output(&mut self) -> &mut dyn Output {
        self.output
    }

    /// Returns true if the server has sent `[DONE]`.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    pub fn count_received(&mut self, bytes: usize) -> Result<(), Failure> {
        self.noise.add(bytes)
    }

    /// Handles the data of one event, or a complete completion.
    pub fn event(&mut self, data: &[u8]) -> Result<(), Failure> {
        if data == b"[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        let chunk: Chunk<'_> = serde_json::from_slice(data).map_err(|error| {
            self.garbage(&format!(
                "sent an event that is not a completion ({})",
                quote_foreign_text(&error.to_string())
            ))
        })?;
        if let Some(error) = chunk.error.filter(|error| error.get() != "null") {
            let words = words(data).unwrap_or_else(|| quote_foreign_text(error.get()));
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
        for (position, call) in delta.tool_calls.iter().flatten().enumerate() {
            self.call(position, call)?;
        }
        if let Some(thought) = delta.reasoning_content.as_ref().filter(|thought| !thought.0.is_empty()) {
            self.count_one()?;
            self.think(&thought.0)?;
        }
        let Some(content) = delta.content.as_ref().filter(|text| !text.0.is_empty()) else { return Ok(()) };
        self.count_one()?;
        let split = self.think_tag.split(&content.0);
        self.emit(&split)
    }

    fn emit(&mut self, split: &SplitText<'_>) -> Result<(), Failure> {
        if !split.reasoning.is_empty() {
            self.think(&split.reasoning)?;
        }
        if split.text.is_empty() {
            return Ok(());
        }
        if self.said.is_empty() {
            self.has_text = true;
            self.tell_thoughts()?;
        }
        self.said.push_str(&split.text);
        self.output.text(&split.text)
    }

    /// Counts one received piece as a token, until the server reports usage. Fails if the budget is exceeded.
    fn count_one(&mut self) -> Result<(), Failure> {
        self.noise.clear();
        self.usage.tokens_out += 1;
        self.budget.map_or(Ok(()), |budget| budget.check_usage(self.total()))
    }

    fn call(&mut self, position: usize, delta: &CallDelta<'_>) -> Result<(), Failure> {
        let index = delta.index.unwrap_or(position);
        if index > self.calls.len() || index >= MAX_CALLS {
            return Err(self.garbage("requested too many tool calls at once"));
        }
        if index == self.calls.len() {
            self.calls.push(ToolCall::default());
        }
        self.count_one()?;
        let call = &mut self.calls[index];
        if let Some(id) = &delta.id {
            call.id = id.0.chars().take(200).collect();
        }
        let Some(function) = &delta.function else { return Ok(()) };
        if let Some(name) = &function.name {
            call.name = name.0.chars().take(200).collect();
        }
        let piece = function.arguments.as_ref().map(|piece| &*piece.0).unwrap_or_default();
        if call.arguments.len() + piece.len() > MAX_ARGUMENT_BYTES {
            return Err(self.garbage("sent tool arguments that exceed the size limit"));
        }
        call.arguments.push_str(piece);
        Ok(())
    }

    fn think(&mut self, thought: &str) -> Result<(), Failure> {
        if self.reasoning.is_empty() {
            self.output.status("Thinking");
        }
        if self.reasoning.len() + thought.len() > self.max_bytes {
            let words = format!("{} exceeded the reasoning limit of {} bytes.", self.peer, self.max_bytes);
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
        self.output.part(PartBody::Reasoning { text }.into())
    }

    fn count(&mut self, usage: chunk::Usage) {
        self.usage.tokens_in = usage.prompt_tokens.unwrap_or(self.usage.tokens_in);
        self.usage.tokens_out = usage.completion_tokens.unwrap_or(self.usage.tokens_out);
    }

    /// Returns the result of the turn once no more data follows.
    pub fn end(&mut self) -> Result<RunEnd, Failure> {
        let held = self.think_tag.finish();
        self.emit(&held)?;
        self.tell_thoughts()?;
        match self.finish_reason.as_deref() {
            None if !self.is_done => {
                let words = format!(
                    "The model server {} ended the answer early. The partial answer is saved.",
                    self.peer
                );
                Err(Failure::new(FailureClass::Unreachable, words))
            }
            Some("content_filter") => Ok(RunEnd::Rejected {
                reason: "The model server held the answer back (content filter).".to_owned(),
            }),
            Some("length") if self.may_be_cut => Ok(RunEnd::Truncated),
            // The last call may be truncated in a way that cannot be detected.
            Some("length") if !self.calls.is_empty() => {
                let words = format!(
                    "The answer of {} was cut at the model's length limit in the middle of using a tool. Ask for less at once.",
                    self.peer
                );
                Err(Failure::new(FailureClass::TooLarge, words))
            }
            _ if !self.calls.is_empty() => Ok(RunEnd::Completed),
            _ if !self.has_text => {
                Err(self.garbage("ended without saying anything. Try again, or change the instructions"))
            }
            Some("length") => {
                self.output.status("The answer was cut at the model's length limit.");
                Ok(RunEnd::Truncated)
            }
            _ => Ok(RunEnd::Completed),
        }
    }

    fn garbage(&self, what: &str) -> Failure {
        Failure::new(FailureClass::Garbage, format!("The model server {} {what}.", self.peer))
    }
}
