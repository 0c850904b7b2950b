//! Credentials for the MCP servers of an agent, entered by its owner and used for all callers.
//!
//! They are not part of a version: all versions share one secret, with the credentials of each server.

use std::collections::BTreeMap;

use plexus_domain::{
    Address, AgentId, Error as Refusal, SecretId,
    agent::{Scheme, ToolServerLocation, ToolSource, http_endpoint},
};
use plexus_runtime::Credentials;
use plexus_store::{Conn, Tx, agents::Agent, secrets};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    credentials::{self, CredentialInput, CredentialRequirement, SealedCredentials},
    model_agent::{self, Owned},
    registration_draft::DraftSecret,
};
use crate::{
    Caller, Error, Hub, Result,
    caller::{Person, Scope},
    keys,
};

/// Headers used by the protocol itself (MCP 2025-11-25, streamable HTTP).
const OF_THE_PROTOCOL: [&str; 4] = ["accept", "last-event-id", "mcp-protocol-version", "mcp-session-id"];

/// Credential form for one server.
#[derive(Clone, Default)]
pub struct ForServer {
    /// Server URL; may be empty if there is only one server.
    pub url: String,
    /// Header for an API key. Empty means a bearer token.
    pub header: String,
    pub secret: String,
}

impl ForServer {
    /// Returns the URL of the server in `tools` that the form is for.
    fn server(&self, tools: &[ToolSource]) -> Result<Url, Refusal> {
        let mut servers = remotes(tools);
        if let (true, [only]) = (self.url.is_empty(), servers.as_slice()) {
            return Ok(only.clone());
        }
        let wanted = self.url.parse::<Url>().ok();
        let at = servers.iter().position(|url| wanted.as_ref() == Some(url));
        let unknown = || Refusal::invalid("url", "Enter the address of one of the agent’s MCP servers.");
        at.map(|at| servers.swap_remove(at)).ok_or_else(unknown)
    }

    fn scheme(&self) -> Result<Scheme, Refusal> {
        if self.header.is_empty() {
            return Ok(Scheme::Bearer);
        }
        let is_taken = OF_THE_PROTOCOL.contains(&self.header.to_ascii_lowercase().as_str());
        if is_taken || !http_endpoint::takes_key(&self.header) {
            let words = "Enter the name of the header, such as X-API-Key. A bearer token needs none.";
            return Err(Refusal::invalid("header", words));
        }
        Ok(Scheme::ApiKey { name: self.header.clone(), in_query: false })
    }

    fn sealed(&self, url: &Url) -> Result<SealedCredentials> {
        let asks = CredentialRequirement::of_server(url, self.scheme()?)?;
        if self.secret.is_empty() {
            return Err(Refusal::invalid("secret", "Enter the token or key that the server requires.").into());
        }
        SealedCredentials::new(&asks, &CredentialInput { user: String::new(), secret: self.secret.clone() })
    }
}

/// Returns the URLs of the remote servers among `tools`.
fn remotes(tools: &[ToolSource]) -> Vec<Url> {
    let url = |source: &ToolSource| match &source.place {
        ToolServerLocation::Url(url) => url.parse::<Url>().ok(),
        ToolServerLocation::Program(_) => None,
    };
    tools.iter().filter_map(url).collect()
}

/// Credentials of an agent's tool servers, by URL.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct ToolKeys(BTreeMap<String, SealedCredentials>);

impl ToolKeys {
    /// Loads the credentials from the secret that the versions share. Empty if they
    /// are deleted while a run starts.
    pub async fn of(hub: &Hub, conn: &mut Conn, agent: AgentId, secret: Option<SecretId>) -> Result<Self> {
        let Some(secret) = secret else { return Ok(Self::default()) };
        let Some(row) = secrets::find(conn, secret).await? else { return Ok(Self::default()) };
        let plain = hub.vault().open_sealed(&purpose(agent), &row.ciphertext)?;
        serde_json::from_slice(&plain).map_err(Error::fault)
    }

    /// Adds or replaces the credentials `given` for some of `tools`.
    pub fn with(mut self, tools: &[ToolSource], given: &[ForServer]) -> Result<Self> {
        for given in given {
            let url = given.server(tools)?;
            let sealed = given.sealed(&url)?;
            self.0.insert(url.into(), sealed);
        }
        Ok(self)
    }

    fn without(mut self, url: &str) -> Self {
        if let Ok(url) = url.parse::<Url>() {
            self.0.remove(url.as_str());
        }
        self
    }

    /// Adapts the credentials to a change of tools. A server that moved within its origin keeps its
    /// credentials under the new URL. Credentials of other removed servers are dropped.
    pub fn moved(self, before: &[ToolSource], after: &[ToolSource]) -> Self {
        let (before, after) = (remotes(before), remotes(after));
        let is_there = |url: &str| after.iter().any(|after| after.as_str() == url);
        let (mut kept, gone): (BTreeMap<_, _>, BTreeMap<_, _>) =
            self.0.into_iter().partition(|(url, _)| is_there(url));
        for sealed in gone.into_values() {
            let is_new = |url: &&Url| !before.contains(url) && !kept.contains_key(url.as_str());
            let new = after.iter().filter(is_new).find(|url| sealed.is_for(url)).cloned();
            if let Some(url) = new {
                kept.insert(url.into(), sealed);
            }
        }
        Self(kept)
    }

    /// Returns the credentials for the server at `url`; `None` if there are none.
    pub fn shown(&self, url: &Url) -> Option<Credentials> {
        let sealed = self.0.get(url.as_str()).filter(|sealed| sealed.is_for(url))?;
        sealed.fixed().ok()
    }

    /// Encrypts the credentials for `agent`; `None` if there are none.
    pub fn seal(&self, hub: &Hub, agent: AgentId) -> Result<Option<Vec<u8>>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let plain = serde_json::to_vec(self).map_err(Error::fault)?;
        Ok(Some(hub.vault().seal(&purpose(agent), &plain)?))
    }

    /// Stores the credentials in place of those in `before`. Returns the secret that all versions now share.
    pub async fn keep(
        &self,
        hub: &Hub,
        tx: &mut Tx,
        person: &Person,
        agent: &Agent,
        before: Option<SecretId>,
    ) -> Result<Option<SecretId>> {
        let after = match (before, self.seal(hub, agent.id)?) {
            (Some(before), Some(sealed)) => {
                // Update the same row, so that a run that starts meanwhile still finds it (race).
                if !secrets::set_ciphertext(tx, before, &sealed, keys::KEY_VERSION).await? {
                    return Err(Error::Fault(anyhow::anyhow!("secret {before} is gone")));
                }
                return Ok(Some(before));
            }
            (None, Some(sealed)) => {
                let purpose = purpose(agent.id);
                Some(keys::keep_sealed(hub, tx, person.namespace, &purpose, sealed).await?)
            }
            (_, None) => None,
        };
        if before != after {
            credentials::share(tx, agent, before, after).await?;
        }
        Ok(after)
    }
}

/// Returns the encryption purpose.
fn purpose(agent: AgentId) -> String {
    format!("tools of agent {agent}")
}

/// Moves the credentials of a draft to the agent. Returns the secret of its first version.
pub(super) async fn take_up(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    agent: AgentId,
    kept: Option<&DraftSecret>,
) -> Result<Option<SecretId>> {
    let Some(kept) = kept else { return Ok(None) };
    keys::keep_sealed(hub, tx, person.namespace, &purpose(agent), kept.sealed()?).await.map(Some)
}

/// Remote MCP server and the scheme of its stored credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolServer {
    pub url: String,
    /// `None` if no credentials are stored.
    pub scheme: Option<Scheme>,
}

/// Returns the remote MCP servers of an agent that the caller may edit.
pub async fn servers(hub: &Hub, caller: &Caller, address: &Address) -> Result<Vec<ToolServer>> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().snapshot().await?;
    let Owned { written, keys, .. } = Owned::at(hub, &mut conn, person, address).await?;
    let server = |url: Url| {
        let scheme = keys.0.get(url.as_str()).map(|sealed| sealed.scheme().clone());
        ToolServer { url: url.into(), scheme }
    };
    Ok(remotes(&written.tools).into_iter().map(server).collect())
}

/// Stores the credentials of a server after a test that the server accepts them.
pub async fn set(hub: &Hub, caller: &Caller, address: &Address, given: ForServer) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let mut conn = hub.store().snapshot().await?;
    let Owned { written, keys, .. } = Owned::at(hub, &mut conn, person, address).await?;
    drop(conn);
    let url = given.server(&written.tools)?;
    let given = [given];
    let keys = keys.with(&written.tools, &given)?;
    let source = ToolSource { place: ToolServerLocation::Url(url.into()), require_approval: false };
    model_agent::check_server(hub, caller, &source, &keys, "secret").await.map(drop)?;
    let mut tx = hub.store().write().await?;
    let Owned { agent, version, written, keys } = Owned::at(hub, &mut tx, person, address).await?;
    keys.with(&written.tools, &given)?.keep(hub, &mut tx, person, &agent, version.secret).await?;
    Ok(tx.commit().await?)
}

/// Deletes the credentials of the server at `url`.
pub async fn delete(hub: &Hub, caller: &Caller, address: &Address, url: &str) -> Result<()> {
    let person = caller.may(Scope::Agents)?;
    let mut tx = hub.store().write().await?;
    let Owned { agent, version, keys, .. } = Owned::at(hub, &mut tx, person, address).await?;
    keys.without(url).keep(hub, &mut tx, person, &agent, version.secret).await?;
    Ok(tx.commit().await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(urls: &[&str]) -> Vec<ToolSource> {
        let source = |url: &&str| ToolSource {
            place: ToolServerLocation::Url((*url).to_owned()),
            require_approval: false,
        };
        urls.iter().map(source).collect()
    }

    fn key(url: &str, header: &str) -> ForServer {
        ForServer { url: url.to_owned(), header: header.to_owned(), secret: "s".to_owned() }
    }

    #[test]
    fn what_is_kept_follows_its_server_within_its_origin_only() {
        let tools = at(&["https://a.example/mcp", "https://b.example"]);
        for (after, known) in [
            (at(&["https://b.example/", "https://a.example/mcp"]), vec!["https://a.example/mcp"]),
            (at(&["https://b.example", "https://a.example/v2"]), vec!["https://a.example/v2"]),
            (at(&["https://a.example:8443/mcp"]), vec![]),
            (at(&["http://a.example/mcp"]), vec![]),
            (at(&["https://b.example/mcp"]), vec![]),
            (at(&[]), vec![]),
        ] {
            let given = [key("https://a.example/mcp", "")];
            let kept = ToolKeys::default().with(&tools, &given).unwrap().moved(&tools, &after);
            assert_eq!(kept.0.keys().collect::<Vec<_>>(), known, "{after:?}");
        }
    }

    #[test]
    fn what_is_given_names_a_server_and_a_header_that_is_free() {
        let two = at(&["https://a.example/mcp", "https://b.example"]);
        let field = |tools: &[ToolSource], given: ForServer| match ToolKeys::default().with(tools, &[given]) {
            Ok(_) => None,
            Err(Error::Refused(refusal)) => refusal.field().map(str::to_owned),
            Err(fault) => panic!("{fault}"),
        };
        let field = |tools: &[ToolSource], given| field(tools, given).unwrap_or_default();
        assert_eq!(field(&two, key("https://b.example/", "X-API-Key")), "");
        assert_eq!(field(&two[..1], key("", "")), "");
        assert_eq!(field(&two, key("", "")), "url");
        assert_eq!(field(&two, key("https://c.example", "")), "url");
        for header in ["Host", "Authorization", "Mcp-Session-Id", "X Key"] {
            assert_eq!(field(&two[..1], key("", header)), "header", "{header}");
        }
        assert_eq!(field(&two[..1], ForServer::default()), "secret");
    }
}
