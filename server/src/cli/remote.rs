//! A hub that is told what to do over its API, as a program would.

use anyhow::{Context as _, bail};
use clap::{Arg, ArgMatches};
use serde_json::Value;
use url::Url;

/// A hub's API and the token for it.
pub struct Remote {
    base: Url,
    token: String,
    client: reqwest::Client,
}

/// `--hub` and `--token`, for commands that also work on a hub elsewhere.
pub fn arguments() -> [Arg; 2] {
    let hub = Arg::new("hub").long("hub").value_name("URL");
    let token = Arg::new("token").long("token").value_name("TOKEN");
    [
        hub.help("Act on the running hub at this address instead of on the data folder"),
        token
            .help("An API token for that hub, from /settings/tokens; else PLEXUS_TOKEN from the environment"),
    ]
}

impl Remote {
    /// None when no hub is named.
    pub fn named(arguments: &ArgMatches) -> anyhow::Result<Option<Self>> {
        let Some(hub) = arguments.get_one::<String>("hub") else { return Ok(None) };
        let base = Url::parse(hub).with_context(|| format!("--hub {hub}"))?;
        let given = arguments.get_one::<String>("token").cloned();
        let token = given.or_else(|| std::env::var("PLEXUS_TOKEN").ok());
        let token = token.context("--hub needs --token, or PLEXUS_TOKEN in the environment")?;
        #[expect(clippy::disallowed_methods, reason = "this calls the one hub that the person names")]
        let client = reqwest::Client::new();
        Ok(Some(Self { base, token, client }))
    }

    pub async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.send(self.client.get(self.url(path)?)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.send(self.client.post(self.url(path)?).json(body)).await
    }

    fn url(&self, path: &str) -> anyhow::Result<Url> {
        Ok(self.base.join(&format!("/api/v1/{path}"))?)
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> anyhow::Result<Value> {
        let answer = request.bearer_auth(&self.token).send().await;
        let answer = answer.with_context(|| format!("asking the hub at {}", self.base))?;
        let status = answer.status();
        let body: Value = serde_json::from_slice(&answer.bytes().await?)
            .with_context(|| format!("the hub at {} answered {status}, and not with JSON", self.base))?;
        if status.is_success() {
            return Ok(body);
        }
        match body["error"]["message"].as_str() {
            Some(message) => bail!("{message}"),
            None => bail!("the hub at {} answered {status}", self.base),
        }
    }
}
