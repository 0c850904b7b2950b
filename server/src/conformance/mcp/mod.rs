//! MCP server for the conformance suite (`@modelcontextprotocol/conformance`): tools, prompts and resources
//! that behave as its scenarios require. Names and results are defined by the suite.

#![expect(deprecated, reason = "the suite asks for logging and sampling up to 2025-11-25")]

mod fixtures;
mod multi_round;

use std::sync::Arc;

use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
        DiscoverResult, GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
        ReadResourceResult, ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
        UnsubscribeRequestParams,
    },
    service::RequestContext,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::sleep;

use self::multi_round::Rounds;

type Context = RequestContext<RoleServer>;
type Answer<T> = Result<T, ErrorData>;

#[derive(Clone)]
pub struct Fixtures(Arc<Rounds>);

impl Fixtures {
    /// Creates the server. `key` authenticates the request state that clients return in the next round of a
    /// multi round-trip request.
    pub fn new(key: [u8; 32]) -> Self {
        Self(Arc::new(Rounds::new(key)))
    }
}

/// Deserializes a protocol type from a JSON literal.
fn made<T: DeserializeOwned>(value: Value) -> Answer<T> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_completions()
            .enable_logging()
            .enable_resources()
            .enable_resources_subscribe()
            .build();
        ServerConfig::new(capabilities)
    }

    /// Subscriptions and logging were separate methods only up to 2025-11-25.
    async fn discover(&self, _: Context) -> Answer<DiscoverResult> {
        let mut info = self.get_info();
        info.capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_completions()
            .enable_resources()
            .build();
        Ok(DiscoverResult::from_server_info(ProtocolVersion::KNOWN_VERSIONS.to_vec(), info))
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: Context) -> Answer<ListToolsResult> {
        Ok(ListToolsResult::with_all_items(made(fixtures::tools())?))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Answer<CallToolResponse> {
        let name = request.name.clone();
        if let Some(content) = fixtures::content(&name) {
            return Ok(CallToolResult::success(made(content)?).into());
        }
        let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
        if let Some(elicitation) = fixtures::elicitation(&name, &arguments) {
            return elicit(&context.peer, elicitation).await.map(Into::into);
        }
        match name.as_ref() {
            "test_error_handling" => {
                let words = "This tool intentionally returns an error for testing";
                Ok(CallToolResult::error(vec![ContentBlock::text(words)]).into())
            }
            "test_tool_with_logging" => log(&context.peer).await.map(Into::into),
            "test_tool_with_progress" => progress(&context).await.map(Into::into),
            "test_sampling" => sample(&context.peer, &arguments).await.map(Into::into),
            "test_missing_capability" => needs_sampling(&context).map(Into::into),
            _ => {
                let asked = (request.input_responses, request.request_state);
                self.0.tool(&name, asked, context.client_capabilities())
            }
        }
    }

    async fn list_prompts(&self, _: Option<PaginatedRequestParams>, _: Context) -> Answer<ListPromptsResult> {
        Ok(ListPromptsResult::with_all_items(made(fixtures::prompts())?))
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, _: Context) -> Answer<GetPromptResponse> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        if let Some(messages) = fixtures::messages(&request.name, &arguments) {
            return Ok(GetPromptResult::new(made(messages)?).into());
        }
        self.0.prompt(&request.name, (request.input_responses, request.request_state))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Answer<ListResourcesResult> {
        Ok(ListResourcesResult::with_all_items(made(fixtures::resources())?))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Answer<ListResourceTemplatesResult> {
        Ok(ListResourceTemplatesResult::with_all_items(made(fixtures::templates())?))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Answer<ReadResourceResponse> {
        let uri = request.uri;
        let missing = || ErrorData::resource_not_found("Resource not found", Some(json!({ "uri": uri })));
        let contents = fixtures::resource(&uri).ok_or_else(missing)?;
        Ok(ReadResourceResult::new(vec![made(contents)?]).into())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Answer<()> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Answer<()> {
        Ok(())
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Answer<()> {
        Ok(())
    }
}

fn said(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn lost(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

async fn log(peer: &Peer<RoleServer>) -> Answer<CallToolResult> {
    for words in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let message = made(json!({ "level": "info", "data": words }))?;
        peer.notify_logging_message(message).await.map_err(lost)?;
        sleep(fixtures::PAUSE).await;
    }
    Ok(said("Told three times what happens."))
}

async fn progress(context: &Context) -> Answer<CallToolResult> {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let progress = ProgressNotificationParam::new(token, done).with_total(100.0);
            context.peer.notify_progress(progress).await.map_err(lost)?;
        }
        sleep(fixtures::PAUSE).await;
    }
    Ok(said("Told three times how far it is."))
}

async fn sample(peer: &Peer<RoleServer>, arguments: &Value) -> Answer<CallToolResult> {
    let content = json!({ "type": "text", "text": arguments["prompt"] });
    let request = made(json!({ "messages": [{ "role": "user", "content": content }], "maxTokens": 100 }))?;
    let answer = json!(peer.create_message(request).await.map_err(lost)?);
    Ok(said(format!("LLM response: {}", answer["content"]["text"].as_str().unwrap_or_default())))
}

async fn elicit(peer: &Peer<RoleServer>, request: Value) -> Answer<CallToolResult> {
    let before = if request["message"] == json!(fixtures::DEFAULTS)
        || request["message"] == json!(fixtures::CHOICES)
    {
        "Elicitation completed"
    } else {
        "User response"
    };
    let answer = json!(peer.create_elicitation(made(request)?).await.map_err(lost)?);
    let action = answer["action"].as_str().unwrap_or_default();
    Ok(said(format!("{before}: action={action}, content={}", answer["content"])))
}

fn needs_sampling(context: &Context) -> Answer<CallToolResult> {
    let declared = context.client_capabilities().map(|declared| json!(declared)).unwrap_or_default();
    if declared["sampling"].is_object() {
        return Ok(said("The client can sample."));
    }
    Err(ErrorData::missing_required_client_capability(made::<ClientCapabilities>(json!({ "sampling": {} }))?))
}
