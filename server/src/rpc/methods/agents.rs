//! Methods of agents: search, registration and management.

use std::borrow::Cow;

use jsonrpsee::{RpcModule, core::RegisterMethodError};
use plexus_domain::{
    Address,
    agent::{AgentAccess, Visibility},
    page::PageSize,
};
use plexus_hub::{
    Caller,
    agents::{
        credentials::{self, CredentialInput},
        manage, named_users, stars,
        tool_credentials::{self, ForServer},
    },
    model_providers,
};
use serde::Deserialize;

use super::{Answer, Nothing, add};
use crate::{
    api::{
        agent::{self, Agent, AgentUpdate, DesiredState, Origins, RefreshResult},
        agent_copy::copy_to,
        agent_credentials::{self, RequiredCredentials},
        agent_lists::{self, AgentList},
        agents::{self, NewAgent},
        model_keys::{self, ModelKeys},
        model_usage::{self, UsageJson, UsageQuery},
        models::{self, Models},
        named_users::{self as users_api, NamedUsers},
        stars::starred,
        suggested_agents::{self, SuggestedAgents},
        tool_credentials::{self as tool_servers, ToolServers},
    },
    app_state::AppState,
};

pub fn add_to(module: &mut RpcModule<AppState>) -> Result<(), RegisterMethodError> {
    add(module, "agents.search", search_agents)?;
    add(module, "agents.list", list_agents)?;
    add(module, "agents.starred", starred_agents)?;
    add(module, "agents.suggested", suggested_agents_of_caller)?;
    add(module, "agents.get", get_agent)?;
    add(module, "agents.register", register_agent)?;
    add(module, "agents.update", update_agent)?;
    add(module, "agents.copy", copy_agent)?;
    add(module, "agents.delete", delete_agent)?;
    add(module, "agents.refresh", refresh_agent)?;
    add(module, "agents.verify", verify_agent)?;
    add(module, "agents.trust_origin", trust_origin)?;
    add(module, "agents.users", named_users_of_agent)?;
    add(module, "agents.add_user", add_named_user)?;
    add(module, "agents.remove_user", remove_named_user)?;
    add(module, "agents.get_credentials", get_credentials)?;
    add(module, "agents.set_credentials", set_credentials)?;
    add(module, "agents.delete_credentials", delete_credentials)?;
    add(module, "agents.tool_servers", tool_servers_of_agent)?;
    add(module, "agents.set_tool_credentials", set_tool_credentials)?;
    add(module, "agents.delete_tool_credentials", delete_tool_credentials)?;
    add(module, "agents.star", star_agent)?;
    add(module, "agents.unstar", unstar_agent)?;
    add(module, "models.list", list_models)?;
    add(module, "model_keys.list", list_model_keys)?;
    add(module, "model_keys.set", set_model_key)?;
    add(module, "model_keys.remove", remove_model_key)?;
    add(module, "usage.get", get_usage)
}

/// Search parameters, named as in the query of the page `/agents`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Search {
    q: Option<String>,
    tag: Vec<String>,
    kind: Option<String>,
    protocol: Option<String>,
    owner: Option<String>,
    hub: Option<String>,
    verified: bool,
    online: bool,
    sort: Option<String>,
    facets: bool,
    federated: bool,
    after: Option<String>,
    limit: Option<u16>,
    scope: Option<String>,
}

async fn search_agents(site: AppState, caller: Caller, asked: Search) -> Answer<AgentList> {
    Ok(agent_lists::search(&site, &caller, asked.into_pairs()).await?)
}

impl Search {
    fn into_pairs(self) -> impl Iterator<Item = (Cow<'static, str>, Cow<'static, str>)> {
        let flag = |is: bool| is.then(|| "true".to_owned());
        let named = [
            ("q", self.q),
            ("kind", self.kind),
            ("protocol", self.protocol),
            ("owner", self.owner),
            ("hub", self.hub),
            ("verified", flag(self.verified)),
            ("online", flag(self.online)),
            ("sort", self.sort),
            ("facets", flag(self.facets)),
            ("federated", flag(self.federated)),
            ("after", self.after),
            ("limit", self.limit.map(|limit| limit.to_string())),
            ("scope", self.scope),
        ];
        let named = named.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let tags = self.tag.into_iter().map(|tag| ("tag", tag));
        named.chain(tags).map(|(name, value)| (name.into(), value.into()))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PageParams {
    #[serde(default)]
    after: Option<String>,
    #[serde(default)]
    limit: Option<u16>,
}

async fn starred_agents(site: AppState, caller: Caller, asked: PageParams) -> Answer<AgentList> {
    let size = asked.limit.map_or(Ok(PageSize::DEFAULT), PageSize::new)?;
    Ok(starred(&site.hub, &caller, asked.after.as_deref(), size).await?)
}

async fn suggested_agents_of_caller(site: AppState, caller: Caller, _: Nothing) -> Answer<SuggestedAgents> {
    Ok(suggested_agents::lists(&site.hub, &caller).await?)
}

async fn list_agents(site: AppState, caller: Caller, asked: PageParams) -> Answer<AgentList> {
    let size = asked.limit.map_or(Ok(PageSize::DEFAULT), PageSize::new)?;
    Ok(agent_lists::own(&site.hub, &caller, asked.after.as_deref(), size).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneAgent {
    agent: Address,
}

async fn get_agent(site: AppState, caller: Caller, asked: OneAgent) -> Answer<Agent> {
    Ok(agent::one(&site.hub, &caller, &asked.agent).await?)
}

async fn register_agent(site: AppState, caller: Caller, asked: NewAgent) -> Answer<Agent> {
    Ok(agents::register(&site.hub, &caller, asked).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UpdateParams {
    agent: Address,
    #[serde(default)]
    visibility: Option<Visibility>,
    #[serde(default)]
    access: Option<AgentAccess>,
    #[serde(default)]
    state: Option<DesiredState>,
    #[serde(default)]
    allows_copies: Option<bool>,
}

async fn update_agent(site: AppState, caller: Caller, asked: UpdateParams) -> Answer<Agent> {
    let UpdateParams { agent, visibility, access, state, allows_copies } = asked;
    let change = AgentUpdate { visibility, access, state, allows_copies };
    Ok(agent::apply(&site.hub, &caller, &agent, change).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CopyParams {
    agent: Address,
    name: String,
}

async fn copy_agent(site: AppState, caller: Caller, asked: CopyParams) -> Answer<Agent> {
    Ok(copy_to(&site.hub, &caller, &asked.agent, &asked.name).await?)
}

async fn delete_agent(site: AppState, caller: Caller, asked: OneAgent) -> Answer<bool> {
    manage::delete(&site.hub, &caller, &asked.agent).await?;
    Ok(true)
}

async fn refresh_agent(site: AppState, caller: Caller, asked: OneAgent) -> Answer<RefreshResult> {
    Ok(agent::renew(&site.hub, &caller, &asked.agent).await?)
}

async fn verify_agent(site: AppState, caller: Caller, asked: OneAgent) -> Answer<Origins> {
    Ok(agent::prove(&site.hub, &caller, &asked.agent).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustOriginParams {
    agent: Address,
    origin: String,
}

async fn trust_origin(site: AppState, caller: Caller, asked: TrustOriginParams) -> Answer<bool> {
    manage::trust_origin(&site.hub, &caller, &asked.agent, &asked.origin).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedUserParams {
    agent: Address,
    user: String,
}

async fn named_users_of_agent(site: AppState, caller: Caller, asked: OneAgent) -> Answer<NamedUsers> {
    Ok(users_api::of(&site.hub, &caller, &asked.agent).await?)
}

async fn add_named_user(site: AppState, caller: Caller, asked: NamedUserParams) -> Answer<bool> {
    named_users::add(&site.hub, &caller, &asked.agent, &asked.user).await?;
    Ok(true)
}

async fn remove_named_user(site: AppState, caller: Caller, asked: NamedUserParams) -> Answer<bool> {
    named_users::remove(&site.hub, &caller, &asked.agent, &asked.user).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Credentials {
    agent: Address,
    #[serde(default)]
    secret: String,
    #[serde(default)]
    user: String,
}

async fn set_credentials(site: AppState, caller: Caller, asked: Credentials) -> Answer<bool> {
    let given = CredentialInput { user: asked.user, secret: asked.secret };
    credentials::set_credentials(&site.hub, &caller, &asked.agent, given).await?;
    Ok(true)
}

async fn delete_credentials(site: AppState, caller: Caller, asked: OneAgent) -> Answer<bool> {
    credentials::delete_credentials(&site.hub, &caller, &asked.agent).await?;
    Ok(true)
}

async fn get_credentials(site: AppState, caller: Caller, asked: OneAgent) -> Answer<RequiredCredentials> {
    Ok(agent_credentials::required(&site.hub, &caller, &asked.agent).await?)
}

async fn tool_servers_of_agent(site: AppState, caller: Caller, asked: OneAgent) -> Answer<ToolServers> {
    Ok(tool_servers::of(&site.hub, &caller, &asked.agent).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolCredentials {
    agent: Address,
    url: String,
    secret: String,
    #[serde(default)]
    header: String,
}

async fn set_tool_credentials(site: AppState, caller: Caller, asked: ToolCredentials) -> Answer<bool> {
    let ToolCredentials { agent, url, secret, header } = asked;
    tool_credentials::set(&site.hub, &caller, &agent, ForServer { url, header, secret }).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneToolServer {
    agent: Address,
    url: String,
}

async fn delete_tool_credentials(site: AppState, caller: Caller, asked: OneToolServer) -> Answer<bool> {
    tool_credentials::delete(&site.hub, &caller, &asked.agent, &asked.url).await?;
    Ok(true)
}

async fn star_agent(site: AppState, caller: Caller, asked: OneAgent) -> Answer<bool> {
    stars::star(&site.hub, &caller, &asked.agent).await?;
    Ok(true)
}

async fn unstar_agent(site: AppState, caller: Caller, asked: OneAgent) -> Answer<bool> {
    stars::unstar(&site.hub, &caller, &asked.agent).await?;
    Ok(true)
}

async fn get_usage(site: AppState, caller: Caller, asked: UsageQuery) -> Answer<UsageJson> {
    Ok(model_usage::report(&site.hub, &caller, &asked).await?)
}

async fn list_model_keys(site: AppState, caller: Caller, _: Nothing) -> Answer<ModelKeys> {
    Ok(model_keys::all(&site.hub, &caller).await?)
}

/// A key for a model provider.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewKey {
    provider: String,
    api_key: String,
}

async fn set_model_key(site: AppState, caller: Caller, asked: NewKey) -> Answer<bool> {
    model_providers::set_account_key(&site.hub, &caller, &asked.provider, &asked.api_key).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneProvider {
    provider: String,
}

async fn remove_model_key(site: AppState, caller: Caller, asked: OneProvider) -> Answer<bool> {
    model_providers::remove_account_key(&site.hub, &caller, &asked.provider).await?;
    Ok(true)
}

async fn list_models(site: AppState, caller: Caller, _: Nothing) -> Answer<Models> {
    Ok(models::all(&site.hub, &caller).await?)
}
