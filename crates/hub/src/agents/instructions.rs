//! Agents that are a model with instructions. A change of instructions is a version.

use plexus_a2a::Card;
use plexus_domain::{
    Address, DraftId, Error as Refusal, Name,
    agent::{Budget, Connector, ToolPlace, ToolSource},
    text,
};
use plexus_runtime::mcp::{self, Session};
use plexus_store::{Tx, agents::Agent};
use serde::{Deserialize, Serialize};

use super::{
    about::About,
    draft::{self, What},
    endpoint::numbered,
    manage, models, publish, register,
    versions::{self, Pinned},
};
use crate::{Caller, Hub, Result, caller::Scope, config::Speaks, listings, runs};

const MAX_INSTRUCTIONS: usize = 32_000;
/// Of MCP servers of one agent.
const MAX_SERVERS: usize = 8;

/// What a person fills in. `starters` and `tags` may hold empty ones, which are passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instructions {
    pub title: String,
    pub summary: String,
    pub instructions: String,
    pub model: String,
    pub starters: Vec<String>,
    pub tags: Vec<String>,
    /// MCP servers whose tools the model may call.
    #[serde(default)]
    pub tools: Vec<ToolSource>,
    #[serde(default)]
    pub budget: Budget,
}

impl Instructions {
    fn about(&self) -> About {
        About {
            title: self.title.clone(),
            summary: self.summary.clone(),
            starters: self.starters.clone(),
            tags: self.tags.clone(),
        }
    }

    pub(super) fn connector(&self) -> Connector {
        Connector::Llm {
            model: self.model.clone(),
            instructions: self.instructions.clone(),
            starters: self.starters.clone(),
            tools: self.tools.clone(),
            budget: self.budget,
        }
    }
}

/// Begins the registration of a new agent; what is left is to publish it.
pub async fn write(hub: &Hub, caller: &Caller, name: &str, filled: Instructions) -> Result<DraftId> {
    let person = caller.may(Scope::Agents)?;
    let name: Name = name.trim().parse()?;
    draft::begin_named(hub, person, name, What::Llm(checked(hub, caller, filled).await?)).await
}

/// What an agent's instructions are now, for those who may change them.
pub async fn instructions(hub: &Hub, caller: &Caller, address: &Address) -> Result<Instructions> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().snapshot().await?;
    let agent = manage::owned(&mut conn, person, address).await?;
    let (version, card) = manage::current(&mut conn, &agent).await?;
    read(&version.connector, &card).ok_or_else(|| elsewhere().into())
}

/// Changes them: the agent's next run follows the new ones. Nothing changed is no new version.
pub async fn rewrite(hub: &Hub, caller: &Caller, address: &Address, filled: Instructions) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let filled = checked(hub, caller, filled).await?;
    let mut tx = hub.store().write().await?;
    let agent = manage::owned(&mut tx, person, address).await?;
    let (version, card) = manage::current(&mut tx, &agent).await?;
    let before = read(&version.connector, &card).ok_or_else(elsewhere)?;
    if before == filled {
        return Ok(());
    }
    publish::check_programs(hub, agent.visibility, &filled.connector())?;
    add(hub, &mut tx, &agent, &filled).await?;
    listings::publish(hub, &mut tx, agent.id).await?;
    tx.commit().await?;
    hub.listings_changed();
    Ok(())
}

/// A version with these, the first one or the next.
pub(super) async fn add(hub: &Hub, tx: &mut Tx, agent: &Agent, filled: &Instructions) -> Result<()> {
    // Instructions are nobody else's business, so the card has none.
    let (number, card) = numbered(hub, tx, agent, &filled.about()).await?;
    let pinned = Pinned { card: &card, connector: filled.connector(), secret: None, wanted: &number };
    versions::add(hub, tx, agent.id, pinned).await?;
    Ok(())
}

fn read(connector: &Connector, card: &Card) -> Option<Instructions> {
    let Connector::Llm { model, instructions, starters, tools, budget } = connector else { return None };
    let About { title, summary, tags, .. } = About::of(card);
    let (instructions, model, starters) = (instructions.clone(), model.clone(), starters.clone());
    let (tools, budget) = (tools.clone(), *budget);
    Some(Instructions { title, summary, instructions, model, starters, tags, tools, budget })
}

fn elsewhere() -> Refusal {
    Refusal::conflict("This agent has no instructions here: it runs elsewhere, or is part of the hub.")
}

/// Clean and within bounds, with a model that is there.
async fn checked(hub: &Hub, caller: &Caller, filled: Instructions) -> Result<Instructions> {
    let About { title, summary, starters, tags } = filled.about().checked()?;
    let (instructions, model) = (block(&filled.instructions)?, filled.model.trim().to_owned());
    let Instructions { tools, budget, .. } = filled;
    check_tools(hub, caller, &tools).await?;
    let filled = Instructions { title, summary, instructions, model, starters, tags, tools, budget };
    models::check(hub, &filled.model).await?;
    Ok(filled)
}

/// Each server is there, and has tools.
async fn check_tools(hub: &Hub, caller: &Caller, tools: &[ToolSource]) -> Result<()> {
    let wrong = |words: String| Refusal::invalid("tools", words);
    if tools.len() > MAX_SERVERS {
        return Err(wrong(format!("Attach at most {MAX_SERVERS} servers.")).into());
    }
    let person = caller.may(Scope::Agents)?;
    let outbound = register::outbound(hub, person);
    let programs = hub.outbound().programs().names(person, Speaks::Mcp);
    for source in tools {
        if let ToolPlace::Program(name) = &source.place
            && !programs.contains(name)
        {
            let words =
                format!("This hub lists no MCP server “{name}” that you may use. Its operator can add one.");
            return Err(wrong(words).into());
        }
        let server = runs::tool_server(hub, Some(person), &outbound, source)?.server;
        hub.limits().fetches.take(&caller.key())?;
        let _place = mcp::places([&server]).await.map_err(|failure| wrong(failure.message))?;
        let session = Box::pin(Session::open(&server)).await.map_err(|failure| wrong(failure.message))?;
        if Box::pin(session.tools()).await.map_err(|failure| wrong(failure.message))?.is_empty() {
            return Err(wrong(format!("{} has no tools.", source.place)).into());
        }
    }
    Ok(())
}

fn block(raw: &str) -> Result<String, Refusal> {
    let clean = text::multi_line(raw).trim().to_owned();
    if (1..=MAX_INSTRUCTIONS).contains(&clean.chars().count()) {
        return Ok(clean);
    }
    Err(Refusal::invalid("instructions", "Write instructions of 1 to 32,000 characters."))
}
