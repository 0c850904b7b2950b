//! Teams: agents that work on a goal together, orchestrated by this hub.
//!
//! The state of a team is derived from its log (`plexus_domain::team`, event sourcing). Each active team has
//! one task, its orchestrator (`orchestrator`). It reconciles the team's pending actions with the running work,
//! and processes messages from members, the owner and the clock one after the other. The next step is decided
//! by rules, by a model in the background (`decision`), or by a member with the team extension (`team_extension`). All
//! state is in the log and the runs, so the orchestrator resumes after a crash. A subteam that a member forms
//! for its assignment (`subteams`) has its own log and orchestrator; the two teams read each other's logs.

mod active_runs;
mod assignments;
mod builtin_answers;
mod decided;
mod decision;
mod delegation;
mod example_goals;
mod front_agent;
mod input_files;
mod invite;
mod launch;
mod log_store;
mod mailbox;
mod member_resolution;
mod member_roles;
mod orchestrator;
mod owner_actions;
mod progress;
mod recover;
mod redact;
mod remote_commands;
mod report;
mod share_links;
mod subscribe;
mod subteams;
mod team_extension;
mod team_files;
mod turns;
mod view;

pub use example_goals::{EXAMPLE_GOALS, ExampleGoal};
pub(crate) use front_agent::{ensure_may_launch, front_agent};
pub use launch::{LaunchRequest, launch};
pub(crate) use mailbox::{TeamCommand, TeamMailboxes};
pub use member_resolution::{MemberMatch, resolve};
pub use owner_actions::{OwnerAction, act};
pub use plexus_store::teams::TeamState;
pub use progress::ProgressReporter;
pub(crate) use recover::recover;
pub(crate) use remote_commands::send_command;
pub use report::{TeamArtifact, TeamReport, TeamSnapshot, log, report, snapshot_at};
pub use share_links::{share, shared, shared_file, shared_moment, unshare};
pub use subscribe::{TeamSubscription, subscribe};
pub use team_files::TeamFile;
pub use view::{AssignmentView, MemberView, RelatedTeam, TeamItem, TeamView, get, list};
