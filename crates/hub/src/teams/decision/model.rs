//! Queries the decision model, with one retry if the answer is invalid.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use plexus_domain::{
    CallOptions, Part, RunId,
    call_options::AnswerFormat,
    run::{Failure, FailureClass, Usage},
    sanitized_text::{ellipsize, one_line},
    team::decision::{DecisionAttempt, DecisionOutcome, evaluate},
};
use plexus_runtime::{
    ConnectorLimits, ModelUsage, Output, RemoteConversation, RunEnd, RunRequest, run_connector,
};

use tokio::time::Instant;

use super::{CompletedDecision, DecisionPrompt, DecisionResult, DecisionTopic};
use crate::{Hub, Result, model_providers::ModelCall, model_usage, runs};

const MAX_ANSWER_BYTES: usize = 128 << 10;
/// Length limit of the error description sent with the retry.
const MAX_PROBLEM: usize = 300;

/// Model of the operator that decides.
#[derive(Clone)]
pub(super) struct DecisionModel {
    pub hub: Hub,
    pub name: String,
    /// False after the server refused a request with the schema as `response_format`. The prompt has the schema too.
    pub takes_schema: Arc<AtomicBool>,
}

impl DecisionModel {
    /// Returns the model's choice, or that of the rules after the timeout or an error.
    pub async fn choose(
        &self,
        matter: DecisionTopic,
        question: DecisionPrompt,
        time: Duration,
    ) -> CompletedDecision {
        let mut said = CapturedAnswer::default();
        let chosen = self.try_choose(&question, time, &mut said).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "team model failed; falling back to rules");
            None
        });
        let (usage, by_model) = (said.total(), chosen.is_some());
        CompletedDecision { matter, choice: chosen.unwrap_or_else(|| question.by_rules()), usage, by_model }
    }

    async fn try_choose(
        &self,
        question: &DecisionPrompt,
        time: Duration,
        said: &mut CapturedAnswer,
    ) -> Result<Option<DecisionResult>> {
        let until = Instant::now() + time;
        let message = question.message().map_err(crate::Error::fault)?;
        let mut problem = None;
        for attempt in [DecisionAttempt::First, DecisionAttempt::Repaired] {
            let message =
                problem.take().map_or_else(|| message.clone(), |why: String| format!("{message}\n{why}"));
            let left = until.saturating_duration_since(Instant::now());
            let with_schema = self.takes_schema.load(Ordering::Relaxed);
            match self.ask(question, message.clone(), left, with_schema, said).await {
                Err(error) if with_schema => {
                    tracing::debug!(%error, "team model: request with a schema failed; asking without");
                    self.takes_schema.store(false, Ordering::Relaxed);
                    let left = until.saturating_duration_since(Instant::now());
                    self.ask(question, message, left, false, said).await?;
                }
                done => done?,
            }
            let checked = question.check(&said.text).map(Some);
            match evaluate(attempt, checked, || None) {
                DecisionOutcome::Take(choice) => {
                    tracing::debug!(?attempt, "team model: decision accepted");
                    return Ok(choice);
                }
                DecisionOutcome::Default(choice) => {
                    tracing::debug!("team model: both answers invalid; falling back to rules");
                    return Ok(choice);
                }
                DecisionOutcome::Repair(why) => {
                    let why = ellipsize(&one_line(&why.0), MAX_PROBLEM);
                    problem = Some(format!("An answer that was given before could not be used: {why}\n"));
                }
            }
        }
        Ok(None)
    }

    async fn ask(
        &self,
        question: &DecisionPrompt,
        message: String,
        time: Duration,
        with_schema: bool,
        said: &mut CapturedAnswer,
    ) -> Result<()> {
        let format = if with_schema {
            AnswerFormat::JsonSchema {
                name: "decision".to_owned(),
                description: None,
                schema: question.schema(),
                strict: None,
            }
        } else {
            AnswerFormat::Text
        };
        let llm = runs::llm(&self.hub, &self.name, &question.instructions(), &ModelCall::default()).await?;
        let name = self.hub.config().hub_name.clone();
        let limits =
            ConnectorLimits { whole: time, max_answer_bytes: MAX_ANSWER_BYTES, ..ConnectorLimits::default() };
        let request = RunRequest {
            options: CallOptions { format, ..CallOptions::default() },
            ..RunRequest::of_message(self.hub.env().id(RunId::new), name, message, limits)
        };
        said.begin();
        let refused = |failure: Failure| plexus_domain::Error::unavailable(failure.message);
        let end = run_connector(&llm, request, said, self.hub.stop()).await;
        self.record_usage(&std::mem::take(&mut said.model_usage)).await?;
        match end.map_err(refused)? {
            RunEnd::Completed | RunEnd::Truncated => Ok(()),
            end => {
                Err(refused(Failure::new(FailureClass::Refused, format!("It ended with {end:?}."))).into())
            }
        }
    }
}

impl DecisionModel {
    /// Adds the usage to that of the hub.
    async fn record_usage(&self, used: &[ModelUsage]) -> Result<()> {
        let mut tx = self.hub.store().write().await?;
        model_usage::record_for(&mut tx, None, None, used, self.hub.env().now()).await?;
        Ok(tx.commit().await?)
    }
}

/// Last answer of the model, and the usage of all attempts.
#[derive(Default)]
struct CapturedAnswer {
    text: String,
    before: Usage,
    now: Usage,
    /// Usage of the last answer by model.
    model_usage: Vec<ModelUsage>,
}

impl CapturedAnswer {
    fn begin(&mut self) {
        self.text.clear();
        self.before = self.total();
        self.now = Usage::default();
    }

    const fn total(&self) -> Usage {
        self.before.saturating_add(self.now)
    }
}

impl Output for CapturedAnswer {
    fn text(&mut self, delta: &str) -> Result<(), Failure> {
        self.text.push_str(delta);
        Ok(())
    }

    /// Non-text parts, such as reasoning, are not part of the answer.
    fn part(&mut self, _: Part) -> Result<(), Failure> {
        Ok(())
    }

    fn artifact_text(&mut self, _: &str, _: Option<&str>, _: &str) -> Result<(), Failure> {
        Ok(())
    }

    fn remote(&mut self, _: RemoteConversation) {}

    fn usage(&mut self, usage: Usage) {
        self.now = usage;
    }

    fn model_usage(&mut self, usage: &[ModelUsage]) {
        self.model_usage = usage.to_vec();
    }

    fn status(&mut self, _: &str) {}
}
