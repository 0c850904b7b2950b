//! Model/tool loop of one run: call the model, run the tools that it requests, repeat.

use std::{future::Future, time::Duration};

use plexus_domain::{
    part::Decision,
    run::{Failure, FailureClass},
};
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::{
    Answer, Llm,
    call::{Card, ToolCall},
    history::{self, Message},
    tools::{Known, Mistake, Toolbox},
};
use crate::{
    End, Output, Request,
    leave::Question,
    outbound::{Halt, Pace},
};

pub(super) struct Work<'a> {
    llm: &'a Llm,
    request: &'a Request,
    answer: Answer<'a>,
    pace: Pace<'a>,
    stop: &'a CancellationToken,
    time: Time,
}

impl<'a> Work<'a> {
    pub fn new(
        llm: &'a Llm,
        request: &'a Request,
        output: &'a mut dyn Output,
        stop: &'a CancellationToken,
    ) -> Self {
        let answer = Answer::new(output, String::new(), request.limits.max_answer_bytes).within(llm.budget);
        let pace = Pace::new(stop, request.limits.first_byte);
        Self { llm, request, answer, pace, stop, time: Time { left: llm.budget.time() } }
    }

    /// Runs the loop to its end and reports the usage.
    pub async fn run(mut self) -> Result<End, Halt> {
        let end = self.converse().await;
        self.answer.report_usage();
        end
    }

    async fn converse(&mut self) -> Result<End, Halt> {
        let window = self.llm.providers[0].model.history_bytes;
        let toolbox = self.open_tools(window / 3).await?;
        let room = window - toolbox.bytes();
        let mut messages = history::begin(&self.llm.instructions, &self.request.turns, room);
        for turns in 1.. {
            history::fit(&mut messages, room);
            let end = self.turn(&messages, toolbox.functions()).await?;
            let (said, calls) = self.answer.take_turn();
            if calls.is_empty() {
                return Ok(end);
            }
            self.llm.budget.check(turns, self.answer.total())?;
            messages.push(Message::calls(said, &calls));
            for call in &calls {
                let told = self.call(&toolbox, call).await?;
                messages.push(Message::told(call, &told));
            }
        }
        Ok(End::Completed)
    }

    async fn open_tools(&mut self, max_bytes: usize) -> Result<Toolbox, Halt> {
        if self.llm.tools.is_empty() {
            return Ok(Toolbox::default());
        }
        // Short-lived futures are boxed so that the future of a waiting run stays small.
        let opening = Box::pin(Toolbox::open(&self.llm.tools, max_bytes));
        let opening = self.time.spend(self.llm, opening);
        Ok(self.stop.run_until_cancelled(opening).await.ok_or(Halt::Stopped)???)
    }

    /// Runs one turn with the first provider that starts to answer.
    async fn turn(&mut self, messages: &[Message], functions: &[Value]) -> Result<End, Halt> {
        let mut tried = Err(Halt::Stopped);
        for provider in &self.llm.providers {
            self.answer.begin_turn(provider);
            let body = history::body(&provider.model, messages, functions);
            let asked = provider.turn(body, &self.request.limits, &mut self.answer, &mut self.pace);
            tried = self.time.spend(self.llm, asked).await?;
            match &tried {
                Err(Halt::Failed(failure)) if self.may_go_elsewhere(failure) => {
                    tracing::info!(class = failure.class.as_str(), "a model server did not answer");
                    self.answer.forget_turn();
                }
                _ => return tried,
            }
        }
        tried
    }

    const fn may_go_elsewhere(&self, failure: &Failure) -> bool {
        !self.answer.is_begun() && !matches!(failure.class, FailureClass::TooLarge | FailureClass::Budget)
    }

    /// Runs one tool call, shows its card and returns the result text for the model. Errors are returned as
    /// text as well; only a stop or a limit ends the run.
    async fn call(&mut self, toolbox: &Toolbox, call: &ToolCall) -> Result<String, Halt> {
        let (tool, arguments) = match toolbox.find(call) {
            Ok(found) => found,
            Err(Mistake { card, why }) => return self.not_called(&card, why),
        };
        let card = Card::new(&tool.label, &arguments);
        if tool.asks || self.request.leave.wants_every() {
            match self.ask(tool, &arguments).await? {
                Some(Decision::Allowed) => {}
                Some(Decision::Refused) => {
                    return Ok("The person refused this call. Do not try it again.".to_owned());
                }
                Some(Decision::Unanswered) => return Err(unanswered(&tool.label).into()),
                None => {
                    return self
                        .not_called(&card, "This call needs somebody's leave, and nobody is there to ask.");
                }
            }
        }
        let place = self.answer.output().put(None, card.running())?;
        let begun = Instant::now();
        let called = self.time.spend(self.llm, Box::pin(toolbox.call(tool, arguments)));
        let outcome = self.stop.run_until_cancelled(called).await.ok_or(Halt::Stopped)??;
        self.answer.output().put(Some(place), card.done(&outcome, begun.elapsed()))?;
        Ok(outcome.text)
    }

    fn not_called(&mut self, card: &Card, why: &str) -> Result<String, Halt> {
        self.answer.output().put(None, card.failed(why))?;
        Ok(why.to_owned())
    }

    /// Asks the requester to approve a call. The wait does not count against the owner's time limit.
    async fn ask(&mut self, tool: &Known, arguments: &Map<String, Value>) -> Result<Option<Decision>, Halt> {
        let question = Question { tool: tool.label.clone(), arguments: Value::Object(arguments.clone()) };
        self.request.leave.ask(&question, self.answer.output(), self.stop).await
    }
}

/// Fails the run on an unanswered approval: a model that only receives the refusal would retry the call again
/// and again.
fn unanswered(tool: &str) -> Failure {
    let words = format!("Nobody said in time whether {tool} may be used. Ask again when you are there.");
    Failure::new(FailureClass::TimedOut, words)
}

/// Remaining time of the owner's budget.
struct Time {
    left: Duration,
}

impl Time {
    async fn spend<T>(&mut self, llm: &Llm, work: impl Future<Output = T>) -> Result<T, Failure> {
        let begun = Instant::now();
        let done = timeout(self.left, work).await;
        self.left = self.left.saturating_sub(begun.elapsed());
        done.map_err(|_| llm.budget.out_of_time())
    }
}
