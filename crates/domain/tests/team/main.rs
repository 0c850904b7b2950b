//! Team tests: they drive the state machine as a hub does,
//! with proposals in, entries out and every log replayed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

mod conversation;
mod faults;
mod forming;
mod hostile;
mod limits;
mod nested;
mod patterns;
mod schedules;
mod story;
mod trees;
mod wire;
mod world;
