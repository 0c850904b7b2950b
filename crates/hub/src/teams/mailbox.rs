//! Mailboxes of this instance's orchestrators.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use plexus_domain::{
    Address, ChatId, Error as Refusal,
    team::{AssignmentNo, TeamActor, TeamEvent},
};
use tokio::sync::{mpsc, oneshot};

use crate::Result;

/// Mailbox capacity. Senders wait while it is full (backpressure).
const QUEUE_CAPACITY: usize = 64;

/// Command to a team.
pub enum TeamCommand {
    Event(TeamActor, TeamEvent),
    /// The owner requests a subteam for an assignment: of its member and those
    /// named, or those that the hub finds.
    FormSubteam {
        assignment: AssignmentNo,
        members: Vec<Address>,
    },
}

/// Command for an orchestrator and the channel for its result.
pub struct TeamCommandRequest {
    pub command: TeamCommand,
    pub done: oneshot::Sender<Result<()>>,
}

/// Mailbox of an orchestrator. Dropping it, also on panic, allows a new orchestrator to register.
pub struct Mailbox {
    rooms: TeamMailboxes,
    team: ChatId,
    requests: mpsc::Receiver<TeamCommandRequest>,
}

impl Mailbox {
    /// Returns the next request; `None` after the mailbox was closed.
    pub async fn recv(&mut self) -> Option<TeamCommandRequest> {
        self.requests.recv().await
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.requests.close();
        self.rooms.close(self.team);
    }
}

/// Mailboxes by team.
#[derive(Clone, Default)]
pub struct TeamMailboxes(Arc<Mutex<HashMap<ChatId, mpsc::Sender<TeamCommandRequest>>>>);

impl TeamMailboxes {
    /// Registers the mailbox of an orchestrator until it is dropped; `None` if the team has one.
    pub fn register(&self, team: ChatId) -> Option<Mailbox> {
        let mut rooms = self.0.lock();
        if rooms.contains_key(&team) {
            return None;
        }
        let (sender, requests) = mpsc::channel(QUEUE_CAPACITY);
        rooms.insert(team, sender);
        Some(Mailbox { rooms: self.clone(), team, requests })
    }

    /// Returns whether this instance orchestrates the team.
    pub fn is_registered(&self, team: ChatId) -> bool {
        self.0.lock().contains_key(&team)
    }

    fn close(&self, team: ChatId) {
        let mut rooms = self.0.lock();
        // A new mailbox may have been registered meanwhile.
        if rooms.get(&team).is_some_and(mpsc::Sender::is_closed) {
            rooms.remove(&team);
        }
    }

    /// Returns whether this instance orchestrates the team.
    pub fn has(&self, team: ChatId) -> bool {
        self.0.lock().contains_key(&team)
    }

    /// Closes all mailboxes: another instance took over the teams.
    pub fn close_all(&self) {
        self.0.lock().clear();
    }

    /// Sends a command. Returns after it was applied or rejected.
    pub async fn send(&self, team: ChatId, command: TeamCommand) -> Result<()> {
        let ended = || Refusal::conflict("This team has ended.");
        let room = self.0.lock().get(&team).cloned().ok_or_else(ended)?;
        let (done, answer) = oneshot::channel();
        room.send(TeamCommandRequest { command, done }).await.map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }

    /// Sends a command without waiting. Dropped if the mailbox is full.
    pub fn try_send(&self, team: ChatId, command: TeamCommand) {
        if let Some(room) = self.0.lock().get(&team) {
            let _ = room.try_send(TeamCommandRequest { command, done: oneshot::channel().0 });
        }
    }
}
