//! Models that people talk to by themselves, each as agent `@models/NAME` of the hub.

use plexus_domain::{
    Address, Error as Refusal, HubRowId, Name,
    agent::{AgentAccess, Visibility},
};
use plexus_store::{
    Conn, Tx, agent_versions,
    agents::{self, Agent, AgentState},
    cards, model_settings,
    model_settings::{ModelAccess, ModelSettings},
};

use super::{
    hub_agent::{HubAgent, ensure_namespace, insert},
    model_agent::{self, ModelAgentForm},
};
use crate::{Error, Hub, Result, config::FIRST_PROVIDER, listings::publish};

/// Owner of these agents. The name is reserved.
const OWNER: &str = "models";
const MAX_TITLE: usize = 60;
/// Names that are tried for one model: its own, then numbered ones.
const MAX_NAMES: u32 = 100;

/// Returns the owner of these agents.
#[expect(clippy::expect_used, reason = "the name is a literal that a test checks")]
pub(crate) fn models_owner() -> Name {
    OWNER.parse().expect("a name")
}

/// Returns whether an agent stands for a model itself.
pub(crate) fn is_direct(agent: &Agent) -> bool {
    agent.hub == HubRowId::SELF && agent.owner == models_owner()
}

/// Returns the address of a model's agent.
pub(crate) fn direct_address(name: &Name) -> Address {
    Address::local(models_owner(), name.clone())
}

/// Returns a free agent name for a model: the letters and digits of its title, numbered if another model has the name.
pub(crate) async fn free_name(conn: &mut Conn, settings: &ModelSettings) -> Result<Name> {
    let title = settings.display_name.as_deref().unwrap_or(&settings.model);
    let own = slug(title);
    for number in 1..=MAX_NAMES {
        let name = numbered(&own, number).parse::<Name>()?;
        let other = model_settings::by_agent_name(conn, &name).await?;
        if other.is_none_or(|other| other.provider == settings.provider && other.model == settings.model) {
            return Ok(name);
        }
    }
    Err(Refusal::conflict(format!("Too many models are called {own}. Enter another display name.")).into())
}

/// Returns the part of a model's name that can be the name of an agent: `qwen2-5-7b` of `library/Qwen2.5:7b`.
fn slug(title: &str) -> String {
    let own = title.rsplit('/').next().unwrap_or(title);
    let words: Vec<String> = own
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let mut name = words.join("-");
    name.truncate(Name::MAX);
    let name = name.trim_end_matches('-');
    if name.is_empty() { "model".to_owned() } else { name.to_owned() }
}

fn numbered(own: &str, number: u32) -> String {
    if number == 1 {
        return own.to_owned();
    }
    let end = format!("-{number}");
    let kept = &own[..own.len().min(Name::MAX - end.len())];
    format!("{}{end}", kept.trim_end_matches('-'))
}

/// Brings the agent of a model up to date with its settings: creates it, changes it, or pauses it. `name` is the name
/// of the agent before the change.
pub(crate) async fn update_agent(
    hub: &Hub,
    tx: &mut Tx,
    before: Option<&Name>,
    settings: &ModelSettings,
) -> Result<()> {
    if let Some(name) = before.filter(|name| settings.agent_name.as_ref() != Some(*name)) {
        pause_agent(hub, tx, name).await?;
    }
    let Some(name) = &settings.agent_name else { return Ok(()) };
    let owner = ensure_namespace(hub, tx, &models_owner()).await?;
    let found = agents::by_address(tx, HubRowId::SELF, &models_owner(), name).await?;
    let agent = match found {
        Some(agent) => agent,
        None => {
            let new = HubAgent { owner: models_owner(), name: name.clone(), access: AgentAccess::Accounts };
            insert(hub, tx, owner, new).await?
        }
    };
    // The access to a model is checked by each run, and those who may not use it need not see it in lists.
    let visibility = match settings.access {
        ModelAccess::Everyone => Visibility::Public,
        _ => Visibility::Unlisted,
    };
    agents::set_visibility(tx, agent.id, visibility).await?;
    agents::set_state(tx, agent.id, AgentState::Active).await?;
    update_version(hub, tx, &agent, &form(settings)).await?;
    publish(hub, tx, agent.id).await
}

/// Pauses the agent of a model that people can no longer talk to. Its chats stay.
pub(crate) async fn pause_agent(hub: &Hub, tx: &mut Tx, name: &Name) -> Result<()> {
    let found = agents::by_address(tx, HubRowId::SELF, &models_owner(), name).await?;
    let Some(agent) = found else { return Ok(()) };
    agents::set_state(tx, agent.id, AgentState::Paused).await?;
    publish(hub, tx, agent.id).await
}

/// Adds a version if the title, the model or its abilities changed.
async fn update_version(hub: &Hub, tx: &mut Tx, agent: &Agent, form: &ModelAgentForm) -> Result<()> {
    if let Some(version) = agent_versions::current(tx, agent.id).await? {
        let missing = || Error::Fault(anyhow::anyhow!("version {} has no readable card", version.id));
        let body = cards::find(tx, &version.card).await?.ok_or_else(missing)?;
        let card = plexus_a2a::Card::read(&body).card.ok_or_else(missing)?;
        if model_agent::read(&version.connector, &card).as_ref() == Some(form) {
            return Ok(());
        }
    }
    model_agent::add_version(hub, tx, agent, form, None).await
}

fn form(settings: &ModelSettings) -> ModelAgentForm {
    let ModelSettings { provider, model, .. } = settings;
    let title = settings.display_name.clone().unwrap_or_else(|| model.clone());
    ModelAgentForm {
        title: plexus_domain::sanitized_text::ellipsize(&title, MAX_TITLE),
        summary: "Answers as the model itself, without instructions.".to_owned(),
        model: match provider.as_str() {
            FIRST_PROVIDER => model.clone(),
            provider => format!("{provider}/{model}"),
        },
        tags: vec!["chat".to_owned(), "model".to_owned()],
        reads_images: settings.reads_images == Some(true),
        ..ModelAgentForm::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_models_become_names_of_agents() {
        assert!(models_owner().is_reserved());
        for (title, expected) in [
            ("library/Qwen2.5:7b", "qwen2-5-7b"),
            ("gpt-4o-mini", "gpt-4o-mini"),
            ("智能", "model"),
            ("--_a__b--", "a-b"),
        ] {
            assert_eq!(slug(title), expected);
        }
        let long = "m".repeat(60);
        assert_eq!(numbered(&slug(&long), 12).len(), Name::MAX);
        for number in [1, 2, 100] {
            assert!(numbered(&slug(&long), number).parse::<Name>().is_ok());
            assert!(
                numbered(&slug("a b c d e f g h i j k l m n o p q r s t u v"), number)
                    .parse::<Name>()
                    .is_ok()
            );
        }
    }
}
