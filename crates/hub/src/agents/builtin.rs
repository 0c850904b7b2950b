//! Built-in agents of every hub, and the agent for conformance test kits. They need no model and no network.

use plexus_a2a::{Card, card::LocalCard, wire::v1::AgentSkill};
use plexus_domain::{
    Address, AgentId, Digest, HubRowId, Name, NamespaceId, VersionId,
    agent::{AgentAccess, Builtin, Connector},
};
use plexus_store::{
    Conn, LockKey, Tx, agent_versions,
    agent_versions::Version,
    agents::{self, Agent},
    cards, listings,
};
use url::Url;

use super::hub_agent::{HubAgent, ensure_namespace, insert};
use crate::{Error, Hub, Result, keys, listings::publish};

const OWNER: &str = "plexus";
/// Owner of the test agent. The name is reserved, so no account can have it.
const KITS: &str = "test";

struct Kind {
    program: Builtin,
    owner: &'static str,
    name: &'static str,
    description: &'static str,
    skills: &'static [Skill],
    /// Accepted media types besides text.
    takes: &'static [&'static str],
    /// Media types of its answers besides text.
    gives: &'static [&'static str],
}

struct Skill {
    id: &'static str,
    name: &'static str,
    description: &'static str,
    tags: &'static [&'static str],
    examples: &'static [&'static str],
}

const KINDS: [Kind; 4] = [
    Kind {
        program: Builtin::Calc,
        owner: OWNER,
        name: "calc",
        description: "Calculates and converts: arithmetic with units, percentages, dates and variables, one line or a whole sheet, \
                      answered line by line.",
        skills: &[Skill {
            id: "calc",
            name: "Calculate",
            description: "Calculates and converts: arithmetic with units, percentages, dates and variables, one line or a \
                          whole sheet, answered line by line.",
            tags: &["arithmetic", "calculator", "convert", "mathematics", "units"],
            examples: &[
                "15% of 240",
                "3 hours 20 minutes in seconds",
                "speed = 42 km/hour\nspeed * 35 minutes in km",
            ],
        }],
        takes: &[],
        gives: &[],
    },
    Kind {
        program: Builtin::Guide,
        owner: OWNER,
        name: "guide",
        description: "Finds the agent you need: describe what you want to do, and it answers with agents of this hub \
                      and a button to go on with one.",
        skills: &[
            Skill {
                id: "guide",
                name: "Find an agent",
                description: "Describe what you want to do, and it answers with agents of this hub.",
                tags: &["agents", "directory", "help", "search"],
                examples: &["Who can convert units?", "An agent that translates", "What can I do here?"],
            },
            Skill {
                id: "form-a-team",
                name: "Form a team",
                description: "Forms a team of agents for a goal and answers with what it comes to: send a text that begins \
                              with \"Form a team\", or a data part {\"goal\": text, \"members\": [addresses]}. It needs \
                              a token with the scope \"team\".",
                tags: &["agents", "collaboration", "delegation", "teams"],
                // Pages begin chats with examples, but only programs can form a team by a message.
                examples: &[],
            },
        ],
        takes: &["application/json"],
        gives: &[],
    },
    Kind {
        program: Builtin::Text,
        owner: OWNER,
        name: "text",
        description: "Counts the words, sentences and characters of a text, and finds its most frequent terms, also in Chinese, \
                      Japanese and Thai.",
        skills: &[Skill {
            id: "text-statistics",
            name: "Count words",
            description: "Counts the words, sentences and characters of a text, and finds its most frequent terms.",
            tags: &["characters", "count", "frequency", "frequent", "sentences", "terms", "text", "words"],
            examples: &[
                "Count the words of “The tide comes in twice a day, and twice a day it goes out.”",
                "Find the most frequent words of “The sea gives and the sea takes. A boat needs the sea.”",
                "数一数这些词：「今天天气很好。我们去海边。」",
            ],
        }],
        takes: &[],
        gives: &[],
    },
    Kind {
        program: Builtin::Chart,
        owner: OWNER,
        name: "chart",
        description: "Draws a chart of a table, with the sum and mean of each column: send comma-separated values (CSV), a \
                      Markdown table, or figures such as “Jan 420, Feb 380, Mar 510”.",
        skills: &[Skill {
            id: "chart",
            name: "Draw a chart",
            description: "Draws a bar chart or a line chart of a table or CSV file, with the sum and mean of each column.",
            tags: &["chart", "columns", "csv", "diagram", "graph", "mean", "plot", "sum", "table"],
            examples: &[
                "Chart these sales:\nmonth,boats,nets\nMay,12,30\nJune,18,25\nJuly,27,41",
                "Draw a line chart:\nyear,revenue\n2018,110.4\n2019,125.8\n2020,143.0",
            ],
        }],
        // Browsers of Windows name CSV files like workbooks. For a workbook itself the answer says what to send.
        takes: &[
            "application/csv",
            "application/vnd.ms-excel",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ],
        gives: &["image/svg+xml"],
    },
];

/// Only in conformance mode.
const TCK: Kind = Kind {
    program: Builtin::Tck,
    owner: KITS,
    name: "tck",
    description: "Does what the technology compatibility kit of A2A tells it to by the ids of messages.",
    skills: &[Skill {
        id: "tck",
        name: "Be tested",
        description: "Does what the technology compatibility kit of A2A tells it to by the ids of messages.",
        tags: &["conformance", "test"],
        examples: &["Hello"],
    }],
    takes: &["application/json", "application/octet-stream", "image/png"],
    gives: &[],
};

pub fn tck_address() -> Address {
    Address::local(name(KITS), name(TCK.name))
}

/// Returns the address of the default agent, which receives messages that name no agent.
pub fn guide_address() -> Address {
    Address::local(name(OWNER), name("guide"))
}

/// Returns the built-in agents that do work themselves, each with its address and description.
pub(crate) fn working_builtins() -> impl Iterator<Item = (Builtin, Address, &'static str)> {
    let working = KINDS.iter().filter(|kind| kind.program != Builtin::Guide);
    working.map(|kind| (kind.program, Address::local(name(kind.owner), name(kind.name)), kind.description))
}

#[expect(clippy::expect_used, reason = "the names are literals that a test checks")]
fn name(text: &str) -> Name {
    text.parse().expect("a built-in name is a name")
}

/// Creates the hub's namespace and built-in agents if missing, and a new version of each agent that changed.
pub(crate) async fn ensure_builtin(hub: &Hub) -> Result<()> {
    let mut tx = hub.store().write().await?;
    tx.lock_for_transaction(LockKey::Setup).await?;
    let owner = ensure_namespace(hub, &mut tx, &name(OWNER)).await?;
    keys::ensure_hub(hub, &mut tx, owner).await?;
    for kind in &KINDS {
        ensure(hub, &mut tx, owner, kind).await?;
    }
    if hub.config().conformance {
        let kits = ensure_namespace(hub, &mut tx, &name(KITS)).await?;
        ensure(hub, &mut tx, kits, &TCK).await?;
    }
    Ok(tx.commit().await?)
}

async fn ensure(hub: &Hub, tx: &mut Tx, owner: NamespaceId, kind: &Kind) -> Result<()> {
    let known = agents::by_address(tx, HubRowId::SELF, &name(kind.owner), &name(kind.name)).await?;
    let agent = match known {
        Some(agent) => identified(hub, tx, owner, agent).await?,
        None => {
            let new = HubAgent { owner: name(kind.owner), name: name(kind.name), access: AgentAccess::Open };
            insert(hub, tx, owner, new).await?
        }
    };
    let card = card(&hub.config().public_url, kind)?;
    let digest = Digest::of(&card);
    let listed = listings::find(tx, agent.id).await?.is_some_and(|listing| listing.card == digest);
    let current = agent_versions::current(tx, agent.id).await?;
    match current {
        Some(version) if version.card == digest && listed => return Ok(()),
        Some(version) if says_the_same(tx, &version, kind).await? => {
            cards::insert(tx, &card).await?;
            agent_versions::set_card(tx, version.id, &digest).await?;
        }
        _ => add_version(hub, tx, agent.id, kind, &card).await?,
    }
    publish(hub, tx, agent.id).await
}

/// Migration: older data folders have built-in agents without keys and listing id.
async fn identified(hub: &Hub, tx: &mut Tx, owner: NamespaceId, agent: Agent) -> Result<Agent> {
    if agent.listing_id.is_some() {
        return Ok(agent);
    }
    let identity = keys::AgentIdentity::new(hub, agent.created_at)?;
    let listing_id = identity.listing.to_string();
    agents::set_listing_id(tx, agent.id, &listing_id).await?;
    identity.keep(hub, tx, agent.id, owner).await?;
    listings::mark_changed(tx, agent.id).await?;
    Ok(Agent { listing_id: Some(listing_id), ..agent })
}

/// Returns whether the version differs only in the hub's URL. A new hub URL does not create a new version.
async fn says_the_same(conn: &mut Conn, version: &Version, kind: &Kind) -> Result<bool> {
    let Some(body) = cards::find(conn, &version.card).await? else { return Ok(false) };
    let before = Card::read(&body).card.and_then(|card| card.interfaces.into_iter().next());
    match before {
        Some(interface) => Ok(card_at(interface.url, kind)? == body),
        None => Ok(false),
    }
}

async fn add_version(hub: &Hub, tx: &mut Tx, agent: AgentId, kind: &Kind, card: &[u8]) -> Result<()> {
    let digest = cards::insert(tx, card).await?;
    let number = agent_versions::list_by_agent(tx, agent).await?.len() + 1;
    let version = Version {
        id: hub.env().id(VersionId::new),
        agent,
        semver: format!("1.0.{}", number - 1),
        card: digest,
        connector: Connector::Builtin { program: kind.program },
        secret: None,
        created_at: hub.env().now(),
        yanked_reason: None,
    };
    Ok(agent_versions::insert(tx, &version).await?)
}

fn card(hub: &Url, kind: &Kind) -> Result<Vec<u8>> {
    card_at(hub.join(&format!("a2a/{}/{}/", kind.owner, kind.name)).map_err(Error::fault)?, kind)
}

fn card_at(base: Url, kind: &Kind) -> Result<Vec<u8>> {
    let words = |list: &[&str]| -> Vec<String> { list.iter().map(|&word| word.to_owned()).collect() };
    let skill = |skill: &Skill| AgentSkill {
        id: skill.id.to_owned(),
        name: skill.name.to_owned(),
        description: skill.description.to_owned(),
        tags: words(skill.tags),
        examples: words(skill.examples),
        ..AgentSkill::default()
    };
    let card = LocalCard {
        name: kind.name.to_owned(),
        description: kind.description.to_owned(),
        version: "1".to_owned(),
        base,
        provider: None,
        documentation_url: None,
        skills: kind.skills.iter().map(skill).collect(),
    };
    let mut card = card.build();
    card.default_input_modes.extend(words(kind.takes));
    card.default_output_modes.extend(words(kind.gives));
    serde_json::to_vec(&card).map_err(Error::fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_names() {
        assert_eq!(guide_address().to_string(), "@plexus/guide");
        assert!(name(OWNER).is_reserved());
        KINDS.iter().for_each(|kind| assert_eq!(name(kind.name).as_str(), kind.name));
        assert!(tck_address().owner.is_reserved());
    }
}
