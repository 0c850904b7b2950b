//! Agents: which there are, who may see and use them, and how they come and go.

mod builtin;
mod reach;
mod withdraw;

pub(crate) use builtin::ensure_builtin;
pub use builtin::guide_address;
pub(crate) use reach::{reach, reach_by_id};
pub(crate) use withdraw::withdraw;
