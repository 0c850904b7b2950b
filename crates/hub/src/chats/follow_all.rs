//! One subscription to several chats, as shared by the tabs of a browser.

use std::sync::Arc;

use futures::{
    StreamExt as _,
    stream::{self, BoxStream, SelectAll},
};
use plexus_domain::{ChatId, Error as Refusal};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::{Reader, follow};
use crate::{
    Caller, Error, Hub, Result,
    caller::Scope,
    live::{Channel, Frame, FrameKind, Topic},
};

/// Maximum number of chats per subscription. A client may open several.
pub const MOST_CHATS: usize = 32;

/// A frame and its chat; no chat if it concerns the account.
pub struct News {
    pub chat: Option<ChatId>,
    pub frame: Arc<Frame>,
}

/// A subscription to several chats of an account and to its list of chats.
pub struct Readers {
    news: SelectAll<BoxStream<'static, Result<News>>>,
    _account: Channel,
}

/// Subscribes to each chat, from the event after the given number.
///
/// A chat that the caller may not read yields a `Gone` frame. If none can be read, this fails.
pub async fn follow_all(hub: &Hub, caller: &Caller, positions: &[(ChatId, i64)]) -> Result<Readers> {
    let person = caller.may(Scope::Read)?;
    if positions.is_empty() || positions.len() > MOST_CHATS {
        let words = format!("Name the chats to read along, 1 to {MOST_CHATS} of them: ?chat=ID.");
        return Err(Refusal::invalid("chat", words).into());
    }
    let account = hub.live().channels.hold(Topic::Account(person.account));
    let mut news = SelectAll::new();
    news.push(hints(account.watch()));
    let mut refused = Vec::new();
    for &(chat, after) in positions {
        match follow(hub, caller, chat, after).await {
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
    let gone = refused.into_iter().map(|(chat, _)| Ok(News::new(Some(chat), FrameKind::Gone)));
    news.push(stream::iter(gone).boxed());
    Ok(Readers { news, _account: account })
}

impl Readers {
    /// Returns the next frame. Cancellation safe.
    pub async fn next(&mut self) -> Result<News> {
        let over = || Refusal::unavailable("The chats have ended.").into();
        self.news.next().await.unwrap_or_else(|| Err(over()))
    }
}

impl News {
    fn new(chat: Option<ChatId>, kind: FrameKind) -> Self {
        Self { chat, frame: Arc::new(Frame::new(kind)) }
    }
}

/// Turns the subscription into a stream, which is cancellation safe: a pending read survives in the stream.
fn of_chat(chat: ChatId, reader: Reader) -> BoxStream<'static, Result<News>> {
    stream::unfold(reader, move |mut reader| async move {
        let frame = reader.next().await;
        Some((frame.map(|frame| News { chat: Some(chat), frame }), reader))
    })
    .boxed()
}

/// Ignores lag: every notification means the same, that the list of chats changed.
fn hints(receiver: Receiver<Arc<Frame>>) -> BoxStream<'static, Result<News>> {
    stream::unfold(receiver, |mut receiver| async move {
        loop {
            match receiver.recv().await {
                Ok(frame) => return Some((Ok(News { chat: None, frame }), receiver)),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    })
    .boxed()
}
