//! Teams: agents with a goal, at work on this hub.
//!
//! A team is what its log says (`plexus_domain::team`). For each team that has not ended one task, its conductor
//! (`conduct`), orders the log: it looks at what the team wants, asks for what is missing, and takes what comes, from
//! members, from the owner and from the clock, one after the other. What comes next, rules decide, or a model that is
//! asked on the side (`decide`), or a member that takes the floor (`floor`). It keeps nothing that the log and the runs do not
//! say, so after a crash it begins where it was. A team that a member forms for its assignment (`nest`) has a log and a
//! conductor of its own; the two read each other's logs.

mod act;
mod asked;
mod brought;
mod conduct;
mod decide;
mod decided;
mod doing;
mod elsewhere;
mod floor;
mod help;
mod invite;
mod launch;
mod look;
mod names;
mod nest;
mod record;
mod recover;
mod room;
mod share;
mod speak;
mod steps;
mod story;
mod veil;
mod watch;
mod work;

pub use act::{Act, act};
pub(crate) use asked::{check, front};
pub(crate) use elsewhere::ask;
pub use launch::{Launch, launch};
pub use look::{Kin, MemberView, TeamItem, TeamView, WorkView, list, look};
pub use names::{Named, resolve};
pub use plexus_store::teams::TeamState;
pub(crate) use recover::recover;
pub(crate) use room::{Rooms, Wish};
pub use share::{share, shared, shared_file, shared_moment, unshare};
pub use steps::Steps;
pub use story::{Artifact, Moment, Report, log, moment, report};
pub use watch::{Watching, watch};
