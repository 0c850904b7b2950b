//! The operator's mail server, and the delivery of one message to it (SMTP, RFC 5321).

use std::{fmt, net::IpAddr, time::Duration};

use lettre::{
    AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor,
    message::{
        Mailbox,
        header::{ContentType, Header, HeaderName, HeaderValue},
    },
    transport::smtp::{authentication::Credentials, extension::ClientId},
};
use plexus_runtime::Secret;
use url::{Host, Url};

use super::{EmailAddress, MailMessage, new_id};
use crate::ClockRng;

/// Timeout of each step of a delivery: connecting, and each reply of the server.
const TIMEOUT: Duration = Duration::from_secs(15);

/// How the connection to a mail server is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MailSecurity {
    /// TLS from the first byte (RFC 8314), port 465.
    Implicit,
    /// STARTTLS (RFC 3207), port 587. A server that does not offer it is refused.
    StartTls,
    /// None. Only on loopback.
    Plain,
}

/// A mail server, and the sender of the hub's messages.
#[derive(Clone, Debug)]
pub struct MailServer {
    host: String,
    port: Option<u16>,
    security: MailSecurity,
    credentials: Option<(String, Secret)>,
    from: Mailbox,
}

/// Why settings do not name a mail server. The texts quote no value, because the URL may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMailServer {
    #[error(
        "smtp_url is not a URL such as smtps://user:password@mail.example.org; in the password, write %40 for @, \
         %2F for /, %23 for # and %3F for ?"
    )]
    Url,
    #[error("mail_from is not a sender such as Plexus <plexus@example.org>")]
    From,
}

/// Failure of a delivery. A permanent one fails again when it is repeated.
#[derive(Debug)]
pub struct MailError {
    cause: anyhow::Error,
    pub is_permanent: bool,
}

impl fmt::Display for MailError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.cause)
    }
}

impl std::error::Error for MailError {}

impl MailServer {
    /// Parses the URL of a server, `smtps://` (TLS) or `smtp://` (STARTTLS, or unencrypted on loopback), and the sender.
    pub fn parse(url: &str, from: &str) -> Result<Self, InvalidMailServer> {
        let from = from.parse().map_err(|_| InvalidMailServer::From)?;
        let invalid = InvalidMailServer::Url;
        let url: Url = url.parse().map_err(|_| invalid)?;
        let is_bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
        // A scheme that is not special to the URL standard has an opaque host, so the host is parsed again.
        let host = Host::parse(url.host_str().unwrap_or_default()).map_err(|_| invalid)?;
        let security = match (url.scheme(), is_loopback(&host)) {
            ("smtps", _) => MailSecurity::Implicit,
            ("smtp", false) => MailSecurity::StartTls,
            ("smtp", true) => MailSecurity::Plain,
            _ => return Err(invalid),
        };
        let credentials = match (decoded(url.username()), url.password().map(decoded)) {
            (Some(user), None) if user.is_empty() => None,
            (Some(user), Some(Some(password))) if !user.is_empty() => Some((user, Secret::new(password))),
            _ => return Err(invalid),
        };
        if !is_bare {
            return Err(invalid);
        }
        let host = host.to_string().trim_matches(['[', ']']).to_owned();
        Ok(Self { host, port: url.port(), security, credentials, from })
    }

    /// Sends a message. `hub` is the host name of the hub, with which it greets the server.
    pub(super) async fn send(&self, hub: &str, message: &MailMessage) -> Result<(), MailError> {
        let permanent = |cause: anyhow::Error| MailError { cause, is_permanent: true };
        let to = message.to.as_str().parse().map_err(|error| permanent(anyhow::Error::new(error)))?;
        let mail = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(&message.subject)
            .message_id(Some(format!("<{}@{}>", message.id, self.from.email.domain())))
            .header(AutoSubmitted)
            .header(ContentType::TEXT_PLAIN)
            .body(message.text.clone())
            .map_err(|error| permanent(error.into()))?;
        let transport = self.transport(hub).map_err(|error| permanent(error.into()))?;
        let sent = transport.send(mail).await;
        sent.map(drop).map_err(|error| {
            let is_permanent = error.is_permanent();
            MailError { cause: error.into(), is_permanent }
        })
    }

    /// Connects, greets the server and signs in, for `plexus doctor`.
    pub async fn check(&self, hub: &str) -> Result<(), MailError> {
        let failed = |error: lettre::transport::smtp::Error| MailError {
            is_permanent: error.is_permanent(),
            cause: error.into(),
        };
        match self.transport(hub).map_err(failed)?.test_connection().await.map_err(failed)? {
            true => Ok(()),
            false => Err(MailError { cause: anyhow::anyhow!("it does not answer"), is_permanent: false }),
        }
    }

    /// Returns host and port, without the credentials.
    pub fn address(&self) -> String {
        match self.port {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.clone(),
        }
    }

    fn transport(
        &self,
        hub: &str,
    ) -> Result<AsyncSmtpTransport<Tokio1Executor>, lettre::transport::smtp::Error> {
        type Transport = AsyncSmtpTransport<Tokio1Executor>;
        let mut builder = match self.security {
            MailSecurity::Implicit => Transport::relay(&self.host)?,
            MailSecurity::StartTls => Transport::starttls_relay(&self.host)?,
            MailSecurity::Plain => Transport::builder_dangerous(&self.host),
        };
        if let Some(port) = self.port {
            builder = builder.port(port);
        }
        if let Some((user, password)) = &self.credentials {
            builder = builder.credentials(Credentials::new(user.clone(), password.reveal().to_owned()));
        }
        let name = match hub.trim_matches(['[', ']']).parse() {
            Ok(IpAddr::V4(ip)) => ClientId::Ipv4(ip),
            Ok(IpAddr::V6(ip)) => ClientId::Ipv6(ip),
            Err(_) => ClientId::Domain(hub.to_owned()),
        };
        Ok(builder.hello_name(name).timeout(Some(TIMEOUT)).build())
    }
}

/// `Auto-Submitted: auto-generated` (RFC 3834 section 5): responders for absences send nothing back.
#[derive(Clone, Copy, Debug)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

/// Sends a test message at once, for the operator.
pub async fn send_test(
    server: &MailServer,
    hub_name: &str,
    public_url: &Url,
    to: EmailAddress,
    env: &ClockRng,
) -> Result<(), MailError> {
    let message = MailMessage {
        id: new_id(env),
        to,
        subject: format!("Test message of {hub_name}"),
        text: format!("This hub can send e-mail: {public_url}\n"),
    };
    server.send(public_url.host_str().unwrap_or_default(), &message).await
}

fn is_loopback(host: &Host) -> bool {
    match host {
        Host::Ipv4(ip) => ip.is_loopback(),
        Host::Ipv6(ip) => ip.to_canonical().is_loopback(),
        Host::Domain(name) => name == "localhost",
    }
}

fn decoded(text: &str) -> Option<String> {
    percent_encoding::percent_decode_str(text).decode_utf8().ok().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: &str = "Plexus <plexus@example.org>";

    fn parse(url: &str) -> Result<MailServer, InvalidMailServer> {
        MailServer::parse(url, FROM)
    }

    #[test]
    fn a_url_names_the_server_and_its_encryption() {
        let server = parse("smtps://ada%40example.org:p%2Fq@Mail.Example.ORG").unwrap();
        assert_eq!((server.host.as_str(), server.port), ("mail.example.org", None));
        assert_eq!(server.security, MailSecurity::Implicit);
        let (user, password) = server.credentials.unwrap();
        assert_eq!((user.as_str(), password.reveal()), ("ada@example.org", "p/q"));
        let server = parse("smtp://mail.example.org:2525").unwrap();
        assert_eq!((server.port, server.security), (Some(2525), MailSecurity::StartTls));
        for local in ["smtp://127.0.0.1:1025", "smtp://[::1]:1025/", "smtp://localhost"] {
            assert_eq!(parse(local).unwrap().security, MailSecurity::Plain, "{local}");
        }
    }

    #[test]
    fn an_invalid_setting_is_named_without_its_value() {
        for url in [
            "",
            "mail.example.org:25",
            "https://mail.example.org",
            "smtps://",
            "smtps://user@mail.example.org",
            "smtps://:secret@mail.example.org",
            "smtps://user:se/cret@mail.example.org",
            "smtp://mail.example.org?tls=none",
        ] {
            assert_eq!(parse(url).unwrap_err(), InvalidMailServer::Url, "{url}");
        }
        for from in ["", "Plexus", "Plexus <plexus>", "a@example.org\r\nBcc: b@example.org"] {
            let refused = MailServer::parse("smtp://localhost", from).unwrap_err();
            assert_eq!(refused, InvalidMailServer::From, "{from}");
        }
    }
}
