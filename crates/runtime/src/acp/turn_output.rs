//! Converts the `session/update` notifications of an ACP program to output.

use agent_client_protocol_schema::v1::{
    ContentBlock, EmbeddedResource, EmbeddedResourceResource, Plan, PlanEntryStatus, PromptResponse,
    ResourceLink, SessionNotification, SessionUpdate, StopReason, ToolCall, ToolCallContent, ToolCallStatus,
    ToolCallUpdate,
};
use plexus_a2a::encoded_bytes::decode_base64;
use plexus_domain::{
    Part, PartBody,
    part::{ApprovalDecision, ToolUse},
    run::{Failure, FailureClass, Usage},
    sanitized_text::{ellipsize, one_line},
};
use serde_json::{Value, json, value::RawValue};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::jsonrpc_lines;
use crate::{
    ApprovalPolicy, Output, OutputFile, RunEnd, approval::ApprovalRequest, outbound::RunInterruption,
    sse::IgnoredBytes,
};

/// Maximum tool calls tracked at once.
const MAX_OPEN_TOOLS: usize = 64;
const STATUS_CHARS: usize = 200;

/// Output of one turn: emits the program's updates to an [`Output`].
pub struct AcpTurnOutput<'a> {
    output: &'a mut dyn Output,
    approval_policy: &'a ApprovalPolicy,
    max_bytes: usize,
    /// Reasoning text received and not emitted yet.
    thoughts: String,
    tools: Vec<OpenTool>,
    noise: IgnoredBytes,
    has_content: bool,
}

/// Tool call in progress.
struct OpenTool {
    call: ToolCall,
    begun: Instant,
}

impl<'a> AcpTurnOutput<'a> {
    pub fn new(output: &'a mut dyn Output, approval_policy: &'a ApprovalPolicy, max_bytes: usize) -> Self {
        let (thoughts, tools, noise) = (String::new(), Vec::new(), IgnoredBytes::default());
        Self { output, approval_policy, max_bytes, thoughts, tools, noise, has_content: false }
    }

    pub fn count_received(&mut self, bytes: usize) -> Result<(), Failure> {
        self.noise.add(bytes)
    }

    /// Handles the parameters of a `session/update`. Ignores updates of other sessions and unknown shapes.
    pub fn on_update(&mut self, session: &str, params: &RawValue) -> Result<(), Failure> {
        match jsonrpc_lines::parse::<SessionNotification>(params) {
            Some(notice) if &*notice.session_id.0 == session => self.update(notice.update),
            _ => Ok(()),
        }
    }

    fn update(&mut self, update: SessionUpdate) -> Result<(), Failure> {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => self.say(chunk.content),
            SessionUpdate::AgentThoughtChunk(chunk) => self.think(&chunk.content),
            SessionUpdate::ToolCall(call) => self.use_tool(call),
            SessionUpdate::ToolCallUpdate(update) => self.go_on(update),
            SessionUpdate::Plan(plan) => {
                self.plan(&plan);
                Ok(())
            }
            // Commands, modes and titles only concern the program's own user interface.
            _ => Ok(()),
        }
    }

    fn say(&mut self, block: ContentBlock) -> Result<(), Failure> {
        self.tell_thoughts()?;
        match block {
            ContentBlock::Text(text) if text.text.is_empty() => return Ok(()),
            ContentBlock::Text(text) => self.output.text(&text.text)?,
            ContentBlock::Image(image) => {
                self.file(&image.data, Some(image.mime_type), image.uri.as_deref())?;
            }
            ContentBlock::Audio(audio) => self.file(&audio.data, Some(audio.mime_type), None)?,
            ContentBlock::ResourceLink(link) => self.link(link)?,
            ContentBlock::Resource(resource) => self.resource(resource)?,
            _ => return Ok(()),
        }
        self.was_content();
        Ok(())
    }

    /// Emits a followable URL as a link. A resource on the program's own machine is emitted as its name.
    fn link(&mut self, link: ResourceLink) -> Result<(), Failure> {
        let name = ellipsize(&one_line(&link.name), STATUS_CHARS);
        match Url::parse(&link.uri) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => {
                let part = Part::from(PartBody::Link { url: url.into() });
                self.output.part(Part { name: Some(name), media_type: link.mime_type, ..part })
            }
            _ => self.output.text(&name),
        }
    }

    fn resource(&mut self, resource: EmbeddedResource) -> Result<(), Failure> {
        match resource.resource {
            EmbeddedResourceResource::TextResourceContents(text) => {
                let part = Part::text(text.text);
                self.output.part(Part { name: Some(last(&text.uri)), media_type: text.mime_type, ..part })
            }
            EmbeddedResourceResource::BlobResourceContents(blob) => {
                self.file(&blob.blob, blob.mime_type, Some(&blob.uri))
            }
            _ => Ok(()),
        }
    }

    fn file(&mut self, data: &str, media_type: Option<String>, uri: Option<&str>) -> Result<(), Failure> {
        let name = uri.map(last);
        let Some(bytes) = decode_base64(data) else {
            let file = ellipsize(&one_line(name.as_deref().unwrap_or("A file")), STATUS_CHARS);
            return self.output.text(&format!("\n\n[{file} could not be read: it is not base64.]\n\n"));
        };
        self.output.file(OutputFile {
            artifact: None,
            name,
            media_type,
            metadata: None,
            bytes: bytes.into(),
            continues: false,
        })
    }

    fn think(&mut self, block: &ContentBlock) -> Result<(), Failure> {
        let ContentBlock::Text(thought) = block else { return Ok(()) };
        if self.thoughts.is_empty() {
            self.output.status("Thinking");
        }
        if self.thoughts.len() + thought.text.len() > self.max_bytes {
            let words =
                format!("The agent program exceeded the reasoning limit of {} bytes.", self.max_bytes);
            return Err(Failure::new(FailureClass::TooLarge, words));
        }
        self.noise.clear();
        self.thoughts.push_str(&thought.text);
        Ok(())
    }

    fn tell_thoughts(&mut self) -> Result<(), Failure> {
        if self.thoughts.is_empty() {
            return Ok(());
        }
        let text = std::mem::take(&mut self.thoughts);
        self.output.part(PartBody::Reasoning { text }.into())
    }

    fn use_tool(&mut self, call: ToolCall) -> Result<(), Failure> {
        if self.tools.len() >= MAX_OPEN_TOOLS {
            return Err(garbage(&format!("uses more than {MAX_OPEN_TOOLS} tools at once")));
        }
        self.tell_thoughts()?;
        self.status(&format!("Using {}", call.title));
        self.tools.retain(|open| open.call.tool_call_id != call.tool_call_id);
        self.settle(OpenTool { call, begun: Instant::now() })
    }

    /// Applies an update to an open tool call. An unknown tool call is treated as new.
    fn go_on(&mut self, update: ToolCallUpdate) -> Result<(), Failure> {
        match self.tools.iter().position(|open| open.call.tool_call_id == update.tool_call_id) {
            Some(at) => {
                let mut tool = self.tools.remove(at);
                tool.call.update(update.fields);
                self.settle(tool)
            }
            None => ToolCall::try_from(update).map_or(Ok(()), |call| self.use_tool(call)),
        }
    }

    /// Asks the requester to approve a tool call, with the title and input that the program stated. Returns
    /// `None` if no requester can be asked or the input is too long to review.
    pub(super) async fn request_approval(
        &mut self,
        wanted: &ToolCallUpdate,
        stop: &CancellationToken,
    ) -> Result<Option<ApprovalDecision>, RunInterruption> {
        let known = self.tools.iter().find(|open| open.call.tool_call_id == wanted.tool_call_id);
        let title = wanted.fields.title.as_ref().or(known.map(|open| &open.call.title));
        let input = wanted.fields.raw_input.as_ref().or(known.and_then(|open| open.call.raw_input.as_ref()));
        let question = ApprovalRequest {
            tool: ellipsize(&one_line(title.map_or("a tool", String::as_str)), STATUS_CHARS),
            arguments: input.cloned().unwrap_or_else(|| json!({})),
        };
        if question.is_too_long() {
            return Ok(None);
        }
        self.tell_thoughts()?;
        self.approval_policy.ask(&question, self.output, stop).await
    }

    /// Emits a tool call that has ended. Stores any other as open.
    fn settle(&mut self, tool: OpenTool) -> Result<(), Failure> {
        match tool.call.status {
            ToolCallStatus::Completed | ToolCallStatus::Failed => self.show(tool),
            _ => {
                self.tools.push(tool);
                Ok(())
            }
        }
    }

    fn show(&mut self, OpenTool { call, begun }: OpenTool) -> Result<(), Failure> {
        let found = call.raw_output.unwrap_or_else(|| result(&call.content));
        let result = match call.status {
            ToolCallStatus::Completed => Some(found),
            ToolCallStatus::Failed => Some(json!({ "error": found })),
            _ => None,
        };
        let took_ms =
            result.is_some().then(|| u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX));
        let tool = ellipsize(&one_line(&call.title), STATUS_CHARS);
        let used = ToolUse {
            tool,
            arguments: call.raw_input.unwrap_or(Value::Null),
            result,
            took_ms,
            call_id: None,
        };
        self.output.part(PartBody::Tool(used).into())?;
        self.was_content();
        Ok(())
    }

    fn plan(&mut self, plan: &Plan) {
        let done = plan.entries.iter().filter(|entry| entry.status == PlanEntryStatus::Completed).count();
        let now = plan.entries.iter().find(|entry| entry.status == PlanEntryStatus::InProgress);
        let now = now.map(|entry| format!(": {}", entry.content)).unwrap_or_default();
        self.status(&format!("{done} of {} steps done{now}", plan.entries.len()));
    }

    fn status(&mut self, line: &str) {
        self.output.status(&ellipsize(&one_line(line), STATUS_CHARS));
    }

    fn was_content(&mut self) {
        self.noise.clear();
        self.has_content = true;
    }

    /// Flushes buffered reasoning and open tool calls. Call it however the turn ended.
    pub fn close(&mut self) -> Result<(), Failure> {
        self.tell_thoughts()?;
        std::mem::take(&mut self.tools).into_iter().try_for_each(|tool| self.show(tool))
    }

    /// Converts the response that ends a turn to the end of the run.
    pub(super) fn end(&mut self, ended: &PromptResponse) -> Result<RunEnd, Failure> {
        self.close()?;
        if let Some(usage) = &ended.usage {
            let (tokens_in, tokens_out) = (usage.input_tokens, usage.output_tokens);
            self.output.usage(Usage { tokens_in, tokens_out, cost_micro: 0 });
        }
        match ended.stop_reason {
            StopReason::Refusal => {
                Ok(RunEnd::Rejected { reason: "The agent program refused to continue.".to_owned() })
            }
            StopReason::Cancelled => Ok(RunEnd::Stopped),
            StopReason::MaxTurnRequests => {
                let words = "The agent program reached its limit of model calls per answer.";
                Err(Failure::new(FailureClass::Budget, words))
            }
            _ if !self.has_content => Err(garbage("ended its answer without saying anything")),
            StopReason::MaxTokens => {
                self.output.status("The answer was cut at the model's length limit.");
                Ok(RunEnd::Completed)
            }
            _ => Ok(RunEnd::Completed),
        }
    }
}

/// Returns the text and file changes of a tool's result.
fn result(content: &[ToolCallContent]) -> Value {
    let said = content.iter().filter_map(|content| match content {
        ToolCallContent::Content(content) => match &content.content {
            ContentBlock::Text(text) => Some(text.text.clone()),
            _ => None,
        },
        ToolCallContent::Diff(diff) => Some(format!("{}:\n{}", diff.path.display(), diff.new_text)),
        _ => None,
    });
    let said: Vec<String> = said.collect();
    if said.is_empty() { Value::Null } else { Value::String(said.join("\n")) }
}

/// Returns the last path segment of a URI, as a name.
fn last(uri: &str) -> String {
    one_line(uri.trim_end_matches('/').rsplit('/').next().unwrap_or(uri))
}

fn garbage(what: &str) -> Failure {
    Failure::new(FailureClass::Garbage, format!("The agent program {what}."))
}
