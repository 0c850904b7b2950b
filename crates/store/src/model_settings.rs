//! Settings of single models, and the accounts that may use them.

use plexus_domain::{AccountId, Name};
use sqlx::{query, query_as, query_scalar};
use uuid::Uuid;

use crate::{
    Conn, Result, Tx,
    conn::{execute, on},
    sql_types::{SqlType, clean, record, word_enum},
};

word_enum! {
    /// Accounts that may use a model.
    pub enum ModelAccess {
        Everyone = "everyone",
        /// Moderators and administrators.
        Moderators = "moderators",
        Administrators = "administrators",
        /// The accounts in `model_users`, and administrators.
        Named = "named",
    }
}

record! {
    /// Settings of one model. `None` means the setting of its provider, or not known, or no limit.
    #[derive(Eq)]
    pub struct ModelSettings {
        /// Name of the provider; `-` for the first server of the configuration.
        pub provider: String,
        /// Name of the model on its server.
        pub model: String,
        pub display_name: Option<String>,
        pub context_tokens: Option<u64>,
        /// Price of a million input tokens, in millionths of the currency unit.
        pub sent_price: Option<u64>,
        /// Price of a million output tokens, in millionths of the currency unit.
        pub received_price: Option<u64>,
        pub calls_tools: Option<bool>,
        pub reads_images: Option<bool>,
        pub can_reason: Option<bool>,
        /// Whether it follows a JSON Schema for its answer.
        pub writes_json: Option<bool>,
        pub is_hidden: bool,
        pub access: ModelAccess,
        /// Tokens a day of one account.
        pub account_tokens: Option<u64>,
        /// Tokens a day of all accounts together.
        pub hub_tokens: Option<u64>,
        /// Name of the agent through which people talk to the model itself, unique on the hub.
        pub agent_name: Option<Name>,
    }
}

impl ModelSettings {
    /// Returns the settings of a model without a row.
    pub fn new(provider: &str, model: &str) -> Self {
        Self {
            provider: provider.to_owned(),
            model: model.to_owned(),
            display_name: None,
            context_tokens: None,
            sent_price: None,
            received_price: None,
            calls_tools: None,
            reads_images: None,
            can_reason: None,
            writes_json: None,
            is_hidden: false,
            access: ModelAccess::Everyone,
            account_tokens: None,
            hub_tokens: None,
            agent_name: None,
        }
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select provider, model, display_name, context_tokens, sent_price, received_price, calls_tools, \
             reads_images, can_reason, writes_json, is_hidden, access, account_tokens, hub_tokens, \
             agent_name from model_settings ",
            $rest
        )
    };
}

/// Inserts the settings of a model, or replaces them.
pub async fn put(tx: &mut Tx, settings: &ModelSettings) -> Result<()> {
    let text = "insert into model_settings (provider, model, display_name, context_tokens, sent_price, \
                received_price, calls_tools, reads_images, can_reason, writes_json, is_hidden, access, \
                account_tokens, hub_tokens, agent_name) \
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
                on conflict (provider, model) do update set display_name = excluded.display_name, \
                context_tokens = excluded.context_tokens, sent_price = excluded.sent_price, \
                received_price = excluded.received_price, calls_tools = excluded.calls_tools, \
                reads_images = excluded.reads_images, can_reason = excluded.can_reason, \
                writes_json = excluded.writes_json, is_hidden = excluded.is_hidden, access = excluded.access, \
                account_tokens = excluded.account_tokens, hub_tokens = excluded.hub_tokens, \
                agent_name = excluded.agent_name";
    execute!(
        tx,
        query(text)
            .bind(clean(&settings.provider))
            .bind(clean(&settings.model))
            .bind(settings.display_name.as_deref().map(clean))
            .bind(settings.context_tokens.to_column())
            .bind(settings.sent_price.to_column())
            .bind(settings.received_price.to_column())
            .bind(settings.calls_tools)
            .bind(settings.reads_images)
            .bind(settings.can_reason)
            .bind(settings.writes_json)
            .bind(settings.is_hidden)
            .bind(settings.access.to_column())
            .bind(settings.account_tokens.to_column())
            .bind(settings.hub_tokens.to_column())
            .bind(settings.agent_name.as_ref().map(Name::canonical))
    )?;
    Ok(())
}

/// Finds the model that people talk to as agent of this name.
pub async fn by_agent_name(conn: &mut Conn, name: &Name) -> Result<Option<ModelSettings>> {
    let text = select!("where agent_name = $1");
    on!(conn, c => query_as(text).bind(name.canonical()).fetch_optional(c))
}

pub async fn find(conn: &mut Conn, provider: &str, model: &str) -> Result<Option<ModelSettings>> {
    let text = select!("where provider = $1 and model = $2");
    on!(conn, c => query_as(text).bind(clean(provider)).bind(clean(model)).fetch_optional(c))
}

/// Lists all settings, by provider and model.
pub async fn list(conn: &mut Conn) -> Result<Vec<ModelSettings>> {
    on!(conn, c => query_as(select!("order by provider, model")).fetch_all(c))
}

pub async fn list_by_provider(conn: &mut Conn, provider: &str) -> Result<Vec<ModelSettings>> {
    let text = select!("where provider = $1 order by model");
    on!(conn, c => query_as(text).bind(clean(provider)).fetch_all(c))
}

pub async fn delete(tx: &mut Tx, provider: &str, model: &str) -> Result<bool> {
    let text = "delete from model_settings where provider = $1 and model = $2";
    Ok(execute!(tx, query(text).bind(clean(provider)).bind(clean(model)))? > 0)
}

pub async fn delete_by_provider(tx: &mut Tx, provider: &str) -> Result<()> {
    execute!(tx, query("delete from model_settings where provider = $1").bind(clean(provider)))?;
    Ok(())
}

/// Replaces the accounts that may use a model.
pub async fn set_users(tx: &mut Tx, provider: &str, model: &str, accounts: &[AccountId]) -> Result<()> {
    let text = "delete from model_users where provider = $1 and model = $2";
    execute!(tx, query(text).bind(clean(provider)).bind(clean(model)))?;
    for account in accounts {
        let text =
            "insert into model_users (provider, model, account) values ($1, $2, $3) on conflict do nothing";
        execute!(tx, query(text).bind(clean(provider)).bind(clean(model)).bind(account.uuid()))?;
    }
    Ok(())
}

/// Lists the accounts that may use a model.
pub async fn list_users(conn: &mut Conn, provider: &str, model: &str) -> Result<Vec<AccountId>> {
    let text = "select account from model_users where provider = $1 and model = $2 order by account";
    let found: Vec<Uuid> =
        on!(conn, c => query_scalar(text).bind(clean(provider)).bind(clean(model)).fetch_all(c))?;
    Ok(found.into_iter().map(AccountId::from_uuid).collect())
}

/// Lists the models that name an account, as provider and model.
pub async fn list_by_user(conn: &mut Conn, account: AccountId) -> Result<Vec<(String, String)>> {
    let text = "select provider, model from model_users where account = $1";
    on!(conn, c => query_as(text).bind(account.uuid()).fetch_all(c))
}
