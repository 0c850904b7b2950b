//! Heartbeats and failure detection between instances, and takeover of a dead
//! instance's runs, queue and teams.

use std::{collections::HashMap, time::Duration};

use plexus_domain::{ProcessId, RunState, Timestamp};
use plexus_store::{
    processes::{self, Instance},
    runs as rows, stream_journal,
};
use tokio::time::sleep;

use super::met;
use crate::{Hub, Result, bus::ClusterNotice, runs, teams};

/// Heartbeat interval of a single instance (SQLite): the precision of the measured downtime.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
/// Interval of heartbeats and of failure detection checks.
pub(super) const BEAT: Duration = Duration::from_secs(2);
/// An instance is dead after this many consecutive checks without a new heartbeat.
const LOOKS: u32 = 7;
/// The same as a duration.
pub(super) const DEAD: Duration = BEAT.saturating_mul(LOOKS);

/// Inserts the row of this instance.
pub(crate) async fn join(hub: &Hub) -> Result<()> {
    let now = hub.env().now();
    let own = Instance {
        id: hub.process(),
        started_at: now,
        last_heartbeat_at: now,
        address: None,
        runs_federation: false,
    };
    let mut tx = hub.store().write().await?;
    processes::insert(&mut tx, &own).await?;
    tx.commit().await?;
    if hub.store().is_postgres() {
        met(hub, !others(hub).await?.is_empty());
    }
    Ok(())
}

async fn others(hub: &Hub) -> Result<Vec<Instance>> {
    Ok(processes::list_others(&mut hub.store().read().await?, hub.process()).await?)
}

/// Recovers after a crash. A data folder has one instance and this one holds its lock, so any other row is of
/// a dead instance. On Postgres other instances may be alive, so the failure detector decides.
pub(crate) async fn recover_after_crash(hub: &Hub) -> Result<()> {
    let gone = if hub.store().is_postgres() { Vec::new() } else { others(hub).await? };
    let gone: Vec<ProcessId> = gone.into_iter().map(|process| process.id).collect();
    runs::recover(hub, &gone).await
}

/// Runs the heartbeat. It is a worker of its own, so that other work cannot delay it.
pub(super) async fn run_heartbeat(hub: Hub) {
    let every = if hub.store().is_postgres() { BEAT } else { HEARTBEAT_INTERVAL };
    while hub.stop().run_until_cancelled(sleep(every)).await.is_some() {
        if let Err(error) = beat(&hub).await {
            tracing::warn!(%error, "heartbeat failed");
        }
    }
}

async fn beat(hub: &Hub) -> Result<()> {
    let mut tx = hub.store().write_background().await?;
    let is_known = processes::heartbeat(&mut tx, hub.process(), hub.env().now()).await?;
    tx.commit().await?;
    hub.cluster_notifier().say(ClusterNotice::Alive);
    if !is_known {
        come_back(hub).await?;
    }
    // With several instances the failure detector does this.
    if hub.store().is_postgres() { Ok(()) } else { teams::recover(hub).await }
}

/// Handles that other instances declared this one dead, because it was stalled or had no database connection.
/// Its runs and teams were taken over.
async fn come_back(hub: &Hub) -> Result<()> {
    tracing::warn!("this instance was declared dead; its runs and teams were taken over");
    hub.teams().close_all();
    for run in hub.run_registry().all() {
        hub.run_registry().stop(run);
    }
    join(hub).await?;
    hub.mirror().resync_all();
    Ok(())
}

/// Runs the failure detector.
pub(super) async fn run_failure_detector(hub: Hub) {
    let mut seen = HeartbeatMonitor::default();
    while hub.stop().run_until_cancelled(sleep(BEAT)).await.is_some() {
        if let Err(error) = look(&hub, &mut seen).await {
            tracing::warn!(%error, "failure detection failed");
        }
    }
}

async fn look(hub: &Hub, seen: &mut HeartbeatMonitor) -> Result<()> {
    let others = others(hub).await?;
    met(hub, !others.is_empty());
    stop_what_was_asked(hub).await?;
    let dead = seen.look(others.iter().map(|other| (other.id, other.last_heartbeat_at)));
    runs::recover(hub, &dead).await?;
    teams::recover(hub).await
}

/// Last heartbeats of other instances, and the number of consecutive checks that found the same.
///
/// Counts checks instead of comparing clocks (clock skew). An instance that was stalled or had no database
/// connection did not check meanwhile, so it declares no other instance dead.
#[derive(Default)]
struct HeartbeatMonitor(HashMap<ProcessId, (Timestamp, u32)>);

impl HeartbeatMonitor {
    /// Performs one check. Returns the dead instances.
    fn look(&mut self, found: impl Iterator<Item = (ProcessId, Timestamp)>) -> Vec<ProcessId> {
        let before = std::mem::take(&mut self.0);
        for (id, beat) in found {
            let same = before.get(&id).filter(|(last, _)| *last == beat).map_or(0, |(_, looks)| looks + 1);
            self.0.insert(id, (beat, same));
        }
        let dead = self.0.iter().filter(|(_, (_, same))| *same >= LOOKS);
        dead.map(|(id, _)| *id).collect()
    }
}

/// Cancels the runs of this instance that were cancelled on another one.
pub(super) async fn stop_what_was_asked(hub: &Hub) -> Result<()> {
    let mut tx = hub.store().write_background().await?;
    let asked = rows::take_cancel_requests(&mut tx, hub.process()).await?;
    tx.commit().await?;
    for run in asked {
        if hub.run_registry().stop(run) {
            continue;
        }
        // The run may wait for its caller meanwhile, so that no worker owns it: end it here.
        let found = rows::find(&mut hub.store().read().await?, run).await?;
        if let Some(found) = found.filter(|found| found.state.is_waiting()) {
            runs::cancel(hub, &found, None).await?;
        }
    }
    Ok(())
}

/// Hands queued runs and teams over to other instances at shutdown. If other runs are unfinished, failure
/// detection takes over this instance's work.
pub(crate) async fn hand_over(hub: &Hub) -> Result<()> {
    let mut tx = hub.store().write().await?;
    processes::heartbeat(&mut tx, hub.process(), hub.env().now()).await?;
    if !hub.store().is_postgres() {
        // The next start finds the row and recovers the work.
        return Ok(tx.commit().await?);
    }
    let unfinished = rows::list_unfinished(&mut tx, hub.process()).await?;
    if unfinished.iter().all(|run| run.state == RunState::Queued) {
        stream_journal::delete_by_process(&mut tx, hub.process()).await?;
        processes::delete(&mut tx, hub.process()).await?;
    }
    Ok(tx.commit().await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_dead_when_it_stands_still_for_many_looks() {
        let id = |n| ProcessId::new(Timestamp::from_millis(1), &[n; 10]);
        let at = Timestamp::from_millis;
        let mut seen = HeartbeatMonitor::default();
        // Its clock is far behind, which must not matter.
        let mut look = |beats: &[(u8, i64)]| seen.look(beats.iter().map(|(n, beat)| (id(*n), at(*beat))));
        for n in 0..i64::from(LOOKS) {
            assert_eq!(look(&[(1, 1), (2, n)]), []);
        }
        // An instance that stalls for all but the last check stays alive.
        assert_eq!(look(&[(1, 2), (2, 99)]), []);
        for _ in 1..LOOKS {
            assert_eq!(look(&[(1, 3), (2, 99)]), []);
        }
        assert_eq!(look(&[(1, 3), (2, 99)]), [id(2)]);
        assert_eq!(look(&[(1, 3), (2, 99)]).len(), 2, "as long as it is not forgotten");
        assert_eq!(look(&[(1, 4)]), []);
        assert_eq!(look(&[(1, 5), (2, 99)]), [], "whoever comes back begins anew");
    }
}
