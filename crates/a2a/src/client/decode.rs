//! What an agent answers, bounded before it is parsed.

use plexus_domain::{agent::A2aProtocol, run::FailureClass};
use serde::de::DeserializeOwned;

use crate::{
    json::{self, JsonError, Limits},
    wire::{
        Method,
        rpc::{self, Answer},
        v1::{self, SendMessageResponse, StreamResponse},
        v03,
    },
};

/// A whole answer: a task with its history and its files.
pub const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// One event of a stream.
pub const MAX_EVENT_BYTES: usize = 4 * 1024 * 1024;
/// Lists and objects within each other, the envelope included.
pub const MAX_DEPTH: usize = 32;
/// Parts in one answer or event, over all its messages and artifacts.
pub const MAX_PARTS: usize = 1_024;
/// JSON values in one answer or event.
const MAX_VALUES: usize = 200_000;

/// One thing that an agent said, in either version.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// The whole answer: no task was made.
    Message(v1::Message),
    /// A task as it stands.
    Task(v1::Task),
    Status(v1::TaskStatusUpdateEvent),
    /// A piece of an artifact, with `append` and `last_chunk`.
    Artifact(v1::TaskArtifactUpdateEvent),
    /// The agent refused.
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

    /// The agent's own name for the conversation.
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

/// Why an answer cannot be used, in words that finish "The agent's answer was not understood."
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
    /// What a run fails with on this error.
    pub const fn class(&self) -> FailureClass {
        match self {
            Self::Json(JsonError::TooLarge { .. } | JsonError::TooMany { .. })
            | Self::TooManyParts { .. } => FailureClass::TooLarge,
            Self::Json(_) | Self::NoResult => FailureClass::Garbage,
        }
    }
}

/// Reads the body that answered `method`. A streaming method is answered so by agents that cannot stream, and by
/// those that refuse.
pub fn answer(protocol: A2aProtocol, method: Method, body: &[u8]) -> Result<Update, DecodeError> {
    let limits = Limits { bytes: MAX_ANSWER_BYTES, depth: MAX_DEPTH, values: MAX_VALUES };
    match (protocol, method) {
        (A2aProtocol::V1, Method::GetTask | Method::CancelTask) => read(body, limits, Update::Task),
        (A2aProtocol::V1, Method::SendMessage) => read(body, limits, SendMessageResponse::into),
        (A2aProtocol::V1, _) => read(body, limits, StreamResponse::into),
        (A2aProtocol::V03, Method::GetTask | Method::CancelTask) => {
            read(body, limits, |task: v03::Task| Update::Task(task.into()))
        }
        (A2aProtocol::V03, _) => read(body, limits, from_v03),
    }
}

/// Reads the data of one server-sent event.
pub fn event(protocol: A2aProtocol, data: &[u8]) -> Result<Update, DecodeError> {
    let limits = Limits { bytes: MAX_EVENT_BYTES, depth: MAX_DEPTH, values: MAX_VALUES };
    match protocol {
        A2aProtocol::V1 => read(data, limits, StreamResponse::into),
        A2aProtocol::V03 => read(data, limits, from_v03),
    }
}

fn from_v03(event: v03::Event) -> Update {
    StreamResponse::from(event).into()
}

fn read<R: DeserializeOwned>(
    bytes: &[u8],
    limits: Limits,
    into: impl FnOnce(R) -> Update,
) -> Result<Update, DecodeError> {
    let answer: Answer<R> = json::parse(bytes, limits)?;
    let update = match (answer.result, answer.error) {
        (_, Some(error)) => Update::Error(error),
        (Some(result), None) => into(result),
        (None, None) => return Err(DecodeError::NoResult),
    };
    let parts = update.parts();
    if parts > MAX_PARTS { Err(DecodeError::TooManyParts { parts }) } else { Ok(update) }
}
