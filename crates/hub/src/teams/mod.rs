//! Teams: agents with a goal, at work on this hub.
//!
//! A team is what its log says (`plexus_domain::team`). For each team that has not ended one task, its conductor
//! (`conduct`), orders the log: it looks at what the team wants, asks for what is missing, and takes what comes, from
//! members, from the owner and from the clock, one after the other. It keeps nothing that the log and the runs do not
//! say, so after a crash it begins where it was.

mod act;
mod conduct;
mod invite;
mod launch;
mod look;
mod names;
mod record;
mod recover;
mod room;
mod speak;
mod watch;
mod work;

pub use act::{Act, act};
pub use launch::{Launch, launch};
pub use look::{MemberView, TeamItem, TeamView, WorkView, list, look};
pub use names::{Named, resolve};
pub use plexus_store::teams::TeamState;
pub(crate) use recover::recover;
pub(crate) use room::Rooms;
pub use watch::{Watching, watch};
