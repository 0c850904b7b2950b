//! Agents: what takes a message and answers.

mod budget;
pub mod http;
pub mod oauth;
mod tools;

use serde::{Deserialize, Serialize};

pub use self::{
    budget::{Allowance, Budget},
    oauth::Oauth,
    tools::{ToolPlace, ToolSource},
};

/// Who may find an agent. Ordered: each step shows it to more.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Its owner's members only.
    Private,
    /// Whoever has the link.
    Unlisted,
    /// Everybody on this hub; in lists and search.
    Public,
    /// Other hubs may carry it, too; copies cannot be recalled.
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

    /// Whether lists and search show it to everybody here.
    pub fn is_listed(self) -> bool {
        self >= Self::Public
    }
}

/// Who may talk to an agent. Ordered: each step lets more in.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    Owner,
    /// Those whom a grant names.
    Listed,
    /// Whoever signs in.
    Accounts,
    /// Anybody, signed in or not.
    Open,
}

impl Access {
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

/// How the hub runs an agent, kept with each version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Connector {
    /// An agent elsewhere that speaks A2A; its card is looked for at `card_url`.
    A2a { url: String, protocol: A2aProtocol, card_url: String },
    /// Instructions for a model that the hub calls.
    Llm {
        model: String,
        instructions: String,
        starters: Vec<String>,
        /// MCP servers whose tools the model may call.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tools: Vec<ToolSource>,
        #[serde(default)]
        budget: Budget,
    },
    /// Software elsewhere with an HTTP endpoint of its own.
    Http { request: Box<http::Template> },
    /// A program that the operator lists under this name; it speaks the Agent Client Protocol.
    Process { program: String },
    /// A program on its owner's machine, joined to the hub by a connection of its own.
    Attached,
    /// Part of this program.
    Builtin { program: Builtin },
}

impl Connector {
    /// The word for it in pages, facets and the store.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::A2a { .. } => "a2a",
            Self::Llm { .. } => "llm",
            Self::Http { .. } => "http",
            Self::Process { .. } => "process",
            Self::Attached => "attached",
            Self::Builtin { .. } => "builtin",
        }
    }

    /// The address elsewhere that the hub calls for it; none where the hub runs the agent itself.
    pub fn called(&self) -> Option<&str> {
        match self {
            Self::A2a { url, .. } => Some(url),
            Self::Http { request } => Some(&request.request().url),
            Self::Llm { .. } | Self::Process { .. } | Self::Attached | Self::Builtin { .. } => None,
        }
    }

    /// The operator's programs that it is made of or uses.
    pub fn programs(&self) -> impl Iterator<Item = &str> {
        let (made_of, tools) = match self {
            Self::Process { program } => (Some(program), [].as_slice()),
            Self::Llm { tools, .. } => (None, tools.as_slice()),
            _ => (None, [].as_slice()),
        };
        let used = tools.iter().filter_map(|source| match &source.place {
            ToolPlace::Program(name) => Some(name),
            ToolPlace::Url(_) => None,
        });
        made_of.into_iter().chain(used).map(String::as_str)
    }

    /// Whether it keeps a conversation of its own, which can go on.
    pub const fn has_contexts(&self) -> bool {
        !matches!(self, Self::Llm { .. } | Self::Builtin { .. })
    }

    /// Whether it says nothing before somebody elsewhere has answered.
    pub const fn asks_first(&self) -> bool {
        match self {
            Self::Llm { tools, .. } => tools.is_empty(),
            Self::A2a { .. } | Self::Http { .. } => true,
            Self::Process { .. } | Self::Attached | Self::Builtin { .. } => false,
        }
    }

    /// Whether it may stop to ask for something, and go on with the same work once it is told.
    pub const fn may_ask(&self) -> bool {
        !matches!(self, Self::Llm { .. } | Self::Builtin { program: Builtin::Calc | Builtin::Guide })
    }

    /// Whether some of what it does may need somebody's leave.
    pub const fn may_need_leave(&self) -> bool {
        match self {
            Self::Llm { tools, .. } => !tools.is_empty(),
            Self::Process { .. } | Self::Attached => true,
            _ => false,
        }
    }

    /// Whether it can be sent files.
    pub const fn takes_files(&self) -> bool {
        matches!(self, Self::A2a { .. } | Self::Process { .. } | Self::Attached)
    }
}

/// The one credential that an agent asks to be shown.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Scheme {
    Bearer,
    /// An API key, in a header of this name or in the query.
    ApiKey {
        name: String,
        #[serde(default)]
        in_query: bool,
    },
    Basic,
    /// A token that the hub gets from an authorization server.
    Oauth2(Oauth),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum A2aProtocol {
    #[serde(rename = "1.0")]
    V1,
    #[serde(rename = "0.3")]
    V03,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Builtin {
    /// Arithmetic with units.
    Calc,
    /// Finds agents by searching.
    Guide,
    /// Does what a test kit of A2A tells it to; in the conformance mode only.
    Tck,
}
