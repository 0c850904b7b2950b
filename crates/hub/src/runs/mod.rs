//! Runs: an agent's work on one request. A run belongs to the hub, not to a connection.

mod approve;
mod begin;
mod connect;
mod finish;
mod output;
mod recover;
mod request;
mod running;
mod stop;
mod take_up;
mod turn;
mod work;

pub use approve::{Waiting, decide, waiting};
pub(crate) use begin::{Ask, Job, Seen, begin, seen};
pub(crate) use connect::{Outbound, llm, tool_server};
pub(crate) use recover::recover;
pub(crate) use running::Running;
pub use stop::stop;
pub(crate) use stop::{end, stop_all, stop_chat};
pub(crate) use work::spawn;
