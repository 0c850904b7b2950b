//! Client of a hub's API: of a remote hub with a token, or of the hub that serves this data folder over its
//! admin socket.

use std::{os::unix::net::UnixStream, path::Path};

use anyhow::{Context as _, bail};
use bytes::Bytes;
use clap::{Arg, ArgAction, ArgMatches, Command};
use futures::{StreamExt as _, stream::BoxStream};
use http::header;
use serde_json::Value;
use url::Url;

use crate::{admin_socket, config::ServeConfig, settings::Settings};

/// API client of one hub.
pub struct HubClient {
    base: Url,
    who: HubAuth,
    client: reqwest::Client,
}

enum HubAuth {
    Token(String),
    /// Admin socket, acting for this account.
    Operator {
        owner: Option<String>,
    },
}

/// Returns the arguments `--hub` and `--token`, for commands that also work on a remote hub.
pub fn arguments() -> [Arg; 2] {
    let hub = Arg::new("hub").long("hub").value_name("URL");
    let token = Arg::new("token").long("token").value_name("TOKEN");
    [
        hub.help("URL of a running hub to use instead of the data folder"),
        token.help("API token for that hub, from /settings/tokens (default: PLEXUS_TOKEN)"),
    ]
}

/// Adds `--hub`, `--token`, `--as` and `--json`, for commands that act for an account and print what the API returns.
pub fn with_account(command: Command) -> Command {
    let account = Arg::new("as").long("as").value_name("NAME").conflicts_with("hub");
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON");
    command
        .arg(account.help("Account that acts (default: the first administrator)"))
        .arg(json)
        .args(arguments())
}

impl HubClient {
    /// Returns a client of the hub named by `--hub`, or `None` if none is named.
    pub fn named(arguments: &ArgMatches) -> anyhow::Result<Option<Self>> {
        let Some(hub) = arguments.get_one::<String>("hub") else { return Ok(None) };
        let base = Url::parse(hub).with_context(|| format!("--hub {hub}"))?;
        let given = arguments.get_one::<String>("token").cloned();
        let token = given.or_else(|| std::env::var("PLEXUS_TOKEN").ok());
        let token = token.context("--hub needs --token, or PLEXUS_TOKEN in the environment")?;
        Ok(Some(Self { base, who: HubAuth::Token(token), client: client(None)? }))
    }

    /// Returns a client of the hub that serves this data folder, or `None` if none is running.
    pub fn serving(data_dir: &Path, owner: Option<&str>) -> anyhow::Result<Option<Self>> {
        let socket = admin_socket::socket(data_dir);
        // A stale socket of a killed hub refuses connections.
        if UnixStream::connect(&socket).is_err() {
            return Ok(None);
        }
        let (base, who) =
            (Url::parse("http://localhost/")?, HubAuth::Operator { owner: owner.map(str::to_owned) });
        Ok(Some(Self { base, who, client: client(Some(&socket))? }))
    }

    /// Returns a client of the hub named by `--hub`, else of the hub that serves this data folder, else
    /// `None`.
    pub fn named_or_serving(arguments: &ArgMatches, data_dir: &Path) -> anyhow::Result<Option<Self>> {
        match Self::named(arguments)? {
            Some(hub) => Ok(Some(hub)),
            None => Self::serving(data_dir, None),
        }
    }

    /// Returns a client of the hub named by `--hub`, or else of the hub that serves this data folder, acting
    /// for `owner`; also the URL of its pages.
    pub fn reached(
        settings: &Settings,
        arguments: &ArgMatches,
        owner: Option<&str>,
    ) -> anyhow::Result<(Self, Url)> {
        if let Some(hub) = Self::named(arguments)? {
            let page = hub.base.clone();
            return Ok((hub, page));
        }
        let config = ServeConfig::from_settings(settings)?.hub;
        let hub = Self::serving(&config.data_dir, owner)?.context(
            "no hub runs on this data folder; start one with plexus serve, or name a remote hub with --hub \
             and --token",
        )?;
        Ok((hub, config.public_url))
    }

    pub async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.send(self.client.get(self.url(path)?)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.send(self.client.post(self.url(path)?).json(body)).await
    }

    /// Posts a request whose response has no body.
    pub async fn tell(&self, path: &str, body: &Value) -> anyhow::Result<()> {
        self.accepted(self.client.post(self.url(path)?).json(body)).await.map(drop)
    }

    pub async fn delete(&self, path: &str, query: &[(&str, &str)]) -> anyhow::Result<()> {
        let mut url = self.url(path)?;
        url.query_pairs_mut().extend_pairs(query);
        self.accepted(self.client.delete(url)).await.map(drop)
    }

    /// Sends changes; the response has no body.
    pub async fn patch(&self, path: &str, changes: &Value) -> anyhow::Result<()> {
        self.accepted(self.client.patch(self.url(path)?).json(changes)).await.map(drop)
    }

    /// Posts the content of a file.
    pub async fn upload(&self, path: &str, content: Vec<u8>) -> anyhow::Result<Value> {
        self.send(self.client.post(self.url(path)?).body(content)).await
    }

    /// Returns the bytes of a response as they arrive, such as an event stream or a file.
    pub async fn read(&self, path: &str) -> anyhow::Result<BoxStream<'static, reqwest::Result<Bytes>>> {
        let answer = self.accepted(self.client.get(self.url(path)?)).await?;
        Ok(answer.bytes_stream().boxed())
    }

    /// Requests a WebSocket (RFC 6455 section 4.1). An HTTP error status is not an error here: the caller
    /// checks the response.
    pub async fn upgrade(&self, path: &str, key: &str, protocol: &str) -> anyhow::Result<reqwest::Response> {
        let request = self.client.get(self.url(path)?).version(http::Version::HTTP_11);
        let request = request
            .header(header::CONNECTION, "Upgrade")
            .header(header::UPGRADE, "websocket")
            .header(header::SEC_WEBSOCKET_VERSION, "13")
            .header(header::SEC_WEBSOCKET_KEY, key)
            .header(header::SEC_WEBSOCKET_PROTOCOL, protocol);
        Ok(self.signed(request).send().await?)
    }

    /// Returns the error message of a response.
    pub async fn words(answer: reqwest::Response) -> String {
        let status = answer.status();
        let body: Value =
            answer.bytes().await.ok().and_then(|body| serde_json::from_slice(&body).ok()).unwrap_or_default();
        let words = body["error"]["message"].as_str().map(str::to_owned);
        words.unwrap_or_else(|| format!("The hub answered {status}."))
    }

    fn signed(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match &self.who {
            HubAuth::Token(token) => request.bearer_auth(token),
            HubAuth::Operator { owner: Some(owner) } => request.header(admin_socket::OWNER_HEADER, owner),
            HubAuth::Operator { owner: None } => request,
        }
    }

    fn url(&self, path: &str) -> anyhow::Result<Url> {
        Ok(self.base.join(&format!("/api/v1/{path}"))?)
    }

    /// Sends a request. A status of failure is an error with the message of the hub.
    async fn accepted(&self, request: reqwest::RequestBuilder) -> anyhow::Result<reqwest::Response> {
        let answer = self.signed(request).send().await;
        let answer = answer.with_context(|| format!("asking the hub at {}", self.base))?;
        if !answer.status().is_success() {
            bail!("{}", Self::words(answer).await);
        }
        Ok(answer)
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> anyhow::Result<Value> {
        let answer = self.accepted(request).await?;
        let status = answer.status();
        serde_json::from_slice(&answer.bytes().await?)
            .with_context(|| format!("the hub at {} answered {status}, and not with JSON", self.base))
    }
}

#[expect(clippy::disallowed_methods, reason = "this calls the one hub that the person means")]
fn client(socket: Option<&Path>) -> anyhow::Result<reqwest::Client> {
    let builder = reqwest::Client::builder().no_proxy();
    let builder = match socket {
        Some(socket) => builder.unix_socket(socket),
        None => builder,
    };
    Ok(builder.build()?)
}
