//! Calls: requests of programs to agents, independent of the protocol.
//!
//! A call creates a run like any other. The hub owns the run: it continues when the caller disconnects, and
//! the site can show it. Every protocol edge calls agents through this module, and only adds its own
//! encoding.
//!
//! [`enter`] authorizes the caller once and returns a [`Door`], which all other functions take.

mod ask;
mod begin;
mod cancel;
mod card;
mod door;
mod file;
mod follow;
mod history;
mod leash;
mod link;
mod list;
mod offered;
pub mod push;
mod task;
mod upload;
mod words;

pub use ask::{Asked, Reply, ask, begin};
pub use begin::{Before, Call};
pub use cancel::cancel;
pub(crate) use card::public_card;
pub use card::{card, hub_card};
pub use door::{Door, enter};
pub use file::file;
pub use follow::{Following, News, Until, follow};
pub use leash::Leash;
pub use link::{Pass, file_by_link};
pub use list::{Filter, TaskCursor, TaskPage, list};
pub use offered::{Offered, offered};
pub use plexus_store::runs::Origin;
pub use task::{Task, get};
pub use upload::MEDIA_TYPE;
pub(crate) use upload::acceptable_to;
pub use words::{Words, in_words};
