//! Streams the progress of a task as A2A events.

use std::pin::Pin;

use axum::{body::Body, response::Response};
use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream};
use plexus_a2a::{
    task::{RunChange, TaskEventProjector},
    wire::v1::{self, StreamResponse},
};
use plexus_domain::{Digest, RunId};
use plexus_hub::calls::{AuthorizedAgent, Task, TaskSubscription, TaskUpdate};
use tokio::time::timeout;

use crate::{
    app_state::AppState,
    web::event_stream::{HEARTBEAT, event_stream},
};

/// Stream of events for one subscriber. `None` is a keep-alive.
pub type TaskEventStream = Pin<Box<dyn Stream<Item = Option<StreamResponse>> + Send>>;

/// Returns the events of a task: first the task itself, then its changes.
pub fn events(
    site: &AppState,
    authorized: &AuthorizedAgent,
    task: &Task,
    following: TaskSubscription,
) -> TaskEventStream {
    let (feed, first) =
        TaskEventProjector::open(&task.as_run(), &|blob| authorized.file_url(&site.hub, task.id, blob));
    let (site, authorized) = (site.clone(), authorized.clone());
    let reader = Reader { site, authorized, run: task.id, feed, following };
    let rest = stream::unfold(reader, |mut reader| async move {
        let events = reader.next().await?;
        Some((stream::iter(events), reader))
    });
    Box::pin(stream::iter([Some(first)]).chain(rest.flatten()))
}

/// Returns a stream with a single message.
pub fn only(message: v1::Message) -> TaskEventStream {
    Box::pin(stream::iter([Some(StreamResponse::Message(message))]))
}

struct Reader {
    site: AppState,
    authorized: AuthorizedAgent,
    run: RunId,
    feed: TaskEventProjector,
    following: TaskSubscription,
}

impl Reader {
    async fn next(&mut self) -> Option<Vec<Option<StreamResponse>>> {
        match self.site.stop.run_until_cancelled(timeout(HEARTBEAT, self.following.next())).await? {
            Err(_) => Some(vec![None]),
            Ok(Ok(news)) => Some(self.tell(&news?)),
            Ok(Err(error)) => {
                tracing::debug!(%error, "task subscription failed");
                None
            }
        }
    }

    fn tell(&mut self, news: &TaskUpdate) -> Vec<Option<StreamResponse>> {
        let change = match news {
            TaskUpdate::Part { message, index, start, part } => {
                RunChange::Part { message: *message, index: *index, start: *start, part }
            }
            TaskUpdate::Ended { message, is_question } => {
                RunChange::Ended { message, is_question: *is_question }
            }
            TaskUpdate::Status { line } => RunChange::Status { line },
            TaskUpdate::State { task } => RunChange::State { run: task.as_run() },
        };
        // A finished message carries its whole text, so an update that does not fit loses nothing.
        let file = |blob: &Digest| self.authorized.file_url(&self.site.hub, self.run, blob);
        let told = self.feed.apply(change, &file).unwrap_or_default();
        told.into_iter().map(Some).collect()
    }
}

/// Returns the events as an SSE response. `encode` serializes one event as SSE data.
pub fn respond(
    events: TaskEventStream,
    encode: impl Fn(StreamResponse) -> Vec<u8> + Send + 'static,
) -> Response {
    let frames = events.map(move |event| {
        Ok::<_, std::convert::Infallible>(match event {
            None => Bytes::from_static(b": \n\n"),
            Some(event) => frame(&encode(event)),
        })
    });
    event_stream(Body::from_stream(frames))
}

/// Compact JSON has no line breaks, so `data` is one line.
fn frame(data: &[u8]) -> Bytes {
    [b"data: ", data, b"\n\n"].concat().into()
}
