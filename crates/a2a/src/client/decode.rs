//! Decodes responses and events of agents, with limits checked before parsing.

use plexus_domain::{agent::A2aProtocol, run::FailureClass};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::unreadable_parts::replace_unreadable_parts;
use crate::{
    bounded_json::{self, JsonError, JsonLimits},
    wire::{
        Method,
        rpc::{self, LenientResponse},
        v1::{self, SendMessageResponse, StreamResponse},
        v03,
    },
};

/// Maximum size of a complete response: a task with its history and files.
pub const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// Maximum size of one stream event.
pub const MAX_EVENT_BYTES: usize = 4 * 1024 * 1024;
/// Maximum nesting depth of JSON, including the JSON-RPC envelope.
pub const MAX_DEPTH: usize = 32;
/// Maximum number of parts in one response or event, over all messages and artifacts.
pub const MAX_PARTS: usize = 1_024;
/// Maximum number of JSON values in one response or event.
const MAX_VALUES: usize = 200_000;
pub const ANSWER_LIMITS: JsonLimits =
    JsonLimits { bytes: MAX_ANSWER_BYTES, depth: MAX_DEPTH, values: MAX_VALUES };
pub const EVENT_LIMITS: JsonLimits =
    JsonLimits { bytes: MAX_EVENT_BYTES, depth: MAX_DEPTH, values: MAX_VALUES };

/// One update of an agent, independent of the protocol version.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// The complete answer: the agent created no task.
    Message(v1::Message),
    /// Snapshot of a task.
    Task(v1::Task),
    Status(v1::TaskStatusUpdateEvent),
    /// A chunk of an artifact, with `append` and `last_chunk`.
    Artifact(v1::TaskArtifactUpdateEvent),
    /// The agent returned a JSON-RPC error.
    Error(rpc::Error),
}

impl Update {
    pub fn task_id(&self) -> Option<&str> {
        match self {
            Self::Message(message) => message.task_id.as_deref(),
            Self::Task(task) => Some(&task.id),
            Self::Status(update) => Some(&update.task_id),
            Self::Artifact(update) => Some(&update.task_id),
            Self::Error(_) => None,
        }
    }

    /// Returns the agent's context id of the conversation, if it is not empty.
    pub fn context_id(&self) -> Option<&str> {
        let id = match self {
            Self::Message(message) => message.context_id.as_deref(),
            Self::Task(task) => task.context_id.as_deref(),
            Self::Status(update) => Some(update.context_id.as_str()),
            Self::Artifact(update) => Some(update.context_id.as_str()),
            Self::Error(_) => None,
        };
        id.filter(|id| !id.is_empty())
    }

    pub const fn state(&self) -> Option<v1::TaskState> {
        match self {
            Self::Task(task) => Some(task.status.state),
            Self::Status(update) => Some(update.status.state),
            Self::Message(_) | Self::Artifact(_) | Self::Error(_) => None,
        }
    }

    fn parts(&self) -> usize {
        let of_task = |task: &v1::Task| {
            let artifacts = task.artifacts.iter().map(|artifact| artifact.parts.len());
            let said = task.history.iter().chain(&task.status.message).map(|message| message.parts.len());
            artifacts.chain(said).sum()
        };
        match self {
            Self::Message(message) => message.parts.len(),
            Self::Task(task) => of_task(task),
            Self::Status(update) => update.status.message.as_ref().map_or(0, |message| message.parts.len()),
            Self::Artifact(update) => update.artifact.parts.len(),
            Self::Error(_) => 0,
        }
    }
}

impl From<StreamResponse> for Update {
    fn from(event: StreamResponse) -> Self {
        match event {
            StreamResponse::Task(task) => Self::Task(task),
            StreamResponse::Message(message) => Self::Message(message),
            StreamResponse::StatusUpdate(update) => Self::Status(update),
            StreamResponse::ArtifactUpdate(update) => Self::Artifact(update),
        }
    }
}

impl From<SendMessageResponse> for Update {
    fn from(response: SendMessageResponse) -> Self {
        match response {
            SendMessageResponse::Task(task) => Self::Task(task),
            SendMessageResponse::Message(message) => Self::Message(message),
        }
    }
}

/// Why a response is invalid, worded to follow "The agent's answer was not understood."
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error("It has {parts} parts; at most {MAX_PARTS} are read.")]
    TooManyParts { parts: usize },
    #[error("It has neither a result nor an error.")]
    NoResult,
}

impl DecodeError {
    /// Returns the failure class of a run that ends with this error.
    pub const fn class(&self) -> FailureClass {
        match self {
            Self::Json(JsonError::TooLarge { .. } | JsonError::TooMany { .. })
            | Self::TooManyParts { .. } => FailureClass::TooLarge,
            Self::Json(_) | Self::NoResult => FailureClass::Garbage,
        }
    }
}

/// Decodes the response body of `method`.
///
/// A streaming method also gets such a body from agents that cannot stream or that return an error.
pub fn answer(protocol: A2aProtocol, method: Method, body: &[u8]) -> Result<Update, DecodeError> {
    let limits = ANSWER_LIMITS;
    match (protocol, method) {
        (A2aProtocol::V1, Method::GetTask | Method::CancelTask) => read(protocol, body, limits, Update::Task),
        (A2aProtocol::V1, Method::SendMessage) => read(protocol, body, limits, SendMessageResponse::into),
        (A2aProtocol::V1, _) => read(protocol, body, limits, StreamResponse::into),
        (A2aProtocol::V03, Method::GetTask | Method::CancelTask) => {
            read(protocol, body, limits, |task: v03::Task| Update::Task(task.into()))
        }
        (A2aProtocol::V03, _) => read(protocol, body, limits, from_v03),
    }
}

/// Decodes the data of one server-sent event.
pub fn event(protocol: A2aProtocol, data: &[u8]) -> Result<Update, DecodeError> {
    let limits = EVENT_LIMITS;
    match protocol {
        A2aProtocol::V1 => read(protocol, data, limits, StreamResponse::into),
        A2aProtocol::V03 => read(protocol, data, limits, from_v03),
    }
}

fn from_v03(event: v03::Event) -> Update {
    StreamResponse::from(event).into()
}

fn read<R: DeserializeOwned>(
    protocol: A2aProtocol,
    bytes: &[u8],
    limits: JsonLimits,
    into: impl FnOnce(R) -> Update,
) -> Result<Update, DecodeError> {
    let answer: LenientResponse<R> = match bounded_json::parse(bytes, limits) {
        Err(error @ JsonError::Shape { .. }) => replace_and_read(protocol, bytes, limits).ok_or(error)?,
        parsed => parsed?,
    };
    let update = match (answer.result, answer.error) {
        (_, Some(error)) => Update::Error(error),
        (Some(result), None) => into(result),
        (None, None) => return Err(DecodeError::NoResult),
    };
    check_parts(update)
}

/// Fails if the update has too many parts.
pub fn check_parts(update: Update) -> Result<Update, DecodeError> {
    let parts = update.parts();
    if parts > MAX_PARTS { Err(DecodeError::TooManyParts { parts }) } else { Ok(update) }
}

/// Decodes a response after its unreadable parts were replaced. `None`: it is unreadable for another reason.
pub fn replace_and_read<R: DeserializeOwned>(
    protocol: A2aProtocol,
    bytes: &[u8],
    limits: JsonLimits,
) -> Option<R> {
    let mut value: Value = bounded_json::parse(bytes, limits).ok()?;
    if replace_unreadable_parts(protocol, &mut value) == 0 {
        return None;
    }
    R::deserialize(value).ok()
}
