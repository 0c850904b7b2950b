//! OAuth clients, identified by the URL of their metadata document (OAuth Client ID Metadata Document).

use plexus_a2a::bounded_json::{self, JsonLimits};
use plexus_domain::{Error as Refusal, sanitized_text};
use serde::Deserialize;
use url::Url;

use crate::{Hub, Result, caller::Person, config::is_loopback, limits::Rate};

pub(super) const LIMITS: JsonLimits = JsonLimits { bytes: 16 * 1024, depth: 8, values: 512 };
const NAME_MAX: usize = 60;

/// A client with valid metadata: its document's, or those of its registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OauthClient {
    pub id: String,
    /// Host that serves the metadata document: the only verified name. None if the client registered itself.
    pub host: Option<String>,
    /// Display name, chosen by the client. It deserves no more trust than `host`.
    pub name: String,
    pub(super) redirects: Vec<Url>,
}

#[derive(Deserialize)]
struct Document {
    client_id: String,
    #[serde(default)]
    client_name: String,
    redirect_uris: Vec<String>,
    #[serde(default)]
    token_endpoint_auth_method: Option<String>,
}

impl OauthClient {
    /// Fetches and validates a client's document. The fetch counts against the rate limit of the user who is
    /// asked.
    pub(super) async fn fetch(hub: &Hub, person: &Person, id: Url) -> Result<Self> {
        hub.limits().take(Rate::Fetches, &person.account.to_string())?;
        let outbound = hub.outbound().anyone(person.role == plexus_domain::account::Role::Admin);
        let found = outbound.fetch(&id, LIMITS.bytes).await.map_err(|failure| wrong(&failure.message))?;
        if found.url != id {
            return Err(wrong("Its metadata document redirects.").into());
        }
        if !found.status.is_success() {
            return Err(wrong(&format!(
                "Its metadata document cannot be fetched: {id} answered {}.",
                found.status
            ))
            .into());
        }
        Ok(Self::read(id, &found.body)?)
    }

    /// Validates the document that was found at `id`.
    pub fn read(id: Url, body: &[u8]) -> Result<Self, Refusal> {
        let document: Document =
            bounded_json::parse(body, LIMITS).map_err(|error| wrong(&error.to_string()))?;
        if document.client_id != id.as_str() {
            return Err(wrong("The client_id in its metadata document is not the document's URL."));
        }
        if document.token_endpoint_auth_method.is_some_and(|method| method != "none") {
            return Err(wrong("Its client authentication method is not supported; only \"none\" is."));
        }
        let redirects: Vec<Url> = document.redirect_uris.iter().filter_map(|uri| redirect(uri)).collect();
        if redirects.is_empty() {
            return Err(wrong("Its metadata document has no valid redirect URI."));
        }
        let host = id.host_str().unwrap_or_default().to_owned();
        let name = display_name(&document.client_name, &host);
        Ok(Self { id: id.into(), host: Some(host), name, redirects })
    }

    /// Returns the redirect URI if the document lists it. On loopback the port may differ (RFC 8252 section
    /// 7.3).
    pub fn redirect(&self, wanted: &str) -> Result<Url, Refusal> {
        let wanted =
            redirect(wanted).filter(|wanted| self.redirects.iter().any(|known| is_same(known, wanted)));
        wanted.ok_or_else(nowhere)
    }
}

/// Cleans the name that a client chose; a client without one gets `otherwise`.
pub(super) fn display_name(chosen: &str, otherwise: &str) -> String {
    let name = sanitized_text::ellipsize(&sanitized_text::one_line(chosen), NAME_MAX);
    if name.is_empty() { otherwise.to_owned() } else { name }
}

/// Validates the redirect URI of a request before anything is fetched.
pub(super) fn check_redirect(answer_to: &str) -> Result<(), Refusal> {
    redirect(answer_to).map(|_| ()).ok_or_else(nowhere)
}

fn nowhere() -> Refusal {
    Refusal::invalid("redirect_uri", "The redirect URI is not among those of the client's metadata.")
}

pub(super) fn wrong(why: &str) -> Refusal {
    Refusal::invalid("client_id", format!("This client cannot be used. {why}"))
}

/// Parses a client id: an https URL with a path. http is allowed on loopback.
pub(super) fn parse(id: &str) -> Result<Url, Refusal> {
    let url: Url = id.parse().map_err(|_| wrong("Its id is not a URL."))?;
    let safe = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(&url));
    let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    if safe && plain && url.path() != "/" && url.as_str() == id {
        return Ok(url);
    }
    Err(wrong("Its id must be an https URL with a path, as in https://app.example.org/client.json."))
}

/// Schemes that a browser or the system handles itself, so that no program of the user's own receives the code: they run
/// scripts, open files, or start other programs. Those of http and https have rules of their own.
const SYSTEM_SCHEMES: [&str; 45] = [
    "about",
    "acap",
    "afp",
    "blob",
    "chrome",
    "cid",
    "data",
    "dav",
    "dict",
    "dns",
    "facetime",
    "file",
    "filesystem",
    "ftp",
    "ftps",
    "git",
    "gopher",
    "intent",
    "irc",
    "jar",
    "javascript",
    "ldap",
    "ldaps",
    "livescript",
    "mailto",
    "mhtml",
    "mms",
    "news",
    "nfs",
    "nntp",
    "rtsp",
    "sftp",
    "sip",
    "sms",
    "smb",
    "ssh",
    "tel",
    "telnet",
    "vbscript",
    "view-source",
    "vnc",
    "webcal",
    "ws",
    "wss",
    "res",
];
/// Beginnings of such schemes, with which one system names several.
const SYSTEM_PREFIXES: [&str; 5] = ["chrome-", "moz-", "ms-", "search-ms", "x-apple"];

/// Parses a redirect URI: https, http on loopback, or a private-use scheme (RFC 8252 section 7). A scheme with a dot is the
/// reversed domain of its program. One without, as in `cursor://anysphere.cursor-mcp/oauth/callback`, needs a host.
pub(super) fn redirect(uri: &str) -> Option<Url> {
    let url: Url = uri.parse().ok()?;
    let fine = match url.scheme() {
        "https" => true,
        "http" => is_loopback(&url),
        own if own.contains('.') => true,
        own => url.host_str().is_some_and(|host| !host.is_empty()) && !is_of_system(own),
    };
    let plain = url.fragment().is_none() && url.username().is_empty() && url.password().is_none();
    (fine && plain).then_some(url)
}

fn is_of_system(scheme: &str) -> bool {
    SYSTEM_SCHEMES.contains(&scheme) || SYSTEM_PREFIXES.iter().any(|prefix| scheme.starts_with(prefix))
}

fn is_same(known: &Url, wanted: &Url) -> bool {
    let mut known = known.clone();
    if is_loopback(&known) && known.scheme() == "http" {
        // `set_port` cannot fail for a URL with a host.
        let _ = known.set_port(wanted.port());
    }
    known == *wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "https://app.example.org/client.json";

    fn read(document: &str) -> Result<OauthClient, Refusal> {
        OauthClient::read(ID.parse().unwrap(), document.as_bytes())
    }

    #[test]
    fn a_document_says_who_a_client_is_and_where_it_may_be_answered() {
        let uris = r#"["http://127.0.0.1/back", "https://app.example.org/back", "org.example.app:/back", "javascript:x"]"#;
        let client =
            read(&format!(r#"{{"client_id":"{ID}","client_name":" My\u202eApp\n","redirect_uris":{uris}}}"#))
                .unwrap();
        assert_eq!(client.name, "MyApp");
        for good in ["http://127.0.0.1:4711/back", "https://app.example.org/back", "org.example.app:/back"] {
            assert!(client.redirect(good).is_ok(), "{good}");
        }
        for wrong in [
            "https://app.example.org/back?x",
            "https://app.example.org/other",
            "https://app.example.org:8443/back",
            "https://evil.example/back",
            "http://app.example.org/back",
            "javascript:x",
            "",
            "https://u@app.example.org/back",
            "http://127.0.0.1:4711/back#x",
        ] {
            assert!(client.redirect(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_redirect_uri_leads_to_the_clients_own_program() {
        for fine in [
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "vscode://publisher.extension/callback",
            "vscode-insiders://publisher.extension/callback",
            "claude://oauth/callback",
            "windsurf://codeium.windsurf/oauth",
            "com.example.app:/callback",
            "com.example.app://callback",
            "http://localhost:8787/callback",
            "http://[::1]:9/",
            "https://app.example.org/back",
        ] {
            assert!(redirect(fine).is_some(), "{fine}");
        }
        for wrong in [
            "javascript:alert(1)",
            "javascript://app.example/%0aalert(1)",
            "JavaScript://app.example/%0aalert(1)",
            "data:text/html,x",
            "data://app.example/x",
            "vbscript://x/y",
            "file:///etc/passwd",
            "file://host/share",
            "blob:https://a.example/x",
            "about:blank",
            "mailto:a@b.example",
            "ms-msdt://x/y",
            "ms-word://x/y",
            "search-ms://x/y",
            "view-source://x/y",
            "intent://x/y",
            "ws://a.example/x",
            "wss://a.example/x",
            "ftp://a.example/x",
            "ssh://a.example/x",
            "http://a.example/x",
            "http://127.0.0.1.a.example/x",
            "cursor:callback",
            "cursor:/callback",
            "cursor:///callback",
            "cursor://u:p@host/callback",
            "cursor://host/callback#x",
            "//app.example/x",
            "callback",
            "",
        ] {
            assert!(redirect(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_document_that_is_not_the_clients_own_is_refused() {
        for document in [
            "",
            "[]",
            "{}",
            r#"{"client_id":"https://evil.example/x","redirect_uris":["https://app.example.org/back"]}"#,
            r#"{"client_id":"https://app.example.org/client.json","redirect_uris":[]}"#,
            r#"{"client_id":"https://app.example.org/client.json","redirect_uris":["http://app.example.org/"]}"#,
            r#"{"client_id":"https://app.example.org/client.json","redirect_uris":["https://a.example/"],"token_endpoint_auth_method":"client_secret_basic"}"#,
        ] {
            assert!(read(document).is_err(), "{document}");
        }
        for id in [
            "https://app.example.org",
            "http://app.example.org/x",
            "ftp://a/x",
            "x",
            "https://a:b@c.example/x",
            "https://A.example/x",
        ] {
            assert!(parse(id).is_err(), "{id}");
        }
        assert!(parse("http://127.0.0.1:4000/client.json").is_ok());
    }
}
