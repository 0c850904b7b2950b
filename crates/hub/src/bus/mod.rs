//! Bus: notifications between the instances of a hub, and to the subscriptions of this one.
//!
//! An instance that changes something sends a notification; the others read the store (`cluster`). Notifications may be
//! lost. Without other instances none is sent.

mod access_changes;
mod notification;
mod notifier;

pub use self::access_changes::{AccessChange, AccessChanges};
pub(crate) use self::{
    notification::{ClusterNotice, NoticePayload},
    notifier::{ClusterNotifier, run_sender},
};
