//! The methods: what `/api/v1` does, with the same answers. Parameters are an object, or a list in the order of its
//! members here.

use std::{borrow::Cow, future::Future};

use jsonrpsee::{
    Extensions, RpcModule,
    core::RegisterMethodError,
    types::{ErrorObjectOwned, Params},
};
use plexus_domain::{
    Address, ChatId, MessageId, RunId,
    agent::{Access, Visibility},
    page::PageSize,
};
use plexus_hub::{
    Caller,
    agents::{
        credentials::{self, Given},
        manage, stars,
    },
    chats::{self, NewMessage},
    runs, teams,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::{RawValue, Value, to_raw_value};

use super::{failure::Failure, follow};
use crate::{
    api::{
        self,
        agent::{self, Agent, Change, Origins, Renewed, Running},
        agent_lists,
        agent_lists::AgentList,
        agents::{self, NewAgent},
        chats::{Began, Chat, ChatList},
        messages::Shown,
        teams::{Asked, NewTeam},
    },
    state::Site,
};

type Answer<T> = Result<T, Failure>;

pub fn all(site: &Site) -> Result<RpcModule<Site>, RegisterMethodError> {
    let mut module = RpcModule::new(site.clone());
    add(&mut module, "chats.list", list_chats)?;
    add(&mut module, "chats.get", get_chat)?;
    add(&mut module, "chats.start", start_chat)?;
    add(&mut module, "chats.send", send)?;
    add(&mut module, "chats.rename", rename_chat)?;
    add(&mut module, "chats.delete", delete_chat)?;
    add(&mut module, "messages.get", get_message)?;
    add(&mut module, "messages.retry", retry)?;
    add(&mut module, "runs.stop", stop_run)?;
    add(&mut module, "agents.search", search_agents)?;
    add(&mut module, "agents.own", own_agents)?;
    add(&mut module, "agents.starred", starred_agents)?;
    add(&mut module, "agents.get", get_agent)?;
    add(&mut module, "agents.register", register_agent)?;
    add(&mut module, "agents.change", change_agent)?;
    add(&mut module, "agents.delete", delete_agent)?;
    add(&mut module, "agents.refresh", refresh_agent)?;
    add(&mut module, "agents.check", check_agent)?;
    add(&mut module, "agents.vouch", vouch_for_agent)?;
    add(&mut module, "agents.give_credentials", give_credentials)?;
    add(&mut module, "agents.forget_credentials", forget_credentials)?;
    add(&mut module, "agents.star", star_agent)?;
    add(&mut module, "agents.unstar", unstar_agent)?;
    add(&mut module, "teams.list", list_teams)?;
    add(&mut module, "teams.get", get_team)?;
    add(&mut module, "teams.launch", launch_team)?;
    add(&mut module, "teams.act", act_in_team)?;
    module.register_subscription("chats.follow", "chats.event", "chats.unfollow", follow::follow)?;
    Ok(module)
}

fn add<P, T, F, Fut>(
    module: &mut RpcModule<Site>,
    name: &'static str,
    method: F,
) -> Result<(), RegisterMethodError>
where
    P: DeserializeOwned + Send + 'static,
    T: Serialize,
    F: Fn(Site, Caller, P) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Answer<T>> + Send,
{
    module.register_async_method(name, move |params, site, extensions| {
        let method = method.clone();
        async move {
            let asked = read(&params)?;
            let answer = method(Site::clone(&site), caller(&extensions)?.clone(), asked).await?;
            Ok::<Box<RawValue>, ErrorObjectOwned>(to_raw_value(&answer).map_err(fault)?)
        }
    })?;
    Ok(())
}

fn fault(error: serde_json::Error) -> Failure {
    plexus_hub::Error::fault(error).into()
}

/// No parameters are those of an empty object.
pub fn read<P: DeserializeOwned>(params: &Params<'_>) -> Result<P, Failure> {
    serde_json::from_str(params.as_str().unwrap_or("{}")).map_err(Failure::params)
}

/// Whoever called: the session says so with each call.
pub fn caller(extensions: &Extensions) -> Result<&Caller, Failure> {
    let missing = || std::io::Error::other("a call without a caller");
    extensions.get().ok_or_else(|| plexus_hub::Error::fault(missing()).into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct After {
    #[serde(default)]
    after: Option<String>,
}

async fn list_chats(site: Site, caller: Caller, asked: After) -> Answer<ChatList> {
    Ok(api::chats::listed(&site.hub, &caller, asked.after.as_deref()).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneChat {
    chat: ChatId,
}

async fn get_chat(site: Site, caller: Caller, asked: OneChat) -> Answer<Chat> {
    Ok(api::chats::opened(&site.hub, &caller, asked.chat).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    id: MessageId,
    text: String,
    #[serde(default)]
    to: Option<Address>,
}

async fn start_chat(site: Site, caller: Caller, asked: Start) -> Answer<Began> {
    let new = NewMessage { id: asked.id, parent: None, text: asked.text };
    Ok(chats::start(&site.hub, &caller, asked.to.as_ref(), new).await?.into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Say {
    chat: ChatId,
    id: MessageId,
    text: String,
    #[serde(default)]
    parent: Option<MessageId>,
}

async fn send(site: Site, caller: Caller, asked: Say) -> Answer<Began> {
    let new = NewMessage { id: asked.id, parent: asked.parent, text: asked.text };
    Ok(chats::send(&site.hub, &caller, asked.chat, new).await?.into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rename {
    chat: ChatId,
    title: String,
}

async fn rename_chat(site: Site, caller: Caller, asked: Rename) -> Answer<bool> {
    chats::rename(&site.hub, &caller, asked.chat, asked.title).await?;
    Ok(true)
}

async fn delete_chat(site: Site, caller: Caller, asked: OneChat) -> Answer<bool> {
    chats::delete(&site.hub, &caller, asked.chat).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneMessage {
    message: MessageId,
}

async fn get_message(site: Site, caller: Caller, asked: OneMessage) -> Answer<Shown> {
    Ok(chats::message(&site.hub, &caller, asked.message).await?.into())
}

async fn retry(site: Site, caller: Caller, asked: OneMessage) -> Answer<Began> {
    Ok(chats::retry(&site.hub, &caller, asked.message).await?.into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneRun {
    run: RunId,
}

async fn stop_run(site: Site, caller: Caller, asked: OneRun) -> Answer<bool> {
    runs::stop(&site.hub, &caller, asked.run).await?;
    Ok(true)
}

/// The parameters of a search, by the names that they have in the address of the page.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Search {
    q: Option<String>,
    tag: Vec<String>,
    kind: Option<String>,
    protocol: Option<String>,
    owner: Option<String>,
    verified: bool,
    online: bool,
    sort: Option<String>,
    facets: bool,
    live: bool,
    after: Option<String>,
    limit: Option<u16>,
}

async fn search_agents(site: Site, caller: Caller, asked: Search) -> Answer<AgentList> {
    Ok(agent_lists::search(&site, &caller, asked.into_pairs()).await?)
}

impl Search {
    fn into_pairs(self) -> impl Iterator<Item = (Cow<'static, str>, Cow<'static, str>)> {
        let yes = |is: bool, word: &str| is.then(|| word.to_owned());
        let named = [
            ("q", self.q),
            ("kind", self.kind),
            ("protocol", self.protocol),
            ("owner", self.owner),
            ("verified", yes(self.verified, "yes")),
            ("online", yes(self.online, "yes")),
            ("sort", self.sort),
            ("facets", yes(self.facets, "true")),
            ("live", yes(self.live, "true")),
            ("after", self.after),
            ("limit", self.limit.map(|limit| limit.to_string())),
        ];
        let named = named.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let tags = self.tag.into_iter().map(|tag| ("tag", tag));
        named.chain(tags).map(|(name, value)| (name.into(), value.into()))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    #[serde(default)]
    after: Option<String>,
    #[serde(default)]
    limit: Option<u16>,
}

async fn starred_agents(site: Site, caller: Caller, asked: Own) -> Answer<AgentList> {
    let size = asked.limit.map_or(Ok(PageSize::DEFAULT), PageSize::new)?;
    Ok(api::stars::starred(&site.hub, &caller, asked.after.as_deref(), size).await?)
}

async fn own_agents(site: Site, caller: Caller, asked: Own) -> Answer<AgentList> {
    let size = asked.limit.map_or(Ok(PageSize::DEFAULT), PageSize::new)?;
    Ok(agent_lists::own(&site.hub, &caller, asked.after.as_deref(), size).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneAgent {
    agent: Address,
}

async fn get_agent(site: Site, caller: Caller, asked: OneAgent) -> Answer<Agent> {
    Ok(agent::one(&site.hub, &caller, &asked.agent).await?)
}

async fn register_agent(site: Site, caller: Caller, asked: NewAgent) -> Answer<Agent> {
    Ok(agents::register(&site.hub, &caller, asked).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangeOne {
    agent: Address,
    #[serde(default)]
    visibility: Option<Visibility>,
    #[serde(default)]
    access: Option<Access>,
    #[serde(default)]
    state: Option<Running>,
}

async fn change_agent(site: Site, caller: Caller, asked: ChangeOne) -> Answer<Agent> {
    let ChangeOne { agent, visibility, access, state } = asked;
    Ok(agent::apply(&site.hub, &caller, &agent, Change { visibility, access, state }).await?)
}

async fn delete_agent(site: Site, caller: Caller, asked: OneAgent) -> Answer<bool> {
    manage::delete(&site.hub, &caller, &asked.agent).await?;
    Ok(true)
}

async fn refresh_agent(site: Site, caller: Caller, asked: OneAgent) -> Answer<Renewed> {
    Ok(agent::renew(&site.hub, &caller, &asked.agent).await?)
}

async fn check_agent(site: Site, caller: Caller, asked: OneAgent) -> Answer<Origins> {
    Ok(agent::prove(&site.hub, &caller, &asked.agent).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VouchFor {
    agent: Address,
    origin: String,
}

async fn vouch_for_agent(site: Site, caller: Caller, asked: VouchFor) -> Answer<bool> {
    manage::vouch(&site.hub, &caller, &asked.agent, &asked.origin).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Credentials {
    agent: Address,
    secret: String,
    #[serde(default)]
    user: String,
}

async fn give_credentials(site: Site, caller: Caller, asked: Credentials) -> Answer<bool> {
    let given = Given { user: asked.user, secret: asked.secret };
    credentials::give(&site.hub, &caller, &asked.agent, given).await?;
    Ok(true)
}

async fn forget_credentials(site: Site, caller: Caller, asked: OneAgent) -> Answer<bool> {
    credentials::forget(&site.hub, &caller, &asked.agent).await?;
    Ok(true)
}

async fn star_agent(site: Site, caller: Caller, asked: OneAgent) -> Answer<bool> {
    stars::star(&site.hub, &caller, &asked.agent).await?;
    Ok(true)
}

async fn unstar_agent(site: Site, caller: Caller, asked: OneAgent) -> Answer<bool> {
    stars::unstar(&site.hub, &caller, &asked.agent).await?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

async fn list_teams(site: Site, caller: Caller, _: Nothing) -> Answer<Value> {
    Ok(api::teams::listed(&teams::list(&site.hub, &caller).await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneTeam {
    team: ChatId,
}

async fn get_team(site: Site, caller: Caller, asked: OneTeam) -> Answer<Value> {
    Ok(api::teams::team(&teams::look(&site.hub, &caller, asked.team).await?))
}

async fn launch_team(site: Site, caller: Caller, asked: NewTeam) -> Answer<Value> {
    Ok(api::teams::begin(&site.hub, &caller, asked).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ActIn {
    team: ChatId,
    act: Asked,
}

async fn act_in_team(site: Site, caller: Caller, asked: ActIn) -> Answer<Value> {
    Ok(api::teams::say(&site.hub, &caller, asked.team, asked.act).await?)
}
