//! Calls: requests of programs to agents, independent of the protocol.
//!
//! A call creates a run like any other. The hub owns the run: it continues when the caller disconnects, and
//! the site can show it. Every protocol edge calls agents through this module, and only adds its own
//! encoding.
//!
//! [`fn@authorize`] authorizes the caller once and returns a [`AuthorizedAgent`], which all other functions take.

mod authorize;
mod call_request;
mod cancel;
mod cancel_on_drop;
mod card;
mod conversation;
mod conversation_matching;
mod create_task;
mod file;
mod invoke;
mod list;
mod model_catalog;
mod repeated_message;
mod signed_links;
mod stored_answer;
mod subscribe;
mod task;
mod text_stream;
mod upload;
pub mod webhooks;

pub use authorize::{AuthorizedAgent, authorize};
pub use call_request::{CallRequest, PriorMessage};
pub use cancel::cancel;
pub use cancel_on_drop::CancelOnDrop;
pub(crate) use card::public_card;
pub use card::{card, hub_card};
pub use conversation::conversation;
pub use file::{file, file_of_task};
pub use invoke::{CallOutcome, DirectReply, invoke, start};
pub use list::{TaskCursor, TaskFilter, TaskPage, list};
pub use model_catalog::{CatalogAgent, list_callable_agents};
pub use plexus_store::runs::Origin;
pub(crate) use signed_links::LinkSigner;
pub use signed_links::{SignedLinkParams, file_by_link};
pub use stored_answer::{delete_answer, list_input};
pub use subscribe::{SubscriptionScope, TaskSubscription, TaskUpdate, subscribe};
pub use task::{Task, get};
pub(crate) use text_stream::link_label;
pub use text_stream::{AnswerText, FileLinks, part_to_markdown};
pub use upload::MEDIA_TYPE;
pub(crate) use upload::acceptable_to;
