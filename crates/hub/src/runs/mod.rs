//! Runs: an agent's work on one request. A run belongs to the hub, not to a connection.

mod admission;
mod approvals;
mod cancel;
mod connectors;
mod conversation;
mod create;
mod finish;
mod message_writer;
mod model_question;
mod recover;
mod registry;
mod resume;
mod worker;

pub use approvals::{AnswerInput, ApprovalReply, PendingToolApproval, decide, waiting};
pub use cancel::stop;
pub(crate) use cancel::{cancel, stop_all, stop_chat};
pub(crate) use connectors::{ConnectorResources, llm, model_endpoint, tool_server};
pub(crate) use create::{MessageAuthors, NewRunSpec, RunJob, create, visible_messages};
pub(crate) use model_question::{ModelAnswer, ModelQuestion, ask_model};
pub(crate) use recover::recover;
pub(crate) use registry::RunRegistry;
pub(crate) use worker::spawn_workers;
