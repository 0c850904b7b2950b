//! Opens the response of a slow call as an event stream, and keeps it alive until the result is there.
//!
//! Proxies end a request after a time without any byte, often 60 seconds. A fast result stays plain JSON with
//! its own HTTP status.

use std::{pin::Pin, time::Duration};

use axum::{
    body::{Body, Bytes, to_bytes},
    http::header,
    response::Response,
};
use futures::{FutureExt as _, Stream, StreamExt as _, future, stream};

use crate::web::event_stream::{EVENT_STREAM, HEARTBEAT, event_stream};

/// Time after which the stream opens. Authorization has been checked by then, so that its errors are HTTP
/// statuses.
const OPENS_AFTER: Duration = Duration::from_secs(1);
/// A comment, which clients ignore.
const BEAT: &[u8] = b": keep-alive\n\n";

type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;
type Chunk = Result<Bytes, axum::Error>;

enum Piece {
    Beat,
    Answer(Response),
}

/// Awaits the response, or returns a stream that ends with it. Dropping the stream drops `answer`.
pub async fn respond(answer: impl Future<Output = Response> + Send + 'static) -> Response {
    let mut answer: Answer = Box::pin(answer);
    tokio::select! {
        biased;
        response = &mut answer => response,
        () = tokio::time::sleep(OPENS_AFTER) => event_stream(Body::from_stream(events(answer))),
    }
}

fn events(answer: Answer) -> impl Stream<Item = Chunk> + Send {
    let pieces = stream::unfold(Some((answer, Duration::ZERO)), async |state| {
        let (mut answer, wait) = state?;
        tokio::select! {
            biased;
            response = &mut answer => Some((Piece::Answer(response), None)),
            () = tokio::time::sleep(wait) => Some((Piece::Beat, Some((answer, HEARTBEAT)))),
        }
    });
    pieces.flat_map(|piece| match piece {
        Piece::Beat => stream::once(future::ready(Ok(Bytes::from_static(BEAT)))).boxed(),
        Piece::Answer(response) if is_stream(&response) => response.into_body().into_data_stream().boxed(),
        Piece::Answer(response) => event(response).into_stream().boxed(),
    })
}

fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with(EVENT_STREAM))
}

/// Converts a JSON response to one event. The hub made the body, so its size is bounded.
async fn event(response: Response) -> Chunk {
    let body = to_bytes(response.into_body(), usize::MAX).await?;
    let text = String::from_utf8_lossy(&body);
    let lines: String = text.lines().map(|line| format!("data: {line}\n")).collect();
    Ok(Bytes::from(format!("{lines}\n")))
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;

    use super::*;

    async fn body(response: Response) -> String {
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        String::from_utf8(body.to_vec()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_answer_is_awaited_on_a_stream_with_keep_alive_comments() {
        let slow = tokio::time::sleep(Duration::from_secs(40)).map(|()| "{\"a\":1}".into_response());
        let response = respond(slow).await;
        assert!(is_stream(&response));
        let beat = ": keep-alive\n\n";
        assert_eq!(body(response).await, format!("{beat}{beat}{beat}data: {{\"a\":1}}\n\n"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_fast_answer_and_a_stream_stay_as_they_are() {
        let fast = respond(future::ready("{}".into_response())).await;
        assert_eq!(body(fast).await, "{}");
        let streamed = tokio::time::sleep(Duration::from_secs(2))
            .map(|()| event_stream(Body::from("data: 1\n\n")).into_response());
        assert_eq!(body(respond(streamed).await).await, ": keep-alive\n\ndata: 1\n\n");
    }
}
