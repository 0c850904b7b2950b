//! Small files at well-known paths, such as `robots.txt`, `llms.txt` and `security.txt`.

use std::{fmt::Write as _, time::Duration};

use axum::{
    Json,
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse as _, Redirect, Response},
};

use plexus_domain::Error as Refusal;
use plexus_hub::federation;
use serde_json::{Value, json};

use super::docs;
use crate::{app_state::AppState, web::error::ApiResult};

/// Validity of `security.txt`. RFC 9116 recommends less than a year; the file is generated for each response.
const SECURITY_VALID: Duration = Duration::from_secs(180 * 24 * 3_600);

/// Returns `robots.txt`, which excludes pages that are private or differ per visit.
pub async fn robots(State(site): State<AppState>) -> Response {
    let catalog = format!("\nAgentmap: {}.well-known/ard.json\n", site.hub.config().public_url);
    let text = "User-agent: *\nDisallow: /admin\nDisallow: /api/\nDisallow: /chat\nDisallow: /login\n\
                Disallow: /register\nDisallow: /settings\nDisallow: /signup\n";
    plain(text.to_owned() + &catalog)
}

/// Returns `llms.txt`, an overview for language models (llmstxt.org).
pub async fn llms(State(site): State<AppState>) -> Response {
    let (config, mut text) = (site.hub.config(), String::new());
    let origin = config.public_url.as_str().trim_end_matches('/');
    let _ = writeln!(text, "# {}\n", config.hub_name);
    text.push_str("> A hub for AI agents: find agents, chat with them, and publish your own.\n\n");
    let _ = writeln!(text, "## Agents\n\n- [All agents]({origin}/agents): `?q=` searches by words");
    let _ = writeln!(text, "- [One agent]({origin}/@plexus/guide): every agent has a page at `/@owner/name`");
    text.push_str("\n## Documentation\n\n");
    for (title, path) in docs::list() {
        let _ = writeln!(text, "- [{title}]({origin}{path})");
    }
    plain(text)
}

/// Returns the id of this hub, by which other hubs verify its domain.
pub async fn plexus(State(site): State<AppState>) -> ApiResult<Json<Value>> {
    let id = federation::name(&site.hub).await?;
    let id = id.ok_or_else(|| Refusal::not_found("Federation is disabled on this hub."))?;
    Ok(Json(json!({ "hub": id })))
}

/// Returns this hub's federation rules, if the operator publishes them.
pub async fn rules(State(site): State<AppState>) -> ApiResult<Response> {
    let rules = federation::shared_rules(&site.hub).await?;
    let rules = rules.ok_or_else(|| Refusal::not_found("This hub does not publish its rules."))?;
    Ok(plain(rules))
}

/// Returns `security.txt`: the contact for vulnerability reports (RFC 9116).
pub async fn security(State(site): State<AppState>) -> Response {
    let config = site.hub.config();
    let origin = config.public_url.as_str().trim_end_matches('/');
    let contact = match &config.security_contact {
        Some(contact) => contact.to_string(),
        None => format!("{origin}/docs/security"),
    };
    let expires = (site.hub.env().now() + SECURITY_VALID).to_rfc3339();
    plain(format!(
        "Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en\n\
         Canonical: {origin}/.well-known/security.txt\n"
    ))
}

/// Redirects to the favicon, for browsers that ignore the link in the page.
pub async fn favicon(State(site): State<AppState>) -> Response {
    Redirect::temporary(&site.assets.places().favicon).into_response()
}

fn plain(text: String) -> Response {
    let mut response = text.into_response();
    let hour = HeaderValue::from_static("public, max-age=3600");
    response.headers_mut().insert(header::CACHE_CONTROL, hour);
    response
}
