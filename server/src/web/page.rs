//! Context of a page request: the caller and display settings, and the responses built from them.

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    response::{Html, IntoResponse, Redirect, Response},
};
use plexus_app::{
    pages::Page,
    render,
    view_models::{Density, Frame, Locale, Notice, Theme, Tone, Viewer, error::ErrorPage},
};
use plexus_domain::account::Role;
use plexus_hub::{Caller, Error, model_budget};

use super::{
    auth::{admit, by_cookie, cookie},
    client_address::client_ip,
    error::{public_message, retry_after},
    language,
    request_id::RequestId,
    security_headers::Nonce,
};
use crate::app_state::AppState;

#[derive(Clone)]
pub struct PageContext {
    pub caller: Caller,
    frame: Frame,
    method: Method,
    request_id: String,
}

impl FromRequestParts<AppState> for PageContext {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &AppState) -> Result<Self, Response> {
        if let Some(visit) = parts.extensions.remove::<Self>() {
            return Ok(visit);
        }
        let ip = client_ip(parts, site);
        let visit = |caller: Caller| Self {
            frame: frame(parts, site, &caller),
            caller,
            method: parts.method.clone(),
            request_id: parts.extensions.get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default(),
        };
        match by_cookie(site, &parts.headers, ip).await {
            Ok(caller) => match admit(parts, site, &caller) {
                Ok(()) => {
                    let alert = budget_alert(site, &caller, parts.uri.path()).await;
                    let mut visit = visit(caller);
                    visit.frame.alert = alert;
                    Ok(visit)
                }
                Err(limited) => Err(visit(caller).refuse(limited.into())),
            },
            Err(error) => Err(visit(Caller::anonymous(ip)).refuse(error)),
        }
    }
}

/// Returns the notice about the model budget for administrators, on the home page and below `/admin`.
async fn budget_alert(site: &AppState, caller: &Caller, path: &str) -> Option<Notice> {
    let is_admin = caller.person.as_ref().is_some_and(|person| person.role == Role::Admin);
    if !is_admin || !(path == "/" || path == "/admin" || path.starts_with("/admin/")) {
        return None;
    }
    let text = model_budget::notice(&site.hub).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "model budget: notice failed");
        None
    })?;
    Some(Notice { link: Some(("Usage", "/admin/usage")), ..Notice::new(Tone::Caution, text) })
}

fn frame(parts: &Parts, site: &AppState, caller: &Caller) -> Frame {
    let config = site.hub.config();
    let said = |name| cookie(&parts.headers, name);
    Frame {
        hub: config.hub_name.clone(),
        origin: config.public_url.as_str().trim_end_matches('/').to_owned(),
        path: parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
        nonce: parts.extensions.get::<Nonce>().map(|nonce| nonce.0.clone()).unwrap_or_default(),
        locale: language::locale(&parts.headers),
        chosen_locale: language::chosen(&parts.headers),
        theme: said("theme").and_then(Theme::parse).unwrap_or_default(),
        density: said("density").and_then(Density::parse).unwrap_or_default(),
        single_keys: said("single_keys") != Some("off"),
        viewer: caller
            .person
            .as_ref()
            .map(|person| Viewer { name: person.name.to_string(), role: person.role }),
        registration: config.registration,
        notice: said("notice").and_then(notice),
        alert: None,
        assets: site.assets.places(),
        now: site.hub.env().now(),
    }
}

/// Returns the notice about the previous request, identified by a code in a short-lived cookie. The cookie
/// holds no text, because any text in it could be forged.
fn notice(word: &str) -> Option<Notice> {
    let text = match word {
        "password" => "Password changed. Your other sessions have ended.",
        "email-sent" => "Confirmation link sent. Open it in the message within 24 hours.",
        "email-confirmed" => "E-mail address confirmed.",
        "email-removed" => "E-mail address removed.",
        "session" => "Session ended.",
        "sessions" => "All other sessions have ended.",
        "token" => "Token revoked.",
        "program" => "Access revoked.",
        "saved" => "Saved.",
        "deleted" => "Deleted.",
        "chat-pinned" => "Chat pinned. It stays at the top of your list.",
        "chat-unpinned" => "Chat unpinned.",
        "chat-archived" => "Chat archived. Your next message in it restores it to your list.",
        "chat-restored" => "Chat restored to your list.",
        "chat-restored-archived" => "Chat restored. It is archived, as before.",
        "chat-moved" => "Chat moved.",
        "answer-chosen" => "The chat continues with this answer. The others are kept as alternatives to it.",
        "chat-kept" => "Chat kept. It is in your list now.",
        "chat-removed" => "Chat deleted permanently.",
        "chats-none" => "No chat is selected. Select chats first.",
        "chats-moved" => "Chats moved.",
        "chats-archived" => "Chats archived. The next message in one restores it to your list.",
        "chats-restored" => "Chats restored to your list.",
        "chats-deleted" => "Deleted. It can be restored for 24 hours.",
        "feedback-rated" => "Feedback saved. You can add a reason.",
        "feedback-saved" => "Feedback saved.",
        "feedback-removed" => "Feedback taken back.",
        "person-invited" => "User invited. The user sees the invitation under Chats.",
        "person-role" => "Role changed.",
        "person-removed" => "User removed from the chat.",
        "chat-left" => "You have left the chat.",
        "chat-joined" => "You are in this chat now.",
        "invitation-declined" => "Invitation declined.",
        "share-created" => "Link created. Copy it below.",
        "share-revoked" => "Link revoked. It does not work any more.",
        "continued" => "This is your own copy of the shared chat.",
        "forked" => "This is a new chat with copies of the messages so far.",
        "version-restored" => "Version restored as a new version. Files and credentials are unchanged.",
        "copied" => "Agent copied. The copy is private until you change its visibility.",
        "copied-credentials" => "Agent copied. It is private. Enter the credentials of its MCP servers.",
        "imported" => "Agent imported. It is private until you change its visibility.",
        "imported-credentials" => "Agent imported. It is private. Enter the credentials of its MCP servers.",
        "file-added" => "File added. The agent uses it from its next answer on.",
        "files-added" => "Files added. The agent uses them from its next answer on.",
        "file-removed" => "File removed.",
        "user-added" => "User added.",
        "user-removed" => "User removed. Its running answers of this agent have ended.",
        "agent-paused" => "Agent paused. It accepts no messages until it is resumed.",
        "agent-resumed" => "Agent resumed. It accepts messages again.",
        "agent-unlisted" => "Agent unlisted. It is no longer in lists or search.",
        "agent-featured" => "Agent featured. The home page shows it.",
        "agent-unfeatured" => "The home page does not feature this agent any more.",
        "agent-deleted" => "Agent deleted permanently.",
        "user-accepted" => "User accepted. They can sign in now.",
        "user-suspended" => "User suspended. They are signed out everywhere.",
        "user-restored" => "User restored. They can sign in again.",
        "user-role" => "Role changed.",
        "invitation-revoked" => "Invitation revoked. Its link no longer works.",
        "origin-removed" => "Origin removed. Agents there are unverified until they are verified.",
        "provider-connected" => "Provider connected.",
        "provider-tested" => "Test finished.",
        "provider-paused" => "Provider paused.",
        "provider-resumed" => "Provider resumed.",
        "provider-removed" => "Provider removed.",
        "setup-dismissed" => "Dismissed. The steps stay under Administration.",
        "password-set" => "Password set. Sign in with it.",
        "rule-added" => "Rule added.",
        "rule-removed" => "Rule removed.",
        "appearance" => "Appearance saved in this browser.",
        "paused" => "Paused. The agent accepts no messages until you resume it.",
        "resumed" => "Resumed. The agent accepts messages again.",
        "card-same" => "The agent card has not changed.",
        "card-new" => "The agent card has changed. A new version was created.",
        "verified" => "All origins are verified.",
        "unverified" => "Some origins are not verified. See the results below.",
        "trusted" => "Origin trusted.",
        "connected" => "Connected.",
        "credentials-deleted" => "Credentials deleted.",
        "account" => "Your account will be deleted in 30 days. Sign in before then to keep it.",
        "back" => "Welcome back. Your account is not deleted, and your agents answer again.",
        _ => return None,
    };
    let link = match word {
        "chats-deleted" => Some(("Deleted chats", "/chat/deleted")),
        "chat-restored-archived" => Some(("Archived chats", "/chat/archived")),
        _ => None,
    };
    Some(Notice { link, ..Notice::new(Tone::Good, text) })
}

impl PageContext {
    pub fn show(self, page: impl Page) -> Response {
        self.show_as(StatusCode::OK, page)
    }

    pub fn show_as(self, status: StatusCode, page: impl Page) -> Response {
        let clear = self.frame.notice.is_some();
        let private = self.caller.person.is_some();
        let locale = self.frame.locale;
        let mut response = (status, Html(render::page(self.frame, page))).into_response();
        let headers = response.headers_mut();
        set_language(headers, locale);
        if private {
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        if clear {
            headers.append(header::SET_COOKIE, HeaderValue::from_static("notice=; Path=/; Max-Age=0"));
        }
        response
    }

    /// Renders the page to a string, for responses that are sent in pieces.
    pub fn text(self, page: impl Page) -> String {
        render::page(self.frame, page)
    }

    pub fn show_or_refuse<P: Page>(self, page: Result<P, Error>) -> Response {
        match page {
            Ok(page) => self.show(page),
            Err(error) => self.refuse(error),
        }
    }

    /// Returns an error page. A `GET` that requires authentication is redirected to the sign-in page, which
    /// leads back.
    pub fn refuse(self, error: Error) -> Response {
        let (status, refusal) = public_message(error);
        if status == StatusCode::UNAUTHORIZED && self.method == Method::GET {
            let next: String = url::form_urlencoded::byte_serialize(self.frame.path.as_bytes()).collect();
            return Redirect::to(&format!("/login?next={next}")).into_response();
        }
        let page = ErrorPage::of(status.as_u16(), &refusal, self.request_id.clone());
        let mut response = self.show_as(status, page);
        if let Some(seconds) = retry_after(&refusal) {
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }

    pub fn refuse_status(self, status: StatusCode) -> Response {
        let page = ErrorPage::new(status.as_u16(), self.request_id.clone());
        self.show_as(status, page)
    }

    /// Replaces the CSP nonce.
    pub fn with_nonce(mut self, nonce: &str) -> Self {
        nonce.clone_into(&mut self.frame.nonce);
        self
    }

    /// Returns the id of this request, as in logs and on error pages.
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    pub const fn frame(&self) -> &Frame {
        &self.frame
    }
}

/// Sets the language of a page, and what it depends on, for caches between the hub and the browser.
pub fn set_language(headers: &mut HeaderMap, locale: Locale) {
    headers.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(locale.as_str()));
    headers.append(header::VARY, HeaderValue::from_static("accept-language, cookie"));
}

/// Returns a 303 redirect to `path` with a notice code for the page shown there.
pub fn redirect_with_notice(path: &str, word: &'static str) -> Response {
    with_notice(Redirect::to(path).into_response(), word)
}

/// Adds a notice code for the next page to a response.
pub fn with_notice(mut response: Response, word: &'static str) -> Response {
    let cookie = format!("notice={word}; Path=/; Max-Age=30; HttpOnly; SameSite=Lax");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}
