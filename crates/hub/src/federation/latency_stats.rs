//! Latency statistics of the network as measured by this hub. In memory: a restart begins from zero.

use std::{collections::VecDeque, time::Duration};

use parking_lot::Mutex;
use plexus_domain::Timestamp;
use plexus_federation::net::latency::LatencySample;

/// Window size per kind: quantiles are computed over this many latest samples.
const MAX_SAMPLES: usize = 1_024;

#[derive(Default)]
pub(super) struct LatencyRecorder {
    propagation: Mutex<SampleWindow>,
    dht_lookup: Mutex<SampleWindow>,
    sync: Mutex<SampleWindow>,
}

/// Summary of the latency samples of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencySummary {
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
pub struct NetworkLatencies {
    /// Gossip latency: from the time of signing at another hub (by its clock) until stored here.
    pub propagation: Option<LatencySummary>,
    /// Duration of DHT lookups.
    pub dht_lookup: Option<LatencySummary>,
    /// Duration of an anti-entropy round with another hub, including fetching the missing listings.
    pub sync: Option<LatencySummary>,
}

impl LatencyRecorder {
    pub fn note(&self, measured: LatencySample, now: Timestamp) {
        let (samples, took) = match measured {
            LatencySample::Propagation(took) => {
                metrics::histogram!("plexus_federation_propagation_seconds").record(took);
                (&self.propagation, took)
            }
            LatencySample::DhtLookup(took) => {
                metrics::histogram!("plexus_federation_dht_lookup_seconds").record(took);
                (&self.dht_lookup, took)
            }
            LatencySample::Sync(took) => {
                metrics::histogram!("plexus_federation_sync_seconds").record(took);
                (&self.sync, took)
            }
        };
        samples.lock().note(took, now);
    }

    pub fn latencies(&self) -> NetworkLatencies {
        let figures = |samples: &Mutex<SampleWindow>| samples.lock().figures();
        NetworkLatencies {
            propagation: figures(&self.propagation),
            dht_lookup: figures(&self.dht_lookup),
            sync: figures(&self.sync),
        }
    }
}

#[derive(Default)]
struct SampleWindow {
    latest: VecDeque<Duration>,
    count: u64,
    since: Option<Timestamp>,
}

impl SampleWindow {
    fn note(&mut self, took: Duration, now: Timestamp) {
        if self.latest.len() == MAX_SAMPLES {
            self.latest.pop_front();
        }
        self.latest.push_back(took);
        self.count += 1;
        self.since.get_or_insert(now);
    }

    fn figures(&self) -> Option<LatencySummary> {
        let mut sorted: Vec<Duration> = self.latest.iter().copied().collect();
        sorted.sort_unstable();
        // Nearest-rank percentile: the smallest sample that is not below this percentage of samples.
        let of_a_hundred =
            |percent: usize| sorted.get((sorted.len() * percent).div_ceil(100).max(1) - 1).copied();
        Some(LatencySummary {
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
        let measures = LatencyRecorder::default();
        assert_eq!(measures.latencies(), NetworkLatencies::default());
        let millis = |n: u64| Duration::from_millis(n);
        measures.note(LatencySample::DhtLookup(millis(7)), START);
        let one = measures.latencies().dht_lookup.unwrap();
        assert_eq!((one.median, one.p99, one.samples, one.since), (millis(7), millis(7), 1, START));
        for n in 1..=MAX_SAMPLES as u64 {
            measures.note(LatencySample::DhtLookup(millis(n)), START + millis(n));
        }
        let all = measures.latencies().dht_lookup.unwrap();
        assert_eq!((all.median, all.p99), (millis(512), millis(1_014)), "the first one is out");
        assert_eq!((all.samples, all.since), (MAX_SAMPLES as u64 + 1, START));
        assert_eq!(measures.latencies().propagation, None);
    }
}
