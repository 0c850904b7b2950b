//! Subscriptions to the state of a team.

use std::{sync::Arc, time::Duration};

use plexus_domain::{ChatId, Error as Refusal, chat_event::Event};
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time,
};

use super::{TeamView, view};
use crate::{
    Caller, Hub, Result, accounts,
    caller::Scope,
    chats,
    streaming::{Channel, FrameKind, StreamFrame, Topic},
};

/// Subscription of a caller to a team.
pub struct TeamSubscription {
    watch: TeamWatch,
    caller: Caller,
}

/// Subscribes to a team. Requires the scope to launch teams.
pub async fn subscribe(hub: &Hub, caller: &Caller, team: ChatId) -> Result<TeamSubscription> {
    let person = caller.may(Scope::Team)?;
    let watch = TeamWatch::begin(hub, team).await?;
    chats::membership_or(&mut hub.store().read().await?, person, team, view::gone).await?;
    Ok(TeamSubscription { watch, caller: caller.clone() })
}

/// Poll interval for a team without notifications, and for the caller's access.
const POLL_INTERVAL: Duration = Duration::from_secs(15);

impl TeamSubscription {
    /// Returns the current team, then each newer state; `None` if it does not change within `patience`.
    pub async fn next(&mut self, patience: Duration) -> Result<Option<TeamView>> {
        self.watch.wait(patience).await;
        if !accounts::is_still_authorized(&self.watch.hub, &self.caller).await {
            return Err(Refusal::unauthenticated("You are signed out.").into());
        }
        self.watch.look().await
    }

    /// Waits until the team has ended.
    pub async fn end(mut self) -> Result<TeamView> {
        loop {
            match self.next(POLL_INTERVAL).await? {
                Some(view) if view.ended.is_some() => return Ok(view),
                _ => {}
            }
        }
    }
}

/// Subscription without access check.
pub(super) struct TeamWatch {
    hub: Hub,
    team: ChatId,
    frames: Receiver<Arc<StreamFrame>>,
    /// Last log entry that was returned.
    told: Option<u64>,
    _channel: Channel,
}

impl TeamWatch {
    pub async fn begin(hub: &Hub, team: ChatId) -> Result<Self> {
        let channel = hub.live().channels.acquire(Topic::Chat(team));
        let frames = channel.subscribe();
        hub.mirror().mirror_chat(hub, &channel).await?;
        Ok(Self { hub: hub.clone(), team, frames, told: None, _channel: channel })
    }

    /// Same as [`TeamSubscription::next`].
    pub async fn next(&mut self, patience: Duration) -> Result<Option<TeamView>> {
        self.wait(patience).await;
        self.look().await
    }

    /// Waits until the team has changed since the last returned state, or until the timeout.
    async fn wait(&mut self, patience: Duration) {
        if let Some(told) = self.told {
            // Lost notifications do not matter: the store is read afterwards.
            let _ = time::timeout(patience, until_it_moves(&mut self.frames, told)).await;
        }
    }

    async fn look(&mut self) -> Result<Option<TeamView>> {
        let view = view::get_unchecked(&self.hub, self.team).await?;
        if self.told == Some(view.log_seq) {
            return Ok(None);
        }
        self.told = Some(view.log_seq);
        Ok(Some(view))
    }
}

async fn until_it_moves(frames: &mut Receiver<Arc<StreamFrame>>, told: u64) {
    loop {
        match frames.recv().await {
            Ok(frame) => {
                if let FrameKind::Event { event: Event::TeamUpdated { log_seq }, .. } = &frame.kind
                    && *log_seq > told
                {
                    return;
                }
            }
            Err(RecvError::Lagged(_)) => return,
            Err(RecvError::Closed) => return std::future::pending().await,
        }
    }
}
