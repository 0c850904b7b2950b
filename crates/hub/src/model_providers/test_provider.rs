//! Test of a model provider: its model list, a streamed answer, a tool call and an image.

use std::{io::Cursor, time::Duration};

use image::{ImageFormat, Rgb, RgbImage};
use plexus_domain::{
    CallOptions, Digest, Part, PartBody, RunId, Timestamp,
    call_options::{FunctionTool, ToolChoice},
    run::{Failure, FailureClass, Usage},
};
use plexus_runtime::{
    ConnectorLimits, Output, RemoteConversation, RunEnd, RunRequest, llm::LlmConnector, run_connector,
};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::model_list::ModelListError;
use crate::{Hub, config::Provider, runs};

/// Timeout of one answer. A server that runs on the machine may have to load the model first.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);
const MAX_ANSWER_BYTES: usize = 64 << 10;
/// Enough for a model that reasons before a one-word answer.
const MAX_TOKENS: u32 = 1_024;
const TOOL: &str = "report_ready";
/// Width and height of the image of a test. Some servers refuse smaller images.
const IMAGE_SIZE: u32 = 64;
/// Colour of the image, which is a less likely guess than red.
const COLOUR: &str = "yellow";

/// Parts of model names that are not for chats. Such a model is tested only if an administrator chooses it.
const OTHER_PURPOSES: [&str; 12] = [
    "embed",
    "whisper",
    "tts",
    "dall-e",
    "image",
    "moderation",
    "audio",
    "realtime",
    "transcribe",
    "rerank",
    "babbage",
    "davinci",
];

/// Result of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderTest {
    pub tested_at: Timestamp,
    /// Number of models that the server lists; `None` if it lists none or does not answer.
    pub listed: Option<usize>,
    /// The model that was asked, without the prefix of the provider; `None` if none is known.
    pub model: Option<String>,
    /// Milliseconds until the first text of the answer; `None` without an answer.
    pub first_token_ms: Option<u64>,
    /// Whether the model called the tool that it was asked to call; `None` if that was not tested.
    pub calls_tools: Option<bool>,
    /// Whether the model named the colour of an image; `None` if that was not tested.
    #[serde(default)]
    pub reads_images: Option<bool>,
    /// What failed and what to do; `None` if the model answers.
    pub problem: Option<String>,
}

/// Tests a provider with a model, or with the first that is meant for chats. `listed` is what its server answered.
pub(super) async fn run_test(
    hub: &Hub,
    provider: &Provider,
    model: Option<&str>,
    listed: Result<Vec<String>, ModelListError>,
) -> ProviderTest {
    let names = listed.as_deref().unwrap_or_default();
    let model = model.map(str::to_owned).or_else(|| default_model(&provider.models, names));
    let mut test = ProviderTest {
        tested_at: hub.env().now(),
        listed: listed.as_ref().ok().map(Vec::len),
        model,
        first_token_ms: None,
        calls_tools: None,
        reads_images: None,
        problem: None,
    };
    let Some(model) = &test.model else {
        let no_model = || "The server lists no model. Enter the name of one under Models.".to_owned();
        test.problem = Some(listed.err().map_or_else(no_model, |error| error.to_string()));
        return test;
    };
    match first_token(hub, provider, model).await {
        Ok(time) => test.first_token_ms = Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        Err(failure) => {
            test.problem = Some(failure.message);
            return test;
        }
    }
    test.calls_tools = Some(calls_tool(hub, provider, model).await.unwrap_or(false));
    test.reads_images = Some(names_colour(hub, provider, model).await.unwrap_or(false));
    test
}

fn default_model(configured: &[String], listed: &[String]) -> Option<String> {
    let is_for_chats =
        |name: &&String| !OTHER_PURPOSES.iter().any(|purpose| name.to_ascii_lowercase().contains(purpose));
    let known = if configured.is_empty() { listed } else { configured };
    known.iter().find(is_for_chats).or_else(|| known.first()).cloned()
}

async fn first_token(hub: &Hub, provider: &Provider, model: &str) -> Result<Duration, Failure> {
    let options = CallOptions { max_tokens: Some(MAX_TOKENS), ..CallOptions::default() };
    let question = Question { text: "Answer with the single word: ready", image: None, options };
    let output = ask(hub, provider, model, question).await?;
    Ok(output.first_text.unwrap_or_else(|| output.started.elapsed()))
}

async fn calls_tool(hub: &Hub, provider: &Provider, model: &str) -> Result<bool, Failure> {
    let tool = FunctionTool {
        name: TOOL.to_owned(),
        description: Some("Reports that the model is ready.".to_owned()),
        parameters: None,
        strict: None,
    };
    let options = CallOptions {
        tools: vec![tool],
        tool_choice: ToolChoice::Auto,
        max_tokens: Some(MAX_TOKENS),
        ..CallOptions::default()
    };
    let text = "Call the tool report_ready. Do not answer with text.";
    Ok(ask(hub, provider, model, Question { text, image: None, options }).await?.has_called)
}

async fn names_colour(hub: &Hub, provider: &Provider, model: &str) -> Result<bool, Failure> {
    let Some(image) = yellow_square() else { return Ok(false) };
    let options = CallOptions { max_tokens: Some(MAX_TOKENS), ..CallOptions::default() };
    let text = "Which colour has the square in the image? Answer with one word, in English.";
    let output = ask(hub, provider, model, Question { text, image: Some(image), options }).await?;
    Ok(output.text.to_ascii_lowercase().contains(COLOUR))
}

/// Draws the image of the test as PNG.
fn yellow_square() -> Option<Vec<u8>> {
    let image = RgbImage::from_pixel(IMAGE_SIZE, IMAGE_SIZE, Rgb([255, 221, 0]));
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, ImageFormat::Png).ok()?;
    Some(bytes.into_inner())
}

/// Question of a test, with an image or without.
struct Question {
    text: &'static str,
    image: Option<Vec<u8>>,
    options: CallOptions,
}

async fn ask(hub: &Hub, provider: &Provider, model: &str, question: Question) -> Result<TestOutput, Failure> {
    let client = hub.outbound().provider(provider)?;
    let llm = LlmConnector::new(client, runs::model_endpoint(provider, model), String::new())?;
    let limits = ConnectorLimits {
        whole: ANSWER_TIMEOUT,
        max_answer_bytes: MAX_ANSWER_BYTES,
        ..ConnectorLimits::default()
    };
    let (run, speaker) = (hub.env().id(RunId::new), hub.config().hub_name.clone());
    let Question { text, image, options } = question;
    let mut request = RunRequest { options, ..RunRequest::of_message(run, speaker, text.to_owned(), limits) };
    if let (Some(image), Some(turn)) = (image, request.turns.last_mut()) {
        let digest = Digest::of(&image);
        let part = Part::file(digest, image.len() as u64);
        turn.parts.push(Part { media_type: Some("image/png".to_owned()), ..part });
        request.files.insert(digest, image.into());
    }
    let mut output =
        TestOutput { started: Instant::now(), first_text: None, text: String::new(), has_called: false };
    match run_connector(&llm, request, &mut output, hub.stop()).await? {
        RunEnd::Rejected { reason } => Err(Failure::new(FailureClass::Refused, reason)),
        _ => Ok(output),
    }
}

/// Output of a test: when it began, what it says, and whether the tool was called.
struct TestOutput {
    started: Instant,
    first_text: Option<Duration>,
    text: String,
    has_called: bool,
}

impl Output for TestOutput {
    fn text(&mut self, delta: &str) -> Result<(), Failure> {
        self.first_text.get_or_insert_with(|| self.started.elapsed());
        self.text.push_str(delta);
        Ok(())
    }

    fn reclassify_text_as_reasoning(&mut self) -> Result<(), Failure> {
        self.text.clear();
        Ok(())
    }

    fn part(&mut self, part: Part) -> Result<(), Failure> {
        self.has_called |= matches!(&part.content, PartBody::Tool(tool) if tool.tool == TOOL);
        Ok(())
    }

    fn artifact_text(&mut self, _: &str, _: Option<&str>, _: &str) -> Result<(), Failure> {
        Ok(())
    }

    fn remote(&mut self, _: RemoteConversation) {}

    fn usage(&mut self, _: Usage) {}

    fn status(&mut self, _: &str) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_for_chats_is_tested() {
        let listed = ["nomic-embed-text", "tts-1", "llama3.2"].map(str::to_owned);
        assert_eq!(default_model(&[], &listed).as_deref(), Some("llama3.2"));
        assert_eq!(default_model(&["small".to_owned()], &listed).as_deref(), Some("small"));
        assert_eq!(default_model(&[], &listed[..1]).as_deref(), Some("nomic-embed-text"));
        assert_eq!(default_model(&[], &[]), None);
    }
}
