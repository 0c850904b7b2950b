//! Latency statistics of the network as measured by this hub. In memory: a restart begins from zero.

use std::{collections::VecDeque, time::Duration};

use parking_lot::Mutex;
use plexus_domain::Timestamp;
use plexus_federation::net::measure::Measured;

/// Window size per kind: quantiles are computed over this many latest samples.
const KEPT: usize = 1_024;

#[derive(Default)]
pub(super) struct Measures {
    spread: Mutex<Samples>,
    look_ups: Mutex<Samples>,
    catch_ups: Mutex<Samples>,
}

/// Summary of the latency samples of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Median (p50) of the samples in the window.
    pub median: Duration,
    /// 99th percentile of the samples in the window.
    pub p99: Duration,
    /// Total number of samples; the quantiles use the latest 1,024.
    pub samples: u64,
    /// Time of the first sample.
    pub since: Timestamp,
}

/// Latency summaries by kind; `None` where nothing was measured yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Speeds {
    /// Gossip latency: from the time of signing at another hub (by its clock) until stored here.
    pub spread: Option<Figures>,
    /// Duration of DHT lookups.
    pub look_up: Option<Figures>,
    /// Duration of an anti-entropy round with another hub, including fetching the missing listings.
    pub catch_up: Option<Figures>,
}

impl Measures {
    pub fn note(&self, measured: Measured, now: Timestamp) {
        let (samples, took) = match measured {
            Measured::Spread(took) => {
                metrics::histogram!("plexus_network_spread_seconds").record(took);
                (&self.spread, took)
            }
            Measured::LookUp(took) => {
                metrics::histogram!("plexus_network_look_up_seconds").record(took);
                (&self.look_ups, took)
            }
            Measured::CatchUp(took) => {
                metrics::histogram!("plexus_network_catch_up_seconds").record(took);
                (&self.catch_ups, took)
            }
        };
        samples.lock().note(took, now);
    }

    pub fn speeds(&self) -> Speeds {
        let figures = |samples: &Mutex<Samples>| samples.lock().figures();
        Speeds {
            spread: figures(&self.spread),
            look_up: figures(&self.look_ups),
            catch_up: figures(&self.catch_ups),
        }
    }
}

#[derive(Default)]
struct Samples {
    latest: VecDeque<Duration>,
    count: u64,
    since: Option<Timestamp>,
}

impl Samples {
    fn note(&mut self, took: Duration, now: Timestamp) {
        if self.latest.len() == KEPT {
            self.latest.pop_front();
        }
        self.latest.push_back(took);
        self.count += 1;
        self.since.get_or_insert(now);
    }

    fn figures(&self) -> Option<Figures> {
        let mut sorted: Vec<Duration> = self.latest.iter().copied().collect();
        sorted.sort_unstable();
        // Nearest-rank percentile: the smallest sample that is not below this percentage of samples.
        let of_a_hundred =
            |percent: usize| sorted.get((sorted.len() * percent).div_ceil(100).max(1) - 1).copied();
        Some(Figures {
            median: of_a_hundred(50)?,
            p99: of_a_hundred(99)?,
            samples: self.count,
            since: self.since?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_millis(1_000);

    #[test]
    fn quantiles_are_of_the_latest_samples() {
        let measures = Measures::default();
        assert_eq!(measures.speeds(), Speeds::default());
        let millis = |n: u64| Duration::from_millis(n);
        measures.note(Measured::LookUp(millis(7)), START);
        let one = measures.speeds().look_up.unwrap();
        assert_eq!((one.median, one.p99, one.samples, one.since), (millis(7), millis(7), 1, START));
        for n in 1..=KEPT as u64 {
            measures.note(Measured::LookUp(millis(n)), START + millis(n));
        }
        let all = measures.speeds().look_up.unwrap();
        assert_eq!((all.median, all.p99), (millis(512), millis(1_014)), "the first one is out");
        assert_eq!((all.samples, all.since), (KEPT as u64 + 1, START));
        assert_eq!(measures.speeds().spread, None);
    }
}
