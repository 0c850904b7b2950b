//! The hub as an MCP server: tools to search, describe and call agents. The agents' cards are its resources.

use plexus_domain::{Address, Error as Refusal, Part, page::PageSize};
use plexus_hub::{
    Caller,
    agents::{self, AgentView, CallableState},
    caller::Scope,
    calls::{self, AuthorizedAgent},
    directory::{self, SearchResults},
    listings::{PageStart, Query, Sort},
    oauth_server::SCOPES,
    teams::{self, LaunchRequest, MemberMatch, ProgressReporter, TeamSubscription, TeamView},
    views,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ContentBlock,
        GetTaskParams, GetTaskResult, Implementation, JsonObject, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
        ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
        ServerCapabilities, ServerConfig, Tool, UpdateTaskParams,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use super::{
    ask_tool::{AskParams, RepeatedCall, ask},
    error::{self, MissingPermission},
    file_resource::FileUri,
    progress::Progress,
    task_extension::{self, BECOMES_TASK_AFTER, TaskHandle},
    tools,
};
use crate::{
    api::{agent_lists::AgentList, teams::team},
    app_state::AppState,
    web::{event_stream::HEARTBEAT, search_cursor},
};

const INSTRUCTIONS: &str = "A hub of AI agents. Find one with search_agents, read about it with get_agent, and speak to it \
     with send_message; the `context` of an answer goes on with the conversation. launch_goal lets several work on one goal. The resources are the agents' A2A cards, and the files that answers link to.";
const CARD: &str = ".well-known/agent-card.json";
const CARD_TYPE: &str = "application/json";
/// Cache lifetime of a card, in milliseconds.
const CARD_TTL_MS: u64 = 300_000;

#[derive(Clone)]
pub struct HubServer {
    pub site: AppState,
    pub caller: Caller,
    pub lacking: MissingPermission,
}

type Done = plexus_hub::Result<CallToolResult>;

impl ServerHandler for HubServer {
    fn get_info(&self) -> ServerConfig {
        let config = self.site.hub.config();
        let info = Implementation::new("plexus", env!("CARGO_PKG_VERSION"))
            .with_title(&config.hub_name)
            .with_website_url(config.public_url.as_str());
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_tasks().build();
        ServerConfig::new(capabilities).with_server_info(info).with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::of_hub().into_iter().find(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::of_hub()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (scope, done) = match request.name.as_ref() {
            tools::SEARCH => (Scope::Read, self.search(request.arguments).await.map(Into::into)),
            tools::GET => (Scope::Read, self.get(request.arguments).await.map(Into::into)),
            tools::SEND => (Scope::Chat, self.send(request, &context).await),
            tools::LAUNCH => (Scope::Team, self.launch(request.arguments, &context).await),
            other => return Err(tools::unknown(other)),
        };
        Ok(done.unwrap_or_else(|error| self.lacking.or_result(error, self.lacks(scope)).into()))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let found = async {
            match request.task_id.parse()? {
                TaskHandle::Run { agent, run } => {
                    let authorized = self.authorized(&agent).await?;
                    task_extension::get_run(&self.site, &authorized, run, &context).await
                }
                TaskHandle::Team(team) => task_extension::get_team(&self.site, &self.caller, team).await,
            }
        };
        found.await.map_err(|error| self.lacking.or_task_error(error, self.lacks(Scope::Read)))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let done = async {
            match request.task_id.parse()? {
                TaskHandle::Run { agent, run } => {
                    let authorized = self.authorized(&agent).await?;
                    task_extension::update_run(&self.site, &authorized, run, &request.input_responses).await
                }
                TaskHandle::Team(_) => Err(Refusal::conflict("A team asks for no input over MCP.").into()),
            }
        };
        done.await.map_err(|error| self.lacking.or_task_error(error, self.lacks(Scope::Chat)))
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let handle = request.task_id.parse();
        let scope = if matches!(handle, Ok(TaskHandle::Team(_))) { Scope::Team } else { Scope::Chat };
        let done = async {
            match handle? {
                TaskHandle::Run { agent, run } => {
                    calls::cancel(&self.site.hub, &self.authorized(&agent).await?, run).await.map(drop)
                }
                TaskHandle::Team(team) => task_extension::cancel_team(&self.site, &self.caller, team).await,
            }
        };
        done.await.map_err(|error| self.lacking.or_task_error(error, self.lacks(scope)))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let found = self.page(cursor).await.map_err(error::method_error)?;
        let mut listed =
            ListResourcesResult::with_all_items(found.rows.iter().map(|row| self.resource(row)).collect());
        listed.next_cursor = found.last.map(search_cursor::token);
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template =
            ResourceTemplate::new(self.at(&format!("a2a/{{owner}}/{{name}}/{CARD}")), "agent-card")
                .with_title("Agent card")
                .with_description("The A2A card of the agent @owner/name.")
                .with_mime_type(CARD_TYPE);
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if let Some(file) = FileUri::parse(&self.site, &request.uri) {
            let read = file.read_as(&self.site, &self.caller, &request.uri).await;
            return Ok(read.map_err(|error| error::resource_error(error, &request.uri))?.into());
        }
        let card = self.card(&request.uri).await;
        let card = card.map_err(|error| error::resource_error(error, &request.uri))?;
        let contents = ResourceContents::text(card, request.uri).with_mime_type(CARD_TYPE);
        let read = ReadResourceResult::new(vec![contents]);
        Ok(read.with_ttl_ms(CARD_TTL_MS).with_cache_scope(CacheScope::Private).into())
    }
}

impl HubServer {
    async fn search(&self, arguments: Option<JsonObject>) -> Done {
        let asked: tools::Search = tools::arguments(arguments)?;
        let size = asked.limit.map(PageSize::new).transpose()?.unwrap_or(PageSize::DEFAULT);
        let start = asked
            .cursor
            .as_deref()
            .map(search_cursor::read)
            .transpose()?
            .map_or(PageStart::Page(0), PageStart::After);
        let found = directory::search_for(
            &self.site.hub,
            &self.caller,
            Query { size, start, ..Query::text(&asked.query) },
        )
        .await?;
        let text = found.rows.iter().map(|row| format!("{} ({}): {}\n", row.address, row.title, row.summary));
        let text = if found.rows.is_empty() { none_found(&found) } else { text.collect() };
        Ok(tool_result(text, json!(AgentList::from(found))))
    }

    async fn get(&self, arguments: Option<JsonObject>) -> Done {
        let asked: tools::Get = tools::arguments(arguments)?;
        if self.caller.person.is_some() {
            self.caller.may(Scope::Read)?;
        }
        let address = address(&asked.agent)?;
        let view = agents::get(&self.site.hub, &self.caller, &address).await?;
        let view = view.ok_or_else(|| Refusal::not_found(format!("Agent {address} not found.")))?;
        let value = self.describe(&view);
        Ok(tool_result(format!("{value:#}"), value))
    }

    async fn send(
        &self,
        mut call: CallToolRequestParams,
        request: &RequestContext<RoleServer>,
    ) -> plexus_hub::Result<CallToolResponse> {
        let repeated = RepeatedCall::take(&mut call)?;
        let tools::Send { agent, said } = tools::arguments(call.arguments)?;
        let task = said.task()?;
        let authorized = self.authorized(&address(&agent)?).await?;
        let question = AskParams { context: said.context, task, parts: vec![Part::text(said.message)] };
        ask(&self.site, &authorized, question, repeated, request).await
    }

    async fn authorized(&self, agent: &Address) -> plexus_hub::Result<AuthorizedAgent> {
        calls::authorize(&self.site.hub, &self.caller, agent).await
    }

    /// Returns whether another token would help. Permission errors that no token scope can fix are results, not a 403.
    fn lacks(&self, scope: Scope) -> bool {
        self.caller.lacks(scope) && SCOPES.contains(&scope)
    }

    /// Launches a team and waits for its end. The team continues if the caller disconnects, and becomes a task if the
    /// client supports these.
    async fn launch(
        &self,
        arguments: Option<JsonObject>,
        request: &RequestContext<RoleServer>,
    ) -> plexus_hub::Result<CallToolResponse> {
        let asked: tools::LaunchGoal = tools::arguments(arguments)?;
        let hub = &self.site.hub;
        let members = match teams::resolve(hub, &self.caller, &asked.members).await? {
            MemberMatch::All(members) => members,
            MemberMatch::Ambiguous { name, candidates } => {
                let candidates: Vec<String> = candidates.iter().map(Address::to_string).collect();
                let words = format!(
                    "Several agents are called {name}: {}. Name one by its address.",
                    candidates.join(", ")
                );
                return Err(Refusal::invalid("members", words).into());
            }
        };
        let launched =
            teams::launch(hub, &self.caller, LaunchRequest { members, ..LaunchRequest::of(asked.goal) })
                .await?;
        let gone = || Refusal::unavailable("The client stopped waiting. The team continues; see its page.");
        let watching = teams::subscribe(hub, &self.caller, launched).await?;
        let view = tokio::select! {
            ended = follow(watching, Progress::of(request)) => ended?,
            () = request.ct.cancelled() => return Err(gone().into()),
            () = self.site.stop.cancelled() => return Err(gone().into()),
            () = tokio::time::sleep(BECOMES_TASK_AFTER), if task_extension::is_supported(request) => {
                let task = task_extension::created(&TaskHandle::Team(launched), hub.env().now());
                return Ok(CallToolResponse::Task(task));
            }
        };
        Ok(team_result(&view).into())
    }

    /// Returns a page of the publicly listed agents of this hub, newest first. Their cards are the resources.
    async fn page(&self, cursor: Option<String>) -> plexus_hub::Result<SearchResults> {
        let start = cursor
            .as_deref()
            .map(search_cursor::read)
            .transpose()?
            .map_or(PageStart::Page(0), PageStart::After);
        let size = PageSize::new(PageSize::MAX)?;
        directory::search_for(
            &self.site.hub,
            &self.caller,
            Query { size, start, sort: Sort::New, here: Some(true), ..Query::default() },
        )
        .await
    }

    async fn card(&self, uri: &str) -> plexus_hub::Result<String> {
        let missing = || Refusal::not_found("Resource not found. Use a resource from resources/list.");
        let path = uri.strip_prefix(&self.at("a2a/")).and_then(|rest| rest.strip_suffix(CARD));
        let path = path.and_then(|path| path.strip_suffix('/')).ok_or_else(missing)?;
        let address: Address = format!("@{path}").parse().map_err(|_| missing())?;
        let card = calls::card(&self.site.hub, &self.caller, &address).await?;
        serde_json::to_string_pretty(&card).map_err(plexus_hub::Error::fault)
    }

    fn resource(&self, row: &views::AgentListRow) -> Resource {
        let Address { owner, name, .. } = &row.address;
        Resource::new(self.at(&format!("a2a/{owner}/{name}/{CARD}")), row.address.to_string())
            .with_title(&row.title)
            .with_description(&row.summary)
            .with_mime_type(CARD_TYPE)
    }

    fn describe(&self, view: &AgentView) -> Value {
        let address = view.address.to_string();
        let path = address.trim_start_matches('@');
        let skills = view.card.iter().flat_map(|card| &card.skills);
        let skill = |skill: &agents::CardSkill| {
            json!({ "id": skill.id, "name": skill.name, "description": skill.description, "tags": skill.tags,
                    "examples": skill.examples })
        };
        let version = view.versions.iter().find(|version| version.yanked_reason.is_none());
        // An agent of a remote hub is called at that hub over A2A.
        let elsewhere = version.filter(|_| view.address.hub.is_some());
        let elsewhere = elsewhere.and_then(|version| version.connector.remote_url()).map(str::to_owned);
        json!({ "address": view.address, "title": view.summary.title, "description": view.summary.description,
                "tags": view.summary.tags, "protocol": view.summary.protocol, "kind": view.summary.kind,
                "version": version.map(|version| &version.semver), "verified": view.summary.verified,
                "online": view.is_online, "open": view.agent.access == plexus_domain::agent::AgentAccess::Open,
                "callable": view.callable == CallableState::Yes, "skills": skills.map(skill).collect::<Vec<_>>(),
                "page": self.at(&address), "a2a": elsewhere.unwrap_or_else(|| self.at(&format!("a2a/{path}/"))),
                "mcp": self.at(&format!("mcp/{path}")) })
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.site.hub.config().public_url)
    }
}

/// Parses an agent's address. Models often omit the `@`.
fn address(text: &str) -> Result<Address, Refusal> {
    let text = text.trim();
    let whole = if text.starts_with('@') { text.to_owned() } else { format!("@{text}") };
    whole.parse().map_err(|_| Refusal::invalid("agent", "Invalid address. Write it like @plexus/calc."))
}

/// Returns the result of a team that ended. A failed team is an error result, which the caller's model can read.
pub fn team_result(view: &TeamView) -> CallToolResult {
    let told = team(view);
    match view.answer_with_files() {
        Some(answer) => tool_result(answer, told),
        None => {
            let mut result = tool_result(view.failure.clone().unwrap_or_default(), told);
            result.is_error = Some(true);
            result
        }
    }
}

fn none_found(found: &SearchResults) -> String {
    match &found.did_you_mean {
        Some(other) => format!("Nothing found. Did you mean \"{other}\"?"),
        None => "Nothing found. Try other or fewer words.".to_owned(),
    }
}

/// Returns a successful tool result with text and structured content.
fn tool_result(text: String, value: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(value);
    result
}

/// Waits until the team has ended and reports its steps as progress. Keep-alive notifications prevent the
/// client's timeout.
async fn follow(mut watching: TeamSubscription, progress: Progress) -> plexus_hub::Result<TeamView> {
    let (mut steps, mut told) = (ProgressReporter::default(), 0);
    loop {
        let news = watching.next(HEARTBEAT).await?;
        let words = news.as_ref().map(|view| steps.since(view).join("\n")).unwrap_or_default();
        if !words.is_empty() || news.is_none() {
            told += 1;
            progress.tell(told, words).await;
        }
        if let Some(view) = news.filter(|view| view.ended.is_some()) {
            return Ok(view);
        }
    }
}
