//! Waiting for what a team comes to.

use std::sync::Arc;

use plexus_domain::{ChatId, event::Event};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::{TeamView, look};
use crate::{
    Caller, Hub, Result,
    caller::Scope,
    chats,
    live::{Channel, Frame, FrameKind, Topic},
};

/// Whoever waits for a team that they launched.
pub struct Watching {
    hub: Hub,
    team: ChatId,
    frames: Receiver<Arc<Frame>>,
    /// The last entry of the log that was told.
    told: Option<u64>,
    _channel: Channel,
}

/// Begins to watch. Whoever may launch a team may wait for it.
pub async fn watch(hub: &Hub, caller: &Caller, team: ChatId) -> Result<Watching> {
    let person = caller.may(Scope::Team)?;
    let channel = hub.live().channels.hold(Topic::Chat(team));
    let frames = channel.watch();
    chats::membership_or(&mut hub.store().read().await?, person, team, look::gone).await?;
    Ok(Watching { hub: hub.clone(), team, frames, told: None, _channel: channel })
}

impl Watching {
    /// The team as it is, then each time that it has moved on; none once its end was told.
    pub async fn next(&mut self) -> Result<Option<TeamView>> {
        if let Some(told) = self.told {
            if told == u64::MAX {
                return Ok(None);
            }
            self.until_it_moves(told).await;
        }
        let view = look::see(&self.hub, self.team).await?;
        self.told = Some(if view.ended.is_some() { u64::MAX } else { view.entry });
        Ok(Some(view))
    }

    /// The team once it has ended.
    pub async fn end(mut self) -> Result<TeamView> {
        loop {
            match self.next().await? {
                Some(view) if view.ended.is_some() => return Ok(view),
                _ => {}
            }
        }
    }

    async fn until_it_moves(&mut self, told: u64) {
        loop {
            match self.frames.recv().await {
                Ok(frame) => {
                    if let FrameKind::Event { event: Event::Team { entry }, .. } = &frame.kind
                        && *entry > told
                    {
                        return;
                    }
                }
                // What was missed, or why nothing comes, is in the store.
                Err(RecvError::Lagged(_) | RecvError::Closed) => return,
            }
        }
    }
}
