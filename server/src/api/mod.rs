//! JSON API `/api/v1`: every function of the pages, for programs and for the islands of the pages
//! (`docs/adr/0002`). The OpenAPI document is generated from its handlers and types ([`openapi`]).

pub mod account;
pub mod agent;
pub mod agent_copy;
pub mod agent_credentials;
pub mod agent_export;
pub mod agent_lists;
pub mod agents;
pub mod approvals;
pub mod attach;
mod blobs;
pub mod chat_agents;
pub mod chat_export;
pub mod chat_folders;
pub mod chat_import;
pub mod chat_search;
pub mod chat_usage;
pub mod chats;
pub mod deleted_chats;
pub mod events;
pub mod federation_rules;
pub mod feedback;
pub mod hubs;
pub mod invitations;
pub mod knowledge;
pub mod messages;
pub mod model_keys;
pub mod model_usage;
pub mod models;
pub mod named_users;
pub mod openapi;
pub mod people;
pub mod share_links;
pub mod sse_encoder;
pub mod stars;
mod stream_cursor;
pub mod suggested_agents;
pub mod team_log;
pub mod teams;
pub mod tool_credentials;
pub mod uploads;

use axum::{Router, extract::DefaultBodyLimit};
use plexus_domain::Error as Refusal;
use utoipa_axum::{
    PathItemExt as _,
    router::{OpenApiRouter, UtoipaMethodRouter, UtoipaMethodRouterExt as _},
};

use crate::{
    app_state::AppState,
    web::{error::ApiError, routing::BoxedHandler},
};

/// `utoipa_axum::routes!` with boxed handlers.
macro_rules! routes {
    ($($module:ident :: $handler:ident),+ $(,)?) => {{
        let mut methods = UtoipaMethodRouter::<AppState>::default();
        utoipa_axum::paste! {
            $( add_route::<$module::[<__path_ $handler>]>(&mut methods, &BoxedHandler::new($module::$handler)); )+
        }
        methods
    }};
}

/// Routes with complete responses, which may be compressed.
pub fn routes() -> Router<AppState> {
    Router::from(whole()).fallback(missing)
}

/// Routes with long-lived responses, which must not be compressed or buffered.
pub fn unpacked() -> Router<AppState> {
    lasting().into()
}

fn lasting() -> OpenApiRouter<AppState> {
    OpenApiRouter::default().routes(routes!(events::stream)).routes(routes!(attach::attach))
}

fn whole() -> OpenApiRouter<AppState> {
    OpenApiRouter::default()
        .routes(routes!(account::show))
        .routes(routes!(chats::list, chats::start))
        .routes(routes!(chat_search::search))
        .routes(routes!(chat_export::all))
        .routes(routes!(chat_folders::list_folders))
        .routes(routes!(deleted_chats::list_deleted))
        .routes(routes!(deleted_chats::restore))
        .routes(routes!(chat_import::create))
        .routes(routes!(chats::open, chats::update, chats::delete))
        .routes(routes!(chat_export::one))
        .routes(routes!(chat_usage::show))
        .routes(routes!(people::list))
        .routes(routes!(people::set_role, people::remove))
        .routes(routes!(chat_agents::list))
        .routes(routes!(chat_agents::set_limit, chat_agents::remove_limit))
        .routes(routes!(people::leave))
        .routes(routes!(people::mark_read))
        .routes(routes!(people::report_typing))
        .routes(routes!(invitations::create, invitations::sent))
        .routes(routes!(invitations::revoke))
        .routes(routes!(invitations::received))
        .routes(routes!(invitations::join))
        .routes(routes!(invitations::accept))
        .routes(routes!(invitations::decline))
        .routes(routes!(share_links::create))
        .routes(routes!(share_links::list))
        .routes(routes!(share_links::revoke))
        .routes(routes!(share_links::go_on))
        .routes(routes!(messages::send))
        .routes(routes!(messages::show, messages::delete))
        .routes(routes!(messages::retry))
        .routes(routes!(messages::hand_over))
        .routes(routes!(messages::compare))
        .routes(routes!(messages::continue_with))
        .routes(routes!(messages::fork))
        .routes(routes!(feedback::show, feedback::give, feedback::take_back))
        .routes(routes!(messages::stop))
        .routes(routes!(approvals::list))
        .routes(routes!(approvals::decide))
        .routes(routes!(blobs::show))
        .routes(routes!(uploads::create))
        .routes(routes!(uploads::delete))
        .routes(routes!(agent_lists::list, agents::create))
        .routes(routes!(suggested_agents::suggested))
        .routes(routes!(models::list))
        .routes(routes!(model_keys::list))
        .routes(routes!(model_keys::set, model_keys::remove))
        .routes(routes!(model_usage::show))
        .routes(routes!(agent::show, agent::update, agent::delete))
        .routes(routes!(agent_copy::copy))
        .routes(routes!(agent_export::export))
        .routes(routes!(agent_export::import).layer(DefaultBodyLimit::max(agent_export::MAX_BODY)))
        .routes(routes!(agent::refresh))
        .routes(routes!(agent::verify))
        .routes(routes!(agent::trust_origin))
        .routes(routes!(knowledge::list))
        .routes(routes!(knowledge::put, knowledge::remove).layer(DefaultBodyLimit::max(knowledge::MAX_BODY)))
        .routes(routes!(feedback::of_agent))
        .routes(routes!(named_users::list, named_users::add, named_users::remove))
        .routes(routes!(agent_credentials::show, agent_credentials::set, agent_credentials::delete))
        .routes(routes!(tool_credentials::list, tool_credentials::set, tool_credentials::delete))
        .routes(routes!(stars::star, stars::unstar))
        .routes(routes!(stars::list))
        .routes(routes!(teams::list, teams::launch))
        .routes(routes!(teams::show, teams::act))
        .routes(routes!(team_log::log))
        .routes(routes!(team_log::share, team_log::unshare))
        .routes(routes!(hubs::list))
        .routes(routes!(hubs::show))
        .routes(routes!(federation_rules::rules, federation_rules::rule))
        .routes(routes!(federation_rules::export, federation_rules::import))
        .routes(routes!(
            federation_rules::subscriptions,
            federation_rules::subscribe,
            federation_rules::unsubscribe
        ))
        .routes(routes!(openapi::show))
}

async fn missing() -> ApiError {
    Refusal::not_found("Not found. See /docs/api.").into()
}

/// Parses an id in a path or a body. An invalid id is reported as not found.
fn id<T: std::str::FromStr>(text: &str) -> Result<T, ApiError> {
    text.parse().map_err(|_| Refusal::not_found("Not found.").into())
}

/// Routes the methods of the operation `P` to its handler, and adds its description.
fn add_route<P>((schemas, paths, router): &mut UtoipaMethodRouter<AppState>, handler: &BoxedHandler)
where
    P: utoipa::Path + utoipa::__dev::Tags<'static> + utoipa::__dev::SchemaReferences,
{
    let mut operation = P::operation();
    operation.tags.get_or_insert_default().extend(P::tags().into_iter().map(ToOwned::to_owned));
    P::schemas(schemas);
    let methods = P::methods();
    for method in &methods {
        *router = std::mem::take(router).on(method.to_method_filter(), handler.clone());
    }
    paths.add_path_operation(P::path(), methods, operation);
}
