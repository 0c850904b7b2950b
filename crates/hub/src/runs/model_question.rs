//! Questions of the hub itself to a model, outside of chats: decisions of teams, titles of chats.

use plexus_domain::{
    AccountId, CallOptions, Error as Refusal, Part, RunId,
    run::{Failure, Usage},
};
use plexus_runtime::{
    ConnectorLimits, ModelUsage, Output, RemoteConversation, RunEnd, RunRequest, run_connector,
};

use super::llm;
use crate::{Hub, Result, model_providers::ModelCall, model_usage};

/// A message to a model of the operator.
pub(crate) struct ModelQuestion<'a> {
    /// Name of the model, with the prefix of its provider.
    pub model: &'a str,
    pub instructions: &'a str,
    pub message: String,
    pub options: CallOptions,
    pub limits: ConnectorLimits,
    /// Account whose use of the model this is; none for the hub.
    pub account: Option<AccountId>,
}

/// Text and usage of an answer. Parts of other kinds, such as reasoning, are left out.
#[derive(Default)]
pub(crate) struct ModelAnswer {
    pub text: String,
    pub usage: Usage,
    by_model: Vec<ModelUsage>,
}

/// Asks a model, and records its use. `answer` has what arrived, also after a failure.
pub(crate) async fn ask_model(
    hub: &Hub,
    question: ModelQuestion<'_>,
    answer: &mut ModelAnswer,
) -> Result<RunEnd> {
    let ModelQuestion { model, instructions, message, options, limits, account } = question;
    let llm = llm(hub, model, instructions, &ModelCall::default()).await?;
    let (run, speaker) = (hub.env().id(RunId::new), hub.config().hub_name.clone());
    let request = RunRequest { options, ..RunRequest::of_message(run, speaker, message, limits) };
    let end = run_connector(&llm, request, answer, hub.stop()).await;
    let mut tx = hub.store().write().await?;
    model_usage::record(&mut tx, account, None, &answer.by_model, hub.env().now()).await?;
    tx.commit().await?;
    Ok(end.map_err(|failure| Refusal::unavailable(failure.message))?)
}

impl Output for ModelAnswer {
    fn text(&mut self, delta: &str) -> Result<(), Failure> {
        self.text.push_str(delta);
        Ok(())
    }

    fn reclassify_text_as_reasoning(&mut self) -> Result<(), Failure> {
        self.text.clear();
        Ok(())
    }

    fn part(&mut self, _: Part) -> Result<(), Failure> {
        Ok(())
    }

    fn artifact_text(&mut self, _: &str, _: Option<&str>, _: &str) -> Result<(), Failure> {
        Ok(())
    }

    fn remote(&mut self, _: RemoteConversation) {}

    fn usage(&mut self, usage: Usage) {
        self.usage = usage;
    }

    fn model_usage(&mut self, usage: &[ModelUsage]) {
        self.by_model = usage.to_vec();
    }

    fn status(&mut self, _: &str) {}
}
