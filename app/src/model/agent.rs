//! One agent.

use plexus_domain::{
    Address, Timestamp,
    agent::{Access, Visibility},
};

use super::{Badge, Form, Html};

#[derive(Clone, Debug)]
pub struct AgentPage {
    pub head: AgentHead,
    pub tab: AgentTab,
}

/// What stands above the tabs and in the rail.
#[derive(Clone, Debug)]
pub struct AgentHead {
    pub seed: String,
    pub name: String,
    pub address: Address,
    pub summary: String,
    pub badges: Vec<Badge>,
    pub callable: Callable,
    pub visibility: Visibility,
    /// Whether the viewer may change it.
    pub can_manage: bool,
    pub protocol: String,
    pub version: String,
    pub published: Option<Timestamp>,
    pub last_answered: Option<Timestamp>,
    /// Runs in the last 30 days.
    pub uses: u64,
    /// From how many people.
    pub stars: u64,
    /// Whether the viewer's is among them; none where nobody is signed in. Posted to `…/star` with `star` = `yes` or `no`,
    /// and `tab` to come back to.
    pub starred: Option<bool>,
    /// Who made it, as its card says.
    pub provider: Option<String>,
    pub links: Vec<ExternalLink>,
    /// Shown in the rail; no link where it is none.
    pub card_href: String,
}

/// Whether the viewer can talk to it, and what to do if not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callable {
    Yes,
    SignIn,
    /// It wants credentials of the viewer's own; the form is at `…/credentials`.
    NeedsCredentials,
    /// Only its owner can: nobody proved control of this origin.
    Unproved {
        origin: String,
    },
    NotAllowed,
    Paused,
}

/// A link that a card names. Only http, https and mailto reach this type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalLink {
    pub label: String,
    pub url: String,
}

#[derive(Clone, Debug)]
pub enum AgentTab {
    Overview(Overview),
    Skills(Vec<Skill>),
    Versions(Vec<VersionRow>),
    Connect(Vec<Snippet>),
    /// For those who may change it.
    Manage(Manage),
    /// The viewer's own credentials for an agent that asks for them.
    Credentials(Credentials),
    /// What the servers of its tools are shown, for those who may change it.
    ToolCredentials(ToolCredentials),
}

#[derive(Clone, Debug)]
pub struct Overview {
    pub description: Html,
    /// First messages to try; each is a link to a chat with the text filled in.
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

#[derive(Clone, Debug)]
pub struct VersionRow {
    pub version: String,
    pub created: Timestamp,
    pub protocol: String,
    /// SHA-256 of the card, in hexadecimal.
    pub card: String,
    pub yanked: Option<String>,
}

/// How a program reaches the agent.
#[derive(Clone, Debug)]
pub struct Snippet {
    /// What it is for, such as "A2A with curl".
    pub title: String,
    /// For the label of the block, such as "bash".
    pub language: String,
    pub code: String,
}

/// Posted to `/@owner/name/manage`; the field `action` says what: `save`, `pause`, `resume`, `refresh`, `delete`.
#[derive(Clone, Debug)]
pub struct Manage {
    pub visibility: Visibility,
    pub access: Access,
    pub paused: bool,
    /// Whether other hubs could carry it: false for built-in and private-network agents.
    pub can_federate: bool,
    /// Its instructions can be edited at `…/edit`.
    pub editable: bool,
    /// Its card can be fetched again.
    pub refreshable: bool,
    pub origins: Vec<super::register::OriginProof>,
    pub form: Form,
}

/// Posted to `/@owner/name/credentials` with the fields `secret`, and `user` for [`Scheme::Basic`] and
/// [`Scheme::Client`]. For [`Scheme::Connect`] a person posts `action=connect`, and the owner `user` and `secret` of the
/// client that the hub is.
#[derive(Clone, Debug)]
pub struct Credentials {
    pub scheme: Scheme,
    /// Whether something is kept already; the form then also offers to forget it (`action=forget`).
    pub kept: bool,
    /// Where it would be sent, and nowhere else.
    pub origin: String,
    /// For the owner of an agent that people connect to.
    pub client: Option<HubAsClient>,
    pub form: Form,
}

/// Posted to `/@owner/name/credentials` with `url`, the address of a server, and `header` and `secret`, or `action=forget`.
#[derive(Clone, Debug)]
pub struct ToolCredentials {
    pub servers: Vec<ToolServer>,
    pub form: Form,
}

/// An MCP server at an address.
#[derive(Clone, Debug)]
pub struct ToolServer {
    pub url: String,
    /// How it is shown what is kept for it; none while nothing is.
    pub scheme: Option<Scheme>,
}

/// How the hub is known at the authorization server that people are sent to.
#[derive(Clone, Debug)]
pub struct HubAsClient {
    /// The id of the document that the hub serves about itself, good where the server reads such documents.
    pub document: String,
    /// Where people are sent back to.
    pub redirect: String,
}

/// What an agent asks its callers for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scheme {
    Bearer,
    /// With the name of the header.
    ApiKey(String),
    Basic,
    /// The id and secret of a client; the hub gets tokens with them at this origin.
    Client(String),
    /// Leave that each person gives at this origin.
    Connect(String),
}
