//! The models that an account may use for its agents, with their settings.

use std::collections::{HashMap, HashSet};

use plexus_domain::{AccountId, Error as Refusal, account::Role};
use plexus_store::{
    Conn,
    model_settings::{self, ModelAccess, ModelSettings},
};

use super::{
    catalog::catalog,
    model_list::{ListedModel, list_models},
};
use crate::{
    Hub, Result,
    caller::Person,
    config::{Models, Prices},
};

/// Account that models are used for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelUser {
    pub account: AccountId,
    pub role: Role,
}

impl From<&Person> for ModelUser {
    fn from(person: &Person) -> Self {
        Self { account: person.account, role: person.role }
    }
}

/// What a model can do; `None` if it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelAbilities {
    pub calls_tools: Option<bool>,
    pub reads_images: Option<bool>,
    pub can_reason: Option<bool>,
    /// Whether it follows a JSON Schema for its answer.
    pub writes_json: Option<bool>,
}

impl From<&ModelSettings> for ModelAbilities {
    fn from(settings: &ModelSettings) -> Self {
        Self {
            calls_tools: settings.calls_tools,
            reads_images: settings.reads_images,
            can_reason: settings.can_reason,
            writes_json: settings.writes_json,
        }
    }
}

/// A model as it is offered for agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedModel {
    /// Name as agents use it, with the prefix of the provider.
    pub name: String,
    pub display_name: Option<String>,
    pub context_tokens: u64,
    pub prices: Prices,
    pub abilities: ModelAbilities,
    pub is_hidden: bool,
}

/// Returns the models that an account may choose for an agent, those of the first server first. Hidden ones are left
/// out.
pub async fn offered_models(hub: &Hub, person: &Person) -> Result<Vec<OfferedModel>> {
    let permitted = permitted_models(hub, person.into()).await?;
    Ok(permitted.into_iter().filter(|model| !model.is_hidden).collect())
}

/// Returns the models that an account may use, with hidden ones.
async fn permitted_models(hub: &Hub, user: ModelUser) -> Result<Vec<OfferedModel>> {
    let models = catalog(hub).await?;
    let listed = list_models(hub, &models).await;
    let mut conn = hub.store().read().await?;
    let settings = model_settings::list(&mut conn).await?;
    let named: HashSet<_> =
        model_settings::list_by_user(&mut conn, user.account).await?.into_iter().collect();
    drop(conn);
    let settings: HashMap<_, _> =
        settings.into_iter().map(|one| ((one.provider.clone(), one.model.clone()), one)).collect();
    let offered = listed.into_iter().filter_map(|listed| {
        let key = (listed.provider.clone(), listed.model.clone());
        let (found, is_named) = (settings.get(&key), named.contains(&key));
        if found.is_some_and(|settings| {
            !is_admitted(settings.access, user.role) && !is_named_by(settings, is_named)
        }) {
            return None;
        }
        offered_model(&models, listed, found)
    });
    Ok(offered.collect())
}

fn is_named_by(settings: &ModelSettings, is_named: bool) -> bool {
    settings.access == ModelAccess::Named && is_named
}

fn offered_model(
    models: &Models,
    listed: ListedModel,
    settings: Option<&ModelSettings>,
) -> Option<OfferedModel> {
    let (provider, _) = models.find(&listed.full_name)?;
    let context_tokens = settings.and_then(|settings| settings.context_tokens);
    Some(OfferedModel {
        display_name: settings.and_then(|settings| settings.display_name.clone()),
        context_tokens: context_tokens.unwrap_or(provider.context_tokens as u64),
        prices: settings.map_or(provider.prices, |settings| effective_prices(settings, provider.prices)),
        abilities: settings.map(ModelAbilities::from).unwrap_or_default(),
        is_hidden: settings.is_some_and(|settings| settings.is_hidden),
        name: listed.full_name,
    })
}

/// Returns the prices of a model: its own, else those of its provider.
pub(super) fn effective_prices(settings: &ModelSettings, of_provider: Prices) -> Prices {
    match (settings.sent_price, settings.received_price) {
        (None, None) => of_provider,
        (sent, received) => Prices { sent: sent.unwrap_or(0), received: received.unwrap_or(0) },
    }
}

/// Returns whether a role may use a model without being named.
const fn is_admitted(access: ModelAccess, role: Role) -> bool {
    match access {
        ModelAccess::Everyone => true,
        ModelAccess::Moderators => matches!(role, Role::Moderator | Role::Admin),
        ModelAccess::Administrators | ModelAccess::Named => matches!(role, Role::Admin),
    }
}

/// Returns whether an account may use a model; `None` for no account.
pub(super) async fn is_permitted(
    conn: &mut Conn,
    settings: &ModelSettings,
    user: Option<ModelUser>,
) -> Result<bool> {
    let Some(user) = user else { return Ok(settings.access == ModelAccess::Everyone) };
    if is_admitted(settings.access, user.role) {
        return Ok(true);
    }
    if settings.access != ModelAccess::Named {
        return Ok(false);
    }
    let named = model_settings::list_users(conn, &settings.provider, &settings.model).await?;
    Ok(named.contains(&user.account))
}

/// What an agent needs from its model.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ModelNeeds {
    pub images: bool,
    pub tools: bool,
}

/// Fails if an account may not use the model for an agent with these needs. A hidden model may be used.
pub(crate) async fn check_usable(hub: &Hub, person: &Person, name: &str, needs: ModelNeeds) -> Result<()> {
    let known = permitted_models(hub, person.into()).await?;
    if known.is_empty() {
        let words = "This hub has no model. Its administrator can connect one under Administration, Models.";
        return Err(Refusal::unavailable(words).into());
    }
    let Some(model) = known.into_iter().find(|known| known.name == name) else {
        return Err(Refusal::invalid("model", "Choose one of the models in the list.").into());
    };
    let title = model.display_name.as_deref().unwrap_or(&model.name);
    if needs.images && model.abilities.reads_images == Some(false) {
        let words = format!(
            "The model {title} does not read images. Choose another model, or send their names only."
        );
        return Err(Refusal::invalid("images", words).into());
    }
    if needs.tools && model.abilities.calls_tools == Some(false) {
        let words =
            format!("The model {title} does not call tools. Choose another model, or remove the servers.");
        return Err(Refusal::invalid("tools", words).into());
    }
    Ok(())
}
