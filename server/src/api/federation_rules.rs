//! Federation rules (allow and block entries) and signed rule lists.

use axum::{
    Json,
    extract::{Query, State},
    http::StatusCode,
};
use plexus_hub::{
    Caller, Error, Hub,
    federation::{self, RuleOrigin, Ruled},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    app_state::AppState,
    web::{auth::ApiCaller, error::ApiResult, json_body::JsonBody},
};

#[derive(Serialize, ToSchema)]
pub struct Rules {
    items: Vec<Rule>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct Rule {
    /// Kind and name of the subject: `hub:12D3KooW…`, `domain:example.org`, `agent:pl1…`, `tag:word`.
    subject: String,
    /// `block` or `allow`.
    action: String,
    reason: String,
    /// Account that made the rule here; null if it comes from a list.
    author: Option<String>,
    /// URL of the list that contains the rule.
    list: Option<String>,
    /// In milliseconds since 1970.
    created: i64,
    expires: Option<i64>,
}

impl From<federation::RuleRow> for Rule {
    fn from(row: federation::RuleRow) -> Self {
        let (author, list) = match row.made {
            RuleOrigin::Here(author) => (Some(author), None),
            RuleOrigin::List(list) => (None, Some(list)),
        };
        Self {
            subject: row.subject,
            action: if row.does == Ruled::Allow { "allow" } else { "block" }.to_owned(),
            reason: row.reason,
            author,
            list,
            created: row.created.millis(),
            expires: row.expires.map(|at| at.millis()),
        }
    }
}

/// Lists the federation rules, newest first.
#[utoipa::path(get, path = "/hubs/rules", operation_id = "hubs.rules", tag = "Network", security(("token" = ["admin"])),
    responses((status = OK, description = "The rules.", body = Rules)))]
pub async fn rules(State(site): State<AppState>, ApiCaller(caller): ApiCaller) -> ApiResult<Json<Rules>> {
    Ok(Json(made(&site.hub, &caller).await?))
}

pub async fn made(hub: &Hub, caller: &Caller) -> Result<Rules, Error> {
    let items = federation::list_rules(hub, caller).await?.into_iter().map(Rule::from).collect();
    Ok(Rules { items, next: None })
}

/// Action of a rule.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum RuleActionJson {
    Allow,
    Block,
    /// Removes the rule.
    Remove,
}

/// A rule to add or to remove.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRule {
    /// A hub by id or domain, an agent by address, or a subject in the form that rules use.
    subject: String,
    action: RuleActionJson,
    /// Not needed to remove a rule.
    #[serde(default)]
    reason: String,
}

/// Blocks or allows a hub, an agent or a tag, or removes such a rule; effective immediately.
#[utoipa::path(post, path = "/hubs/rules", operation_id = "hubs.rules.set", tag = "Network", request_body = NewRule,
    security(("token" = ["admin"])), responses((status = NO_CONTENT, description = "The rule is added or \
        removed.")))]
pub async fn rule(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    JsonBody(new): JsonBody<NewRule>,
) -> ApiResult<StatusCode> {
    make(&site.hub, &caller, new).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub async fn make(hub: &Hub, caller: &Caller, new: NewRule) -> Result<(), Error> {
    let does = match new.action {
        RuleActionJson::Allow => Some(Ruled::Allow),
        RuleActionJson::Block => Some(Ruled::Block),
        RuleActionJson::Remove => None,
    };
    match does {
        Some(does) => federation::block(hub, caller, &new.subject, does, &new.reason, "").await?,
        None => federation::unblock(hub, caller, &new.subject, "").await?,
    };
    Ok(())
}

/// Rules signed by a hub: one line of canonical JSON and one line with the signature.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignedRules {
    document: String,
}

/// Exports this hub's own rules as a signed list.
#[utoipa::path(get, path = "/hubs/rules/signed", operation_id = "hubs.rules.export", tag = "Network",
    security(("token" = ["admin"])), responses((status = OK, description = "The rules.", body = SignedRules)))]
pub async fn export(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
) -> ApiResult<Json<SignedRules>> {
    Ok(Json(signed(&site.hub, &caller).await?))
}

pub async fn signed(hub: &Hub, caller: &Caller) -> Result<SignedRules, Error> {
    Ok(SignedRules { document: federation::export_rules(hub, caller).await? })
}

/// Result of an import.
#[derive(Serialize, ToSchema)]
pub struct ImportedRules {
    /// Id of the hub that signed the rules.
    signer: String,
    name: String,
    imported: u64,
    /// Number of rules skipped because this hub has its own rule about the same subject.
    already_present: u64,
    /// Number of rules skipped because they have expired or cannot be parsed by this hub.
    invalid: u64,
}

/// Imports rules signed by another hub as this hub's own rules.
#[utoipa::path(post, path = "/hubs/rules/signed", operation_id = "hubs.rules.import", tag = "Network",
    request_body = SignedRules, security(("token" = ["admin"])),
    responses((status = OK, description = "The rules are in force.", body = ImportedRules)))]
pub async fn import(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    JsonBody(new): JsonBody<SignedRules>,
) -> ApiResult<Json<ImportedRules>> {
    Ok(Json(take_over(&site.hub, &caller, &new).await?))
}

pub async fn take_over(hub: &Hub, caller: &Caller, new: &SignedRules) -> Result<ImportedRules, Error> {
    let done = federation::import_rules(hub, caller, &new.document, "").await?;
    let federation::RuleImport { signer, name, imported, already_present, invalid } = done;
    Ok(ImportedRules { signer: signer.to_string(), name, imported, already_present, invalid })
}

#[derive(Serialize, ToSchema)]
pub struct RuleSubscriptions {
    items: Vec<RuleSubscriptionJson>,
    /// Always null: the list is complete.
    #[schema(required)]
    next: Option<String>,
}

/// A rule list that this hub subscribes to.
#[derive(Serialize, ToSchema)]
struct RuleSubscriptionJson {
    /// URL of the list, which identifies it.
    url: String,
    /// Id of the hub that must have signed it.
    signer: String,
    name: String,
    /// Account that subscribed to it.
    author: String,
    rules: u64,
    /// Time of the last fetch, in milliseconds since 1970.
    last_fetch_at: i64,
    /// Why the last fetch failed. The rules of the previous fetch stay in force.
    last_error: Option<String>,
}

/// Lists the rule subscriptions of this hub.
#[utoipa::path(get, path = "/hubs/rule-subscriptions", operation_id = "hubs.rules.subscriptions", tag = "Network",
    security(("token" = ["admin"])),
    responses((status = OK, description = "The subscriptions.", body = RuleSubscriptions)))]
pub async fn subscriptions(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
) -> ApiResult<Json<RuleSubscriptions>> {
    Ok(Json(followed(&site.hub, &caller).await?))
}

pub async fn followed(hub: &Hub, caller: &Caller) -> Result<RuleSubscriptions, Error> {
    let list = |found: federation::RuleSubscription| {
        let federation::RuleSubscription { url, signer, name, author, rules, last_fetch_at, last_error } =
            found;
        RuleSubscriptionJson {
            url,
            signer,
            name,
            author,
            rules,
            last_fetch_at: last_fetch_at.millis(),
            last_error,
        }
    };
    let items = federation::subscriptions(hub, caller).await?.into_iter().map(list).collect();
    Ok(RuleSubscriptions { items, next: None })
}

/// A rule list to subscribe to.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRuleSubscription {
    /// URL of the list, or a hub that publishes its rules, by id or domain.
    list: String,
    /// Id of the hub that must have signed the list; default: its current signer.
    #[serde(default)]
    signer: Option<String>,
}

/// The URL of a rule list.
#[derive(Serialize, ToSchema)]
pub struct RuleListUrl {
    url: String,
}

/// The list in the query. An empty URL matches no list: the error for a missing permission then takes
/// precedence over that for a missing parameter.
#[derive(Deserialize)]
pub struct RuleListQuery {
    #[serde(default)]
    url: String,
}

/// Subscribes to a rule list.
#[utoipa::path(post, path = "/hubs/rule-subscriptions", operation_id = "hubs.rules.subscribe", tag = "Network",
    request_body = NewRuleSubscription, security(("token" = ["admin"])), responses((status = OK, description = "The rules are in \
        force.", body = RuleListUrl)))]
pub async fn subscribe(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    JsonBody(new): JsonBody<NewRuleSubscription>,
) -> ApiResult<Json<RuleListUrl>> {
    Ok(Json(follow(&site.hub, &caller, &new).await?))
}

pub async fn follow(hub: &Hub, caller: &Caller, new: &NewRuleSubscription) -> Result<RuleListUrl, Error> {
    let url = federation::subscribe(hub, caller, &new.list, new.signer.as_deref(), "").await?;
    Ok(RuleListUrl { url })
}

/// Unsubscribes from a rule list; what its rules hid becomes visible again.
#[utoipa::path(delete, path = "/hubs/rule-subscriptions", operation_id = "hubs.rules.unsubscribe", tag = "Network",
    params(("url" = String, Query, description = "URL of the rule list.")), security(("token" = ["admin"])),
    responses((status = NO_CONTENT, description = "Unsubscribed; the rules of the list are removed.")))]
pub async fn unsubscribe(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Query(which): Query<RuleListQuery>,
) -> ApiResult<StatusCode> {
    federation::unsubscribe(&site.hub, &caller, &which.url, "").await?;
    Ok(StatusCode::NO_CONTENT)
}
