//! Teams: members with a goal, one floor, and work that always ends.
//!
//! A team is what its log says. The hub that launched it orders the log; everybody else sends [`Proposal`]s
//! and keeps a copy. [`Team::propose`] turns a proposal into entries or refuses it, [`Team::apply`] takes an
//! entry in, and the same entries give the same team on every hub, however often they are replayed.
//!
//! To read this folder top-down: [`charter`] (what a team is founded on), [`event`] (what can happen), [`log`]
//! (how it is written down), [`state`] (where a team stands), `machine` (from entry to state), [`wants`] (what is
//! waited for). Around it: [`formation`] (choosing members), `brief` (what a member is told), [`decide`] (what a
//! member says next), [`pattern`] (who speaks after whom), [`nested`] (teams within teams), [`repeat`] (saying it
//! again), [`replica`] (a copy elsewhere), [`story`] (what a log tells afterwards).

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

/// What somebody says, or what an assignment came to; longer results are files.
pub type Words = crate::Text<16_000>;
/// A reason, a question, a title.
pub type Note = crate::Text<500>;
