//! View models of an agent's page.

use plexus_domain::{
    Address, Timestamp,
    agent::{AgentAccess, Visibility},
};

use super::{
    Badge, Form, Html, agent_versions::AgentVersions, feedback::AgentFeedback, register::MissingModel,
};

#[derive(Clone, Debug)]
pub struct AgentPage {
    pub head: AgentHead,
    pub tab: AgentTab,
}

/// Data of the title row and the side column, which every tab shows.
#[derive(Clone, Debug)]
pub struct AgentHead {
    pub seed: String,
    pub name: String,
    pub address: Address,
    /// Name that the agent's hub gives itself; none for agents of this hub.
    pub hub_name: Option<String>,
    pub summary: String,
    pub badges: Vec<Badge>,
    pub callable: Callable,
    pub visibility: Visibility,
    /// Whether the viewer may change it.
    pub can_manage: bool,
    /// Whether the viewer may copy it.
    pub can_copy: bool,
    pub protocol: String,
    pub version: String,
    pub published: Option<Timestamp>,
    pub last_answered: Option<Timestamp>,
    /// Runs in the last 30 days.
    pub uses: u64,
    /// Number of accounts that starred it.
    pub stars: u64,
    /// Whether the viewer starred it; `None` if not signed in.
    ///
    /// Posts to `…/star` with `star` = `yes` or `no`, and `tab` to return to.
    pub starred: Option<bool>,
    /// Provider that the agent card names.
    pub provider: Option<String>,
    pub links: Vec<ExternalLink>,
    /// URL of the agent card; empty if there is none.
    pub card_href: String,
}

/// Whether the viewer can call the agent, and the reason if not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callable {
    Yes,
    SignIn,
    /// The viewer must enter their own credentials at `…/credentials`.
    NeedsCredentials,
    /// Only its owner can call it: this origin is not verified.
    Unproved {
        origin: String,
    },
    NotAllowed,
    Paused,
}

/// Link from an agent card. Only http, https and mailto URLs reach this type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalLink {
    pub label: String,
    pub url: String,
}

#[derive(Clone, Debug)]
pub enum AgentTab {
    Overview(Overview),
    Skills(Vec<Skill>),
    Versions(AgentVersions),
    Connect(Vec<Snippet>),
    /// Chat of a visitor without an account.
    Chat(VisitorChat),
    /// Feedback of people, for users who may change the agent.
    Feedback(AgentFeedback),
    /// Settings, for users who may change the agent.
    Manage(Manage),
    /// The viewer's own credentials, for an agent that requires them.
    Credentials(Credentials),
    /// Credentials for the agent's tool servers, for users who may change the agent.
    ToolCredentials(ToolCredentials),
}

#[derive(Clone, Debug)]
pub struct Overview {
    /// The agent's model, if the hub does not list it; only for users who may change the agent.
    pub missing_model: Option<MissingModel>,
    pub description: Html,
    /// Starter messages, each of which begins a chat.
    pub starters: Vec<String>,
    pub skills: Vec<Skill>,
    pub tags: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Skill {
    pub name: String,
    pub description: String,
    pub tags: Vec<String>,
    pub examples: Vec<String>,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
}

/// Code snippet that calls the agent.
#[derive(Clone, Debug)]
pub struct Snippet {
    /// Purpose, such as "A2A with curl".
    pub title: String,
    /// Language label of the block, such as "bash".
    pub language: String,
    pub code: String,
}

/// Chat of a visitor without an account with an agent that is open to all.
///
/// Posts to `/@owner/name/chat` with `text`.
#[derive(Clone, Debug)]
pub struct VisitorChat {
    /// Oldest first.
    pub turns: Vec<VisitorTurn>,
    /// Whether the agent still works on an answer.
    pub is_running: bool,
    pub form: Form,
}

#[derive(Clone, Debug)]
pub struct VisitorTurn {
    /// True if the agent wrote it, false if the visitor did.
    pub by_agent: bool,
    pub html: Html,
}

/// Settings of an agent.
///
/// Posts to `/@owner/name/manage` with `action`: `save`, `pause`, `resume`, `verify`, `refresh`, `delete`,
/// `save-copies` (with `copies` = `yes` or `no`), `add-user` and `remove-user` (both with `user`).
#[derive(Clone, Debug)]
pub struct Manage {
    pub visibility: Visibility,
    pub access: AgentAccess,
    pub paused: bool,
    /// Whether it can be replicated: false for built-in and private-network agents.
    pub can_federate: bool,
    /// Whether it can be edited at `…/edit`.
    pub editable: bool,
    /// Whether its agent card can be fetched again.
    pub refreshable: bool,
    pub origins: Vec<super::register::OriginProof>,
    /// Why other hubs do not get the agent although it is federated.
    pub publication_problem: Option<String>,
    /// Files that the agent answers from. `None` if it is not a model with instructions.
    ///
    /// Posts to `/@owner/name/files` as multipart with `file`.
    pub files: Option<Vec<AgentFile>>,
    /// How many passages of the files have vectors. `None` if the hub has no embeddings model.
    pub vectors: Option<VectorCount>,
    /// Whether users who may use it may copy it. Only for a model with instructions.
    pub allows_copies: bool,
    /// Names of the users that the agent names.
    pub users: Vec<String>,
    pub form: Form,
}

/// Copy of an agent into the viewer's namespace. Posts `name` to `/@owner/name/copy`.
#[derive(Clone, Debug)]
pub struct CopyAgent {
    /// Agent that is copied.
    pub address: Address,
    pub title: String,
    /// Namespace of the copy.
    pub owner: String,
    pub form: Form,
}

/// Number of passages of an agent's files, and of those that are found by meaning.
#[derive(Clone, Copy, Debug)]
pub struct VectorCount {
    pub passages: u64,
    pub vectors: u64,
}

/// File that a model agent answers from.
#[derive(Clone, Debug)]
pub struct AgentFile {
    pub name: String,
    /// Such as "12.5 KiB".
    pub size: String,
    pub added_at: Timestamp,
}

/// The viewer's credentials for an agent.
///
/// Posts to `/@owner/name/credentials` with `secret`, and `user` for [`Scheme::Basic`] and
/// [`Scheme::Client`]. For [`Scheme::Connect`] a user posts `action=connect`. Its owner posts `user` and
/// `secret` of the OAuth client that this hub is.
#[derive(Clone, Debug)]
pub struct Credentials {
    pub scheme: Scheme,
    /// Whether credentials are stored already. The form then also offers to delete them (`action=delete`).
    pub stored: bool,
    /// The only origin that the credentials are sent to.
    pub origin: String,
    /// For the owner of an agent with [`Scheme::Connect`].
    pub client: Option<HubAsClient>,
    pub form: Form,
}

/// Credentials for an agent's tool servers.
///
/// Posts to `/@owner/name/credentials` with `url` (the server), and `header` and `secret`, or
/// `action=delete`.
#[derive(Clone, Debug)]
pub struct ToolCredentials {
    pub servers: Vec<ToolServer>,
    pub form: Form,
}

/// MCP server at a URL.
#[derive(Clone, Debug)]
pub struct ToolServer {
    pub url: String,
    /// How the stored credentials are sent; `None` if none are stored.
    pub scheme: Option<Scheme>,
}

/// This hub as an OAuth client of the agent's authorization server.
#[derive(Clone, Debug)]
pub struct HubAsClient {
    /// URL of the client metadata document that this hub serves, for servers that read such documents.
    pub document: String,
    /// Redirect URI.
    pub redirect: String,
}

/// Authentication scheme of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scheme {
    Bearer,
    /// API key in the header of this name.
    ApiKey(String),
    Basic,
    /// OAuth client id and secret; the hub gets tokens with them at this origin.
    Client(String),
    /// OAuth authorisation that each user grants at this origin.
    Connect(String),
}
