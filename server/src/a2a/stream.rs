//! A task as it goes on, as the events of A2A.

use std::pin::Pin;

use axum::{body::Body, response::Response};
use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream};
use plexus_a2a::{
    task::{Change, Feed},
    wire::v1::{self, StreamResponse},
};
use plexus_domain::{Digest, RunId};
use plexus_hub::calls::{Door, Following, News, Task};
use tokio::time::timeout;

use crate::{
    state::Site,
    web::event_stream::{HEARTBEAT, event_stream},
};

/// The events of one reader; none is a moment in which nothing happened.
pub type Events = Pin<Box<dyn Stream<Item = Option<StreamResponse>> + Send>>;

/// The task first, then what changes.
pub fn events(site: &Site, door: &Door, task: &Task, following: Following) -> Events {
    let (feed, first) = Feed::open(&task.as_run(), &|blob| door.file_url(&site.hub, task.id, blob));
    let (site, door) = (site.clone(), door.clone());
    let reader = Reader { site, door, run: task.id, feed, following };
    let rest = stream::unfold(reader, |mut reader| async move {
        let events = reader.next().await?;
        Some((stream::iter(events), reader))
    });
    Box::pin(stream::iter([Some(first)]).chain(rest.flatten()))
}

/// An answer that is a message alone.
pub fn only(message: v1::Message) -> Events {
    Box::pin(stream::iter([Some(StreamResponse::Message(message))]))
}

struct Reader {
    site: Site,
    door: Door,
    run: RunId,
    feed: Feed,
    following: Following,
}

impl Reader {
    async fn next(&mut self) -> Option<Vec<Option<StreamResponse>>> {
        match self.site.stop.run_until_cancelled(timeout(HEARTBEAT, self.following.next())).await? {
            Err(_) => Some(vec![None]),
            Ok(Ok(news)) => Some(self.tell(&news?)),
            Ok(Err(error)) => {
                tracing::debug!(%error, "a reader of a task could not go on");
                None
            }
        }
    }

    fn tell(&mut self, news: &News) -> Vec<Option<StreamResponse>> {
        let change = match news {
            News::Part { message, index, start, part } => {
                Change::Part { message: *message, index: *index, start: *start, part }
            }
            News::Ended { message } => Change::Ended { message },
            News::Waits { line } => Change::Waits { line },
            News::State { task } => Change::State { run: task.as_run() },
        };
        // The text of a message is told whole when it ends, so nothing is lost where a piece did not fit.
        let file = |blob: &Digest| self.door.file_url(&self.site.hub, self.run, blob);
        let told = self.feed.apply(change, &file).unwrap_or_default();
        told.into_iter().map(Some).collect()
    }
}

/// The events as a response; `encode` writes one as the data of a server-sent event.
pub fn respond(events: Events, encode: impl Fn(StreamResponse) -> Vec<u8> + Send + 'static) -> Response {
    let frames = events.map(move |event| {
        Ok::<_, std::convert::Infallible>(match event {
            None => Bytes::from_static(b": \n\n"),
            Some(event) => frame(&encode(event)),
        })
    });
    event_stream(Body::from_stream(frames))
}

/// JSON has no line breaks, so `data` is one line.
fn frame(data: &[u8]) -> Bytes {
    [b"data: ", data, b"\n\n"].concat().into()
}
