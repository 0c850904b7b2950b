//! Queries the decision model, with one retry if the answer is invalid.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use plexus_domain::{
    CallOptions,
    call_options::AnswerFormat,
    run::Usage,
    sanitized_text::{ellipsize, one_line},
    team::decision::{DecisionAttempt, DecisionOutcome, evaluate},
};
use plexus_runtime::{ConnectorLimits, RunEnd};
use tokio::time::Instant;

use super::{CompletedDecision, DecisionPrompt, DecisionResult, DecisionTopic};
use crate::{
    Hub, Result,
    runs::{ModelAnswer, ModelQuestion, ask_model},
};

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
        let mut usage = Usage::default();
        let chosen = self.try_choose(&question, time, &mut usage).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "team model failed; falling back to rules");
            None
        });
        let by_model = chosen.is_some();
        CompletedDecision { matter, choice: chosen.unwrap_or_else(|| question.by_rules()), usage, by_model }
    }

    async fn try_choose(
        &self,
        question: &DecisionPrompt,
        time: Duration,
        usage: &mut Usage,
    ) -> Result<Option<DecisionResult>> {
        let until = Instant::now() + time;
        let message = question.message().map_err(crate::Error::fault)?;
        let mut problem = None;
        for attempt in [DecisionAttempt::First, DecisionAttempt::Repaired] {
            let message =
                problem.take().map_or_else(|| message.clone(), |why: String| format!("{message}\n{why}"));
            let left = until.saturating_duration_since(Instant::now());
            let with_schema = self.takes_schema.load(Ordering::Relaxed);
            let answer = match self.ask(question, message.clone(), left, with_schema, usage).await {
                Err(error) if with_schema => {
                    tracing::debug!(%error, "team model: request with a schema failed; asking without");
                    self.takes_schema.store(false, Ordering::Relaxed);
                    let left = until.saturating_duration_since(Instant::now());
                    self.ask(question, message, left, false, usage).await?
                }
                answer => answer?,
            };
            let checked = question.check(&answer).map(Some);
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

    /// Asks once. `usage` is the total of all attempts.
    async fn ask(
        &self,
        question: &DecisionPrompt,
        message: String,
        time: Duration,
        with_schema: bool,
        usage: &mut Usage,
    ) -> Result<String> {
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
        let asked = ModelQuestion {
            model: &self.name,
            instructions: &question.instructions(),
            message,
            options: CallOptions { format, ..CallOptions::default() },
            limits: ConnectorLimits {
                whole: time,
                max_answer_bytes: MAX_ANSWER_BYTES,
                ..ConnectorLimits::default()
            },
            account: None,
        };
        let mut answer = ModelAnswer::default();
        let end = ask_model(&self.hub, asked, &mut answer).await;
        *usage = usage.saturating_add(answer.usage);
        match end? {
            RunEnd::Completed | RunEnd::Truncated => Ok(answer.text),
            end => Err(plexus_domain::Error::unavailable(format!("It ended with {end:?}.")).into()),
        }
    }
}
