//! Several processes of one hub, on one Postgres (`docs/adr/0022`).
//!
//! What is true is in the store. A process that changes something hints at it (`hints`), the others hear that (`hear`)
//! and look: they show the chats that their readers have open (`mirror`), end the runs that somebody stopped elsewhere,
//! and wake what waits. Hints may be lost; whoever may have missed some looks at everything. On SQLite nothing of this
//! runs, and a process that is alone neither hints nor reads along.
//!
//! A process lives as long as it gives signs of life (`life`). What a dead one leaves is taken by whoever notices first.

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

/// What this process does for, and with, the others.
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

/// Notes whether there are others. What somebody did before they were known was missed, here and there.
fn met(hub: &Hub, are_there: bool) {
    if hub.hints().set_heard(are_there) && are_there {
        tracing::info!("another process of this hub is there");
        hub.hints().say(Hint::Everything);
        hub.mirror().everything();
    }
}
