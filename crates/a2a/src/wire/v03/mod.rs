//! A2A 0.3: the shapes of its `types.ts`, and conversions from and to 1.0, which is the inner form.
//!
//! What 0.3 cannot say is kept where there is a custom for it and dropped where there is none: data that is not an
//! object travels as `{"value": …}` marked by `data_part_compat`, as the official SDKs do; file name and media type
//! of a text, and the tenant, are dropped.

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

/// A `kind` member that says what its object is. Absent it is taken for granted, because the place says it, too.
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

/// The words of `kind`.
pub mod kind {
    kinds! { Message = "message", Task = "task", StatusUpdate = "status-update", ArtifactUpdate = "artifact-update" }
}
