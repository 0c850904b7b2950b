//! Teams: event-sourced collaboration of members (agents and people) on a goal.
//!
//! A team is defined by its log. The home hub (the hub that launched the team) orders the log. All other
//! parties send [`Proposal`]s and store a replica. [`Team::propose`] turns a proposal into entries or rejects
//! it, and [`Team::apply`] applies an entry. Replaying the same entries gives the same state on every hub.
//!
//! Reading order: [`charter`] (immutable founding data), [`event`] (what can happen), [`log`] (hash-chained
//! entries), [`state`] (current state), `machine` (from entry to state), [`wants`] (pending actions).
//!
//! Around it: [`formation`] (choice of members), `brief` (assignment prompts), [`decide`] (choice of the next
//! utterance), [`pattern`] (turn policies), [`nested`] (subteams), [`repeat`] (near-duplicate detection),
//! [`replica`] (copy on a remote hub), [`story`] (timeline of a log).

mod brief;
pub mod charter;
pub mod decide;
pub mod event;
pub mod formation;
pub mod log;
mod machine;
pub mod member;
pub mod nested;
pub mod pattern;
pub mod refusal;
pub mod repeat;
pub mod replica;
pub mod state;
pub mod story;
pub mod utterance;
pub mod wants;
pub mod work;

pub use charter::{Charter, Limits};
pub use event::{Author, Event, Proof, Proposal};
pub use log::Entry;
pub use machine::{CONCLUDING_GRACE, HOME_GRACE};
pub use member::{Identity, Member, Presence, Seat};
pub use pattern::Pattern;
pub use refusal::Refusal;
pub use replica::Replica;
pub use state::{Failed, Limit, Outcome, Phase, Team};
pub use utterance::{Kind, Utterance};
pub use wants::Want;
pub use work::{Mode, Spec, Work, WorkNo, WorkState};

/// Sanitized text of an utterance or a result, up to 16,000 characters. Longer results are files.
pub type Words = crate::Text<16_000>;
/// Sanitized short text (a reason, question or title), up to 500 characters.
pub type Note = crate::Text<500>;
