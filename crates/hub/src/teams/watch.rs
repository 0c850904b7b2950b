//! Waiting for what a team comes to.

use std::{sync::Arc, time::Duration};

use plexus_domain::{ChatId, Error as Refusal, event::Event};
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time,
};

use super::{TeamView, look};
use crate::{
    Caller, Hub, Result, accounts,
    caller::Scope,
    chats,
    live::{Channel, Frame, FrameKind, Topic},
};

/// Whoever waits for a team that they launched.
pub struct Watching {
    watch: Watch,
    caller: Caller,
}

/// Begins to watch. Whoever may launch a team may wait for it.
pub async fn watch(hub: &Hub, caller: &Caller, team: ChatId) -> Result<Watching> {
    let person = caller.may(Scope::Team)?;
    let watch = Watch::begin(hub, team).await?;
    chats::membership_or(&mut hub.store().read().await?, person, team, look::gone).await?;
    Ok(Watching { watch, caller: caller.clone() })
}

/// How often a team of which nothing is heard is looked at, and whether its reader may still look.
const LOOK_EVERY: Duration = Duration::from_secs(15);

impl Watching {
    /// The team as it is, then each time that it has moved on; none when it has not for `patience`.
    pub async fn next(&mut self, patience: Duration) -> Result<Option<TeamView>> {
        self.watch.wait(patience).await;
        if !accounts::lets_in(&self.watch.hub, &self.caller).await {
            return Err(Refusal::unauthenticated("You are signed out.").into());
        }
        self.watch.look().await
    }

    /// The team once it has ended.
    pub async fn end(mut self) -> Result<TeamView> {
        loop {
            match self.next(LOOK_EVERY).await? {
                Some(view) if view.ended.is_some() => return Ok(view),
                _ => {}
            }
        }
    }
}

/// Waiting for a team, for somebody who may look.
pub(super) struct Watch {
    hub: Hub,
    team: ChatId,
    frames: Receiver<Arc<Frame>>,
    /// The last entry of the log that was told.
    told: Option<u64>,
    _channel: Channel,
}

impl Watch {
    pub async fn begin(hub: &Hub, team: ChatId) -> Result<Self> {
        let channel = hub.live().channels.hold(Topic::Chat(team));
        let frames = channel.watch();
        hub.mirror().follow(hub, &channel).await?;
        Ok(Self { hub: hub.clone(), team, frames, told: None, _channel: channel })
    }

    /// As [`Watching::next`].
    pub async fn next(&mut self, patience: Duration) -> Result<Option<TeamView>> {
        self.wait(patience).await;
        self.look().await
    }

    /// Waits until the team has moved on since it was told, as far as this is heard.
    async fn wait(&mut self, patience: Duration) {
        if let Some(told) = self.told {
            // What was missed, or why nothing comes, is in the store.
            let _ = time::timeout(patience, until_it_moves(&mut self.frames, told)).await;
        }
    }

    async fn look(&mut self) -> Result<Option<TeamView>> {
        let view = look::see(&self.hub, self.team).await?;
        if self.told == Some(view.entry) {
            return Ok(None);
        }
        self.told = Some(view.entry);
        Ok(Some(view))
    }
}

async fn until_it_moves(frames: &mut Receiver<Arc<Frame>>, told: u64) {
    loop {
        match frames.recv().await {
            Ok(frame) => {
                if let FrameKind::Event { event: Event::Team { entry }, .. } = &frame.kind
                    && *entry > told
                {
                    return;
                }
            }
            Err(RecvError::Lagged(_)) => return,
            Err(RecvError::Closed) => return std::future::pending().await,
        }
    }
}
