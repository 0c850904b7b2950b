//! Push notifications: whom the caller of a task wants told, and the telling.
//!
//! Each step of a run writes a letter for each hook of the run, in the transaction of the step (`letters`). A worker
//! sends them, and tries again for a while where nobody takes them (`deliver`).

mod deliver;
mod hook;
mod letters;
mod manage;

pub(crate) use deliver::deliver_until;
pub use hook::{Authentication, Hook, Named, Wish};
pub(crate) use letters::write;
pub(super) use manage::keep;
pub use manage::{add, find, list, remove};
