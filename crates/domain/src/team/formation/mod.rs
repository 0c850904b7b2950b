//! Choosing members: what the goal needs, who covers it, and what may be made of a model's choice.
//!
//! The hub searches, calls this, and proposes the invitations; accepting, quorum and rounds are the machine's.
//! The rules read numbers that the hub computed itself. What an agent says about itself does not reach them.

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

/// Whoever fits a need nearly as well as the best covers it. Thousandths.
const COVERS: u64 = 900;
/// A member that has the work already does what it fits at least like this.
const CAN: u64 = 500;

/// Something a goal needs, in a few words: what the index is asked for.
pub type Skill = Text<64>;

/// An agent that might be invited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub identity: Identity,
    /// How well it fits each need, in thousandths, by the hub's own index.
    pub fits: BTreeMap<Skill, u16>,
    pub track: Track,
    /// The key it signs with, when it takes the floor itself.
    pub key: Option<Text<128>>,
}

/// What became of earlier assignments, as this hub saw it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Track {
    pub completed: u32,
    pub ended_otherwise: u32,
}

impl Track {
    /// The record with one more assignment. What was cancelled says nothing about the member.
    pub const fn with(self, end: End) -> Self {
        match end {
            End::Completed => Self { completed: self.completed.saturating_add(1), ..self },
            End::Cancelled => self,
            End::Failed | End::Rejected | End::TimedOut => {
                Self { ended_otherwise: self.ended_otherwise.saturating_add(1), ..self }
            }
        }
    }

    /// Thousandths; one half for somebody unknown, so that newcomers get work and failures cost it.
    fn reliability(self) -> u64 {
        let (done, other) = (u64::from(self.completed), u64::from(self.ended_otherwise));
        (done + 1) * 1_000 / (done + other + 2)
    }
}

impl Candidate {
    /// Somebody of whom nothing is known yet.
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
