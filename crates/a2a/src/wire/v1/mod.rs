//! A2A 1.0: messages of `specification/a2a.proto` (package lf.a2a.v1) as ProtoJSON.
//!
//! Unknown fields are ignored, `null` counts as absent, and exactly one member of a `oneof` must be present.

mod card;
mod message;
mod params;
mod push;
mod stream;
mod task;

pub use card::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface, AgentProvider,
    AgentSkill, ScopeList, SecurityRequirement, SecurityScheme,
};
pub use message::{Message, Part, PartContent, Role};
pub use params::{
    CancelTaskRequest, GetExtendedCardRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse,
    SendMessageConfiguration, SendMessageRequest, SendMessageResponse, SubscribeToTaskRequest,
};
pub use push::{
    AuthenticationInfo, DeletePushConfigRequest, GetPushConfigRequest, ListPushConfigsRequest,
    ListPushConfigsResponse, TaskPushNotificationConfig,
};
pub use stream::{StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent};
pub use task::{Artifact, Task, TaskState, TaskStatus};
