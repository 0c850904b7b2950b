//! Teams: agents that work on a goal together, orchestrated by this hub.
//!
//! The state of a team is derived from its log (`plexus_domain::team`, event sourcing). Each active team has
//! one task, its orchestrator (`conduct`). It reconciles the team's pending actions with the running work,
//! and processes messages from members, the owner and the clock one after the other. The next step is decided
//! by rules, by a model in the background (`decide`), or by a member with the team extension (`floor`). All
//! state is in the log and the runs, so the orchestrator resumes after a crash. A subteam that a member forms
//! for its assignment (`nest`) has its own log and orchestrator; the two teams read each other's logs.

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
