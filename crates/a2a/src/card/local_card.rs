//! Cards of agents that this hub runs itself.

use std::collections::BTreeMap;

use plexus_domain::agent::A2aProtocol;
use url::Url;

use crate::{
    client,
    wire::v1::{AgentCapabilities, AgentCard, AgentInterface, AgentProvider, AgentSkill},
};

/// Content of a local agent's card.
#[derive(Clone, Debug)]
pub struct LocalCard {
    pub name: String,
    pub description: String,
    pub version: String,
    /// The agent's base URL on this hub.
    pub base: Url,
    /// The responsible provider and its URL.
    pub provider: Option<(String, Url)>,
    pub documentation_url: Option<Url>,
    pub skills: Vec<AgentSkill>,
}

impl LocalCard {
    /// Builds the 1.0 card. It lists the 0.3 interface, too, for older clients.
    pub fn build(self) -> AgentCard {
        let url = with_base(self.base).to_string();
        let interface = |protocol| AgentInterface {
            url: url.clone(),
            protocol_binding: "JSONRPC".to_owned(),
            tenant: None,
            protocol_version: client::version(protocol).to_owned(),
        };
        let text = || vec!["text/plain".to_owned(), "text/markdown".to_owned()];
        AgentCard {
            name: self.name,
            description: self.description,
            supported_interfaces: vec![interface(A2aProtocol::V1), interface(A2aProtocol::V03)],
            provider: self
                .provider
                .map(|(organization, url)| AgentProvider { url: url.into(), organization }),
            version: self.version,
            documentation_url: self.documentation_url.map(Into::into),
            capabilities: AgentCapabilities { streaming: Some(true), ..AgentCapabilities::default() },
            security_schemes: BTreeMap::new(),
            security_requirements: Vec::new(),
            default_input_modes: text(),
            default_output_modes: text(),
            skills: self.skills,
            signatures: Vec::new(),
            icon_url: None,
        }
    }
}

/// Returns the URL with a trailing slash. Some clients resolve the card's path against it, and without the
/// slash the agent's name would be dropped.
pub fn with_base(mut base: Url) -> Url {
    if !base.path().ends_with('/') {
        let path = format!("{}/", base.path());
        base.set_path(&path);
    }
    base
}
