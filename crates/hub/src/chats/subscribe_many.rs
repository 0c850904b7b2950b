//! One subscription to several chats, as shared by the tabs of a browser.

use std::sync::Arc;

use futures::{
    StreamExt as _,
    stream::{self, BoxStream, SelectAll},
};
use plexus_domain::{ChatId, Error as Refusal};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::{
    ChatSubscription,
    subscribe::{subscribe_with, unavailable},
};
use crate::{
    Caller, Error, Hub, Result,
    caller::Scope,
    streaming::{Channel, FrameKind, StreamFrame, Topic},
};

/// Maximum number of chats per subscription. A client may open several.
pub const MAX_CHATS: usize = 32;

/// A frame and its chat; no chat if it concerns the account.
pub struct ChatUpdate {
    pub chat: Option<ChatId>,
    pub frame: Arc<StreamFrame>,
}

/// A subscription to several chats of an account and to its list of chats.
pub struct MultiChatSubscription {
    news: SelectAll<BoxStream<'static, Result<ChatUpdate>>>,
    /// Number of chats that were not reported as unavailable. Without any the subscription ends.
    available: usize,
    _account: Channel,
}

/// Subscribes to each chat, from the event after the given number.
///
/// A chat that the caller may not read, or no longer, yields the frame `ChatUnavailable`. If none can be read, this fails.
pub async fn subscribe_many(
    hub: &Hub,
    caller: &Caller,
    positions: &[(ChatId, i64)],
) -> Result<MultiChatSubscription> {
    let person = caller.may(Scope::Read)?;
    if positions.is_empty() || positions.len() > MAX_CHATS {
        let words = format!("Name 1 to {MAX_CHATS} chats to subscribe to: ?chat=ID.");
        return Err(Refusal::invalid("chat", words).into());
    }
    let permit = Arc::new(hub.live().limiter.open(&caller.key())?);
    let account = hub.live().channels.acquire(Topic::Account(person.account));
    let mut news = SelectAll::new();
    news.push(hints(account.subscribe()));
    let mut refused = Vec::new();
    for &(chat, after) in positions {
        match subscribe_with(hub, caller, chat, after, Arc::clone(&permit)).await {
            Ok(reader) => news.push(of_chat(chat, reader)),
            Err(Error::Refused(refusal)) => refused.push((chat, refusal)),
            Err(fault) => return Err(fault),
        }
    }
    if refused.len() == positions.len()
        && let Some((_, refusal)) = refused.pop()
    {
        return Err(refusal.into());
    }
    let mut gone = Vec::new();
    for (chat, _) in refused {
        gone.push(Ok(ChatUpdate::new(Some(chat), unavailable(hub, caller, chat).await?)));
    }
    news.push(stream::iter(gone).boxed());
    Ok(MultiChatSubscription { news, available: positions.len(), _account: account })
}

impl MultiChatSubscription {
    /// Returns the next frame. Cancellation safe.
    pub async fn next(&mut self) -> Result<ChatUpdate> {
        let over = || Refusal::unavailable("The chats have ended.").into();
        if self.available == 0 {
            return Err(over());
        }
        let update = self.news.next().await.unwrap_or_else(|| Err(over()))?;
        if matches!(update.frame.kind, FrameKind::ChatUnavailable { .. }) {
            self.available -= 1;
        }
        Ok(update)
    }
}

impl ChatUpdate {
    fn new(chat: Option<ChatId>, kind: FrameKind) -> Self {
        Self { chat, frame: Arc::new(StreamFrame::new(kind)) }
    }
}

/// Turns the subscription into a stream, which is cancellation safe: a pending read survives in the stream. It ends
/// when the chat is missing for the caller.
fn of_chat(chat: ChatId, reader: ChatSubscription) -> BoxStream<'static, Result<ChatUpdate>> {
    stream::unfold(Some(reader), move |reader| async move {
        let mut reader = reader?;
        match reader.next().await {
            Ok(frame) => Some((Ok(ChatUpdate { chat: Some(chat), frame }), Some(reader))),
            Err(Error::Refused(Refusal::NotFound { .. })) => {
                let ended = reader.end_frame().await.map(|kind| ChatUpdate::new(Some(chat), kind));
                Some((ended, None))
            }
            Err(error) => Some((Err(error), Some(reader))),
        }
    })
    .boxed()
}

/// Ignores lag: every notification means the same, that the list of chats changed.
fn hints(receiver: Receiver<Arc<StreamFrame>>) -> BoxStream<'static, Result<ChatUpdate>> {
    stream::unfold(receiver, |mut receiver| async move {
        loop {
            match receiver.recv().await {
                Ok(frame) => return Some((Ok(ChatUpdate { chat: None, frame }), receiver)),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    })
    .boxed()
}
