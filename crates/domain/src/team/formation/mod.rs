//! Team formation: required skills of a goal, covering
//! them with candidates, and checking a model's selection.
//!
//! The hub searches, calls this module and proposes the invitations. The state machine handles acceptance,
//! quorum and rounds. The rules use only scores that the hub computed itself, never an agent's own
//! description.

mod below;
pub mod choice;
mod context;
mod cover;
mod needs;
mod pool;

use std::collections::BTreeMap;

use super::{Identity, member::Invitee, work::End};
use crate::Text;

pub use below::{alone_or_helped, helped, helped_by};
pub use context::in_context;
pub use cover::{Search, cover};
pub use needs::{is_stepwise, needs};
pub use pool::{LOOKED_AT, Pool};

/// Minimum fit by which a candidate covers a skill, in thousandths of the best candidate's fit.
const COVERS: u64 = 900;
/// Minimum fit by which a member that already has the work counts as able to do it, in thousandths.
const CAN: u64 = 500;

/// A required skill in a few words; the query for the search index.
pub type Skill = Text<64>;

/// An agent that may be invited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub identity: Identity,
    /// Fit per required skill in thousandths, from the hub's own index.
    pub fits: BTreeMap<Skill, u16>,
    pub track: Track,
    /// Its signing key, if it signs its own proposals.
    pub key: Option<Text<128>>,
}

/// Track record: outcomes of earlier assignments as seen by this hub.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Track {
    pub completed: u32,
    pub ended_otherwise: u32,
}

impl Track {
    /// Adds an outcome to the record. Cancellations are ignored: they are not the member's fault.
    pub const fn with(self, end: End) -> Self {
        match end {
            End::Completed => Self { completed: self.completed.saturating_add(1), ..self },
            End::Cancelled => self,
            End::Failed | End::Rejected | End::TimedOut => {
                Self { ended_otherwise: self.ended_otherwise.saturating_add(1), ..self }
            }
        }
    }

    /// Returns the success rate in thousandths, smoothed to one
    /// half for an unknown agent, so that new agents get work.
    fn reliability(self) -> u64 {
        let (done, other) = (u64::from(self.completed), u64::from(self.ended_otherwise));
        (done + 1) * 1_000 / (done + other + 2)
    }
}

impl Candidate {
    /// Creates a candidate without any record.
    pub const fn new(identity: Identity) -> Self {
        let track = Track { completed: 0, ended_otherwise: 0 };
        Self { identity, fits: BTreeMap::new(), track, key: None }
    }

    fn fit(&self, need: &Skill) -> u64 {
        self.fits.get(need).copied().unwrap_or(0).min(1_000).into()
    }

    fn invitee(&self, roles: Vec<Skill>) -> Invitee {
        Invitee { identity: self.identity.clone(), roles, key: self.key.clone() }
    }
}
