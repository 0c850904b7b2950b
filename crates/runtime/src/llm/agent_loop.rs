//! Model/tool loop of one run: call the model, run the tools that it requests, repeat.

use std::{borrow::Cow, future::Future, iter, time::Duration};

use plexus_domain::{
    form_question::FormAnswer,
    part::ApprovalDecision,
    run::{Failure, FailureClass},
};
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::{
    CompletionStream, LlmConnector, RetrievedPassage, TurnRequest, knowledge,
    messages::{self, Message},
    refused_options::RefusedOptions,
    tool_call::{ToolCall, ToolCallCard},
    toolbox::{InvalidToolCall, OfferedTool, Toolbox},
};
use crate::{
    Connector as _, ConversationTurn, Output, Redact, RunEnd, RunRequest,
    approval::{ApprovalRequest, ToolQuestion},
    mcp_client::{CallEvent, PendingQuestion, ToolResult},
    outbound::{RunInterruption, WaitTimer},
};

/// Maximum bytes of a conversation that are sent to a model whose context window is not known.
const MAX_UNKNOWN_WINDOW: usize = 4 << 20;
/// Maximum questions that a tool may ask the user during one call.
const MAX_QUESTIONS: usize = 5;

pub(super) struct AgentLoop<'a> {
    llm: &'a LlmConnector,
    request: &'a RunRequest,
    answer: CompletionStream<'a>,
    pace: WaitTimer<'a>,
    stop: &'a CancellationToken,
    time: TimeBudget,
    /// What the server of each provider has refused.
    refused: Vec<RefusedOptions>,
    redact: Redact,
    /// Number of calls without an id so far.
    unnamed_calls: u32,
}

impl<'a> AgentLoop<'a> {
    pub fn new(
        llm: &'a LlmConnector,
        request: &'a RunRequest,
        output: &'a mut dyn Output,
        stop: &'a CancellationToken,
    ) -> Self {
        let answer =
            CompletionStream::new(output, String::new(), request.limits.max_answer_bytes).within(llm.budget);
        let answer = answer.may_be_cut(request.options.max_tokens.is_some());
        let pace = WaitTimer::new(stop, request.limits.whole);
        let time = TimeBudget { left: llm.budget.time() };
        let refused = vec![RefusedOptions::default(); llm.providers.len()];
        Self { llm, request, answer, pace, stop, time, refused, redact: llm.redact(), unnamed_calls: 0 }
    }

    /// Runs the loop to its end and reports the usage.
    pub async fn run(mut self) -> Result<RunEnd, RunInterruption> {
        let end = self.converse().await;
        self.answer.report_usage();
        end
    }

    /// The tools of the caller are offered with those of the agent. If the model calls one, the turn ends the run,
    /// and the caller continues it with the results. The agent's own tools are not called in that turn, because
    /// their results could not be given back to the model with those of the caller.
    async fn converse(&mut self) -> Result<RunEnd, RunInterruption> {
        let model = &self.llm.providers[0].model;
        let window = if model.is_window_unknown { MAX_UNKNOWN_WINDOW } else { model.history_bytes };
        let toolbox = self.open_tools(model.history_bytes / 3, window).await?;
        let mut room = window.saturating_sub(toolbox.bytes());
        let (turns, passages) = self.retrieve(room.min(model.history_bytes) / 2).await?;
        let mut messages = messages::begin(&self.instructions(), &turns, &self.request.files, room);
        for turns in 1.. {
            let end = self.fitting_turn(&mut messages, &mut room, &toolbox).await?;
            let mut turn = self.answer.take_turn();
            if turn.calls.is_empty() || end == RunEnd::Truncated {
                self.list_sources(&turn.said, &passages)?;
                return Ok(end);
            }
            let to_caller: Vec<_> = turn.calls.iter().filter(|call| toolbox.is_of_caller(call)).collect();
            if !to_caller.is_empty() {
                self.pass_to_caller(&to_caller)?;
                return Ok(end);
            }
            self.llm.budget.check(turns, self.answer.total())?;
            self.name_calls(&mut turn.calls);
            let calls = turn.calls.clone();
            messages.push(Message::of_turn(turn));
            let mut images = Vec::new();
            for call in &calls {
                let result = self.call(&toolbox, call).await?;
                messages.push(Message::tool_result(call, &result.text));
                images.extend(result.images);
            }
            if !images.is_empty() {
                messages.push(Message::tool_images(&images));
            }
        }
        Ok(RunEnd::Completed)
    }

    /// Gives an id to each call that has none, or that of another. Nine letters and digits are valid for all servers.
    fn name_calls(&mut self, calls: &mut [ToolCall]) {
        for at in 0..calls.len() {
            let (before, rest) = calls.split_at_mut(at);
            if rest[0].id.is_empty() || before.iter().any(|call| call.id == rest[0].id) {
                self.unnamed_calls += 1;
                rest[0].id = format!("call{:05}", self.unnamed_calls % 100_000);
            }
        }
    }

    /// Returns the instructions of the agent, and those of the caller after them.
    fn instructions(&self) -> String {
        let options = &self.request.options;
        let asked = [options.instructions.as_deref(), options.system.as_deref()];
        let all = iter::once(self.llm.instructions.as_str()).chain(asked.into_iter().flatten());
        all.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    /// Runs one turn with the messages that fit. If the window is not known and the server says that the conversation
    /// is too long, it is shortened to the assumed size once. A caller with tools keeps the conversation itself and
    /// shortens it when it is told so, which works better than a conversation without its beginning.
    async fn fitting_turn(
        &mut self,
        messages: &mut Vec<Message>,
        room: &mut usize,
        toolbox: &Toolbox,
    ) -> Result<RunEnd, RunInterruption> {
        messages::fit(messages, *room);
        let tried = self.turn(messages, toolbox.functions()).await;
        let assumed = self.llm.providers[0].model.history_bytes.saturating_sub(toolbox.bytes());
        let is_too_long = matches!(&tried, Err(RunInterruption::Failed(failure))
            if failure.class == FailureClass::PromptTooLong);
        if !is_too_long || *room <= assumed || toolbox.has_functions_of_caller() {
            return tried;
        }
        *room = assumed;
        let size = messages::size(messages);
        messages::fit(messages, *room);
        if messages::size(messages) == size {
            return tried;
        }
        self.turn(messages, toolbox.functions()).await
    }

    /// Returns the turns with the passages of the agent's files for the message to answer, and those passages.
    async fn retrieve(
        &mut self,
        max_bytes: usize,
    ) -> Result<(Cow<'a, [ConversationTurn]>, Vec<RetrievedPassage>), RunInterruption> {
        let turns = messages::with_author_names(&self.request.turns);
        let Some(knowledge) = &self.llm.knowledge else { return Ok((turns, Vec::new())) };
        let words = knowledge::search_words(&self.request.turns);
        let found = self.stop.run_until_cancelled(knowledge.search(&words)).await;
        let found = found.ok_or(RunInterruption::Stopped)??;
        let (turns, passages) = knowledge::with_passages(&turns, found, max_bytes);
        Ok((turns.into(), passages))
    }

    /// Appends the sources that the answer cites. An answer in JSON stays as it is.
    fn list_sources(&mut self, answer: &str, passages: &[RetrievedPassage]) -> Result<(), Failure> {
        match knowledge::cited_sources(answer, passages) {
            Some(sources) if self.request.options.format.is_text() => self.answer.output().text(&sources),
            _ => Ok(()),
        }
    }

    /// Offers the caller's tools, which have to fit into the window, and up to `max_own_bytes` of the agent's.
    async fn open_tools(&mut self, max_own_bytes: usize, window: usize) -> Result<Toolbox, RunInterruption> {
        let of_caller = self.request.options.callable_tools();
        let toolbox = Toolbox::of_caller(of_caller, window)?;
        if self.llm.tools.is_empty() {
            return Ok(toolbox);
        }
        let max_bytes = toolbox.bytes().saturating_add(max_own_bytes).min(window);
        // Short-lived futures are boxed so that the future of a waiting run stays small.
        let opening = Box::pin(toolbox.open(&self.llm.tools, max_bytes));
        let opening = self.time.spend(self.llm, opening);
        Ok(self.stop.run_until_cancelled(opening).await.ok_or(RunInterruption::Stopped)???)
    }

    /// Runs one turn with the first provider that starts to answer.
    async fn turn(&mut self, messages: &[Message], functions: &[Value]) -> Result<RunEnd, RunInterruption> {
        let mut tried = Err(RunInterruption::Stopped);
        let request = TurnRequest {
            messages,
            functions,
            options: &self.request.options,
            parameters: self.llm.parameters,
            limits: &self.request.limits,
        };
        for (provider, refused) in self.llm.providers.iter().zip(&mut self.refused) {
            self.answer.begin_turn(provider);
            let asked = provider.turn(request, refused, &mut self.answer, &mut self.pace);
            tried = self.time.spend(self.llm, asked).await?;
            match &tried {
                Err(RunInterruption::Failed(failure)) if may_go_elsewhere(&self.answer, failure) => {
                    tracing::info!(
                        error = failure.class.as_str(),
                        "model server request failed; trying another"
                    );
                    self.answer.forget_turn();
                }
                _ => return tried,
            }
        }
        tried
    }

    /// Runs one tool call, shows its card and its images, and returns the result for the model. Errors are
    /// results as well; only a stop or a limit ends the run.
    async fn call(&mut self, toolbox: &Toolbox, call: &ToolCall) -> Result<ToolResult, RunInterruption> {
        let (tool, arguments) = match toolbox.find(call) {
            Ok(found) => found,
            Err(InvalidToolCall { card, why }) => return self.not_called(&card, why),
        };
        let card = ToolCallCard::new(&tool.label, &arguments);
        if tool.require_approval || self.request.approval_policy.asks_always() {
            match self.ask(tool, &arguments).await? {
                Some(ApprovalDecision::Allowed) => {}
                Some(ApprovalDecision::Refused) => {
                    return Ok(ToolResult::failed(
                        "The person refused this call. Do not try it again.".to_owned(),
                    ));
                }
                Some(ApprovalDecision::Unanswered) => return Err(unanswered(&tool.label).into()),
                None => {
                    let why = "This call needs an approval, and there is no person who can be asked.";
                    return self.not_called(&card, why);
                }
            }
        }
        let place = self.answer.output().put(None, card.running())?;
        let begun = Instant::now();
        let outcome = self.finish(toolbox, tool, arguments).await?;
        // A tool that quotes the credentials of its calls must not tell them to the model.
        let outcome = ToolResult { text: self.redact.answer(&outcome.text).into_owned(), ..outcome };
        self.answer.output().put(Some(place), card.done(&outcome, begun.elapsed()))?;
        for image in &outcome.images {
            self.answer.output().file(tool.image_file(image))?;
        }
        Ok(outcome)
    }

    /// Executes a call to its end, and asks the requester what the tool asks. A failure becomes an error result for the
    /// model to read.
    async fn finish(
        &mut self,
        toolbox: &Toolbox,
        tool: &OfferedTool,
        arguments: Map<String, Value>,
    ) -> Result<ToolResult, RunInterruption> {
        let mut call = toolbox.call(tool, arguments);
        let mut questions = 0;
        loop {
            let event = self.time.spend(self.llm, Box::pin(call.next()));
            match self.stop.run_until_cancelled(event).await.ok_or(RunInterruption::Stopped)?? {
                CallEvent::Ended(Ok(result)) => return Ok(result),
                CallEvent::Ended(Err(failure)) => {
                    return Ok(ToolResult::failed(failure.message));
                }
                CallEvent::Question(_) if questions == MAX_QUESTIONS => {}
                CallEvent::Question(question) => {
                    questions += 1;
                    self.ask_question(tool, question).await?;
                }
            }
        }
    }

    /// Shows a question of a tool to the requester, and gives the answer to the tool. The wait does not count against
    /// the owner's time limit.
    async fn ask_question(
        &mut self,
        tool: &OfferedTool,
        pending: PendingQuestion,
    ) -> Result<(), RunInterruption> {
        let question = ToolQuestion { tool: tool.label.clone(), question: pending.question.clone() };
        let answer =
            self.request.approval_policy.ask_question(&question, self.answer.output(), self.stop).await?;
        pending.answer(answer.unwrap_or(FormAnswer::Declined));
        Ok(())
    }

    /// Emits the calls that the caller has to execute.
    fn pass_to_caller(&mut self, calls: &[&ToolCall]) -> Result<(), Failure> {
        for (index, call) in calls.iter().enumerate() {
            let part = call.for_caller(|| format!("call_{}_{index}", self.request.run.uuid().simple()));
            self.answer.output().part(part)?;
        }
        Ok(())
    }

    fn not_called(&mut self, card: &ToolCallCard, why: &str) -> Result<ToolResult, RunInterruption> {
        self.answer.output().put(None, card.failed(why))?;
        Ok(ToolResult::failed(why.to_owned()))
    }

    /// Asks the requester to approve a call. The wait does not count against the owner's time limit.
    async fn ask(
        &mut self,
        tool: &OfferedTool,
        arguments: &Map<String, Value>,
    ) -> Result<Option<ApprovalDecision>, RunInterruption> {
        let question =
            ApprovalRequest { tool: tool.label.clone(), arguments: Value::Object(arguments.clone()) };
        self.request.approval_policy.ask(&question, self.answer.output(), self.stop).await
    }
}

/// Returns whether another provider may answer after this failure.
const fn may_go_elsewhere(answer: &CompletionStream<'_>, failure: &Failure) -> bool {
    !answer.is_begun() && !matches!(failure.class, FailureClass::TooLarge | FailureClass::Budget)
}

/// Fails the run on an unanswered approval: a model that only receives the refusal would retry the call again
/// and again.
fn unanswered(tool: &str) -> Failure {
    let words = format!("The approval request for {tool} expired. Ask again when you can answer it.");
    Failure::new(FailureClass::TimedOut, words)
}

/// Remaining time of the owner's budget.
struct TimeBudget {
    left: Duration,
}

impl TimeBudget {
    async fn spend<T>(&mut self, llm: &LlmConnector, work: impl Future<Output = T>) -> Result<T, Failure> {
        let begun = Instant::now();
        let done = timeout(self.left, work).await;
        self.left = self.left.saturating_sub(begun.elapsed());
        done.map_err(|_| llm.budget.out_of_time())
    }
}
