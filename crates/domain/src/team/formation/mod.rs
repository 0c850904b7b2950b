//! Team formation: required skills of a goal, covering
//! them with candidates, and checking a model's selection.
//!
//! The hub searches, calls this module and proposes the invitations. The state machine handles acceptance,
//! quorum and rounds. The rules use only scores that the hub computed itself, never an agent's own
//! description.

mod candidate_pool;
mod goal_parts;
mod joint_fit;
pub mod model_selection;
mod role_assignment;
mod set_cover;
mod subteam;
mod vocabulary;
mod work_kinds;

use std::collections::BTreeMap;

use super::{MemberIdentity, assignment::AssignmentOutcome, member::Invitee};
use crate::Text;

pub use candidate_pool::{CandidatePool, LOOKED_AT};
pub(crate) use goal_parts::title_of;
pub use goal_parts::{GoalPart, goal_parts, is_concurrent, required_skills};
pub use joint_fit::joint_fit;
pub use role_assignment::assign_roles;
pub use set_cover::{CoverSearch, cover};
pub use subteam::{choose_execution, form_subteam, form_subteam_with};
pub use work_kinds::{WorkKind, stems_of, unspaced_words_of, work_kind};

/// Minimum fit by which a candidate covers a skill, in thousandths of the best candidate's fit.
const COVERS: u64 = 900;
/// Minimum fit by which a member that already has the work counts as able to do it, in thousandths.
const CAN: u64 = 500;

/// A required skill in a few words; the query for the search index.
pub type Skill = Text<64>;

/// An agent that may be invited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub identity: MemberIdentity,
    /// Fit per required skill in thousandths, from the hub's own index.
    pub fits: BTreeMap<Skill, u16>,
    pub track: TrackRecord,
    /// Its signing key, if it signs its own proposals.
    pub key: Option<Text<128>>,
}

/// Track record: outcomes of earlier assignments as seen by this hub.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackRecord {
    pub completed: u32,
    pub ended_otherwise: u32,
}

impl TrackRecord {
    /// Adds an outcome to the record. Cancellations are ignored: they are not the member's fault.
    pub const fn with(self, end: AssignmentOutcome) -> Self {
        match end {
            AssignmentOutcome::Completed => Self { completed: self.completed.saturating_add(1), ..self },
            AssignmentOutcome::Cancelled => self,
            AssignmentOutcome::Failed | AssignmentOutcome::Rejected | AssignmentOutcome::TimedOut => {
                Self { ended_otherwise: self.ended_otherwise.saturating_add(1), ..self }
            }
        }
    }

    /// Returns whether the agent only failed lately, more than once.
    const fn is_failing(self) -> bool {
        self.completed == 0 && self.ended_otherwise > 1
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
    pub const fn new(identity: MemberIdentity) -> Self {
        let track = TrackRecord { completed: 0, ended_otherwise: 0 };
        Self { identity, fits: BTreeMap::new(), track, key: None }
    }

    fn fit(&self, need: &Skill) -> u64 {
        self.fits.get(need).copied().unwrap_or(0).min(1_000).into()
    }

    fn invitee(&self, roles: Vec<Skill>) -> Invitee {
        Invitee { identity: self.identity.clone(), roles, key: self.key.clone() }
    }
}
