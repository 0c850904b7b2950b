//! Page `/settings/tokens`: API tokens, and OAuth clients that may act for the user.

use axum::{extract::State, response::Response};
use plexus_app::{
    text,
    view_models::{
        Form, Locale,
        oauth::GrantRow,
        settings::{ScopeOption, TokenRow, TokensPage},
    },
};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error, Hub,
    accounts::{self, NewToken},
    caller::Scope,
    oauth_server::{self, OauthGrant},
};
use url::Url;

use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{
        form::Fields,
        page::{PageContext, redirect_with_notice},
    },
};

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let page = page(&site.hub, &visit).await;
    visit.show_or_refuse(page)
}

async fn page(hub: &Hub, visit: &PageContext) -> Result<TokensPage, Error> {
    let (caller, locale) = (&visit.caller, visit.frame().locale);
    let row = |token: accounts::Token| TokenRow {
        id: token.id,
        name: token.name,
        scopes: token.scopes,
        created: token.created_at,
        expires: Some(token.expires_at),
        used: token.last_used_at,
    };
    let tokens = accounts::list_tokens(hub, caller).await?.into_iter().map(row).collect();
    let grants = oauth_server::list(hub, caller).await?.into_iter().map(grant).collect();
    let scopes = Scope::ALL
        .into_iter()
        .map(|scope| ScopeOption { scope: scope.as_str().to_owned(), meaning: meaning(locale, scope) });
    Ok(TokensPage { tokens, grants, scopes: scopes.collect(), created: None, form: Form::default() })
}

fn grant(grant: OauthGrant) -> GrantRow {
    GrantRow {
        id: grant.id,
        host: host(&grant.client).or_else(|| host(&grant.redirect)).unwrap_or_default(),
        client: grant.name,
        scopes: grant.scopes,
        resource: grant.resource,
        used: grant.last_used_at,
    }
}

/// Returns the host of a client id, the only verified name of an OAuth client, or that of the redirect URI of
/// a registered client.
fn host(client: &str) -> Option<String> {
    let url: Option<Url> = client.parse().ok();
    url.and_then(|url| url.host_str().map(str::to_owned))
}

pub fn meaning(locale: Locale, scope: Scope) -> String {
    match scope {
        Scope::Read => text!(locale => "scope-read"),
        Scope::Chat => text!(locale => "scope-chat"),
        Scope::Agents => text!(locale => "scope-agents"),
        Scope::Team => text!(locale => "scope-team"),
        Scope::Admin => text!(locale => "scope-admin"),
    }
}

pub async fn create(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let created = match wanted(&fields) {
        Ok(new) => accounts::create_token(&site.hub, &visit.caller, new).await,
        Err(refusal) => Err(refusal.into()),
    };
    match (created, page(&site.hub, &visit).await) {
        (Ok(token), Ok(page)) => visit.show(TokensPage { created: Some(token), ..page }),
        (Err(error), Ok(page)) => refused(visit, error, fields, |form| TokensPage { form, ..page }),
        (_, Err(error)) => visit.refuse(error),
    }
}

fn wanted(fields: &Fields) -> Result<NewToken, Refusal> {
    let days = fields.given("days").map(str::parse).transpose();
    Ok(NewToken {
        name: fields.get("name").to_owned(),
        scopes: fields.all("scope").filter_map(Scope::parse).collect(),
        days: days.map_err(|_| Refusal::invalid("days", "Choose how many days the token is valid."))?,
    })
}

pub async fn revoke(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let revoked = match fields.get("id").parse() {
        Ok(id) => accounts::revoke_token(&site.hub, &visit.caller, id).await,
        Err(refusal) => Err(refusal.into()),
    };
    match revoked {
        Ok(()) => redirect_with_notice("/settings/tokens", "token"),
        Err(error) => visit.refuse(error),
    }
}

/// Revokes the grant of an OAuth client.
pub async fn end(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let ended = match fields.get("id").parse() {
        Ok(id) => oauth_server::revoke(&site.hub, &visit.caller, id).await,
        Err(refusal) => Err(refusal.into()),
    };
    match ended {
        Ok(()) => redirect_with_notice("/settings/tokens", "program"),
        Err(error) => visit.refuse(error),
    }
}
