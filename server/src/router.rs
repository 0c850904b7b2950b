//! All routes of the server, with their middleware.

use axum::{
    Router,
    extract::{DefaultBodyLimit, FromRequest as _, Request, State},
    http::StatusCode,
    middleware,
    response::{IntoResponse as _, Response},
};
use tower::ServiceBuilder;
use tower_http::{
    catch_panic::CatchPanicLayer,
    compression::{
        CompressionLayer,
        predicate::{NotForContentType, Predicate as _, SizeAbove},
    },
    cors::{AllowHeaders, Any, CorsLayer},
    csrf::CsrfLayer,
};

use crate::{
    a2a, anthropic, api,
    app_state::AppState,
    ard, conformance, health, ioa_compat, mcp, oauth, openai, pages, rpc,
    web::{
        admission, api_error_layer, assets, bearer, body_budget, body_timeout, edge_errors, host_check,
        page::PageContext,
        request_id,
        routing::{form, get, post},
        run_to_end::run_to_end,
        security_headers,
    },
};

/// Additional body size for the other fields of a form around a message of maximum size.
const FORM_BYTES: usize = 64 * 1024;

pub fn router(site: AppState) -> Router {
    let shared = ServiceBuilder::new()
        .layer(middleware::from_fn_with_state(site.clone(), request_id::name))
        .layer(middleware::from_fn(api_error_layer::api_error_layer))
        .layer(CatchPanicLayer::new())
        .layer(middleware::from_fn_with_state(site.clone(), host_check::check))
        .layer(middleware::from_fn_with_state(site.clone(), security_headers::security_headers))
        .layer(middleware::from_fn(body_timeout::limit_body_time))
        .layer(middleware::from_fn_with_state(site.clone(), body_budget::charge_body))
        .layer(middleware::from_fn_with_state(site.changes.clone(), run_to_end));
    let challenge = middleware::from_fn_with_state(site.clone(), bearer::challenge);
    let packed = ServiceBuilder::new().layer(compression()).layer(CsrfLayer::new()).layer(body_limit(&site));
    Router::new()
        .merge(open_page_routes())
        .merge(
            Router::new()
                .merge(page_routes())
                .merge(admin_routes())
                .route_layer(middleware::from_fn_with_state(site.clone(), admission::require_account)),
        )
        .merge(machine_routes())
        .merge(oauth::pages())
        .nest("/api/v1", api::routes().layer(challenge.clone()))
        .route("/static/{version}/{*name}", get(assets::get))
        .fallback(missing)
        .layer(packed)
        .layer(middleware::from_fn(edge_errors::edge_error_layer))
        // Streams are not compressed: each would hold a compressor's buffers.
        .nest("/api/v1", api::unpacked().layer(challenge))
        .layer(shared)
        .with_state(site.clone())
        .merge(edge_routes(site.clone()))
        // Supervisors use an IP address as host, so these routes have no host check and no other middleware.
        .merge(
            Router::new()
                .route("/healthz", get(health::live))
                .route("/readyz", get(health::ready))
                .with_state(site),
        )
}

/// Returns the body limit for pages and the API. URL encoding and JSON escapes can enlarge a message up to
/// four times.
pub fn body_limit(site: &AppState) -> DefaultBodyLimit {
    DefaultBodyLimit::max(
        site.hub.config().limits.max_message_bytes.saturating_mul(4).saturating_add(FORM_BYTES),
    )
}

/// Returns the routes of the protocol endpoints. They accept bearer tokens only, so CORS allows any origin.
/// MCP has its own origin check.
fn edge_routes(site: AppState) -> Router {
    let body = DefaultBodyLimit::max(site.hub.config().limits.max_message_bytes.saturating_mul(2));
    let anywhere = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods(Any)
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(Any);
    let shared = ServiceBuilder::new()
        .layer(middleware::from_fn_with_state(site.clone(), request_id::name))
        .layer(middleware::from_fn(edge_errors::edge_error_layer))
        .layer(CatchPanicLayer::new())
        .layer(middleware::from_fn_with_state(site.clone(), host_check::check))
        .layer(middleware::from_fn(body_timeout::limit_body_time))
        .layer(middleware::from_fn_with_state(site.clone(), body_budget::charge_body))
        .layer(middleware::from_fn_with_state(site.clone(), bearer::challenge))
        .layer(body);
    let kits = site.conformance.as_ref().map(|_| conformance::routes()).unwrap_or_default();
    Router::new()
        .merge(a2a::routes())
        .merge(mcp::registry_routes())
        .merge(openai::routes())
        .merge(anthropic::routes())
        .merge(ard::routes())
        .merge(oauth::routes())
        .merge(rpc::routes(&site).layer(middleware::from_fn_with_state(site.changes.clone(), run_to_end)))
        .layer(anywhere)
        .merge(mcp::routes(&site))
        .route("/launch_goal", post(ioa_compat::launch))
        .merge(kits)
        .layer(shared)
        .with_state(site)
}

/// Returns the pages whose forms callers without an account may send.
fn open_page_routes() -> Router<AppState> {
    Router::new()
        .route(
            "/@{owner}/{agent}/chat",
            form(pages::agent::visitor_chat::show, pages::agent::visitor_chat::send),
        )
        .route("/login", form(pages::account::show_login, pages::account::login))
        .route("/reset", form(pages::account::show_reset, pages::account::reset))
        .route("/forgot", form(pages::account::show_recovery, pages::account::recover))
        .route("/email", form(pages::account::show_email, pages::account::confirm_email))
        .route("/signup", form(pages::account::show_signup, pages::account::signup))
        .route("/logout", post(pages::account::logout))
        .route("/language", post(pages::language::save))
        .route(
            "/settings/appearance",
            form(pages::settings::appearance::show, pages::settings::appearance::save),
        )
}

/// Returns the pages whose forms only accounts may send.
fn page_routes() -> Router<AppState> {
    Router::new()
        .route("/", get(pages::home::show))
        .route("/agents", get(pages::agents::show))
        .route("/agents/live", get(pages::live_search::follow))
        .route("/@{owner}", get(pages::namespace::show))
        .route("/@{owner}/{agent}", get(pages::agent::overview))
        .route("/@{owner}/{agent}/skills", get(pages::agent::skills))
        .route("/@{owner}/{agent}/versions", get(pages::agent::versions::show))
        .route("/@{owner}/{agent}/versions/{version}/restore", post(pages::agent::versions::restore))
        .route("/@{owner}/{agent}/connect", get(pages::agent::connect))
        .route("/@{owner}/{agent}/copy", form(pages::agent::copy::show, pages::agent::copy::copy))
        .route("/@{owner}/{agent}/export", get(pages::agent::export::save))
        .route("/@{owner}/{agent}/feedback", get(pages::agent::feedback::show))
        .route("/@{owner}/{agent}/star", post(pages::agent::star::turn))
        .route("/shortcuts", get(pages::shortcuts::show))
        .merge(chat_routes())
        .route("/blobs/{sha256}", get(pages::blobs::show))
        .route("/blobs/{sha256}/preview", get(pages::file_preview::show))
        .route("/network", get(pages::network::show))
        .route("/network/{hub}", form(pages::network::hub::show, pages::network::hub::act))
        .route("/teams", form(pages::team::list, pages::team::launch))
        .route("/teams/{id}", form(pages::team::show, pages::team::act))
        .route("/teams/{id}/replay", get(pages::team::replay))
        .route("/teams/{id}/share", post(pages::team::share::make))
        .route("/teams/{id}/unshare", post(pages::team::share::revoke))
        .route("/s/{word}", get(pages::team::share::show))
        .route("/s/{word}/replay", get(pages::team::share::replay))
        .route("/s/{word}/files/{sha256}", get(pages::team::share::file))
        .route("/share/{id}", get(pages::shared_chat::show))
        .route("/share/{id}/picture.png", get(pages::shared_chat::picture))
        .route("/share/{id}/continue", post(pages::shared_chat::go_on))
        .route("/share/{id}/files/{sha256}", get(pages::shared_chat::file))
        .merge(register_routes())
        .route("/settings", get(pages::settings::home))
        .route("/settings/account", get(pages::settings::account::show))
        .route("/settings/account/email", post(pages::settings::account::change_email))
        .route("/settings/account/email/remove", post(pages::settings::account::remove_email))
        .route("/settings/account/password", post(pages::settings::account::change_password))
        .route("/settings/account/tools", post(pages::settings::account::set_tools))
        .route("/settings/account/delete", post(pages::settings::account::delete))
        .route("/settings/sessions", get(pages::settings::sessions::show))
        .route("/settings/sessions/revoke", post(pages::settings::sessions::revoke))
        .route("/settings/tokens", form(pages::settings::tokens::show, pages::settings::tokens::create))
        .route("/settings/tokens/revoke", post(pages::settings::tokens::revoke))
        .route("/settings/tokens/end", post(pages::settings::tokens::end))
        .route("/settings/shares", get(pages::settings::shares::show))
        .route("/settings/shares/revoke", post(pages::settings::shares::revoke))
        .route(
            "/settings/model-keys",
            form(pages::settings::model_keys::show, pages::settings::model_keys::act),
        )
        .route("/settings/usage", get(pages::settings::usage::show))
        .route("/settings/usage/csv", get(pages::settings::usage::csv))
        .route("/settings/chats/export", get(pages::settings::shares::export))
        .route(
            "/settings/chats/import",
            post(pages::settings::chat_import::import)
                .layer(DefaultBodyLimit::max(pages::settings::chat_import::MAX_UPLOAD)),
        )
}

fn admin_routes() -> Router<AppState> {
    Router::new()
        .route("/admin", get(pages::admin::overview::show))
        .route("/admin/setup", form(pages::admin::setup::show, pages::admin::setup::dismiss))
        .route("/admin/users", get(pages::admin::users::show))
        .route("/admin/users/{id}", post(pages::admin::users::act))
        .route("/admin/agents", get(pages::admin::agents::show))
        .route("/admin/agents/{id}", post(pages::admin::agents::act))
        .route("/admin/models", form(pages::admin::models::show, pages::admin::models::connect))
        .route("/admin/models/new", get(pages::admin::models::show_new))
        .route("/admin/models/{name}", form(pages::admin::models::show_provider, pages::admin::models::act))
        .route(
            "/admin/models/{provider}/model",
            form(pages::admin::model_settings::show, pages::admin::model_settings::act),
        )
        .route("/admin/usage", form(pages::admin::usage::show, pages::admin::usage::set_budget))
        .route("/admin/usage/csv", get(pages::admin::usage::csv))
        .route("/admin/origins", form(pages::admin::origins::show, pages::admin::origins::trust))
        .route("/admin/origins/remove", post(pages::admin::origins::withdraw))
        .route("/admin/network", form(pages::admin::network::show, pages::admin::network::block))
        .route("/admin/network/remove", post(pages::admin::network::unblock))
        .route("/admin/network/rules", get(pages::admin::network::save))
        .route("/admin/network/import", post(pages::admin::network::import))
        .route("/admin/network/subscribe", post(pages::admin::network::subscribe))
        .route("/admin/network/unsubscribe", post(pages::admin::network::unsubscribe))
        .route("/admin/invites", form(pages::admin::invites::show, pages::admin::invites::create))
        .route("/admin/invites/revoke", post(pages::admin::invites::revoke))
        .route("/admin/audit", get(pages::admin::audit::show))
}

/// Returns the routes of the documentation and of well-known files.
fn machine_routes() -> Router<AppState> {
    Router::new()
        .route("/docs", get(pages::docs::home))
        .route("/docs/{page}", get(pages::docs::show))
        .route("/robots.txt", get(pages::well_known::robots))
        .route("/llms.txt", get(pages::well_known::llms))
        .route("/.well-known/security.txt", get(pages::well_known::security))
        .route("/.well-known/plexus.json", get(pages::well_known::plexus))
        .route(plexus_hub::federation::SHARED_RULES, get(pages::well_known::rules))
        .route("/favicon.ico", get(pages::well_known::favicon))
}

fn chat_routes() -> Router<AppState> {
    Router::new()
        .route("/chat", form(pages::chat::new::show, pages::chat::new::send))
        .route("/chat/search", get(pages::chat::search::show))
        .route("/chat/all", get(pages::chat::list::show_all))
        .route("/chat/archived", get(pages::chat::list::show_archived))
        .route("/chat/folder", get(pages::chat::list::show_folder))
        .route("/chat/deleted", get(pages::chat::list::show_deleted))
        .route("/chat/list", post(pages::chat::list::change))
        .route("/chat/invitations", form(pages::chat::invitations::show, pages::chat::invitations::answer))
        .route("/join/{token}", form(pages::chat::invitations::show_link, pages::chat::invitations::join))
        .route("/chat/{id}", form(pages::chat::thread::show, pages::chat::thread::send))
        .route("/chat/{id}/stop", post(pages::chat::thread::stop))
        .route("/chat/{id}/approve", post(pages::chat::thread::approve))
        .route("/chat/{id}/question", post(pages::chat::thread::answer_question))
        .route("/chat/{id}/retry", form(pages::chat::messages::show_retry, pages::chat::messages::retry))
        .route("/chat/{id}/hand-over", post(pages::chat::messages::hand_over))
        .route(
            "/chat/{id}/compare",
            form(pages::chat::messages::show_comparison, pages::chat::messages::compare),
        )
        .route("/chat/{id}/continue", post(pages::chat::messages::continue_with))
        .route("/chat/{id}/fork", post(pages::chat::messages::fork))
        .route(
            "/chat/{id}/delete-message",
            form(pages::chat::messages::show_delete, pages::chat::messages::delete),
        )
        .route("/chat/{id}/rename", form(pages::chat::manage::show_rename, pages::chat::manage::rename))
        .route("/chat/{id}/pin", post(pages::chat::manage::pin))
        .route(
            "/chat/{id}/folder",
            form(pages::chat::manage::show_folder, pages::chat::manage::move_to_folder),
        )
        .route("/chat/{id}/undelete", post(pages::chat::list::undelete))
        .route("/chat/{id}/archive", post(pages::chat::manage::archive))
        .route("/chat/{id}/keep", post(pages::chat::manage::keep))
        .route("/chat/{id}/share", form(pages::chat::share::show, pages::chat::share::create))
        .route("/chat/{id}/people", form(pages::chat::people::show, pages::chat::people::act))
        .route("/chat/{id}/feedback", form(pages::chat::feedback::show, pages::chat::feedback::give))
        .route("/chat/{id}/print", get(pages::chat::print::show))
        .route("/chat/{id}/export", get(pages::chat::print::export))
        .route("/chat/{id}/delete", form(pages::chat::manage::show_delete, pages::chat::manage::delete))
}

fn register_routes() -> Router<AppState> {
    use pages::{agent_manage, register};
    Router::new()
        .route("/register", get(register::start::show))
        .route("/register/address", form(register::start::show_address, register::start::fetch))
        .route(
            "/register/import",
            form(register::import::show, register::import::import)
                .layer(DefaultBodyLimit::max(register::import::MAX_UPLOAD)),
        )
        .route("/register/instructions", form(register::instructions::show, register::instructions::write))
        .route("/register/program", form(register::program::show, register::program::describe))
        .route("/register/http", form(register::endpoint::show, register::endpoint::describe))
        .route(
            "/register/{draft}/request",
            form(register::endpoint::show_again, register::endpoint::describe_again),
        )
        .route("/register/{draft}/discard", post(register::start::discard))
        .route("/register/{draft}/try", form(register::try_it::show, register::try_it::act))
        .route("/register/{draft}/card", form(register::card::show, register::card::choose))
        .route("/register/{draft}/proof", form(register::proof::show, register::proof::act))
        .route("/register/{draft}/publish", form(register::publish::show, register::publish::publish))
        .route("/register/{draft}/done", get(register::publish::done))
        .route("/@{owner}/{agent}/manage", form(agent_manage::show, agent_manage::act))
        .route(
            "/@{owner}/{agent}/files",
            post(agent_manage::add_files).layer(DefaultBodyLimit::max(agent_manage::MAX_UPLOAD)),
        )
        .route(
            "/@{owner}/{agent}/credentials",
            form(agent_manage::show_credentials, agent_manage::keep_credentials),
        )
        .route("/@{owner}/{agent}/edit", form(agent_manage::show_edit, agent_manage::edit))
}

async fn missing(State(site): State<AppState>, request: Request) -> Response {
    if let Some(response) = edge_errors::unknown_path(&request) {
        return response;
    }
    match PageContext::from_request(request, &site).await {
        Ok(visit) => visit.refuse_status(StatusCode::NOT_FOUND),
        Err(refused) => refused.into_response(),
    }
}

/// Returns the compression layer. Small responses, event streams and compressed formats are excluded.
fn compression() -> CompressionLayer<impl tower_http::compression::predicate::Predicate> {
    let worth_it = SizeAbove::new(1_024)
        .and(NotForContentType::SSE)
        .and(NotForContentType::IMAGES)
        .and(NotForContentType::const_new("application/wasm"));
    CompressionLayer::new().compress_when(worth_it)
}
