//! The conductors of this process, and how others speak to them.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use plexus_domain::{
    Address, ChatId, Error as Refusal,
    team::{Author, Event, WorkNo},
};
use tokio::sync::{mpsc, oneshot};

use crate::Result;

/// What waits for a conductor. Whoever finds no room waits with it.
const WAITING: usize = 64;

/// What is to happen in a team.
pub enum Wish {
    Event(Author, Event),
    /// The owner wants a team below for an assignment: of whoever has it and these, or those whom the hub finds.
    Nest {
        work: WorkNo,
        members: Vec<Address>,
    },
}

/// A wish, and where the answer goes.
pub struct Request {
    pub wish: Wish,
    pub done: oneshot::Sender<Result<()>>,
}

/// What is asked of a conductor. Dropping it, also by a panic, makes room for the team's next conductor.
pub struct Mailbox {
    rooms: Rooms,
    team: ChatId,
    requests: mpsc::Receiver<Request>,
}

impl Mailbox {
    /// The next request; none once the conductor was sent away.
    pub async fn recv(&mut self) -> Option<Request> {
        self.requests.recv().await
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.requests.close();
        self.rooms.close(self.team);
    }
}

/// By team.
#[derive(Clone, Default)]
pub struct Rooms(Arc<Mutex<HashMap<ChatId, mpsc::Sender<Request>>>>);

impl Rooms {
    /// The mailbox of a conductor, until it is dropped; none where the team has one.
    pub fn open(&self, team: ChatId) -> Option<Mailbox> {
        let mut rooms = self.0.lock();
        if rooms.contains_key(&team) {
            return None;
        }
        let (sender, requests) = mpsc::channel(WAITING);
        rooms.insert(team, sender);
        Some(Mailbox { rooms: self.clone(), team, requests })
    }

    fn close(&self, team: ChatId) {
        let mut rooms = self.0.lock();
        // Another one may have come meanwhile.
        if rooms.get(&team).is_some_and(mpsc::Sender::is_closed) {
            rooms.remove(&team);
        }
    }

    /// Whether this process conducts it.
    pub fn has(&self, team: ChatId) -> bool {
        self.0.lock().contains_key(&team)
    }

    /// Sends every conductor away: their teams are another process's now.
    pub fn leave_all(&self) {
        self.0.lock().clear();
    }

    /// Asks for something to happen, and waits until it has, or was refused.
    pub async fn ask(&self, team: ChatId, wish: Wish) -> Result<()> {
        let ended = || Refusal::conflict("This team has ended.");
        let room = self.0.lock().get(&team).cloned().ok_or_else(ended)?;
        let (done, answer) = oneshot::channel();
        room.send(Request { wish, done }).await.map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }

    /// Asks for something to happen and does not wait. Where there is no room, nothing is asked.
    pub fn tell(&self, team: ChatId, wish: Wish) {
        if let Some(room) = self.0.lock().get(&team) {
            let _ = room.try_send(Request { wish, done: oneshot::channel().0 });
        }
    }
}
