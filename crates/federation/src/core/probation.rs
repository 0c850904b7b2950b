//! What hubs that have not proved themselves may have here, shared out evenly: whoever invents hubs keeps out nobody.

use std::collections::{BTreeMap, BTreeSet};

use plexus_a2a::listing::ListingId;
use plexus_domain::Timestamp;

use super::{
    Core, Effect,
    carried::Which,
    policy::Mode,
    quota::{ALL_ON_PROBATION, Caps, Load, PROBATION, PROBATION_TIME},
};
use crate::{HubId, record::Seq};

/// Of what all may have together, so many percent are given out anew by each sweep when it is full.
const FREED: usize = 10;
/// When less than so many percent are used, each may have more again.
const RELAXED: usize = 50;

/// Looked at once a minute, and counted up in between.
#[derive(Clone, Copy, Debug)]
pub struct Probation {
    /// What all of them have.
    pub load: Load,
    /// Of what one may have, so many percent fit at the moment.
    share: usize,
}

impl Default for Probation {
    fn default() -> Self {
        Self { load: Load::default(), share: 100 }
    }
}

impl Probation {
    /// Whether a hub that would have `own` fits, when all would have `together`.
    pub fn holds(&self, own: Load, together: Load) -> bool {
        PROBATION.part(self.share).holds(own) && ALL_ON_PROBATION.holds(together)
    }
}

impl Core {
    pub(super) fn on_probation(&self, hub: HubId, now: Timestamp) -> bool {
        let known = self.hubs.get(&hub);
        let passed = known
            .is_some_and(|hub| hub.proved_domain.is_some() || now.since(hub.first_seen) >= PROBATION_TIME);
        self.policy.mode() == Mode::Probation && self.rule_on(hub, now).is_none() && !passed
    }

    /// When there is no room any more, those that have most give some up, the newest first, so that there is room for
    /// others by the next sweep.
    pub(super) fn share_out(&mut self, now: Timestamp, out: &mut Vec<Effect>) {
        let others = self.hubs.keys().filter(|&&hub| hub != self.me() && self.on_probation(hub, now));
        let loads: BTreeMap<HubId, Load> = others.map(|hub| (*hub, self.carried.load(hub))).collect();
        let within = |caps: Caps| loads.values().map(|load| caps.cut(*load)).fold(Load::default(), Load::and);
        self.probation.load = loads.values().copied().fold(Load::default(), Load::and);
        if ALL_ON_PROBATION.part(RELAXED).holds(self.probation.load) {
            self.probation.share = (2 * self.probation.share).min(100);
        } else if !ALL_ON_PROBATION.part(100 - FREED / 2).holds(self.probation.load) {
            let left = ALL_ON_PROBATION.part(100 - FREED);
            let fits = |share: &usize| left.holds(within(PROBATION.part(*share)));
            self.probation.share = (1..=100).rev().find(fits).unwrap_or(1);
            let share = PROBATION.part(self.probation.share);
            let over = loads.iter().filter(|(_, load)| !share.holds(**load)).map(|(hub, _)| *hub);
            self.cut_down(&over.collect(), share, out);
        }
    }

    /// Leaves of each of these hubs what fits.
    fn cut_down(&mut self, hubs: &BTreeSet<HubId>, share: Caps, out: &mut Vec<Effect>) {
        let of_them = self.carried.select(Which::All).filter(|(_, entry)| hubs.contains(&entry.hub));
        let mut newest: Vec<(Seq, ListingId)> =
            of_them.map(|(id, entry)| (entry.rank.seq(), id.clone())).collect();
        newest.sort_unstable_by(|one, other| other.cmp(one));
        let mut gone = Vec::new();
        for (_, id) in newest {
            let home = self.carried.get(&id).map(|entry| entry.hub);
            if let Some(home) = home.filter(|home| !share.holds(self.carried.load(home))) {
                let bytes = self.carried.remove(&id).map_or(0, |entry| entry.bytes);
                self.probation.load = self.probation.load.without(Load { listings: 1, bytes });
                self.cut_short(home);
                gone.push(id);
            }
        }
        if !gone.is_empty() {
            out.extend([Effect::Hide(gone.clone()), Effect::Forget(gone)]);
        }
    }
}
