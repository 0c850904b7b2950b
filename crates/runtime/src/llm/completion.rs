//! Parses a chat completion as it streams in, and emits its content.

use plexus_domain::{
    PartBody,
    agent::AnswerLimits,
    run::{Failure, FailureClass, Usage},
};
use serde_json::Value;

use super::{
    ModelClient, Prices,
    answer_image::{self, AnswerImage},
    call_assembler::CallAssembler,
    chunk::{self, ContentPiece, FinishReason, Members},
    data_images::{DataImages, ShownPiece},
    lenient_json,
    returned_members::ReturnedMembers,
    think_tag::{SplitText, ThinkTag},
    tool_call::ToolCall,
};
use crate::{
    ModelUsage, Output, RunEnd,
    outbound::quote_foreign_text,
    sse::{IgnoredBytes, SseDecoder, SseEvent},
};

/// Maximum bytes of an event besides the text in it.
const MAX_ENVELOPE_BYTES: usize = 1 << 20;
/// Maximum bytes of a piece that was not understood in which words are looked for.
const MAX_QUOTED_BYTES: usize = 8 << 10;

/// Parser of a model's completions in one run: emits their content to an [`Output`].
///
/// The completion is an event stream, lines of JSON or one document. What cannot be understood is skipped.
pub struct CompletionStream<'a> {
    output: &'a mut dyn Output,
    /// The server, as the subject of a sentence.
    server: String,
    max_bytes: usize,
    budget: Option<AnswerLimits>,
    prices: Prices,
    decoder: SseDecoder,
    /// Reasoning text received and not emitted yet.
    reasoning: String,
    think_tag: ThinkTag,
    images: DataImages,
    noise: IgnoredBytes,
    /// True if the run has shown text or an image.
    has_text: bool,
    /// The same, before this turn.
    had_text: bool,
    /// True if this turn has emitted text or an image.
    is_begun: bool,
    is_done: bool,
    finish_reason: Option<FinishReason>,
    /// True if bytes of the answer have come, and if a piece of them was understood.
    has_received: bool,
    has_understood: bool,
    /// The last piece that was not understood.
    ignored: Option<String>,
    /// True if the caller limited the length, so that an answer without text is none of the server's faults.
    may_be_cut: bool,
    /// True for a server that does not mark the end of an answer.
    ends_unmarked: bool,
    /// Text of this turn.
    said: String,
    /// Tool calls of this turn, in order.
    calls: CallAssembler,
    /// Members of this turn's message that go back to the server.
    returned: ReturnedMembers,
    /// Usage of this turn.
    usage: Usage,
    /// Usage of the turns before it.
    spent: Usage,
    /// Provider and name of the model of this turn.
    model: Option<(String, String)>,
    /// Usage of the turns before it, by model.
    spent_by_model: Vec<ModelUsage>,
}

/// What a model said in one turn.
pub(super) struct ModelTurn {
    pub said: String,
    pub calls: Vec<ToolCall>,
    /// Members of the message that go back to the server.
    pub returned: Members,
}

impl<'a> CompletionStream<'a> {
    /// Creates a parser. `server` names the server as the subject of a sentence.
    pub fn new(output: &'a mut dyn Output, server: String, max_bytes: usize) -> Self {
        Self {
            output,
            server,
            max_bytes,
            budget: None,
            prices: Prices::default(),
            decoder: new_decoder(max_bytes),
            reasoning: String::new(),
            think_tag: ThinkTag::default(),
            images: DataImages::default(),
            noise: IgnoredBytes::default(),
            has_text: false,
            had_text: false,
            is_begun: false,
            is_done: false,
            finish_reason: None,
            has_received: false,
            has_understood: false,
            ignored: None,
            may_be_cut: false,
            ends_unmarked: false,
            said: String::new(),
            calls: CallAssembler::default(),
            returned: ReturnedMembers::default(),
            usage: Usage::default(),
            spent: Usage::default(),
            model: None,
            spent_by_model: Vec::new(),
        }
    }

    /// Sets the estimated input tokens of this turn, until the server reports its own count.
    pub const fn set_tokens_in(&mut self, estimated: u64) {
        self.usage.tokens_in = estimated;
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

    /// Accepts answers that end without a mark of their end.
    pub(crate) const fn may_end_unmarked(mut self, ends_unmarked: bool) -> Self {
        self.ends_unmarked = ends_unmarked;
        self
    }

    /// Resets the state of the turn, and adds the usage of the previous turn to the total.
    pub(super) fn begin_turn(&mut self, provider: &ModelClient) {
        self.settle_turn();
        self.model = Some((provider.model.provider.clone(), provider.model.name.clone()));
        self.server = provider.subject();
        self.prices = provider.model.prices;
        self.begin_answer();
    }

    /// Resets the state of the answer, as before another try.
    pub(super) fn begin_answer(&mut self) {
        self.decoder = new_decoder(self.max_bytes);
        self.had_text = self.has_text;
        self.is_begun = false;
        self.is_done = false;
        self.finish_reason = None;
        (self.has_received, self.has_understood) = (false, false);
        self.ignored = None;
        self.said.clear();
        self.calls.clear();
        self.returned = ReturnedMembers::default();
        self.reasoning.clear();
        self.think_tag = ThinkTag::default();
        self.images = DataImages::default();
    }

    /// Discards the usage estimate of a failed turn that produced no output.
    pub(super) fn forget_turn(&mut self) {
        if self.usage.tokens_out == 0 {
            self.usage = Usage::default();
        }
    }

    /// Returns true if a part of this turn was emitted. Such a turn cannot be tried again.
    pub(super) const fn is_begun(&self) -> bool {
        self.is_begun
    }

    /// Takes what the model said in this turn.
    pub(super) fn take_turn(&mut self) -> ModelTurn {
        ModelTurn {
            said: std::mem::take(&mut self.said),
            calls: self.calls.take(),
            returned: self.returned.take(),
        }
    }

    pub(super) const fn output(&mut self) -> &mut dyn Output {
        self.output
    }

    /// Returns the text of this turn so far.
    pub(crate) fn said(&self) -> &str {
        &self.said
    }

    /// Returns true if the server has marked the end.
    pub const fn is_done(&self) -> bool {
        self.is_done
    }

    /// Parses the next bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.has_received |= !bytes.is_empty();
        self.decode(|decoder, completion| decoder.push_named(bytes, |event| completion.event(event)))?;
        self.noise.add_besides(bytes.len(), self.decoder.pending())
    }

    /// Returns the result of the turn once no more data follows.
    pub fn finish(&mut self) -> Result<RunEnd, Failure> {
        self.decode(|decoder, completion| decoder.finish(|event| completion.event(event)))?;
        self.end()
    }

    fn decode(
        &mut self,
        decode: impl FnOnce(&mut SseDecoder, &mut Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut decoder = std::mem::replace(&mut self.decoder, new_decoder(self.max_bytes));
        let decoded = decode(&mut decoder, self);
        self.decoder = decoder;
        decoded
    }

    fn event(&mut self, event: SseEvent<'_>) -> Result<(), Failure> {
        let data = event.data.trim_ascii();
        if self.is_done || data.is_empty() {
            return Ok(());
        }
        if data == b"[DONE]" || data == b"\"[DONE]\"" {
            self.is_done = true;
            return Ok(());
        }
        let values = lenient_json::values(data);
        if event.name.eq_ignore_ascii_case(b"error") {
            let words = crate::outbound::words(data).unwrap_or_else(|| "no reason".to_owned());
            return Err(self.reported(&words));
        }
        if values.is_empty() {
            let begin = &data[..data.len().min(MAX_QUOTED_BYTES)];
            self.ignored = crate::outbound::words(begin).or(self.ignored.take());
        }
        values.iter().try_for_each(|value| self.value(value))
    }

    fn value(&mut self, value: &Value) -> Result<(), Failure> {
        match value {
            Value::Object(chunk) => self.chunk(chunk),
            Value::Array(chunks) => {
                chunks.iter().filter_map(Value::as_object).try_for_each(|chunk| self.chunk(chunk))
            }
            _ => Ok(()),
        }
    }

    fn chunk(&mut self, chunk: &Members) -> Result<(), Failure> {
        if let Some(words) = chunk::error(chunk) {
            return Err(self.reported(&words));
        }
        chunk::add_usage(chunk, &mut self.usage);
        let Some(choice) = chunk::choice(chunk) else {
            if !chunk.get("choices").is_some_and(Value::is_array) && !chunk.contains_key("usage") {
                self.ignored = Some(quote_foreign_text(&Value::Object(chunk.clone()).to_string()));
            }
            return Ok(());
        };
        self.has_understood = true;
        if let Some(message) = chunk::message(choice, self.has_begun()) {
            self.message(&message)?;
        }
        self.finish_reason = chunk::finish_reason(chunk, choice).or(self.finish_reason);
        match self.finish_reason {
            Some(FinishReason::Error) => Err(self.reported("no reason")),
            _ => Ok(()),
        }
    }

    fn message(&mut self, message: &Members) -> Result<(), Failure> {
        self.returned.add(message, self.max_bytes);
        let calls = self.calls.add(message).map_err(|excess| self.garbage(excess))?;
        for _ in 0..calls {
            self.count_one()?;
        }
        let reasoning = chunk::reasoning(message);
        if !reasoning.is_empty() {
            self.count_one()?;
            self.think(&reasoning)?;
        }
        for piece in chunk::content(message) {
            self.count_one()?;
            match piece {
                ContentPiece::Text(text) => {
                    let split = self.think_tag.split(&text);
                    self.emit(&split)?;
                }
                ContentPiece::Reasoning(text) => self.think(&text)?,
                ContentPiece::Image(url) => self.image(url)?,
            }
        }
        Ok(())
    }

    fn emit(&mut self, split: &SplitText<'_>) -> Result<(), Failure> {
        if split.was_reasoning && !self.said.is_empty() {
            self.say(&split.reasoning)?;
            self.output.reclassify_text_as_reasoning()?;
            self.said.clear();
            self.has_text = self.had_text;
        } else if !split.reasoning.is_empty() {
            self.think(&split.reasoning)?;
        }
        for piece in self.images.push(&split.text) {
            match piece {
                ShownPiece::Text(text) => self.answer(&text)?,
                ShownPiece::Image(url) => self.image(&url)?,
            }
        }
        if self.images.pending() > self.max_bytes {
            let words = format!("{} sent an image of more than {} bytes.", self.server, self.max_bytes);
            return Err(Failure::new(FailureClass::TooLarge, words));
        }
        Ok(())
    }

    fn answer(&mut self, text: &str) -> Result<(), Failure> {
        if self.said.is_empty() {
            self.tell_thoughts()?;
        }
        self.say(text)
    }

    fn say(&mut self, text: &str) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        (self.has_text, self.is_begun) = (true, true);
        self.said.push_str(text);
        self.output.text(text)
    }

    fn image(&mut self, url: &str) -> Result<(), Failure> {
        self.tell_thoughts()?;
        (self.has_text, self.is_begun) = (true, true);
        match answer_image::read(url) {
            AnswerImage::File(file) => self.output.file(file),
            AnswerImage::Link(part) => self.output.part(part),
            AnswerImage::Unreadable => Ok(()),
        }
    }

    /// Returns true if a part of the message has come.
    fn has_begun(&self) -> bool {
        !self.said.is_empty() || !self.calls.is_empty() || !self.reasoning.is_empty()
    }

    /// Counts one received piece as a token, until the server reports usage. Fails if the budget is exceeded.
    fn count_one(&mut self) -> Result<(), Failure> {
        self.noise.clear();
        self.usage.tokens_out += 1;
        self.budget.map_or(Ok(()), |budget| budget.check_usage(self.total()))
    }

    fn think(&mut self, thought: &str) -> Result<(), Failure> {
        if self.reasoning.is_empty() {
            self.output.status("Thinking");
        }
        if self.reasoning.len() + thought.len() > self.max_bytes {
            let words = format!("{} exceeded the reasoning limit of {} bytes.", self.server, self.max_bytes);
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

    /// Shows reasoning as the answer if there is no other: a tag was not closed, or the server took the answer for
    /// reasoning.
    fn show_reasoning(&mut self) -> Result<(), Failure> {
        let text = std::mem::take(&mut self.reasoning);
        self.say(text.trim())
    }

    fn end(&mut self) -> Result<RunEnd, Failure> {
        let held = self.think_tag.finish();
        self.emit(&held)?;
        let held = self.images.finish();
        if !held.is_empty() {
            self.answer(&held)?;
        }
        let is_complete = self.finish_reason.is_some() || self.is_done || self.ends_unmarked;
        let is_answer =
            is_complete && !matches!(self.finish_reason, Some(FinishReason::Length | FinishReason::Filter));
        if is_answer && !self.is_begun && self.calls.is_empty() {
            self.show_reasoning()?;
        }
        self.tell_thoughts()?;
        match self.finish_reason {
            None if !is_complete => Err(self.ended_early()),
            Some(FinishReason::Filter) => Ok(RunEnd::Rejected {
                reason: "The model server held the answer back (content filter).".to_owned(),
            }),
            Some(FinishReason::Length) if self.may_be_cut => Ok(RunEnd::Truncated),
            // The last call may be truncated in a way that cannot be detected.
            Some(FinishReason::Length) if !self.calls.is_empty() => {
                let words = format!(
                    "{} cut the answer at the model's length limit in the middle of using a tool. Ask for less at once.",
                    self.server
                );
                Err(Failure::new(FailureClass::TooLarge, words))
            }
            _ if !self.calls.is_empty() => Ok(RunEnd::Completed),
            Some(FinishReason::Length) if self.has_text => {
                self.output.status("The answer was cut at the model's length limit.");
                Ok(RunEnd::Truncated)
            }
            _ if !self.has_text => {
                let said = self.ignored_words();
                Err(self.garbage(&format!(
                    "ended without saying anything. Try again, or change the instructions{said}"
                )))
            }
            _ => Ok(RunEnd::Completed),
        }
    }

    fn ended_early(&self) -> Failure {
        let said = self.ignored_words();
        if self.has_understood || !self.has_received {
            let words = format!("{} ended the answer early. The partial answer is saved{said}.", self.server);
            return Failure::new(FailureClass::Unreachable, words);
        }
        self.garbage(&format!("sent what is not a chat completion. Check its address{said}"))
    }

    fn ignored_words(&self) -> String {
        self.ignored.as_ref().map(|ignored| format!(". It says: {ignored}")).unwrap_or_default()
    }

    /// Returns the failure that the server reported in the answer.
    fn reported(&self, words: &str) -> Failure {
        let words = format!("{} reported an error: {}", self.server, quote_foreign_text(words));
        Failure::new(FailureClass::Refused, words)
    }

    fn garbage(&self, what: &str) -> Failure {
        Failure::new(FailureClass::Garbage, format!("{} {what}.", self.server))
    }
}

fn new_decoder(max_bytes: usize) -> SseDecoder {
    SseDecoder::of_json(max_bytes.saturating_add(MAX_ENVELOPE_BYTES))
}
