//! A copy of a team on another hub: entries arrive twice, late, or not at all.

use std::collections::BTreeMap;

use super::{Entry, Refusal, Team};

/// Entries kept that arrived before their turn; more are dropped and asked for again.
const MAX_EARLY: usize = 256;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replica {
    team: Option<Team>,
    early: BTreeMap<u64, Entry>,
}

impl Replica {
    /// The team as far as the copy is whole; none before the founding.
    pub const fn team(&self) -> Option<&Team> {
        self.team.as_ref()
    }

    /// The entry to ask the home hub for.
    pub fn missing(&self) -> u64 {
        self.team.as_ref().map_or(0, |team| team.head().0 + 1)
    }

    /// Takes in an entry whose signature was verified. A refusal means that the home hub broke the rules.
    pub fn receive(&mut self, entry: Entry) -> Result<(), Refusal> {
        let expected = self.missing();
        let fits = self.early.len() < MAX_EARLY || entry.seq() == expected;
        if entry.seq() >= expected && fits {
            self.early.insert(entry.seq(), entry);
        }
        while let Some(next) = self.early.remove(&self.missing()) {
            match &mut self.team {
                Some(team) => team.apply(&next)?,
                None => self.team = Some(Team::begin(&next)?),
            }
        }
        Ok(())
    }
}
