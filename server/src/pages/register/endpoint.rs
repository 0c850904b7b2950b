//! Pages `/register/http` and `/register/{draft}/request`: registers an HTTP endpoint by a request template
//! that the user writes.

use std::collections::BTreeMap;

use axum::{
    extract::{Path, Query, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{Form, register::EndpointPage};
use plexus_domain::{
    DraftId, Error as Refusal,
    agent::{
        OauthRequirement, Scheme,
        http_endpoint::{EndpointRequestSpec, Method, Preset, ResponseFormat},
    },
};
use plexus_hub::{
    Error,
    agents::{
        AgentProfile,
        http_endpoint::{self, EndpointForm},
        register_a2a::{self, RegistrationChoices},
    },
    caller::{Caller, Scope},
};
use serde::Deserialize;
use serde_json::Value;

use super::{card::given, draft};
use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{form::Fields, page::PageContext},
};

/// Example base URLs with which the form of a preset is filled in.
const LOCAL: &str = "http://127.0.0.1:8000";
const ELSEWHERE: &str = "https://agents.example.org";

#[derive(Deserialize)]
pub struct PresetQuery {
    preset: Option<String>,
}

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<PresetQuery>,
) -> Response {
    let page = page(&site, &visit.caller, query.preset.as_deref().and_then(Preset::parse));
    visit.show_or_refuse(page)
}

fn page(site: &AppState, caller: &Caller, chosen: Option<Preset>) -> Result<EndpointPage, Error> {
    let owner = caller.may(Scope::Agents)?.name.to_string();
    let base = if register_a2a::allows_private(&site.hub, caller) { LOCAL } else { ELSEWHERE };
    let form = chosen.map(|preset| request_form(&preset.request(base))).unwrap_or_default();
    Ok(EndpointPage { owner, editing: None, draft: None, chosen, form: Form::filled(form) })
}

pub async fn describe(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    match act(&site, &visit.caller, &fields).await {
        Ok(id) => Redirect::to(&format!("/register/{id}/proof")).into_response(),
        Err(error) => match page(&site, &visit.caller, None) {
            Ok(page) => refused(visit, error, fields, |form| EndpointPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

async fn act(site: &AppState, caller: &Caller, fields: &Fields) -> Result<DraftId, Error> {
    http_endpoint::describe(&site.hub, caller, choice(fields), filled(fields)?).await
}

fn choice(fields: &Fields) -> RegistrationChoices {
    RegistrationChoices {
        name: fields.get("name").to_owned(),
        shared: fields.get("auth") != "none" && fields.get("credentials") == "shared",
        given: given(fields),
    }
}

/// Shows `/register/{draft}/request`: the same form, for a draft that is not published yet.
pub async fn show_again(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
) -> Response {
    let page = page_again(&site, &visit.caller, &id).await;
    visit.show_or_refuse(page)
}

async fn page_again(site: &AppState, caller: &Caller, id: &str) -> Result<EndpointPage, Error> {
    let (draft, owner) = (draft(id)?, caller.may(Scope::Agents)?.name.to_string());
    let begun = http_endpoint::described(&site.hub, caller, draft).await?;
    let whose = ("credentials", if begun.shared { "shared" } else { "per_user" }.to_owned());
    let name = begun.name.map(|name| ("name", name.to_string()));
    let form = Form::filled(values(&begun.endpoint).chain(name).chain([whose]));
    Ok(EndpointPage { owner, editing: None, draft: Some(draft), chosen: None, form })
}

pub async fn describe_again(
    State(site): State<AppState>,
    visit: PageContext,
    Path(id): Path<String>,
    fields: Fields,
) -> Response {
    match act_again(&site, &visit.caller, &id, &fields).await {
        Ok(()) => Redirect::to(&format!("/register/{id}/proof")).into_response(),
        Err(error) => match page_again(&site, &visit.caller, &id).await {
            Ok(page) => refused(visit, error, fields, |form| EndpointPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

async fn act_again(site: &AppState, caller: &Caller, id: &str, fields: &Fields) -> Result<(), Error> {
    http_endpoint::describe_again(&site.hub, caller, draft(id)?, choice(fields), filled(fields)?).await
}

/// Reads the form; shared with the edit page.
pub fn filled(fields: &Fields) -> Result<EndpointForm, Refusal> {
    let text = |name: &str| fields.get(name).trim().to_owned();
    let given = |name: &str| fields.given(name).map(|value| value.trim().to_owned());
    let about = AgentProfile {
        title: text("title"),
        summary: text("summary"),
        starters: fields.get("starters").lines().map(str::to_owned).collect(),
        tags: fields.get("tags").split(',').map(str::to_owned).collect(),
    };
    let method = Method::parse(fields.get("method"));
    let response_format = ResponseFormat::parse(fields.get("response_format"));
    let request = EndpointRequestSpec {
        method: method.ok_or_else(|| Refusal::invalid("method", "Choose GET, POST or PUT."))?,
        url: text("url"),
        headers: headers(fields.get("headers"))?,
        body: json("body", fields.get("body"))?,
        response_format: response_format
            .ok_or_else(|| Refusal::invalid("response_format", "Choose a response format."))?,
        response_path: text("response_path"),
        init_url: given("init_url"),
        init_body: json("init_body", fields.get("init_body"))?,
        init_id_path: given("init_id_path"),
        done_path: given("done_path"),
        question_suffix: given("question_suffix"),
        auth: auth(fields)?,
    };
    Ok(EndpointForm { about, request })
}

fn headers(text: &str) -> Result<BTreeMap<String, String>, Refusal> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let header = |line: &str| {
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| Refusal::invalid("headers", "Write one header per line, as “Name: value”."))?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    lines.map(header).collect()
}

fn json(field: &str, text: &str) -> Result<Option<Value>, Refusal> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    serde_json::from_str(text).map(Some).map_err(|error| {
        Refusal::invalid(field, format!("This is not JSON: {error}. Put placeholders in quotes."))
    })
}

fn auth(fields: &Fields) -> Result<Option<Scheme>, Refusal> {
    let key = |in_query| Scheme::ApiKey { name: fields.get("auth_name").trim().to_owned(), in_query };
    Ok(match fields.get("auth") {
        "" | "none" => None,
        "bearer" => Some(Scheme::Bearer),
        "basic" => Some(Scheme::Basic),
        "header" => Some(key(false)),
        "query" => Some(key(true)),
        "client" => Some(Scheme::Oauth2(oauth(fields, false)?)),
        "connect" => Some(Scheme::Oauth2(oauth(fields, true)?)),
        _ => return Err(Refusal::invalid("auth", "Choose one of the kinds in the list.")),
    })
}

fn oauth(fields: &Fields, by_person: bool) -> Result<OauthRequirement, Refusal> {
    let authorization_url = fields.get("authorization_url").trim().to_owned();
    if by_person && authorization_url.is_empty() {
        return Err(Refusal::invalid("authorization_url", "Enter the authorization endpoint."));
    }
    Ok(OauthRequirement {
        authorization_url: by_person.then_some(authorization_url),
        token_url: fields.get("token_url").trim().to_owned(),
        refresh_url: None,
        scopes: fields.get("scopes").split_whitespace().map(str::to_owned).collect(),
        ..OauthRequirement::default()
    })
}

/// Returns the form filled with a stored endpoint.
pub fn form(kept: &EndpointForm) -> Form {
    Form::filled(values(kept))
}

fn values(kept: &EndpointForm) -> impl Iterator<Item = (&'static str, String)> {
    let about = [
        ("title", kept.about.title.clone()),
        ("summary", kept.about.summary.clone()),
        ("starters", kept.about.starters.join("\n")),
        ("tags", kept.about.tags.join(", ")),
    ];
    about.into_iter().chain(request_form(&kept.request))
}

fn request_form(request: &EndpointRequestSpec) -> Vec<(&'static str, String)> {
    let pretty = |value: &Option<Value>| value.as_ref().map(|value| format!("{value:#}")).unwrap_or_default();
    let (auth, auth_name) = match &request.auth {
        None => ("none", ""),
        Some(Scheme::Bearer) => ("bearer", ""),
        Some(Scheme::Basic) => ("basic", ""),
        Some(Scheme::ApiKey { name, in_query: false }) => ("header", name.as_str()),
        Some(Scheme::ApiKey { name, in_query: true }) => ("query", name.as_str()),
        Some(Scheme::Oauth2(OauthRequirement { authorization_url: None, .. })) => ("client", ""),
        Some(Scheme::Oauth2(_)) => ("connect", ""),
    };
    let oauth = if let Some(Scheme::Oauth2(oauth)) = &request.auth {
        oauth.clone()
    } else {
        OauthRequirement::default()
    };
    let headers = request.headers.iter().map(|(name, value)| format!("{name}: {value}"));
    vec![
        ("method", request.method.as_str().to_owned()),
        ("url", request.url.clone()),
        ("headers", headers.collect::<Vec<_>>().join("\n")),
        ("body", pretty(&request.body)),
        ("response_format", request.response_format.as_str().to_owned()),
        ("response_path", request.response_path.clone()),
        ("init_url", request.init_url.clone().unwrap_or_default()),
        ("init_body", pretty(&request.init_body)),
        ("init_id_path", request.init_id_path.clone().unwrap_or_default()),
        ("done_path", request.done_path.clone().unwrap_or_default()),
        ("question_suffix", request.question_suffix.clone().unwrap_or_default()),
        ("auth", auth.to_owned()),
        ("auth_name", auth_name.to_owned()),
        ("token_url", oauth.token_url),
        ("authorization_url", oauth.authorization_url.unwrap_or_default()),
        ("scopes", oauth.scopes.join(" ")),
    ]
}
