//! URL validation for cards, and origins.

use std::{fmt, net::IpAddr};

use plexus_domain::sanitized_text;
use unicode_security::MixedScript as _;
use url::{Host, Url};

/// Maximum length in bytes; common servers reject longer URLs, too.
const MAX_URL: usize = 2_048;

/// Scheme, host and port (RFC 6454). Displayed without the default port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    pub scheme: String,
    /// ASCII; IPv6 addresses in brackets.
    pub host: String,
    pub port: u16,
}

impl Origin {
    pub fn of(url: &Url) -> Option<Self> {
        let (host, port) = (url.host_str()?.to_owned(), url.port_or_known_default()?);
        Some(Self { scheme: url.scheme().to_owned(), host, port })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        match (self.scheme.as_str(), self.port) {
            ("http", 80) | ("https", 443) => Ok(()),
            (_, port) => write!(f, ":{port}"),
        }
    }
}

/// Validates an absolute `http` or `https` URL with a host and without credentials.
pub fn check(raw: &str) -> Result<Url, String> {
    if raw.len() > MAX_URL {
        return Err(format!("This URL has {} bytes; at most {MAX_URL} are read.", raw.len()));
    }
    if raw.chars().any(|c| c.is_whitespace() || sanitized_text::is_invisible(c)) {
        return Err("This URL has spaces or characters that are not seen. Write it without them.".to_owned());
    }
    let url = Url::parse(raw).map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase => "A URL begins with https:// or http://.".to_owned(),
        other => format!("This is not a URL: {other}."),
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        let scheme = sanitized_text::ellipsize(url.scheme(), 20);
        return Err(format!("Only https and http URLs are used; this one is {scheme}."));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "This URL carries a user name or a password. Declare a security scheme instead.".to_owned()
        );
    }
    if url.port() == Some(0) {
        return Err("Port 0 cannot be called.".to_owned());
    }
    if is_unspecified(&url) {
        let host = url.host_str().unwrap_or_default();
        return Err(format!(
            "{host} is the unspecified address, at which nothing can be called. Write the address that callers use."
        ));
    }
    Ok(url)
}

/// Returns whether the host is an address of "this network" (RFC 1122), in any spelling: a server that listens on it
/// listens on all addresses, but it is none of them.
fn is_unspecified(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.octets()[0] == 0,
        Some(Host::Ipv6(address)) => match address.to_canonical() {
            IpAddr::V4(address) => address.octets()[0] == 0,
            IpAddr::V6(address) => address.is_unspecified(),
        },
        Some(Host::Domain(_)) | None => false,
    }
}

/// Returns warnings for suspicious URLs: no encryption, internationalised or mixed-script hosts (homographs).
pub fn url_warnings(url: &Url) -> Vec<String> {
    let mut found = Vec::new();
    if url.scheme() == "http" && !is_loopback(url) {
        found.push(
            "This URL is not encrypted: messages and credentials can be intercepted. Use https.".into(),
        );
    }
    if let Some(host) = url.domain().filter(|host| host.split('.').any(|label| label.starts_with("xn--"))) {
        found.push(describe_international(host));
    }
    found
}

fn describe_international(host: &str) -> String {
    let (shown, _) = idna::domain_to_unicode(host);
    let shown = sanitized_text::one_line(&shown);
    if shown.split('.').all(|label| label.is_single_script()) {
        format!("The host {shown} is written in letters beyond a to z; its plain form is {host}.")
    } else {
        format!("The host {shown} mixes alphabets, which can imitate another name; its plain form is {host}.")
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_web_urls_pass() {
        for good in ["https://a.example/x", "http://127.0.0.1:3000/", "https://[::1]:8443/a?b=c"] {
            assert!(check(good).is_ok(), "{good}");
        }
        for (bad, word) in [
            ("javascript:alert(1)", "javascript"),
            ("data:text/html,x", "data"),
            ("file:///etc/passwd", "file"),
            ("https://user@a.example/", "password"),
            ("https://:p@a.example/", "password"),
            ("//a.example/", "begins with"),
            ("/relative", "begins with"),
            ("https://", "not a URL"),
            ("https://a.example:0/", "Port 0"),
            ("http://0.0.0.0:3000/", "unspecified"),
            ("http://0/", "unspecified"),
            ("http://0x0/", "unspecified"),
            ("http://0.1/", "unspecified"),
            ("http://00.0x0.0.0/", "unspecified"),
            ("http://[::]:3000/", "unspecified"),
            ("http://[0:0::0]/", "unspecified"),
            ("http://[::ffff:0.0.0.0]/", "unspecified"),
            ("http://０.0.0.0/", "unspecified"),
            ("https://a.example:99999/", "not a URL"),
            ("https://a\u{202e}.example/", "not seen"),
            (" https://a.example/", "spaces"),
            ("", "begins with"),
        ] {
            let reason = check(bad).unwrap_err();
            assert!(reason.contains(word), "{bad}: {reason}");
        }
        assert!(check(&format!("https://a.example/{}", "x".repeat(3_000))).is_err());
    }

    #[test]
    fn foreign_letters_are_shown_in_plain_form() {
        let oddity = |raw: &str| url_warnings(&check(raw).unwrap()).join(" ");
        assert_eq!(oddity("https://a.example/"), "");
        assert_eq!(oddity("http://localhost:3000/"), "");
        assert!(oddity("http://a.example/").contains("not encrypted"));
        let german = oddity("https://bücher.example/");
        assert!(german.contains("xn--bcher-kva.example") && !german.contains("mixes"), "{german}");
        let cyrillic_a = oddity("https://p\u{430}ypal.example/");
        assert!(cyrillic_a.contains("mixes") && cyrillic_a.contains("xn--"), "{cyrillic_a}");
    }

    #[test]
    fn origins_compare_by_their_real_port() {
        let origin = |raw: &str| Origin::of(&check(raw).unwrap()).unwrap();
        assert_eq!(origin("https://a.example/x"), origin("https://A.example:443/y"));
        assert_ne!(origin("https://a.example/"), origin("http://a.example/"));
        assert_eq!(origin("https://a.example/x").to_string(), "https://a.example");
        assert_eq!(origin("http://[::1]:81/").to_string(), "http://[::1]:81");
    }
}
