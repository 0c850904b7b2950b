//! Pages to sign in, sign up and sign out, and of links that set a password or confirm an e-mail address.

use axum::{
    extract::{Query, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::{
    Form,
    account::{EmailPage, LoginPage, RecoveryPage, ResetPage, SignupMode, SignupPage},
};
use plexus_domain::account::Registration;
use plexus_hub::{
    Error,
    accounts::{self, ClientInfo, SignUp, SignedIn},
};
use serde::Deserialize;

use crate::{
    app_state::AppState,
    web::{
        auth::{cookie, session_cookie},
        error::{public_message, retry_after},
        form::Fields,
        page::{PageContext, redirect_with_notice, with_notice},
    },
};

/// Cookie with the path to go to after the first sign-in, for sign-ups that wait for an approval or an invitation.
const RETURN_COOKIE: &str = "return_to";
/// Lifetime of that cookie in seconds: a week.
const RETURN_COOKIE_TTL: u32 = 7 * 24 * 3_600;

#[derive(Deserialize)]
pub struct LoginQuery {
    #[serde(default)]
    next: String,
}

pub async fn show_login(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<LoginQuery>,
) -> Response {
    let sends_mail = site.hub.sends_mail();
    visit.show(LoginPage { next: local_path(&query.next), sends_mail, form: Form::default() })
}

pub async fn login(
    State(site): State<AppState>,
    visit: PageContext,
    headers: HeaderMap,
    fields: Fields,
) -> Response {
    let next = destination(&headers, fields.get("next"));
    let device = device(&visit, &headers);
    match accounts::sign_in(&site.hub, fields.get("name"), fields.get("password").to_owned(), &device).await {
        Ok(signed_in) if signed_in.came_back => with_notice(enter(&site, &signed_in, &next), "back"),
        Ok(signed_in) => enter(&site, &signed_in, &next),
        Err(error) => {
            let sends_mail = site.hub.sends_mail();
            refused(visit, error, fields, |form| LoginPage { next, sends_mail, form })
        }
    }
}

#[derive(Deserialize)]
pub struct SignupQuery {
    invite: Option<String>,
    admin: Option<String>,
    #[serde(default)]
    next: String,
}

pub async fn show_signup(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<SignupQuery>,
) -> Response {
    let mode =
        signup_mode(&site, query.admin.as_deref(), query.invite.as_deref()).await.map(|mode| match mode {
            SignupMode::FirstAdmin { .. } => mode,
            _ if query.admin.is_some() => SignupMode::DeadLink,
            _ => mode,
        });
    let next = local_path(&query.next);
    let needs_invite = matches!(mode, Ok(SignupMode::NeedsInvite));
    let asks_email = site.hub.sends_mail();
    let page = mode.map(|mode| SignupPage { mode, next: next.clone(), asks_email, form: Form::default() });
    let response = visit.show_or_refuse(page);
    if needs_invite { with_return(&site, response, &next) } else { response }
}

async fn signup_mode(
    site: &AppState,
    admin: Option<&str>,
    invite: Option<&str>,
) -> Result<SignupMode, Error> {
    if let Some(token) = admin
        && accounts::is_first_administrator_token(&site.hub, token).await?
    {
        return Ok(SignupMode::FirstAdmin { token: token.to_owned() });
    }
    Ok(match (site.hub.config().registration, invite) {
        (Registration::Open, _) => SignupMode::Open,
        (Registration::Approval, _) => SignupMode::Approval,
        (Registration::Invite, Some(token)) => SignupMode::Invited { token: token.to_owned() },
        (Registration::Invite, None) => SignupMode::NeedsInvite,
        (Registration::Closed, _) => SignupMode::Closed,
    })
}

pub async fn signup(
    State(site): State<AppState>,
    visit: PageContext,
    headers: HeaderMap,
    fields: Fields,
) -> Response {
    let given = |name| fields.given(name).map(str::to_owned);
    let form = SignUp {
        name: fields.get("name").to_owned(),
        password: fields.get("password").to_owned(),
        email: given("email"),
        reason: given("reason"),
        invite: given("invite"),
        first_administrator: given("admin"),
    };
    let mode = match signup_mode(&site, form.first_administrator.as_deref(), form.invite.as_deref()).await {
        Ok(mode) => mode,
        Err(error) => return visit.refuse(error),
    };
    let asks_email = site.hub.sends_mail();
    let is_first_administrator = matches!(mode, SignupMode::FirstAdmin { .. });
    let (name, next) = (form.name.trim().to_owned(), destination(&headers, fields.get("next")));
    let errors = form.check(&site.hub);
    if errors.len() > 1 {
        let form = errors.iter().fold(fields.into_form(), Form::refused);
        return visit.show_as(StatusCode::UNPROCESSABLE_ENTITY, SignupPage { mode, next, asks_email, form });
    }
    match accounts::sign_up(&site.hub, form, &device(&visit, &headers)).await {
        Ok(Some(signed_in)) if is_first_administrator && next == "/" => {
            enter(&site, &signed_in, "/admin/setup")
        }
        Ok(Some(signed_in)) => enter(&site, &signed_in, &next),
        Ok(None) => {
            let mode = SignupMode::Waiting { name };
            let response =
                visit.show(SignupPage { mode, next: next.clone(), asks_email, form: Form::default() });
            with_return(&site, response, &next)
        }
        Err(error) => refused(visit, error, fields, |form| SignupPage { mode, next, asks_email, form }),
    }
}

/// Query of the pages of links that were sent.
#[derive(Deserialize)]
pub struct TokenQuery {
    #[serde(default)]
    token: String,
}

pub async fn show_reset(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<TokenQuery>,
) -> Response {
    let page = reset_page(&site, query.token, Form::default()).await;
    visit.show_or_refuse(page)
}

/// Returns the form, or the page about a link that does not work any more.
async fn reset_page(site: &AppState, token: String, form: Form) -> Result<ResetPage, Error> {
    let name = match accounts::password_reset_name(&site.hub, &token).await {
        Ok(name) => Some(name.to_string()),
        Err(Error::Refused(_)) => None,
        Err(error) => return Err(error),
    };
    Ok(ResetPage { name, token, sends_mail: site.hub.sends_mail(), form })
}

pub async fn reset(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let (token, password) = (fields.get("token").to_owned(), fields.get("password").to_owned());
    match accounts::reset_password(&site.hub, &token, password).await {
        Ok(()) => redirect_with_notice("/login", "password-set"),
        Err(error) => match reset_page(&site, token, Form::default()).await {
            Ok(page) => refused(visit, error, fields, |form| ResetPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

pub async fn show_recovery(State(site): State<AppState>, visit: PageContext) -> Response {
    visit.show(recovery_page(&site, None, Form::default()))
}

fn recovery_page(site: &AppState, requested: Option<String>, form: Form) -> RecoveryPage {
    RecoveryPage { sends_mail: site.hub.sends_mail(), requested, form }
}

pub async fn recover(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let account = fields.get("account").trim().to_owned();
    match accounts::request_recovery(&site.hub, &account, visit.caller.ip) {
        Ok(()) => visit.show(recovery_page(&site, Some(account), Form::default())),
        Err(error) => refused(visit, error, fields, |form| recovery_page(&site, None, form)),
    }
}

pub async fn show_email(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<TokenQuery>,
) -> Response {
    let page = email_page(&site, query.token, Form::default()).await;
    visit.show_or_refuse(page)
}

/// Returns the form, or the page about a link that does not work any more.
async fn email_page(site: &AppState, token: String, form: Form) -> Result<EmailPage, Error> {
    let pending = match accounts::pending_email(&site.hub, &token).await {
        Ok(pending) => Some((pending.name.to_string(), pending.email.to_string())),
        Err(Error::Refused(_)) => None,
        Err(error) => return Err(error),
    };
    Ok(EmailPage { pending, token, form })
}

pub async fn confirm_email(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let token = fields.get("token").to_owned();
    match accounts::confirm_email(&site.hub, &token).await {
        Ok(()) => {
            let path = if visit.caller.person.is_some() { "/settings/account" } else { "/login" };
            redirect_with_notice(path, "email-confirmed")
        }
        Err(error) => match email_page(&site, token, Form::default()).await {
            Ok(page) => refused(visit, error, fields, |form| EmailPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

pub async fn logout(State(site): State<AppState>, visit: PageContext) -> Response {
    if let Err(error) = accounts::sign_out(&site.hub, &visit.caller).await {
        return visit.refuse(error);
    }
    let mut response = Redirect::to("/").into_response();
    let headers = response.headers_mut();
    set_cookie(headers, &session(&site, "", 0));
    headers.insert("clear-site-data", HeaderValue::from_static("\"cache\", \"storage\""));
    response
}

/// Returns the form again, with the error. Internal errors have a page of their own.
pub fn refused<P: plexus_app::pages::Page>(
    visit: PageContext,
    error: Error,
    fields: Fields,
    page: impl FnOnce(Form) -> P,
) -> Response {
    let (status, refusal) = public_message(error);
    if status == StatusCode::INTERNAL_SERVER_ERROR {
        return visit.refuse(refusal.into());
    }
    // Not 401: a wrong password is an invalid form field, and 401 would redirect to the sign-in page.
    let status = if status == StatusCode::UNAUTHORIZED { StatusCode::UNPROCESSABLE_ENTITY } else { status };
    let mut response = visit.show_as(status, page(fields.into_form().refused(&refusal)));
    if let Some(seconds) = retry_after(&refusal) {
        response.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
    response
}

fn enter(site: &AppState, signed_in: &SignedIn, next: &str) -> Response {
    const THIRTY_DAYS: u32 = 30 * 24 * 3_600;
    let mut response = Redirect::to(next).into_response();
    set_cookie(response.headers_mut(), &session(site, &signed_in.cookie, THIRTY_DAYS));
    set_cookie(response.headers_mut(), &return_cookie(site, "", 0));
    response
}

/// Stores the path to go to after the first sign-in, unless it is the home page.
fn with_return(site: &AppState, mut response: Response, next: &str) -> Response {
    if next != "/" {
        set_cookie(response.headers_mut(), &return_cookie(site, next, RETURN_COOKIE_TTL));
    }
    response
}

fn return_cookie(site: &AppState, path: &str, max_age: u32) -> String {
    let secure = if site.is_https() { "; Secure" } else { "" };
    let path: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
    format!("{RETURN_COOKIE}={path}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Lax{secure}")
}

/// Returns the path of a form, or else the one that an earlier sign-up stored.
fn destination(headers: &HeaderMap, next: &str) -> String {
    let next = local_path(next);
    let stored = cookie(headers, RETURN_COOKIE).filter(|_| next == "/");
    let path = stored.and_then(|stored| url::form_urlencoded::parse(stored.as_bytes()).next());
    path.map_or(next, |(path, _)| local_path(&path))
}

fn session(site: &AppState, value: &str, max_age: u32) -> String {
    let secure = if site.is_https() { "; Secure" } else { "" };
    format!("{}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Lax{secure}", session_cookie(site))
}

fn set_cookie(headers: &mut HeaderMap, cookie: &str) {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        headers.append(header::SET_COOKIE, cookie);
    }
}

fn device(visit: &PageContext, headers: &HeaderMap) -> ClientInfo {
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    ClientInfo { ip: visit.caller.ip, agent: agent.to_owned() }
}

/// Returns a path on this hub; any other value becomes "/" (prevents open redirects).
pub fn local_path(path: &str) -> String {
    let local = path.starts_with('/')
        && !path.starts_with("//")
        && !path.contains(|c: char| c == '\\' || c.is_control());
    if local { path.to_owned() } else { "/".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signing_in_leads_nowhere_else() {
        assert_eq!(local_path("/chat/1?m=2"), "/chat/1?m=2");
        for elsewhere in [
            "",
            "https://example.org",
            "//example.org",
            "/\\example.org",
            "/\t/example.org",
            "/\u{1}",
            "chat",
        ] {
            assert_eq!(local_path(elsewhere), "/", "{elsewhere}");
        }
    }
}
