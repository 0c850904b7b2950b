//! Team tests: they drive the state machine as a hub does,
//! with proposals in, entries out and every log replayed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

mod conversation;
mod fault_injection;
mod fixtures;
mod hostile;
mod invitations;
mod limits;
mod log_format;
mod patterns;
mod random_schedules;
mod subteam_trees;
mod subteams;
mod timeline;
