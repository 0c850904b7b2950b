//! View models of the registration of an agent. Each step is a separate page with its own form.

use plexus_domain::{Address, DraftId, Timestamp, agent::http_endpoint::Preset};

use super::{
    Form, Html,
    agent::{Scheme, Skill},
};

/// Choice at `/register` of what to register.
#[derive(Clone, Debug)]
pub struct RegisterStart {
    /// Unfinished registrations.
    pub drafts: Vec<DraftRow>,
    /// Whether this hub has a model that an `llm` agent could run on.
    pub has_models: bool,
    /// Whether the operator configured a program that the viewer may register as an agent.
    pub has_programs: bool,
}

/// First step at `/register/address`: the URL of the agent. Posts `url`.
#[derive(Clone, Debug)]
pub struct RegisterAddress {
    /// Whether this viewer may register addresses of the private network.
    pub allows_private: bool,
    pub form: Form,
}

/// Import of an exported agent at `/register/import`. Posts as multipart with `file`, `name` and `model`.
#[derive(Clone, Debug)]
pub struct RegisterImport {
    /// Namespace of the new agent.
    pub owner: String,
    pub models: Vec<ModelOption>,
    pub form: Form,
}

#[derive(Clone, Debug)]
pub struct DraftRow {
    pub id: DraftId,
    pub label: String,
    pub way: RegistrationKind,
    pub step: Step,
    pub begun: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Address,
    /// Request template of an HTTP endpoint.
    Request,
    Card,
    Proof,
    Try,
    Publish,
}

/// Kind of registration, which decides the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegistrationKind {
    /// Agent with an agent card.
    Card,
    /// HTTP endpoint with a request template.
    Request,
    /// Agent without an address to call, such as a model or a program: one form, no origin verification.
    Written,
}

impl RegistrationKind {
    pub const fn steps(self) -> &'static [Step] {
        match self {
            Self::Card => &[Step::Address, Step::Card, Step::Proof, Step::Publish],
            Self::Request => &[Step::Request, Step::Proof, Step::Try, Step::Publish],
            Self::Written => &[],
        }
    }
}

impl Step {
    /// Returns the last path segment of the step, below `/register/{draft}/`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Request => "request",
            Self::Try => "try",
            Self::Card => "card",
            Self::Proof => "proof",
            Self::Publish => "publish",
        }
    }
}

/// Step at `/register/{draft}/card`: the fetched agent card.
///
/// Posts `name` (the agent's name in its address). If the card asks for credentials, also `credentials`
/// (`shared` or `per_user`), `user`, `secret`.
#[derive(Clone, Debug)]
pub struct RegisterCard {
    pub draft: DraftId,
    /// Namespace of the viewer, the first part of the agent's address.
    pub owner: String,
    pub card: CardPreview,
    /// Problems of the card. With an error among them the form cannot be sent.
    pub problems: Vec<Problem>,
    pub form: Form,
}

#[derive(Clone, Debug)]
pub struct CardPreview {
    pub seed: String,
    pub name: String,
    pub summary: String,
    pub version: String,
    pub provider: Option<String>,
    /// URL that the card was fetched from.
    pub url: String,
    pub interfaces: Vec<Interface>,
    pub skills: Vec<Skill>,
    pub streaming: bool,
    pub scheme: Option<Scheme>,
    /// Key that signed the card, if its signature is valid.
    pub signed_by: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Interface {
    pub url: String,
    /// Such as "JSON-RPC, A2A 1.0".
    pub protocol: String,
    /// True for the interface that the hub would call.
    pub chosen: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    /// Location in the card, such as `skills[2].id`.
    pub place: String,
    /// What is wrong, and what would be valid.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The agent cannot be registered like this.
    Error,
    /// The agent works, but with a loss.
    Warning,
    Hint,
}

/// Origin verification at `/register/{draft}/proof`.
///
/// Posts `action`: `verify` (all origins), `trust_origin` with `origin` (for administrators), `continue`.
#[derive(Clone, Debug)]
pub struct RegisterProof {
    pub draft: DraftId,
    pub way: RegistrationKind,
    pub origins: Vec<OriginProof>,
    /// Whether the viewer is an administrator.
    pub can_trust: bool,
    pub form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginProof {
    pub origin: String,
    pub state: ProofState,
    /// URL at which the owner has to serve the verification file.
    pub file_url: String,
    /// Content of the verification file.
    pub file_text: String,
    /// TXT record as the other method; `None` if the host is an IP address.
    pub dns: Option<DnsRecord>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DnsRecord {
    pub name: String,
    pub value: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofState {
    Unchecked,
    Proved {
        by: ProofMethod,
        at: Timestamp,
    },
    /// Verification failed; the message describes what was found instead.
    Failed {
        message: String,
        at: Timestamp,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofMethod {
    File,
    Dns,
    /// Trusted by an administrator.
    Trusted,
}

/// Last step at `/register/{draft}/publish`. Posts `visibility` and `access`.
#[derive(Clone, Debug)]
pub struct RegisterPublish {
    pub draft: DraftId,
    pub seed: String,
    pub name: String,
    pub address: Address,
    /// True if every interface origin is verified.
    pub proved: bool,
    pub way: RegistrationKind,
    pub can_federate: bool,
    /// Tools of MCP servers that are not offered to the model, each with the reason.
    pub omitted_tools: Vec<String>,
    pub form: Form,
}

/// HTTP endpoint: new at `/register/http`, edited at `/@owner/name/edit`.
///
/// A new one posts `name` and, if it asks for credentials, `credentials` (`shared` or `per_user`), `user`, `secret`.
/// Both post `title`, `summary`, `starters` (one per line), `tags`; `method`, `url`, `headers` (one per line),
/// `body`; `response_format`, `response_path`, `question_suffix`; `auth`, `auth_name`, `token_url`,
/// `authorization_url`, `scopes`; `init_url`, `init_body`, `init_id_path`, `done_path`.
#[derive(Clone, Debug)]
pub struct EndpointPage {
    pub owner: String,
    /// Agent that is edited; `None` for a new one.
    pub editing: Option<Address>,
    /// Unfinished registration whose request is edited; `None` for a new one.
    pub draft: Option<DraftId>,
    /// Preset that the form was filled with.
    pub chosen: Option<Preset>,
    pub form: Form,
}

/// Test call at `/register/{draft}/try`. Posts `message` and `action`: `try`, `continue`.
#[derive(Clone, Debug)]
pub struct RegisterTry {
    pub draft: DraftId,
    pub seed: String,
    pub name: String,
    pub method: String,
    pub url: String,
    /// Message that is prefilled before the first test call.
    pub suggestion: String,
    pub tried: Option<TestCallView>,
    pub form: Form,
}

/// Result of a test call.
#[derive(Clone, Debug)]
pub struct TestCallView {
    pub message: String,
    pub answer: Html,
    /// Why it failed, and what to do; `None` on success.
    pub failed: Option<String>,
    pub took_ms: u64,
}

/// Confirmation page after the last step.
#[derive(Clone, Debug)]
pub struct RegisterDone {
    pub seed: String,
    pub name: String,
    pub address: Address,
    pub proved: bool,
    /// Who can find it now.
    pub reach: plexus_domain::agent::Visibility,
}

/// Agent made of instructions and a model: new at `/register/instructions`, edited at `/@owner/name/edit`.
///
/// Posts `name` (new only), `title`, `summary`, `instructions`, `model`, `starters` (one per line), `tags`,
/// `tools` (one per line), `turns`, `tokens`, `seconds`, `cost`. It also posts `url`, `header`, `secret`, the
/// credentials for one of the tool servers.
#[derive(Clone, Debug)]
pub struct InstructionsPage {
    pub owner: String,
    /// Names of the MCP servers that the operator lists.
    pub programs: Vec<String>,
    /// Whether models have prices here.
    pub priced: bool,
    /// Agent that is edited; `None` for a new one.
    pub editing: Option<Address>,
    /// The model of the edited agent, if the hub does not list it.
    pub missing_model: Option<MissingModel>,
    pub models: Vec<ModelOption>,
    pub form: Form,
}

/// A model that the hub does not list now.
#[derive(Clone, Debug)]
pub struct MissingModel {
    pub name: String,
    /// The listed model with the most similar name.
    pub nearest: Option<String>,
}

/// Agent that is one of the operator's programs: new at `/register/program`, edited at `/@owner/name/edit`.
///
/// Posts `name` (new only), `title`, `summary`, `program`, `starters` (one per line), `tags`.
#[derive(Clone, Debug)]
pub struct ProgramPage {
    pub owner: String,
    /// Agent that is edited; `None` for a new one.
    pub editing: Option<Address>,
    /// Programs that the viewer may use.
    pub programs: Vec<String>,
    pub form: Form,
}

#[derive(Clone, Debug)]
pub struct ModelOption {
    /// Value of the form field.
    pub id: String,
    pub label: String,
}
