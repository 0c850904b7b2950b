//! Test call of an endpoint before it is published: sends one message and captures the answer.

use std::time::Duration;

use plexus_domain::{
    DraftId, Error as Refusal, Part, RunId,
    part::plain_text,
    run::{Failure, Usage},
    sanitized_text,
};
use plexus_runtime::{
    ConnectorLimits, Output, RemoteConversation, RunRequest, http_endpoint::HttpConnector, run_connector,
};
use plexus_store::Conn;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{
    credentials::{self, CredentialRequirement, SealedCredentials},
    draft_secrets,
    http_endpoint::{prepared, prepared_mut},
    origin_verification, register_a2a,
    registration_draft::{self, EndpointDraft, RegistrationDraft, RegistrationStep},
};
use crate::{
    Caller, Hub, Result,
    caller::{Person, Scope},
    limits::Rate,
};

const MAX_MESSAGE: usize = 4_000;
/// Maximum stored length of an answer, in characters.
const MAX_ANSWER_CHARS: usize = 16_000;
const LIMITS: ConnectorLimits = ConnectorLimits {
    max_answer_bytes: 1 << 20,
    max_file_bytes: 0,
    idle: Duration::from_secs(30),
    whole: Duration::from_mins(2),
};

/// Result of the last test call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCallResult {
    pub message: String,
    /// Answer as Markdown, including the part before a failure.
    pub answer: String,
    /// Reason of the failure, and what to do.
    pub failed: Option<String>,
    pub took_ms: u64,
}

/// View of the test step.
pub struct TestCallStep {
    pub seed: String,
    pub title: String,
    /// Suggested test message.
    pub suggestion: String,
    pub method: &'static str,
    pub url: String,
    pub tried: Option<TestCallResult>,
}

pub async fn try_step(hub: &Hub, caller: &Caller, id: DraftId) -> Result<TestCallStep> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().read().await?;
    let draft = registration_draft::load(hub, &mut conn, person, id).await?.reached(RegistrationStep::Try)?;
    let prepared = prepared(&draft)?;
    Ok(TestCallStep {
        seed: draft.seed(),
        title: prepared.about.title.clone(),
        suggestion: prepared.about.starters.first().cloned().unwrap_or_else(|| "Hello".to_owned()),
        method: prepared.template.request().method.as_str(),
        url: prepared.template.request().url.clone(),
        tried: prepared.tried.clone(),
    })
}

/// Sends a test message in the same way as a run, and stores the result for [`try_step`].
pub async fn send_test_message(
    hub: &Hub,
    caller: &Caller,
    id: DraftId,
    message: &str,
) -> Result<TestCallResult> {
    let person = caller.may(Scope::Agents)?;
    let message = sanitized_text::multi_line(message).trim().to_owned();
    if !(1..=MAX_MESSAGE).contains(&message.chars().count()) {
        return Err(Refusal::invalid("message", "Write a message of 1 to 4,000 characters.").into());
    }
    hub.limits().take(Rate::Fetches, &caller.key())?;
    let mut conn = hub.store().read().await?;
    let draft = registration_draft::load(hub, &mut conn, person, id).await?.reached(RegistrationStep::Try)?;
    if !origin_verification::all_proved(&mut conn, draft.checks()).await? {
        // An unverified address may belong to a third party, and any account could
        // make the hub send requests to it.
        hub.limits().take(Rate::TestMessages, &caller.key())?;
    }
    let connector = connector(hub, &mut conn, person, &draft).await?;
    drop(conn);
    let begun = hub.env().now();
    let mut heard = CapturedOutput::default();
    let (run, speaker) = (hub.env().id(RunId::new), person.name.to_string());
    let request = RunRequest::of_message(run, speaker, message.clone(), LIMITS);
    let ended = run_connector(&connector, request, &mut heard, &CancellationToken::new()).await;
    let tried = TestCallResult {
        message,
        answer: sanitized_text::ellipsize(&plain_text(&heard.parts), MAX_ANSWER_CHARS),
        failed: ended.err().map(|failure| failure.message),
        took_ms: u64::try_from(hub.env().now().since(begun).as_millis()).unwrap_or(u64::MAX),
    };
    keep(hub, person, id, &tried).await?;
    Ok(tried)
}

async fn keep(hub: &Hub, person: &Person, id: DraftId, tried: &TestCallResult) -> Result<()> {
    let mut tx = hub.store().write().await?;
    let mut draft = registration_draft::load(hub, &mut tx, person, id).await?;
    prepared_mut(&mut draft)?.tried = Some(tried.clone());
    draft.save(hub, &mut tx, person).await?;
    Ok(tx.commit().await?)
}

/// Continues to the last step, also without a test.
pub async fn finish_test_step(hub: &Hub, caller: &Caller, id: DraftId) -> Result<()> {
    register_a2a::advance(hub, caller, id, RegistrationStep::Try, RegistrationStep::Publish).await
}

async fn connector(
    hub: &Hub,
    conn: &mut Conn,
    person: &Person,
    draft: &RegistrationDraft,
) -> Result<HttpConnector> {
    let prepared = prepared(draft)?;
    let refused = |failure: Failure| Refusal::conflict(failure.message);
    let outbound = register_a2a::outbound(hub, person);
    let http = HttpConnector::new(outbound, prepared.template.clone()).map_err(refused)?;
    if CredentialRequirement::of_template(&prepared.template)?.by_person().is_some() {
        let words = "Each user connects to this agent after it is published. Continue, then connect.";
        return Err(Refusal::conflict(words).into());
    }
    let Some(kept) = &prepared.credentials else { return Ok(http) };
    check_proved(conn, prepared).await?;
    let plain = draft_secrets::open(hub, person, draft.data.agent, kept)?;
    let sealed = SealedCredentials::open(&plain)?;
    let resource = credentials::template_resource(&prepared.template)?;
    let (origin, mend) = (sealed.origin()?, "Go back one step and enter the client again.".to_owned());
    let shown = sealed.shown(hub, register_a2a::outbound(hub, person), resource, mend, None);
    Ok(http.with_credentials(&origin, shown).map_err(refused)?)
}

/// Fails if an origin is unverified. Credentials are sent to verified origins only, also those of the owner.
async fn check_proved(conn: &mut Conn, prepared: &EndpointDraft) -> Result<()> {
    let checks = origin_verification::apply_trusted_origins(conn, &prepared.checks).await?;
    match checks.iter().find(|(_, check)| !check.is_verified()) {
        None => Ok(()),
        Some((origin, _)) => {
            let words = format!(
                "{origin} is unverified, and the hub sends credentials only to verified origins. Verify it \
                 in the previous step, then try again."
            );
            Err(Refusal::conflict(words).into())
        }
    }
}

/// Output that captures the answer.
#[derive(Default)]
struct CapturedOutput {
    parts: Vec<Part>,
}

impl Output for CapturedOutput {
    fn text(&mut self, delta: &str) -> Result<(), Failure> {
        match self.parts.last_mut().map(|part| &mut part.content) {
            Some(plexus_domain::PartBody::Text { text }) => text.push_str(delta),
            _ => self.parts.push(Part::text(delta)),
        }
        Ok(())
    }

    fn reclassify_text_as_reasoning(&mut self) -> Result<(), Failure> {
        self.parts.pop_if(|part| part.as_text().is_some());
        Ok(())
    }

    /// Data parts are shown as JSON.
    fn part(&mut self, part: Part) -> Result<(), Failure> {
        let shown = match &part.content {
            plexus_domain::PartBody::Data { data } => format!("```json\n{data:#}\n```"),
            _ => part.as_text().unwrap_or_default().to_owned(),
        };
        self.parts.push(Part::text(shown));
        Ok(())
    }

    fn artifact_text(&mut self, _artifact: &str, _name: Option<&str>, delta: &str) -> Result<(), Failure> {
        self.text(delta)
    }

    fn remote(&mut self, _remote: RemoteConversation) {}

    fn usage(&mut self, _usage: Usage) {}

    fn status(&mut self, _line: &str) {}
}
