//! A2A 0.3: types of its `types.ts`, and conversions from and to 1.0, the internal representation.
//!
//! Data that is not an object is sent as `{"value": …}` marked by `data_part_compat`, as in the official
//! SDKs. Without an equivalent in 0.3, file name and media type of a text and the tenant are dropped.

mod convert;
mod message;
mod params;
mod stream;
mod task;

pub use message::{File, FileContent, Message, Part, Role};
pub use params::{
    MessageSendConfiguration, MessageSendParams, PushAuthentication, PushConfigParams,
    PushNotificationConfig, TaskIdParams, TaskPushNotificationConfig, TaskQueryParams,
};
pub use stream::{Event, TaskArtifactUpdateEvent, TaskStatusUpdateEvent};
pub use task::{Artifact, Task, TaskState, TaskStatus};

/// Defines the types of `kind` members. An absent `kind` is accepted, because the context determines it.
macro_rules! kinds {
    ($($name:ident = $text:literal),* $(,)?) => {$(
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            #[default]
            #[serde(rename = $text)]
            Is,
        }
    )*};
}

/// Values of `kind`.
pub mod kind {
    kinds! { Message = "message", Task = "task", StatusUpdate = "status-update", ArtifactUpdate = "artifact-update" }
}
