//! One agent as an MCP server: the tool `ask`, and one tool per skill with an input schema.

use std::sync::Arc;

use plexus_domain::{Part, PartBody, sanitized_text};
use plexus_hub::{
    Caller,
    agents::{self, CardSkill},
    calls::AuthorizedAgent,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, Implementation, JsonObject, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use super::{
    ask_tool::{AskParams, ask},
    error, tools,
};
use crate::app_state::AppState;

/// Maximum length of a tool's name, in characters (2025-11-25, server/tools).
const NAME_MAX: usize = 64;

#[derive(Clone)]
pub struct AgentServer(Arc<Inner>);

struct Inner {
    site: AppState,
    door: AuthorizedAgent,
    info: Implementation,
    tools: Vec<Tool>,
    /// The skills by the name of their tool.
    skills: Vec<(String, CardSkill)>,
}

impl AgentServer {
    pub async fn new(site: &AppState, caller: &Caller, door: AuthorizedAgent) -> plexus_hub::Result<Self> {
        let address = door.address();
        let view = agents::get(&site.hub, caller, &address).await?;
        let (title, description) = match &view {
            Some(view) => (view.summary.title.clone(), view.summary.description.clone()),
            None => (address.to_string(), String::new()),
        };
        let version =
            view.as_ref().and_then(|view| view.versions.iter().find(|one| one.yanked_reason.is_none()));
        let version = version.map_or_else(|| "0".to_owned(), |version| version.semver.clone());
        let page = format!("{}{address}", site.hub.config().public_url);
        let info =
            Implementation::new(address.to_string(), version).with_title(&title).with_website_url(page);
        let skills = callable(view.and_then(|view| view.card).map(|card| card.skills).unwrap_or_default());
        let mut list = vec![tools::ask(&title, &sanitized_text::ellipsize(&description, 1_000))];
        list.extend(skills.iter().map(|(name, skill)| describe(name, skill)));
        Ok(Self(Arc::new(Inner { site: site.clone(), door, info, tools: list, skills })))
    }

    /// Converts a tool call to the message for the agent.
    fn question(&self, request: CallToolRequestParams) -> Result<AskParams, McpOutcome> {
        if request.name == tools::ASK {
            let said: tools::AgentReplyJson =
                tools::arguments(request.arguments).map_err(McpOutcome::Wrongly)?;
            let task = said.task().map_err(McpOutcome::Wrongly)?;
            return Ok(AskParams { context: said.context, task, parts: vec![Part::text(said.message)] });
        }
        let known = self.0.skills.iter().find(|(name, _)| *name == request.name);
        let Some((_, skill)) = known else {
            return Err(McpOutcome::UnknownTool(tools::unknown(&request.name)));
        };
        let data = json!({ "skill": skill.id, "arguments": request.arguments.unwrap_or_default() });
        let parts =
            vec![Part::text(format!("Use your skill \"{}\".", skill.name)), PartBody::Data { data }.into()];
        Ok(AskParams { context: None, task: None, parts })
    }
}

enum McpOutcome {
    Wrongly(plexus_domain::Error),
    UnknownTool(ErrorData),
}

impl ServerHandler for AgentServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(self.0.info.clone())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.0.tools.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let asked = match self.question(request) {
            Ok(question) => ask(&self.0.site, &self.0.door, question, &context).await,
            Err(McpOutcome::Wrongly(refusal)) => Err(refusal.into()),
            Err(McpOutcome::UnknownTool(error)) => return Err(error),
        };
        Ok(asked.unwrap_or_else(error::tool_error).into())
    }
}

/// Returns the skills with an input schema, each with a valid and unique tool name.
fn callable(skills: Vec<CardSkill>) -> Vec<(String, CardSkill)> {
    let mut named: Vec<(String, CardSkill)> = Vec::new();
    for skill in skills.into_iter().filter(|skill| skill.input_schema.is_some()) {
        let name = tool_name(&skill.id);
        if !name.is_empty() && name != tools::ASK && named.iter().all(|(known, _)| *known != name) {
            named.push((name, skill));
        }
    }
    named
}

fn tool_name(id: &str) -> String {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    id.chars().map(|letter| if allowed(letter) { letter } else { '_' }).take(NAME_MAX).collect()
}

fn describe(name: &str, skill: &CardSkill) -> Tool {
    let schema: JsonObject = match &skill.input_schema {
        Some(Value::Object(schema)) => schema.clone(),
        _ => JsonObject::new(),
    };
    tools::skill(name.to_owned(), &skill.name, skill.description.clone(), schema)
}
