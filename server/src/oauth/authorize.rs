//! Consent page on which a user authorises a client (OAuth authorization endpoint).

use axum::{
    extract::{RawQuery, State},
    http::StatusCode,
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::oauth::{ConsentPage, WrongRequestPage};
use plexus_hub::{
    caller::Scope,
    oauth_server::{self, AuthorizeError, AuthorizeOutcome, AuthorizeRequest, ConsentPrompt},
};
use url::Url;

use crate::{
    app_state::AppState,
    pages::settings::tokens::meaning,
    web::{form::Fields, host_check::RequestedOrigin, page::PageContext, security_headers::FormTarget},
};

type Pairs = Vec<(String, String)>;

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    origin: RequestedOrigin,
    RawQuery(query): RawQuery,
) -> Response {
    let pairs: Pairs =
        url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect();
    match oauth_server::validate_request(&site.hub, &visit.caller, &request(&pairs, origin)).await {
        Ok(AuthorizeOutcome::Question(question)) => consent(visit, &question, pairs),
        Ok(AuthorizeOutcome::Wrong(wrong)) => not_asked(visit, &wrong),
        Err(error) => visit.refuse(error),
    }
}

/// Handles the user's decision. The form carries the whole request, which is validated again: the fields may
/// have been manipulated.
pub async fn decide(
    State(site): State<AppState>,
    visit: PageContext,
    origin: RequestedOrigin,
    fields: Fields,
) -> Response {
    let agrees = fields.get("decision") == "allow";
    let asked = request(fields.pairs(), origin);
    let question = match oauth_server::validate_request(&site.hub, &visit.caller, &asked).await {
        Ok(AuthorizeOutcome::Question(question)) => question,
        Ok(AuthorizeOutcome::Wrong(wrong)) => return not_asked(visit, &wrong),
        Err(error) => return visit.refuse(error),
    };
    match oauth_server::record_consent(&site.hub, &visit.caller, &question, agrees).await {
        Ok(url) => Redirect::to(url.as_str()).into_response(),
        Err(error) => visit.refuse(error),
    }
}

/// Reads the request's parameters. A repeated parameter counts as missing and marks the request as invalid.
fn request(pairs: &[(String, String)], RequestedOrigin(issuer): RequestedOrigin) -> AuthorizeRequest {
    let mut is_repeated = false;
    let mut get = |name: &str| {
        let mut found = pairs.iter().filter(|(key, _)| key == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => value.clone(),
            (_, again) => {
                is_repeated |= again.is_some();
                String::new()
            }
        }
    };
    let read = AuthorizeRequest {
        response_type: get("response_type"),
        client_id: get("client_id"),
        redirect_uri: get("redirect_uri"),
        state: get("state"),
        scope: get("scope"),
        code_challenge: get("code_challenge"),
        code_challenge_method: get("code_challenge_method"),
        resource: get("resource"),
        issuer,
        is_repeated: false,
    };
    AuthorizeRequest { is_repeated, ..read }
}

fn not_asked(visit: PageContext, wrong: &AuthorizeError) -> Response {
    let page = WrongRequestPage {
        client: wrong.client.name.clone(),
        host: wrong.client.host.clone(),
        answer_to: place(&wrong.back),
        words: wrong.words,
        back: wrong.back.to_string(),
    };
    visit.show_as(StatusCode::BAD_REQUEST, page)
}

/// Returns a short name of the redirect target: its host, or its scheme with its host if that is not a host of the web,
/// which would otherwise look like one.
fn place(redirect: &Url) -> String {
    match (redirect.scheme(), redirect.host_str()) {
        ("http" | "https", Some(host)) => host.to_owned(),
        (scheme, Some(host)) if !host.is_empty() => format!("{scheme}://{host}"),
        (scheme, _) => scheme.to_owned(),
    }
}

fn consent(visit: PageContext, question: &ConsentPrompt, pairs: Pairs) -> Response {
    let locale = visit.frame().locale;
    let scope = |scope: &Scope| meaning(locale, *scope);
    let redirect = &question.redirect;
    let page = ConsentPage {
        client: question.client.name.clone(),
        host: question.client.host.clone(),
        answer_to: place(redirect),
        resource: question.resource.to_string(),
        may: question.scopes.iter().map(scope).collect(),
        fields: pairs.into_iter().filter(|(name, _)| name != "decision").collect(),
    };
    let mut response = visit.show(page);
    // Browsers also check redirects of a form submission against `form-action`.
    response.extensions_mut().insert(FormTarget(match redirect.origin().is_tuple() {
        true => redirect.origin().ascii_serialization(),
        false => format!("{}:", redirect.scheme()),
    }));
    response
}
