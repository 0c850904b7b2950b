//! Cluster: several instances of one hub on one Postgres database (`docs/adr/0022`).
//!
//! The store is the source of truth. An instance that changes something sends a notification (`hints`). The
//! others receive it (`hear`) and read the store: they mirror open chats (`mirror`), cancel runs that were
//! cancelled on another instance, and wake waiting tasks. Notifications may be lost; an instance that may
//! have missed some resyncs everything. None of this runs on SQLite, and a single instance neither sends
//! notifications nor mirrors chats.
//!
//! Instances send heartbeats (`life`). The work of a dead instance is taken over by the
//! first instance that detects it.

mod hear;
mod hint;
mod hints;
mod life;
mod mirror;

pub(crate) use self::{
    hint::Hint,
    hints::Hints,
    life::{join, leave, mend},
    mirror::Mirror,
};

use crate::Hub;

/// Starts the cluster workers of this instance.
pub(crate) fn start(hub: &Hub) {
    hub.supervise("heartbeat", life::keep_beating);
    if !hub.store().is_postgres() {
        return;
    }
    hub.supervise("process watch", life::keep_looking);
    hub.supervise("hint sender", hints::keep_sending);
    hub.supervise("notification listener", hear::keep_hearing);
    hub.supervise("chat mirror", mirror::keep_showing);
}

/// Sets whether other instances exist. Changes from before they were known were missed on both sides: resync.
fn met(hub: &Hub, are_there: bool) {
    if hub.hints().set_heard(are_there) && are_there {
        tracing::info!("another process of this hub is there");
        hub.hints().say(Hint::Everything);
        hub.mirror().everything();
    }
}
