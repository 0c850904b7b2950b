//! Teams: event-sourced collaboration of members (agents and people) on a goal.
//!
//! A team is defined by its log. The home hub (the hub that launched the team) orders the log. All other
//! parties send [`Proposal`]s and store a replica. [`Team::propose`] turns a proposal into entries or rejects
//! it, and [`Team::apply`] applies an entry. Replaying the same entries gives the same state on every hub.
//!
//! Reading order: [`spec`] (immutable founding data), [`event`] (what can happen), [`log`] (hash-chained
//! entries), [`state`] (current state), `state_machine` (from entry to state), [`pending`] (pending actions).
//!
//! Around it: [`formation`] (choice of members), `assignment_prompt` (assignment prompts), [`decision`] (choice of the next
//! utterance), [`pattern`] (turn policies), [`subteam`] (subteams), [`near_duplicate`] (near-duplicate detection),
//! [`replica`] (copy on a remote hub), [`timeline`] (timeline of a log).

pub mod assignment;
mod assignment_prompt;
pub mod decision;
pub mod error;
pub mod event;
pub mod formation;
pub mod log;
pub mod member;
pub mod near_duplicate;
pub mod pattern;
pub mod pending;
pub mod replica;
pub mod spec;
pub mod state;
mod state_machine;
pub mod subteam;
pub mod timeline;
pub mod utterance;

pub use assignment::{Assignment, AssignmentMode, AssignmentNo, AssignmentSpec, AssignmentState};
pub use assignment_prompt::AssignmentPrompt;
pub use error::TeamError;
pub use event::{Proposal, ProposalSignature, TeamActor, TeamEvent};
pub use log::LogEntry;
pub use member::{Member, MemberIdentity, MemberStatus, Seat};
pub use pattern::Pattern;
pub use pending::PendingAction;
pub use replica::Replica;
pub use spec::{TeamLimits, TeamSpec};
pub use state::{ExhaustedLimit, Phase, Team, TeamFailure, TeamOutcome};
pub use state_machine::{CONCLUDING_GRACE, HOME_GRACE};
pub use utterance::{Utterance, UtteranceKind};

/// Sanitized text of an utterance or a result, up to 16,000 characters. Longer results are files.
pub type LongText = crate::Text<16_000>;
/// Sanitized short text (a reason, question or title), up to 500 characters.
pub type ShortText = crate::Text<500>;
