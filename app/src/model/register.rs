//! Registering an agent, step by step. Each step is a page of its own with a form of its own.

use plexus_domain::{Address, DraftId, Timestamp, agent::http::Preset};

use super::{
    Form, Html,
    agent::{Scheme, Skill},
};

/// `/register`: where is the agent? Posted to `/register` with the field `url`.
#[derive(Clone, Debug)]
pub struct RegisterStart {
    /// Registrations that were begun and not finished.
    pub drafts: Vec<DraftRow>,
    /// Whether this hub has a model that an `llm` agent could run on.
    pub has_models: bool,
    /// Whether there is a program that the viewer may make an agent of.
    pub has_programs: bool,
    /// Whether addresses of the private network are accepted from this viewer.
    pub allows_private: bool,
    pub form: Form,
}

#[derive(Clone, Debug)]
pub struct DraftRow {
    pub id: DraftId,
    pub label: String,
    pub way: Way,
    pub step: Step,
    pub begun: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Address,
    /// How an endpoint is called.
    Request,
    Card,
    Proof,
    Try,
    Publish,
}

/// What is being registered, which decides the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// An agent with a card.
    Card,
    /// An HTTP endpoint that is called by a request.
    Request,
    /// Something that the hub calls nowhere: there is one form, and nothing to prove.
    Written,
}

impl Way {
    pub const fn steps(self) -> &'static [Step] {
        match self {
            Self::Card => &[Step::Address, Step::Card, Step::Proof, Step::Publish],
            Self::Request => &[Step::Request, Step::Proof, Step::Try, Step::Publish],
            Self::Written => &[],
        }
    }
}

impl Step {
    /// The last segment of the step's address, below `/register/{draft}/`.
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

/// `/register/{draft}/card`: what was found. Posted there with `name` (the agent's name in its address), and
/// where the card asks for credentials `credentials` (`owner` or `each`), `user`, `secret`.
#[derive(Clone, Debug)]
pub struct RegisterCard {
    pub draft: DraftId,
    /// The viewer's namespace, which the address will start with.
    pub owner: String,
    pub card: CardPreview,
    /// With an error among them the form cannot be sent.
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
    /// Where the card was fetched.
    pub url: String,
    pub interfaces: Vec<Interface>,
    pub skills: Vec<Skill>,
    pub streaming: bool,
    pub scheme: Option<Scheme>,
    /// The key that signed it, if its signature was checked.
    pub signed_by: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Interface {
    pub url: String,
    /// Such as "JSON-RPC, A2A 1.0".
    pub protocol: String,
    /// The hub would call this one.
    pub chosen: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    /// Where in the card, such as `skills[2].id`.
    pub place: String,
    /// What is wrong and what would be right.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The agent cannot be registered like this.
    Error,
    /// It works, but something is lost.
    Warning,
    Hint,
}

/// `/register/{draft}/proof`. Posted there with `action`: `check` (all origins), `vouch` with `origin` (for
/// administrators), `continue`.
#[derive(Clone, Debug)]
pub struct RegisterProof {
    pub draft: DraftId,
    pub way: Way,
    pub origins: Vec<OriginProof>,
    /// Whether the viewer is an administrator.
    pub can_vouch: bool,
    pub form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginProof {
    pub origin: String,
    pub state: ProofState,
    /// Where to serve a file, and its content; or …
    pub file_url: String,
    pub file_text: String,
    /// … the TXT record to publish; none for addresses that are not names.
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
    /// What was found instead, in words.
    Failed {
        message: String,
        at: Timestamp,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofMethod {
    File,
    Dns,
    /// An administrator's word.
    Vouched,
}

/// `/register/{draft}/publish`. Posted there with `visibility` and `access`.
#[derive(Clone, Debug)]
pub struct RegisterPublish {
    pub draft: DraftId,
    pub seed: String,
    pub name: String,
    pub address: Address,
    /// Every interface origin is proved.
    pub proved: bool,
    pub way: Way,
    pub can_federate: bool,
    pub form: Form,
}

/// An HTTP endpoint: new at `/register/http`, an edit at `/@owner/name/edit`. Posted there with `name` and, where it asks
/// for credentials, `credentials` (`owner` or `each`), `user`, `secret` (these four new only); `title`, `summary`,
/// `starters` (one a line), `tags`; `method`, `url`, `headers` (one a line), `body`; `answer`, `path`; `auth`, `auth_name`;
/// `start_url`, `start_body`, `start_id`, `last`.
#[derive(Clone, Debug)]
pub struct EndpointPage {
    pub owner: String,
    /// The agent that is edited; none for a new one.
    pub editing: Option<Address>,
    /// The registration that is described otherwise; none for one that begins.
    pub draft: Option<DraftId>,
    /// The ready request that the form was filled with.
    pub chosen: Option<Preset>,
    pub form: Form,
}

/// `/register/{draft}/try`. Posted there with `message` and `action`: `try`, `continue`.
#[derive(Clone, Debug)]
pub struct RegisterTry {
    pub draft: DraftId,
    pub seed: String,
    pub name: String,
    pub method: String,
    pub url: String,
    /// The message that is filled in before the first trial.
    pub suggestion: String,
    pub tried: Option<Tried>,
    pub form: Form,
}

/// What came of a trial.
#[derive(Clone, Debug)]
pub struct Tried {
    pub message: String,
    pub answer: Html,
    /// Why it failed, and what to do.
    pub failed: Option<String>,
    pub took_ms: u64,
}

/// Shown after the last step.
#[derive(Clone, Debug)]
pub struct RegisterDone {
    pub seed: String,
    pub name: String,
    pub address: Address,
    pub proved: bool,
    /// Who can find it now, as in "Everybody on this hub can find it."
    pub reach: plexus_domain::agent::Visibility,
}

/// An agent made of instructions and a model: new at `/register/instructions`, an edit at `/@owner/name/edit`.
/// Posted there with `name` (new only), `title`, `summary`, `instructions`, `model`, `starters` (one a line), `tags`,
/// `tools` (one a line), `turns`, `tokens`, `seconds`, `cost`, and `url`, `header`, `secret` for what one of the tool servers is
/// shown.
#[derive(Clone, Debug)]
pub struct InstructionsPage {
    pub owner: String,
    /// The names of the MCP servers that the operator lists.
    pub programs: Vec<String>,
    /// Whether models cost something here.
    pub priced: bool,
    /// The agent that is edited; none for a new one.
    pub editing: Option<Address>,
    pub models: Vec<ModelOption>,
    pub form: Form,
}

/// An agent that is one of the operator's programs: new at `/register/program`, an edit at `/@owner/name/edit`.
/// Posted there with `name` (new only), `title`, `summary`, `program`, `starters` (one a line), `tags`.
#[derive(Clone, Debug)]
pub struct ProgramPage {
    pub owner: String,
    /// The agent that is edited; none for a new one.
    pub editing: Option<Address>,
    /// Those that the viewer may use.
    pub programs: Vec<String>,
    pub form: Form,
}

#[derive(Clone, Debug)]
pub struct ModelOption {
    /// The value of the field.
    pub id: String,
    pub label: String,
}
