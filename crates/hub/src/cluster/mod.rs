//! Cluster: several instances of one hub on one Postgres database (`docs/adr/0022`).
//!
//! The store is the source of truth. An instance that changes something sends a notification (`bus`). The
//! others receive it (`listener`) and read the store: they mirror open chats (`chat_mirror`), cancel runs that were
//! cancelled on another instance, and wake waiting tasks. Notifications may be lost; an instance that may
//! have missed some resyncs everything. None of this runs on SQLite, and a single instance neither sends
//! notifications nor mirrors chats.
//!
//! Instances send heartbeats (`heartbeat`). The work of a dead instance is taken over by the
//! first instance that detects it.

mod chat_mirror;
mod heartbeat;
mod listener;

pub(crate) use self::{
    chat_mirror::ChatMirror,
    heartbeat::{hand_over, join, recover_after_crash},
};

use crate::{
    Hub,
    bus::{self, ClusterNotice},
};

/// Starts the cluster workers of this instance.
pub(crate) fn start(hub: &Hub) {
    hub.supervise("heartbeat", heartbeat::run_heartbeat);
    if !hub.store().is_postgres() {
        return;
    }
    hub.supervise("process watch", heartbeat::run_failure_detector);
    hub.supervise("hint sender", bus::run_sender);
    hub.supervise("notification listener", listener::run_listener);
    hub.supervise("chat mirror", chat_mirror::run_mirror);
}

/// Sets whether other instances exist. Changes from before they were known were missed on both sides: resync.
fn met(hub: &Hub, are_there: bool) {
    if hub.cluster_notifier().set_heard(are_there) && are_there {
        tracing::info!("another instance of this hub detected");
        hub.cluster_notifier().say(ClusterNotice::Everything);
        hub.mirror().resync_all();
    }
}
