//! Agents: visibility, access, connectors and credential schemes.

mod answer_limits;
pub mod http_endpoint;
mod model_parameters;
pub mod oauth;
mod tool_source;

use serde::{Deserialize, Serialize};

pub use self::{
    answer_limits::{AnswerLimits, AnswerLimitsInput},
    model_parameters::{Hundredths, ModelParameters, ModelParametersInput, ReasoningEffort},
    oauth::OauthRequirement,
    tool_source::{ToolServerLocation, ToolSource},
};
use crate::media_type::is_text;

/// Who can find an agent. Ordered: each value includes the audience of the previous one.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Members of the owning namespace only.
    Private,
    /// Anyone with the link; not in lists or search.
    Unlisted,
    /// All users of this hub; shown in lists and search.
    Public,
    /// Also replicated to remote hubs. Replicas cannot be recalled.
    Federated,
}

impl Visibility {
    pub const ALL: [Self; 4] = [Self::Private, Self::Unlisted, Self::Public, Self::Federated];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Unlisted => "unlisted",
            Self::Public => "public",
            Self::Federated => "federated",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|visibility| visibility.as_str() == text)
    }

    /// Returns true if the lists and the search of this hub show the agent.
    pub fn is_listed(self) -> bool {
        self >= Self::Public
    }
}

/// Who may call an agent. Ordered: each value includes the callers of the previous one.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentAccess {
    Owner,
    /// Callers named by a grant.
    Listed,
    /// All signed-in users.
    Accounts,
    /// All callers, including anonymous ones.
    Open,
}

impl AgentAccess {
    pub const ALL: [Self; 4] = [Self::Owner, Self::Listed, Self::Accounts, Self::Open];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Listed => "listed",
            Self::Accounts => "accounts",
            Self::Open => "open",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|access| access.as_str() == text)
    }
}

/// How the hub runs an agent. Stored with each agent version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Connector {
    /// An external agent that speaks A2A. Its agent card is fetched from `card_url`.
    A2a { url: String, protocol: A2aProtocol, card_url: String },
    /// A model called by the hub with these instructions.
    Llm {
        model: String,
        instructions: String,
        starters: Vec<String>,
        /// MCP servers whose tools the model may call.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tools: Vec<ToolSource>,
        #[serde(default)]
        budget: AnswerLimits,
        /// Whether images are sent to the model.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        reads_images: bool,
        #[serde(default, skip_serializing_if = "ModelParameters::is_default")]
        parameters: ModelParameters,
    },
    /// External software with its own HTTP API.
    Http { request: Box<http_endpoint::EndpointTemplate> },
    /// An operator-configured program of this name that speaks the Agent Client Protocol (ACP).
    Process { program: String },
    /// An attached program: runs on its owner's machine and connects to the hub.
    Attached,
    /// An agent compiled into this binary.
    Builtin { program: Builtin },
}

impl Connector {
    /// Name of the kind of built-in agents.
    pub const BUILTIN_KIND: &'static str = "builtin";

    /// Returns the name of the connector kind, as used in pages, search facets and the database.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::A2a { .. } => "a2a",
            Self::Llm { .. } => "llm",
            Self::Http { .. } => "http",
            Self::Process { .. } => "process",
            Self::Attached => "attached",
            Self::Builtin { .. } => Self::BUILTIN_KIND,
        }
    }

    /// Returns the external URL that the hub calls, or `None` if the hub runs the agent itself.
    pub fn remote_url(&self) -> Option<&str> {
        match self {
            Self::A2a { url, .. } => Some(url),
            Self::Http { request } => Some(&request.request().url),
            Self::Llm { .. } | Self::Process { .. } | Self::Attached | Self::Builtin { .. } => None,
        }
    }

    /// Returns the operator-configured programs that it runs: the agent itself and its tool servers.
    pub fn programs(&self) -> impl Iterator<Item = &str> {
        let (made_of, tools) = match self {
            Self::Process { program } => (Some(program), [].as_slice()),
            Self::Llm { tools, .. } => (None, tools.as_slice()),
            _ => (None, [].as_slice()),
        };
        let used = tools.iter().filter_map(|source| match &source.place {
            ToolServerLocation::Program(name) => Some(name),
            ToolServerLocation::Url(_) => None,
        });
        made_of.into_iter().chain(used).map(String::as_str)
    }

    /// Returns true if the agent keeps conversation state of its own, so that a context can be resumed.
    pub const fn has_contexts(&self) -> bool {
        !matches!(self, Self::Llm { .. } | Self::Builtin { .. })
    }

    /// Returns true if there is no output before a remote service has responded.
    pub const fn waits_before_output(&self) -> bool {
        match self {
            Self::Llm { tools, .. } => tools.is_empty(),
            Self::A2a { .. } | Self::Http { .. } => true,
            Self::Process { .. } | Self::Attached | Self::Builtin { .. } => false,
        }
    }

    /// Returns true if a run may end in `input_required` and resume with the caller's reply.
    pub const fn may_require_input(&self) -> bool {
        match self {
            Self::Builtin { program } => matches!(program, Builtin::Tck),
            Self::Llm { .. } => false,
            _ => true,
        }
    }

    /// Returns true if some actions of the agent may require human approval.
    pub const fn may_require_approval(&self) -> bool {
        match self {
            Self::Llm { tools, .. } => !tools.is_empty(),
            Self::Process { .. } | Self::Attached => true,
            _ => false,
        }
    }

    /// Returns true if the agent accepts files.
    pub const fn takes_files(&self) -> bool {
        match self {
            Self::A2a { .. } | Self::Llm { .. } | Self::Process { .. } | Self::Attached => true,
            Self::Builtin { program } => matches!(program, Builtin::Chart | Builtin::Text),
            Self::Http { .. } => false,
        }
    }

    /// Returns true if the files of earlier messages are sent again with each message.
    pub const fn needs_earlier_files(&self) -> bool {
        matches!(self, Self::Llm { .. })
    }

    /// Returns true if a file of this media type is sent to the agent.
    pub fn takes_file(&self, media_type: &str) -> bool {
        match self {
            Self::Llm { reads_images, .. } => {
                is_text(media_type) || (*reads_images && media_type.starts_with("image/"))
            }
            _ => self.takes_files(),
        }
    }
}

/// Authentication scheme of an agent: the one credential that the hub must present.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Scheme {
    Bearer,
    /// An API key, sent in the header `name`, or in the query parameter `name`.
    ApiKey {
        name: String,
        #[serde(default)]
        in_query: bool,
    },
    Basic,
    /// An access token that the hub obtains from an authorization server.
    Oauth2(OauthRequirement),
}

/// Version of the A2A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum A2aProtocol {
    #[serde(rename = "1.0")]
    V1,
    #[serde(rename = "0.3")]
    V03,
}

/// An agent compiled into the hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Builtin {
    /// Arithmetic with units.
    Calc,
    /// Sums, means and a chart of a table.
    Chart,
    /// Finds agents by search.
    Guide,
    /// Counts of a text.
    Text,
    /// Test double driven by the A2A Technology Compatibility Kit; conformance mode only.
    Tck,
}
