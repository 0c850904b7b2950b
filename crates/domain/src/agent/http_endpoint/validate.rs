//! Validates an HTTP endpoint template before it is stored.
//!
//! The SSRF check of the address is not done here but when the hub connects.

use serde_json::Value;

use super::{EndpointRequestSpec, Method, Placeholder, ResponseFormat, placeholders};
use crate::{
    Error, Result,
    agent::{
        OauthRequirement, Scheme,
        oauth::{MAX_SCOPES, is_scope},
    },
    sanitized_text::ellipsize,
};

const MAX_URL: usize = 2_000;
const MAX_HEADERS: usize = 20;
const MAX_HEADER: usize = 1_000;
const MAX_BODY: usize = 32 << 10;
const MAX_POINTER: usize = 200;
const MAX_QUESTION: usize = 200;
/// Maximum number of placeholders in a request: each is replaced by up to a whole conversation.
const MAX_PLACEHOLDERS: usize = 16;
/// Maximum number of characters of invalid input that an error message repeats.
const MAX_NAMED: usize = 60;

/// Headers that users cannot set: set by the hub or the connection, or reserved for credentials.
const NOT_YOURS: [&str; 12] = [
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "host",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Validates a request. Errors name the invalid field.
pub(super) fn check(request: &EndpointRequestSpec) -> Result<()> {
    url("url", &request.url)?;
    headers(request)?;
    if request.method == Method::Get && request.body.is_some() {
        return Err(Error::invalid("body", "A GET request has no body. Put {{message}} into the address."));
    }
    body("body", request.body.as_ref())?;
    response(request)?;
    question_suffix(request)?;
    init(request)?;
    auth(request)?;
    let says = |it: Placeholder| placeholders::template_texts(request).any(|text| text.contains(it.token()));
    if !says(Placeholder::Message) && !says(Placeholder::Messages) {
        let words = "Nothing in the request holds the message. Write {{message}} where it goes, such as \
                     {\"question\": \"{{message}}\"}.";
        return Err(Error::invalid("body", words));
    }
    Ok(())
}

/// Checks a request that a user enters for what stored ones may have: too many placeholders, and variables.
pub(super) fn check_entered(request: &EndpointRequestSpec) -> Result<()> {
    if placeholders::template_texts(request).map(placeholders::count).sum::<usize>() > MAX_PLACEHOLDERS {
        let words = format!("Write at most {MAX_PLACEHOLDERS} placeholders in a request.");
        return Err(Error::invalid("body", words));
    }
    no_variable("url", &request.url)?;
    no_variable("init_url", request.init_url.as_deref().unwrap_or_default())?;
    request.headers.values().try_for_each(|value| no_variable("headers", value))
}

fn url(field: &str, url: &str) -> Result<()> {
    let wrong = |words: &str| Err(Error::invalid(field, words));
    let Some((start, end)) = host(url) else {
        return wrong(
            "An address begins with https:// and names a host, as in https://agents.example.org/ask.",
        );
    };
    if url.len() > MAX_URL || url.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return wrong("An address has at most 2,000 characters, and no spaces.");
    }
    if url[start..end].contains(['{', '}', '@']) {
        return wrong(
            "The host is written out. What is filled in stands behind it, in the path or the query.",
        );
    }
    placeholders(field, url, |it| it != Placeholder::Messages)
}

/// Returns the byte range of the host and port in a URL.
fn host(url: &str) -> Option<(usize, usize)> {
    let lower = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    let start = ["https://", "http://"].iter().find(|scheme| lower.starts_with(**scheme))?.len();
    let end = url[start..].find(['/', '?', '#', '\\']).map_or(url.len(), |at| start + at);
    (end > start).then_some((start, end))
}

fn headers(request: &EndpointRequestSpec) -> Result<()> {
    let wrong = |words: String| Err(Error::invalid("headers", words));
    if request.headers.len() > MAX_HEADERS {
        return wrong(format!("Give at most {MAX_HEADERS} headers."));
    }
    for (name, value) in &request.headers {
        if !is_token(name) {
            let name = ellipsize(name, MAX_NAMED);
            return wrong(format!("\u{201c}{}\u{201d} is not a header name.", name.escape_default()));
        }
        if NOT_YOURS.contains(&name.to_ascii_lowercase().as_str()) {
            return wrong(format!("The hub sets {name} itself; credentials have fields of their own."));
        }
        if value.len() > MAX_HEADER || !value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return wrong(format!("The value of {name} has at most 1,000 characters, all of them ASCII."));
        }
        placeholders("headers", value, |it| matches!(it, Placeholder::Conversation | Placeholder::Task))?;
    }
    Ok(())
}

/// Returns true if an API key may be sent in a header of this name.
pub fn takes_key(header: &str) -> bool {
    is_token(header) && !NOT_YOURS.contains(&header.to_ascii_lowercase().as_str())
}

/// Returns true if the name is a token (RFC 9110, section 5.6.2) of at most 100 characters.
fn is_token(name: &str) -> bool {
    let fits = (1..=100).contains(&name.len());
    fits && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn body(field: &str, body: Option<&Value>) -> Result<()> {
    let Some(body) = body else { return Ok(()) };
    if body.to_string().len() > MAX_BODY {
        return Err(Error::invalid(field, "A body has at most 32 KiB."));
    }
    let mut strings = Vec::new();
    placeholders::json_strings(body, &mut strings);
    let list = Placeholder::Messages.token();
    if strings.iter().any(|text| text.contains(list) && **text != *list) {
        let words =
            "{{messages}} is a list, so it has to be a value of its own: \"messages\": \"{{messages}}\".";
        return Err(Error::invalid(field, words));
    }
    strings.into_iter().try_for_each(|text| placeholders(field, text, |_| true))
}

/// Refuses `${NAME}`, which the hub does not fill in: variables of its process are not for users. In a body it may be text.
fn no_variable(field: &str, text: &str) -> Result<()> {
    let Some((_, name)) = text.split_once("${") else { return Ok(()) };
    let name = ellipsize(name.split('}').next().unwrap_or_default(), MAX_NAMED);
    let words = format!(
        "\u{201c}${{{name}}}\u{201d} is not filled in: a request has no variables. Write the value itself; credentials have \
         fields of their own."
    );
    Err(Error::invalid(field, words))
}

/// Checks that every `{{` begins a placeholder that is allowed in this field.
fn placeholders(field: &str, text: &str, fits: impl Fn(Placeholder) -> bool) -> Result<()> {
    let fitting = || Placeholder::ALL.into_iter().filter(|it| fits(*it)).map(Placeholder::token);
    let is_known = |piece: &str| fitting().any(|token| piece.starts_with(&token[2..]));
    if text.split("{{").skip(1).all(is_known) {
        return Ok(());
    }
    let words = format!("What can be filled in here: {}.", fitting().collect::<Vec<_>>().join(", "));
    Err(Error::invalid(field, words))
}

fn response(request: &EndpointRequestSpec) -> Result<()> {
    pointer("response_path", &request.response_path, "/choices/0/message/content")?;
    if request.response_format == ResponseFormat::Text && !request.response_path.is_empty() {
        return Err(Error::invalid(
            "response_path",
            "Plain text has no path. Leave it empty, or choose JSON.",
        ));
    }
    let Some(done_path) = &request.done_path else { return Ok(()) };
    pointer("done_path", done_path, "/is_last")?;
    if request.response_format != ResponseFormat::Json || done_path.is_empty() {
        let words =
            "A request is sent again only where each is answered with JSON that says whether it is the last.";
        return Err(Error::invalid("done_path", words));
    }
    Ok(())
}

fn question_suffix(request: &EndpointRequestSpec) -> Result<()> {
    let Some(suffix) = &request.question_suffix else { return Ok(()) };
    if suffix.trim().is_empty() || suffix.chars().count() > MAX_QUESTION {
        return Err(Error::invalid(
            "question_suffix",
            "Enter the last 1 to 200 characters of a question, or nothing.",
        ));
    }
    Ok(())
}

fn pointer(field: &str, pointer: &str, example: &str) -> Result<()> {
    if pointer.len() <= MAX_POINTER && (pointer.is_empty() || pointer.starts_with('/')) {
        return Ok(());
    }
    Err(Error::invalid(field, format!("A path leads from member to member, such as {example}.")))
}

fn init(request: &EndpointRequestSpec) -> Result<()> {
    let Some(init) = &request.init_url else { return no_init(request) };
    url("init_url", init)?;
    let place = |url: &str| host(url).map(|(_, end)| url[..end].to_ascii_lowercase());
    if place(init) != place(&request.url) {
        return Err(Error::invalid("init_url", "Both requests must use the same host and port."));
    }
    body("init_body", request.init_body.as_ref())?;
    let id_path = request.init_id_path.as_deref().unwrap_or_default();
    if id_path.is_empty() {
        return Err(Error::invalid("init_id_path", "Enter the JSON path of the task id, such as /task_id."));
    }
    pointer("init_id_path", id_path, "/task_id")
}

fn no_init(request: &EndpointRequestSpec) -> Result<()> {
    let wrong = |words: &str| Err(Error::invalid("init_url", words));
    if request.init_body.is_some() || request.init_id_path.is_some() {
        return wrong("Enter where the first request goes, or leave all three empty.");
    }
    if placeholders::template_texts(request).any(|text| text.contains(Placeholder::Task.token())) {
        return wrong("{{task}} is filled in by a first request. Say where it goes.");
    }
    Ok(())
}

fn auth(request: &EndpointRequestSpec) -> Result<()> {
    let (name, in_query) = match &request.auth {
        Some(Scheme::ApiKey { name, in_query }) => (name, in_query),
        Some(Scheme::Oauth2(asked)) => return oauth(asked),
        Some(Scheme::Bearer | Scheme::Basic) | None => return Ok(()),
    };
    let fits = if *in_query { is_token(name) } else { takes_key(name) };
    if fits {
        return Ok(());
    }
    Err(Error::invalid("auth_name", "Enter the name of the header or parameter, such as X-API-Key."))
}

fn oauth(asked: &OauthRequirement) -> Result<()> {
    if asked.discovery_url.is_some() {
        let words = "An HTTP endpoint names its authorization and token endpoints, not a discovery document.";
        return Err(Error::invalid("discovery_url", words));
    }
    plain_url("token_url", &asked.token_url)?;
    let others = [("authorization_url", &asked.authorization_url), ("refresh_url", &asked.refresh_url)];
    for (field, url) in others {
        url.as_ref().map_or(Ok(()), |url| plain_url(field, url))?;
    }
    if asked.scopes.len() > MAX_SCOPES || !asked.scopes.iter().all(|scope| is_scope(scope)) {
        let words = format!("Give at most {MAX_SCOPES} scopes, words without quotes and backslashes.");
        return Err(Error::invalid("scopes", words));
    }
    Ok(())
}

/// Validates a URL without placeholders and without fragment (RFC 6749, sections 3.1 and 3.2).
fn plain_url(field: &str, text: &str) -> Result<()> {
    if text.contains(['#', '{', '}']) {
        return Err(Error::invalid(
            field,
            "This address is written out, without a # and without placeholders.",
        ));
    }
    url(field, text)
}
