//! Admin socket: a Unix socket in the data folder that controls the running hub. Permission to open the
//! socket is the only authentication.
//!
//! It serves the regular API for the account named by a header, and a few operator commands.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path as FsPath, PathBuf},
};

use axum::{
    Json, Router,
    extract::{Path, Query, Request, State},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use plexus_domain::{Address, Error as Refusal, account::Role};
use plexus_hub::{
    accounts,
    admin::{self, AccountDetails, AccountModeration, AccountRow},
    backups,
    backups::BackupContents,
    federation,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::UnixListener;
use tokio_util::sync::CancellationToken;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;

use crate::{
    api,
    app_state::AppState,
    model_commands::{self, ModelCommand},
    router,
    web::{
        api_error_layer, body_writer,
        client_address::proxy_warning,
        error::{ApiError, ApiResult},
        json_body::JsonBody,
        request_id,
        routing::{get, post},
    },
};

/// Header with the account that a request acts for; without it, the first administrator.
pub const OWNER_HEADER: &str = "plexus-owner";

/// Request extension: the request came over the admin socket, for the named account.
#[derive(Clone, Debug)]
pub struct OperatorRequest {
    pub owner: Option<String>,
}

/// Returns the path of the admin socket in a data folder.
pub fn socket(data_dir: &FsPath) -> PathBuf {
    data_dir.join("plexus.sock")
}

/// The bound admin socket. Its file is removed on shutdown.
pub struct AdminSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl AdminSocket {
    /// Binds the socket. The data folder is locked already, so an existing socket file is stale and is
    /// removed.
    pub fn bind(data_dir: &FsPath) -> io::Result<Self> {
        let path = socket(data_dir);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        Ok(Self { listener, path })
    }

    /// Serves requests until `stop` is cancelled.
    pub async fn serve(self, site: AppState, stop: CancellationToken) -> io::Result<()> {
        let served = axum::serve(self.listener, routes(site).into_make_service())
            .with_graceful_shutdown(stop.cancelled_owned())
            .await;
        let _ = fs::remove_file(&self.path);
        served
    }
}

fn routes(site: AppState) -> Router {
    let shared = ServiceBuilder::new()
        .layer(middleware::from_fn_with_state(site.clone(), request_id::name))
        .layer(middleware::from_fn(api_error_layer::api_error_layer))
        .layer(CatchPanicLayer::new())
        .layer(middleware::from_fn(mark))
        .layer(router::body_limit(&site));
    Router::new()
        .nest("/api/v1", api::routes().merge(api::unpacked()).merge(commands()))
        .layer(shared)
        .with_state(site)
}

async fn mark(mut request: Request, next: Next) -> Response {
    let owner = request.headers().get(OWNER_HEADER).and_then(|value| value.to_str().ok()).map(str::to_owned);
    request.extensions_mut().insert(OperatorRequest { owner });
    next.run(request).await
}

/// Routes that exist on the admin socket only.
fn commands() -> Router<AppState> {
    Router::new()
        .route("/operator/warnings", get(warnings))
        .route("/operator/backup", get(backup))
        .route("/operator/models", post(model_command))
        .route("/operator/featured", post(change_featured))
        .route("/operator/users", post(create_user))
        .route("/operator/users/list", post(list_users))
        .route("/operator/users/{name}", get(show_user))
        .route("/operator/users/{name}/role", post(set_role))
        .route("/operator/users/{name}/state", post(set_state))
        .route("/operator/users/{name}/password", post(set_password))
        .route("/operator/users/{name}/reset-link", post(create_reset_link))
}

async fn warnings(State(site): State<AppState>) -> ApiResult<Json<Value>> {
    let mut warnings = site.hub.config().warnings();
    warnings.extend(federation::warnings(&site.hub).await);
    warnings.extend(backups::schedule_status(&site.hub).await?.and_then(|status| status.warning()));
    warnings.extend(proxy_warning());
    Ok(Json(json!({ "warnings": warnings })))
}

#[derive(Deserialize)]
struct BackupQuery {
    #[serde(default)]
    secret_key: bool,
}

/// Streams a backup. The response begins before the archive is complete: after a failure it breaks off, and the hub's
/// log has the cause.
async fn backup(State(site): State<AppState>, Query(query): Query<BackupQuery>) -> Response {
    let contents = match query.secret_key {
        true => BackupContents::WithSecretKey,
        false => BackupContents::WithoutSecretKey,
    };
    let (writer, body) = body_writer::new();
    let failure = writer.failure();
    tokio::spawn(async move {
        if let Err(error) = backups::write_backup(&site.hub, contents, writer).await {
            tracing::error!(error = format!("{error:#}"), "backup: failed");
            failure.report().await;
        }
    });
    body.into_response()
}

async fn model_command(
    State(site): State<AppState>,
    JsonBody(command): JsonBody<ModelCommand>,
) -> ApiResult<Json<Value>> {
    Ok(Json(model_commands::execute(&site.hub, command).await?))
}

/// Agents to feature on the home page, and agents to feature no longer.
#[derive(Serialize, Deserialize)]
pub struct FeaturedChange {
    pub add: Vec<Address>,
    pub remove: Vec<Address>,
}

async fn change_featured(
    State(site): State<AppState>,
    JsonBody(change): JsonBody<FeaturedChange>,
) -> ApiResult<Json<Value>> {
    let featured = admin::change_featured_by_operator(&site.hub, &change.add, &change.remove).await?;
    Ok(Json(json!({ "items": featured })))
}

#[derive(Deserialize)]
struct NewUser {
    name: String,
    password: String,
    role: String,
}

async fn create_user(
    State(site): State<AppState>,
    JsonBody(new): JsonBody<NewUser>,
) -> ApiResult<Json<Value>> {
    let role = role(&new.role)?;
    accounts::create_by_operator(&site.hub, &new.name, new.password, role).await?;
    Ok(Json(json!({ "name": new.name })))
}

#[derive(Deserialize)]
struct NewRole {
    role: String,
}

async fn set_role(
    State(site): State<AppState>,
    Path(name): Path<String>,
    JsonBody(new): JsonBody<NewRole>,
) -> ApiResult<Json<Value>> {
    let act = AccountModeration::SetRole(role(&new.role)?);
    admin::act_on_person_by_operator(&site.hub, &name, act).await?;
    Ok(Json(json!({ "name": name })))
}

#[derive(Deserialize)]
struct NewState {
    state: String,
}

async fn set_state(
    State(site): State<AppState>,
    Path(name): Path<String>,
    JsonBody(new): JsonBody<NewState>,
) -> ApiResult<Json<Value>> {
    let act = match new.state.as_str() {
        "approved" => AccountModeration::Approve,
        "suspended" => AccountModeration::Suspend,
        "restored" => AccountModeration::Restore,
        "deleted" => AccountModeration::Delete,
        _ => {
            let words = "Choose one of the states approved, suspended, restored and deleted.";
            return Err(Refusal::invalid("state", words).into());
        }
    };
    admin::act_on_person_by_operator(&site.hub, &name, act).await?;
    Ok(Json(json!({ "name": name })))
}

#[derive(Deserialize)]
struct NewAccountPassword {
    password: String,
}

async fn set_password(
    State(site): State<AppState>,
    Path(name): Path<String>,
    JsonBody(new): JsonBody<NewAccountPassword>,
) -> ApiResult<Json<Value>> {
    accounts::set_password_by_operator(&site.hub, &name, new.password).await?;
    Ok(Json(json!({ "name": name })))
}

async fn create_reset_link(State(site): State<AppState>, Path(name): Path<String>) -> ApiResult<Json<Value>> {
    let reset = accounts::create_password_reset_by_operator(&site.hub, &name).await?;
    Ok(Json(json!({ "link": reset.link })))
}

#[derive(Deserialize)]
struct UserFilter {
    words: String,
}

async fn list_users(
    State(site): State<AppState>,
    JsonBody(filter): JsonBody<UserFilter>,
) -> ApiResult<Json<Value>> {
    let rows = admin::list_people_by_operator(&site.hub, &filter.words).await?;
    Ok(Json(json!({ "items": rows.iter().map(account_json).collect::<Vec<_>>() })))
}

async fn show_user(State(site): State<AppState>, Path(name): Path<String>) -> ApiResult<Json<Value>> {
    Ok(Json(account_details_json(&admin::find_person_by_operator(&site.hub, &name).await?)))
}

/// Returns an account with the addresses of its agents, as [`account_json`].
pub fn account_details_json(details: &AccountDetails) -> Value {
    let mut account = account_json(&details.row);
    account["agents"] = json!(details.agents);
    account["email"] = json!(details.email);
    account
}

/// Returns an account as JSON for the command line. Times in milliseconds since 1970.
pub fn account_json(row: &AccountRow) -> Value {
    json!({
        "name": row.name, "role": row.role.as_str(), "state": row.state.as_str(), "agents": row.agents,
        "created": row.since, "last_seen": row.seen, "reason": row.reason,
    })
}

fn role(word: &str) -> Result<Role, ApiError> {
    Role::parse(word)
        .ok_or_else(|| Refusal::invalid("role", "Choose one of the roles user, moderator and admin.").into())
}
