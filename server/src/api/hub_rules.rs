//! The rules about other hubs, by themselves and as lists.

use axum::{
    Json,
    extract::{Query, State},
    http::StatusCode,
};
use plexus_hub::{
    Caller, Error, Hub,
    federation::{self, Made, Ruled},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    state::Site,
    web::{body::JsonBody, caller::Called, error::ApiResult},
};

#[derive(Serialize, ToSchema)]
pub struct Rules {
    items: Vec<Rule>,
}

#[derive(Serialize, ToSchema)]
pub struct Rule {
    /// A kind and a name: `hub:12D3KooW…`, `domain:example.org`, `agent:pl1…`, `tag:word`.
    subject: String,
    /// `block` or `allow`.
    action: String,
    reason: String,
    /// Who made it here; null where a list has it.
    author: Option<String>,
    /// The address of the list that has it.
    list: Option<String>,
    /// In milliseconds since 1970.
    since: i64,
    expires: Option<i64>,
}

impl From<federation::RuleRow> for Rule {
    fn from(row: federation::RuleRow) -> Self {
        let (author, list) = match row.made {
            Made::Here(author) => (Some(author), None),
            Made::List(list) => (None, Some(list)),
        };
        Self {
            subject: row.subject,
            action: if row.does == Ruled::Allow { "allow" } else { "block" }.to_owned(),
            reason: row.reason,
            author,
            list,
            since: row.since.millis(),
            expires: row.expires.map(|at| at.millis()),
        }
    }
}

/// The rules about other hubs, the newest first.
#[utoipa::path(get, path = "/hubs/rules", operation_id = "hubs.rules", tag = "Network", security(("token" = ["admin"])),
    responses((status = OK, description = "The rules.", body = Rules)))]
pub async fn rules(State(site): State<Site>, Called(caller): Called) -> ApiResult<Json<Rules>> {
    Ok(Json(made(&site.hub, &caller).await?))
}

pub async fn made(hub: &Hub, caller: &Caller) -> Result<Rules, Error> {
    let items = federation::list_rules(hub, caller).await?.into_iter().map(Rule::from).collect();
    Ok(Rules { items })
}

/// What a rule does.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Does {
    Allow,
    Block,
    /// Takes the rule back.
    Remove,
}

/// A rule to make, or to take back.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRule {
    /// A hub by its id or its domain, an agent by its address, or a subject as rules name it.
    subject: String,
    action: Does,
    /// Not needed to take a rule back.
    #[serde(default)]
    reason: String,
}

/// Blocks or allows a hub, an agent or a tag, or takes that back; at once.
#[utoipa::path(post, path = "/hubs/rules", operation_id = "hubs.rule", tag = "Network", request_body = NewRule,
    security(("token" = ["admin"])), responses((status = NO_CONTENT, description = "It holds.")))]
pub async fn rule(
    State(site): State<Site>,
    Called(caller): Called,
    JsonBody(new): JsonBody<NewRule>,
) -> ApiResult<StatusCode> {
    make(&site.hub, &caller, new).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub async fn make(hub: &Hub, caller: &Caller, new: NewRule) -> Result<(), Error> {
    let does = match new.action {
        Does::Allow => Some(Ruled::Allow),
        Does::Block => Some(Ruled::Block),
        Does::Remove => None,
    };
    match does {
        Some(does) => federation::block(hub, caller, &new.subject, does, &new.reason, "").await?,
        None => federation::unblock(hub, caller, &new.subject, "").await?,
    };
    Ok(())
}

/// The rules of a hub as it signed them: a line of canonical JSON, and a line with the signature.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignedRules {
    document: String,
}

/// This hub's own rules as a text that it signs, for other hubs.
#[utoipa::path(get, path = "/hubs/rules/signed", operation_id = "hubs.rules.export", tag = "Network",
    security(("token" = ["admin"])), responses((status = OK, description = "The rules.", body = SignedRules)))]
pub async fn export(State(site): State<Site>, Called(caller): Called) -> ApiResult<Json<SignedRules>> {
    Ok(Json(signed(&site.hub, &caller).await?))
}

pub async fn signed(hub: &Hub, caller: &Caller) -> Result<SignedRules, Error> {
    Ok(SignedRules { document: federation::export_rules(hub, caller).await? })
}

/// What became of rules that were taken over.
#[derive(Serialize, ToSchema)]
pub struct ImportedRules {
    /// The hub that signed them.
    from: String,
    name: String,
    taken: u64,
    /// Those about what this hub has a rule of its own, which stays.
    kept: u64,
    /// Those that have run out, or that this hub cannot read.
    left_out: u64,
}

/// Makes the rules that another hub signed this hub's own.
#[utoipa::path(post, path = "/hubs/rules/signed", operation_id = "hubs.rules.import", tag = "Network",
    request_body = SignedRules, security(("token" = ["admin"])),
    responses((status = OK, description = "They hold.", body = ImportedRules)))]
pub async fn import(
    State(site): State<Site>,
    Called(caller): Called,
    JsonBody(new): JsonBody<SignedRules>,
) -> ApiResult<Json<ImportedRules>> {
    Ok(Json(take_over(&site.hub, &caller, &new).await?))
}

pub async fn take_over(hub: &Hub, caller: &Caller, new: &SignedRules) -> Result<ImportedRules, Error> {
    let done = federation::import_rules(hub, caller, &new.document, "").await?;
    let federation::Imported { from, name, taken, kept, left_out } = done;
    Ok(ImportedRules { from: from.to_string(), name, taken, kept, left_out })
}

#[derive(Serialize, ToSchema)]
pub struct RuleLists {
    items: Vec<RuleList>,
}

/// A list of rules that this hub goes by.
#[derive(Serialize, ToSchema)]
struct RuleList {
    /// Where it is, which names it.
    url: String,
    /// The hub that has to have signed it.
    signer: String,
    name: String,
    /// Who subscribed to it.
    author: String,
    rules: u64,
    /// When it was looked at last, in milliseconds since 1970.
    checked: i64,
    /// Why it could not be had then; the rules that were had before hold.
    problem: Option<String>,
}

/// The lists of rules that this hub goes by.
#[utoipa::path(get, path = "/hubs/lists", operation_id = "hubs.lists", tag = "Network",
    security(("token" = ["admin"])), responses((status = OK, description = "The lists.", body = RuleLists)))]
pub async fn lists(State(site): State<Site>, Called(caller): Called) -> ApiResult<Json<RuleLists>> {
    Ok(Json(followed(&site.hub, &caller).await?))
}

pub async fn followed(hub: &Hub, caller: &Caller) -> Result<RuleLists, Error> {
    let list = |found: federation::Subscription| {
        let federation::Subscription { url, signer, name, author, rules, checked, problem } = found;
        RuleList { url, signer, name, author, rules, checked: checked.millis(), problem }
    };
    let items = federation::subscriptions(hub, caller).await?.into_iter().map(list).collect();
    Ok(RuleLists { items })
}

/// A list to go by.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRuleList {
    /// Its address; or a hub that gives out its rules, by its id or its domain.
    list: String,
    /// The hub that has to have signed it, by its id; else whoever signed it now.
    #[serde(default)]
    signer: Option<String>,
}

/// Where a list is.
#[derive(Serialize, ToSchema)]
pub struct RuleListPlace {
    url: String,
}

/// Which list. Without a word it is none, which whoever may not ask does not learn.
#[derive(Deserialize)]
pub struct WhichList {
    #[serde(default)]
    url: String,
}

/// Goes by a list of rules from now on.
#[utoipa::path(post, path = "/hubs/lists", operation_id = "hubs.subscribe", tag = "Network", request_body = NewRuleList,
    security(("token" = ["admin"])), responses((status = OK, description = "They hold.", body = RuleListPlace)))]
pub async fn subscribe(
    State(site): State<Site>,
    Called(caller): Called,
    JsonBody(new): JsonBody<NewRuleList>,
) -> ApiResult<Json<RuleListPlace>> {
    Ok(Json(follow(&site.hub, &caller, &new).await?))
}

pub async fn follow(hub: &Hub, caller: &Caller, new: &NewRuleList) -> Result<RuleListPlace, Error> {
    let url = federation::subscribe(hub, caller, &new.list, new.signer.as_deref(), "").await?;
    Ok(RuleListPlace { url })
}

/// Goes by a list no more: what its rules hid is shown again.
#[utoipa::path(delete, path = "/hubs/lists", operation_id = "hubs.unsubscribe", tag = "Network",
    params(("url" = String, Query, description = "Where the list is.")), security(("token" = ["admin"])),
    responses((status = NO_CONTENT, description = "Its rules are gone.")))]
pub async fn unsubscribe(
    State(site): State<Site>,
    Called(caller): Called,
    Query(which): Query<WhichList>,
) -> ApiResult<StatusCode> {
    federation::unsubscribe(&site.hub, &caller, &which.url, "").await?;
    Ok(StatusCode::NO_CONTENT)
}
