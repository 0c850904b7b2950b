//! One agent as an MCP server: a tool to ask it, one tool per skill with an input schema, and the files of its
//! answers as resources.

use std::sync::Arc;

use plexus_domain::{Address, Digest, Error as Refusal, Part, PartBody, RunId, sanitized_text};
use plexus_hub::{
    Caller,
    agents::{self, CardSkill},
    calls::{self, AuthorizedAgent},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CancelTaskParams, GetTaskParams, GetTaskResult,
        Implementation, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
        ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig, Tool, UpdateTaskParams,
    },
    service::RequestContext,
};
use serde_json::json;

use super::{
    ask_tool::{AskParams, RepeatedCall, ask},
    error,
    file_resource::FileUri,
    input_schema::{self, describes_object},
    task_extension::{self, TaskHandle},
    tools,
};
use crate::app_state::AppState;

/// Maximum length of a tool's name, in characters (2025-11-25, server/tools).
const NAME_MAX: usize = 64;
/// Hexadecimal digits that keep a shortened name unique.
const HASH_CHARS: usize = 8;
/// Room for the number that distinguishes a name from equal ones.
const SUFFIX: usize = 4;

#[derive(Clone)]
pub struct AgentServer(Arc<Inner>);

struct Inner {
    site: AppState,
    authorized: AuthorizedAgent,
    info: Implementation,
    tools: Vec<Tool>,
    /// The skills by the name of their tool.
    skills: Vec<(String, CardSkill)>,
}

impl AgentServer {
    pub async fn new(
        site: &AppState,
        caller: &Caller,
        authorized: AuthorizedAgent,
    ) -> plexus_hub::Result<Self> {
        let address = authorized.address();
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
        let skills = view.and_then(|view| view.card).map(|card| card.skills).unwrap_or_default();
        let skills = callable(skills, &address);
        let mut list = vec![tools::ask(
            tool_name(tools::ASK, &address),
            &title,
            &sanitized_text::ellipsize(&description, 1_000),
        )];
        list.extend(skills.iter().map(|(name, skill)| describe(name, skill)));
        Ok(Self(Arc::new(Inner { site: site.clone(), authorized, info, tools: list, skills })))
    }

    /// Returns whether a name is that of the tool that asks the agent, or its alias `ask`.
    fn is_ask(&self, name: &str) -> bool {
        name == tools::ASK || self.0.tools.first().is_some_and(|ask| ask.name == name)
    }

    /// Finds a skill by the name of its tool, or by its id alone as an alias. An alias of several skills is none.
    fn skill(&self, name: &str) -> Option<&(String, CardSkill)> {
        let skills = &self.0.skills;
        let named = skills.iter().find(|(known, _)| known == name);
        let by_id = || skills.iter().find(|(_, skill)| skill.id == name);
        let by_alias = || {
            let mut found = skills.iter().filter(|(_, skill)| alias(&skill.id) == name);
            found.next().filter(|_| found.next().is_none())
        };
        named.or_else(by_id).or_else(by_alias)
    }

    /// Converts a tool call to the message for the agent.
    fn question(&self, request: CallToolRequestParams) -> Result<AskParams, McpOutcome> {
        if self.is_ask(&request.name) {
            let said: tools::AgentReplyJson =
                tools::arguments(request.arguments).map_err(McpOutcome::Wrongly)?;
            let task = said.task().map_err(McpOutcome::Wrongly)?;
            return Ok(AskParams { context: said.context, task, parts: vec![Part::text(said.message)] });
        }
        let known = self.skill(&request.name);
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

impl AgentServer {
    /// Returns the run of a task id, if it is one of this agent.
    fn run(&self, task_id: &str) -> Result<RunId, Refusal> {
        match task_id.parse()? {
            TaskHandle::Run { agent, run } if agent == self.0.authorized.address() => Ok(run),
            TaskHandle::Run { .. } | TaskHandle::Team(_) => Err(task_extension::unknown_task()),
        }
    }

    async fn read(&self, uri: &str) -> plexus_hub::Result<ReadResourceResult> {
        let missing =
            || Refusal::not_found("Resource not found. Use the URI of a resource link in an answer.");
        let file = FileUri::parse(&self.0.site, uri).ok_or_else(missing)?;
        if file.agent != self.0.authorized.address() {
            return Err(missing().into());
        }
        file.read(&self.0.site, &self.0.authorized, uri).await
    }
}

impl ServerHandler for AgentServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder().enable_tools().enable_resources().enable_tasks().build(),
        )
        .with_server_info(self.0.info.clone())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let name = match self.skill(name) {
            Some((name, _)) => name,
            None if self.is_ask(name) => return self.0.tools.first().cloned(),
            None => name,
        };
        self.0.tools.iter().find(|tool| tool.name == *name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.0.tools.clone()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.read(&request.uri).await;
        Ok(read.map_err(|error| error::resource_error(error, &request.uri))?.into())
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let repeated = RepeatedCall::take(&mut request).map_err(McpOutcome::Wrongly);
        let asked = match repeated.and_then(|repeated| Ok((self.question(request)?, repeated))) {
            Ok((question, repeated)) => {
                ask(&self.0.site, &self.0.authorized, question, repeated, &context).await
            }
            Err(McpOutcome::Wrongly(refusal)) => Err(refusal.into()),
            Err(McpOutcome::UnknownTool(error)) => return Err(error),
        };
        Ok(asked.unwrap_or_else(|error| error::tool_error(error).into()))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let found = async {
            task_extension::get_run(&self.0.site, &self.0.authorized, self.run(&request.task_id)?, &context)
                .await
        };
        found.await.map_err(error::task_error)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let done = async {
            let run = self.run(&request.task_id)?;
            task_extension::update_run(&self.0.site, &self.0.authorized, run, &request.input_responses).await
        };
        done.await.map_err(error::task_error)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let done = async {
            calls::cancel(&self.0.site.hub, &self.0.authorized, self.run(&request.task_id)?).await.map(drop)
        };
        done.await.map_err(error::task_error)
    }
}

/// Returns the skills with an input schema, each with a valid and unique tool name. Of several skills with one id
/// only the first is offered: a message to the agent names a skill by its id.
fn callable(skills: Vec<CardSkill>, agent: &Address) -> Vec<(String, CardSkill)> {
    let mut named: Vec<(String, CardSkill)> = Vec::new();
    let ask = tool_name(tools::ASK, agent);
    for skill in skills.into_iter().filter(|skill| skill.input_schema.as_ref().is_some_and(describes_object))
    {
        if skill.id.is_empty() || named.iter().any(|(_, known)| known.id == skill.id) {
            continue;
        }
        let is_free = |name: &String| *name != ask && named.iter().all(|(known, _)| known != name);
        let name = numbered(&tool_name(&skill.id, agent)).find(is_free);
        named.extend(name.map(|name| (name, skill)));
    }
    named
}

/// Returns the name, then the name with a number that distinguishes it from equal ones.
fn numbered(name: &str) -> impl Iterator<Item = String> {
    let start = &name[..name.len().min(NAME_MAX - SUFFIX)];
    std::iter::once(name.to_owned()).chain((2..1_000).map(move |number| format!("{start}_{number}")))
}

/// Returns the name of an agent's tool. It contains the agent's address, because clients refuse two servers
/// whose tools have the same name. Model APIs allow letters, digits, `_` and `-` only.
fn tool_name(verb: &str, agent: &Address) -> String {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let whole = format!("{verb}_{}_{}", agent.owner, agent.name);
    let name: String = whole.chars().map(|letter| if allowed(letter) { letter } else { '_' }).collect();
    if name.len() <= NAME_MAX {
        return name;
    }
    let (start, hash) = (&name[..NAME_MAX - HASH_CHARS - 1], Digest::of(&whole).to_string());
    format!("{start}_{}", &hash[..HASH_CHARS])
}

/// Returns the name that a skill's tool has without its agent.
fn alias(id: &str) -> String {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    id.chars().map(|letter| if allowed(letter) { letter } else { '_' }).take(NAME_MAX).collect()
}

fn describe(name: &str, skill: &CardSkill) -> Tool {
    let schema = skill.input_schema.as_ref().map(input_schema::plain).unwrap_or_default();
    tools::skill(name.to_owned(), &skill.name, skill.description.clone(), schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tools_tell_their_agent_and_fit_every_client() {
        let agent = |text: &str| -> Address { text.parse().unwrap() };
        assert_eq!(tool_name("ask", &agent("@plexus/calc")), "ask_plexus_calc");
        assert_eq!(tool_name("pull/strings.v2", &agent("@ada/x")), "pull_strings_v2_ada_x");
        let long = |end: &str| tool_name(&format!("{}{end}", "skill".repeat(20)), &agent("@ada/x"));
        assert_eq!(long("one").len(), NAME_MAX);
        assert_ne!(long("one"), long("two"));
        assert_eq!(tool_name("\u{e4}\u{f6}", &agent("@ada/x")), "___ada_x");
    }

    #[test]
    fn skills_whose_names_become_equal_are_numbered() {
        let skill = |id: &str| CardSkill {
            id: id.to_owned(),
            name: String::new(),
            description: String::new(),
            tags: Vec::new(),
            examples: Vec::new(),
            input_modes: Vec::new(),
            output_modes: Vec::new(),
            input_schema: Some(json!({ "type": "object" })),
        };
        let agent: Address = "@ada/x".parse().unwrap();
        let long = "s".repeat(NAME_MAX - "_ada_x".len() - 1);
        let ids = [
            "tides.lookup",
            "tides_lookup",
            "潮汐",
            "天气",
            "ask",
            "潮汐",
            &format!("{long}."),
            &format!("{long}-"),
        ];
        let named = callable(ids.map(skill).into(), &agent);
        let found: Vec<_> = named.iter().map(|(name, skill)| (name.as_str(), skill.id.as_str())).collect();
        let long_name = format!("{long}__ada_x");
        assert_eq!(
            found,
            [
                ("tides_lookup_ada_x", "tides.lookup"),
                ("tides_lookup_ada_x_2", "tides_lookup"),
                ("___ada_x", "潮汐"),
                ("___ada_x_2", "天气"),
                ("ask_ada_x_2", "ask"),
                (long_name.as_str(), ids[6]),
                (&format!("{long}-_ada_x"), ids[7]),
            ]
        );
        assert!(named.iter().all(|(name, _)| name.len() <= NAME_MAX));
    }
}
