//! Replica of a team on a remote hub. Entries may arrive duplicated, out of order or not at all.

use std::collections::BTreeMap;

use super::{LogEntry, Team, TeamError};

/// Maximum number of buffered out-of-order entries. Entries beyond it are dropped and requested again.
const MAX_EARLY: usize = 256;

/// A team and the buffer of entries that arrived out of order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replica {
    team: Option<Team>,
    early: BTreeMap<u64, LogEntry>,
}

impl Replica {
    /// Returns the team as far as the log is contiguous, or `None` before the first entry.
    pub const fn team(&self) -> Option<&Team> {
        self.team.as_ref()
    }

    /// Returns the sequence number of the next entry to request from the home hub.
    pub fn missing(&self) -> u64 {
        self.team.as_ref().map_or(0, |team| team.log_head().0 + 1)
    }

    /// Adds an entry with a verified signature and applies all entries that are now contiguous.
    ///
    /// An error means that the home hub violated the protocol.
    pub fn receive(&mut self, entry: LogEntry) -> Result<(), TeamError> {
        let expected = self.missing();
        let fits = self.early.len() < MAX_EARLY || entry.seq() == expected;
        if entry.seq() >= expected && fits {
            self.early.insert(entry.seq(), entry);
        }
        while let Some(next) = self.early.remove(&self.missing()) {
            match &mut self.team {
                Some(team) => team.apply(&next)?,
                None => self.team = Some(Team::from_first_entry(&next)?),
            }
        }
        Ok(())
    }
}
