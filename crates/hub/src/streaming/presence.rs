//! People that have a room open now: in memory only, and announced to the other instances.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use parking_lot::Mutex;
use plexus_domain::{ChatId, Timestamp};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{FrameKind, StreamFrame, Topic};
use crate::{Hub, bus::ClusterNotice};

/// How long a person is shown after the last stream has closed. Covers page loads, and bounds the frames: a person
/// changes a room once in this time.
const GRACE: Duration = Duration::from_secs(5);
/// How often an instance repeats its announcements. They may be lost.
const ANNOUNCE_INTERVAL: Duration = Duration::from_secs(30);
/// Lifetime of an announcement of another instance, which may have died.
const ANNOUNCEMENT_TTL: Duration = Duration::from_secs(75);

/// The people of each room that have it open, by name.
#[derive(Default)]
pub struct PresenceRegistry(Mutex<HashMap<ChatId, BTreeMap<String, OpenRoom>>>);

/// The streams of one person in one room.
#[derive(Default)]
struct OpenRoom {
    /// Streams of this instance.
    streams: usize,
    /// When the announcement of another instance expires.
    announced_until: Option<Timestamp>,
}

impl PresenceRegistry {
    /// Returns the names of the people that have a room open.
    pub fn people(&self, chat: ChatId) -> Vec<String> {
        self.0.lock().get(&chat).map(|room| room.keys().cloned().collect()).unwrap_or_default()
    }

    /// Counts a new stream. Returns whether the person was not there before.
    fn open(&self, chat: ChatId, name: &str) -> bool {
        let mut rooms = self.0.lock();
        let room = rooms.entry(chat).or_default();
        let is_new = !room.contains_key(name);
        room.entry(name.to_owned()).or_default().streams += 1;
        is_new
    }

    fn close(&self, chat: ChatId, name: &str) {
        if let Some(person) = self.0.lock().get_mut(&chat).and_then(|room| room.get_mut(name)) {
            person.streams = person.streams.saturating_sub(1);
        }
    }

    /// Records what another instance announced. Returns whether the people of the room changed.
    fn announce(&self, chat: ChatId, name: &str, until: Option<Timestamp>) -> bool {
        let mut rooms = self.0.lock();
        if until.is_some() {
            let room = rooms.entry(chat).or_default();
            let is_new = !room.contains_key(name);
            room.entry(name.to_owned()).or_default().announced_until = until;
            return is_new;
        }
        if let Some(person) = rooms.get_mut(&chat).and_then(|room| room.get_mut(name)) {
            person.announced_until = None;
        }
        drop(rooms);
        self.remove_absent(chat, name)
    }

    /// Removes a person without streams and announcements. Returns whether it was there.
    fn remove_absent(&self, chat: ChatId, name: &str) -> bool {
        let mut rooms = self.0.lock();
        let Some(room) = rooms.get_mut(&chat) else { return false };
        let is_absent =
            room.get(name).is_some_and(|person| person.streams == 0 && person.announced_until.is_none());
        if is_absent {
            room.remove(name);
        }
        if room.is_empty() {
            rooms.remove(&chat);
        }
        is_absent
    }

    /// Returns the people with streams of this instance.
    fn local(&self) -> Vec<(ChatId, String)> {
        let rooms = self.0.lock();
        let people = rooms.iter().flat_map(|(chat, room)| room.iter().map(move |person| (*chat, person)));
        people
            .filter(|(_, (_, open))| open.streams > 0)
            .map(|(chat, (name, _))| (chat, name.clone()))
            .collect()
    }

    /// Returns the people whose announcements have expired, and forgets these announcements.
    fn expired(&self, now: Timestamp) -> Vec<(ChatId, String)> {
        let mut expired = Vec::new();
        for (chat, room) in self.0.lock().iter_mut() {
            for (name, person) in room.iter_mut() {
                if person.announced_until.is_some_and(|until| until <= now) {
                    person.announced_until = None;
                    expired.push((*chat, name.clone()));
                }
            }
        }
        expired
    }
}

/// A stream of a person in a room. The person is there while a guard exists, and for a moment after.
pub(crate) struct PresenceGuard {
    hub: Hub,
    chat: ChatId,
    name: String,
}

impl PresenceGuard {
    pub fn new(hub: &Hub, chat: ChatId, name: String) -> Self {
        if hub.live().presence.open(chat, &name) {
            changed(hub, chat, &name, true);
        }
        Self { hub: hub.clone(), chat, name }
    }
}

impl Drop for PresenceGuard {
    fn drop(&mut self) {
        self.hub.live().presence.close(self.chat, &self.name);
        let (hub, chat, name) = (self.hub.clone(), self.chat, std::mem::take(&mut self.name));
        self.hub.spawn_once("presence", async move {
            hub.stop().run_until_cancelled(sleep(GRACE)).await;
            if hub.live().presence.remove_absent(chat, &name) {
                changed(&hub, chat, &name, false);
            }
        });
    }
}

fn changed(hub: &Hub, chat: ChatId, name: &str, is_open: bool) {
    publish(hub, chat);
    hub.cluster_notifier().enqueue(ClusterNotice::Presence { chat, name: name.to_owned(), is_open });
}

fn publish(hub: &Hub, chat: ChatId) {
    let people = hub.live().presence.people(chat);
    hub.live().channels.publish(Topic::Chat(chat), StreamFrame::new(FrameKind::Presence(people)));
}

/// Applies the announcement of another instance.
pub(crate) fn on_remote_presence(hub: &Hub, chat: ChatId, name: &str, is_open: bool) {
    let until = is_open.then(|| hub.env().now() + ANNOUNCEMENT_TTL);
    if hub.live().presence.announce(chat, name, until) {
        publish(hub, chat);
    }
}

/// Repeats the announcements of this instance, and ends those of others that have expired, until `stop`.
pub(crate) async fn run_announcer(stop: CancellationToken, hub: Hub) {
    while stop.run_until_cancelled(sleep(ANNOUNCE_INTERVAL)).await.is_some() {
        for (chat, name) in hub.live().presence.local() {
            hub.cluster_notifier().enqueue(ClusterNotice::Presence { chat, name, is_open: true });
        }
        for (chat, name) in hub.live().presence.expired(hub.env().now()) {
            if hub.live().presence.remove_absent(chat, &name) {
                publish(&hub, chat);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_000);

    #[test]
    fn a_person_is_there_while_any_instance_has_a_stream() {
        let (registry, chat) = (PresenceRegistry::default(), ChatId::new(NOW, &[1; 10]));
        assert!(registry.open(chat, "ada"));
        assert!(!registry.open(chat, "ada"), "a second tab changes nothing");
        registry.close(chat, "ada");
        assert!(!registry.remove_absent(chat, "ada"));
        assert!(!registry.announce(chat, "ada", Some(NOW)));
        registry.close(chat, "ada");
        assert!(!registry.remove_absent(chat, "ada"));
        assert!(registry.local().is_empty());
        assert!(registry.announce(chat, "bob", Some(NOW + ANNOUNCEMENT_TTL)));
        assert_eq!(registry.people(chat), ["ada", "bob"]);
        assert_eq!(registry.expired(NOW), [(chat, "ada".to_owned())]);
        assert!(registry.remove_absent(chat, "ada"));
        assert!(registry.announce(chat, "bob", None));
        assert_eq!(registry.people(chat), Vec::<String>::new());
        assert!(registry.0.lock().is_empty());
    }
}
