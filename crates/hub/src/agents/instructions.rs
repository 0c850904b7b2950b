//! Agents that are a model with instructions. A change of instructions is a version.

use plexus_a2a::{Card, card::OwnCard, wire::v1::AgentSkill};
use plexus_domain::{Address, DraftId, Error as Refusal, Name, agent::Connector, text};
use plexus_store::{Tx, agents::Agent, versions as rows};
use serde::{Deserialize, Serialize};

use super::{
    draft,
    draft::{Step, What},
    manage, models, register,
    versions::{self, Pinned},
};
use crate::{Caller, Error, Hub, Result, caller::Scope, listings, views};

const MAX_TITLE: usize = 60;
const MAX_SUMMARY: usize = 300;
const MAX_INSTRUCTIONS: usize = 32_000;
const MAX_STARTERS: usize = 5;
const MAX_STARTER: usize = 200;
const MAX_TAGS: usize = 10;
const MAX_TAG: usize = 30;

/// What a person fills in. `starters` and `tags` may hold empty ones, which are passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instructions {
    pub title: String,
    pub summary: String,
    pub instructions: String,
    pub model: String,
    pub starters: Vec<String>,
    pub tags: Vec<String>,
}

impl Instructions {
    pub(super) fn connector(&self) -> Connector {
        Connector::Llm {
            model: self.model.clone(),
            instructions: self.instructions.clone(),
            starters: self.starters.clone(),
        }
    }
}

/// Begins the registration of a new agent; what is left is to publish it.
pub async fn write(hub: &Hub, caller: &Caller, name: &str, filled: Instructions) -> Result<DraftId> {
    let person = caller.may(Scope::Agents)?;
    let name: Name = name.trim().parse()?;
    let what = What::Llm(checked(hub, filled).await?);
    let mut tx = hub.store().write().await?;
    register::check_free(&mut tx, person, &name).await?;
    let id = draft::begin(hub, &mut tx, person, what, Step::Publish).await?;
    let mut draft = draft::load(hub, &mut tx, person, id).await?;
    draft.data.name = Some(name);
    draft.save(hub, &mut tx, person).await?;
    tx.commit().await?;
    Ok(id)
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
    let filled = checked(hub, filled).await?;
    let mut tx = hub.store().write().await?;
    let agent = manage::owned(&mut tx, person, address).await?;
    let (version, card) = manage::current(&mut tx, &agent).await?;
    let before = read(&version.connector, &card).ok_or_else(elsewhere)?;
    if before == filled {
        return Ok(());
    }
    add(hub, &mut tx, &agent, &filled).await?;
    listings::publish(hub, &mut tx, agent.id).await?;
    tx.commit().await?;
    hub.listings_changed();
    Ok(())
}

/// A version with these, the first one or the next.
pub(super) async fn add(hub: &Hub, tx: &mut Tx, agent: &Agent, filled: &Instructions) -> Result<()> {
    let known = rows::list_by_agent(tx, agent.id).await?;
    let used: Vec<&str> = known.iter().map(|version| version.semver.as_str()).collect();
    let number = versions::next_number(&used, "");
    let card = card(hub, agent, filled, &number)?;
    let pinned = Pinned { card: &card, connector: filled.connector(), secret: None, wanted: &number };
    versions::add(hub, tx, agent.id, pinned).await?;
    Ok(())
}

/// The agent's card at this hub. Its instructions are nobody else's business.
fn card(hub: &Hub, agent: &Agent, filled: &Instructions, number: &str) -> Result<Vec<u8>> {
    let skill = AgentSkill {
        id: agent.name.folded(),
        name: filled.title.clone(),
        description: filled.summary.clone(),
        tags: filled.tags.clone(),
        examples: filled.starters.clone(),
        ..AgentSkill::default()
    };
    let address = views::address(agent);
    let path = format!("a2a/{}/{}/", address.owner, address.name);
    let card = OwnCard {
        name: filled.title.clone(),
        description: filled.summary.clone(),
        version: number.to_owned(),
        base: hub.config().public_url.join(&path).map_err(Error::fault)?,
        provider: None,
        documentation_url: None,
        skills: vec![skill],
    };
    serde_json::to_vec(&card.build()).map_err(Error::fault)
}

fn read(connector: &Connector, card: &Card) -> Option<Instructions> {
    let Connector::Llm { model, instructions, starters } = connector else { return None };
    Some(Instructions {
        title: card.name.clone(),
        summary: card.description.clone(),
        instructions: instructions.clone(),
        model: model.clone(),
        starters: starters.clone(),
        tags: card.skills.first().map(|skill| skill.tags.clone()).unwrap_or_default(),
    })
}

fn elsewhere() -> Refusal {
    Refusal::conflict("This agent has no instructions here: it runs elsewhere, or is part of the hub.")
}

/// Clean and within bounds, with a model that is there.
async fn checked(hub: &Hub, filled: Instructions) -> Result<Instructions> {
    let filled = Instructions {
        title: line("title", "a title", &filled.title, MAX_TITLE)?,
        summary: line("summary", "a summary", &filled.summary, MAX_SUMMARY)?,
        instructions: block(&filled.instructions)?,
        model: filled.model.trim().to_owned(),
        starters: list("starters", "first messages", &filled.starters, MAX_STARTERS, MAX_STARTER)?,
        tags: list("tags", "tags", &filled.tags, MAX_TAGS, MAX_TAG)?,
    };
    models::check(hub, &filled.model).await?;
    Ok(filled)
}

fn line(field: &str, what: &str, raw: &str, most: usize) -> Result<String, Refusal> {
    let clean = text::one_line(raw);
    if (1..=most).contains(&clean.chars().count()) {
        return Ok(clean);
    }
    Err(Refusal::invalid(field, format!("Write {what} of 1 to {most} characters.")))
}

fn block(raw: &str) -> Result<String, Refusal> {
    let clean = text::multi_line(raw).trim().to_owned();
    if (1..=MAX_INSTRUCTIONS).contains(&clean.chars().count()) {
        return Ok(clean);
    }
    Err(Refusal::invalid("instructions", "Write instructions of 1 to 32,000 characters."))
}

fn list(
    field: &str,
    what: &str,
    raw: &[String],
    most: usize,
    longest: usize,
) -> Result<Vec<String>, Refusal> {
    let mut clean: Vec<String> = raw.iter().map(|item| text::one_line(item)).collect();
    clean.retain(|item| !item.is_empty());
    if clean.len() > most {
        return Err(Refusal::invalid(field, format!("Give at most {most} {what}.")));
    }
    if clean.iter().any(|item| item.chars().count() > longest) {
        return Err(Refusal::invalid(field, format!("Each has at most {longest} characters.")));
    }
    Ok(clean)
}
