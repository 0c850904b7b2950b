//! Request-body timeout: aborts bodies that are too slow, and drains rejected bodies.
//!
//! A body has 30 s plus the time that its received bytes take at 16 KiB/s. The reader of an aborted body
//! returns 408 ([`super::json_body::body_error`]) and the connection is closed. Rejected bodies are drained so that
//! the client reads the response.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderValue, header},
    middleware::Next,
    response::Response,
};
use http_body_util::BodyExt as _;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::{
    runtime::Handle,
    time::{Sleep, sleep, timeout},
};

/// Time allowed for any body, whatever its size.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Minimum transfer rate in bytes per second: received bytes extend the deadline by the time they take at
/// this rate.
const SLOWEST: u64 = 16 * 1_024;

/// Maximum number of bytes drained from a rejected body.
const MAX_DRAINED: usize = 16 << 20;
const LEFT_FOR: Duration = Duration::from_secs(10);

pub async fn limit_body_time(request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let late = Arc::new(AtomicBool::new(false));
    let request = request.map(|body| Body::new(TimedBody::new(body, Arc::clone(&late))));
    let mut response = next.run(request).await;
    if late.load(Ordering::Relaxed) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// A request body with a deadline. It fails with `TimedOut` and sets `late` when the deadline passes.
struct TimedBody {
    body: Body,
    due: Pin<Box<Sleep>>,
    late: Arc<AtomicBool>,
}

impl TimedBody {
    fn new(body: Body, late: Arc<AtomicBool>) -> Self {
        Self { body, due: Box::pin(sleep(TIMEOUT)), late }
    }
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                let bytes = frame.data_ref().map_or(0, |data| data.len() as u64);
                let due = self.due.deadline() + Duration::from_micros(bytes * 1_000_000 / SLOWEST);
                self.due.as_mut().reset(due);
                polled
            }
            Poll::Pending if self.due.as_mut().poll(cx).is_ready() => {
                self.late.store(true, Ordering::Relaxed);
                Poll::Ready(Some(Err(axum::Error::new(std::io::Error::from(std::io::ErrorKind::TimedOut)))))
            }
            _ => polled,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Drains the rest of the body in the background. Closing a connection while the client still writes would
/// discard the response.
impl Drop for TimedBody {
    fn drop(&mut self) {
        let body = std::mem::take(&mut self.body);
        let is_over = body.is_end_stream() || self.late.load(Ordering::Relaxed);
        if let (false, Ok(runtime)) = (is_over, Handle::try_current()) {
            runtime.spawn(timeout(LEFT_FOR, throw_away(body)));
        }
    }
}

async fn throw_away(mut body: Body) {
    let mut left = MAX_DRAINED;
    while let Some(Ok(frame)) = body.frame().await {
        left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
        if left == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::{
        Router, body::to_bytes, extract::rejection::BytesRejection, http::StatusCode, middleware,
        response::IntoResponse as _, routing::post,
    };
    use futures::{StreamExt as _, stream};
    use plexus_domain::Error as Refusal;
    use tower::ServiceExt as _;

    use super::*;
    use crate::web::{error::ApiError, json_body::body_error};

    async fn read(body: Result<Bytes, BytesRejection>) -> Response {
        match body {
            Ok(body) => body.len().to_string().into_response(),
            Err(rejection) => {
                ApiError::from(body_error(&rejection, Refusal::too_large("It is too large.", 1)))
                    .into_response()
            }
        }
    }

    /// Sends a body in pieces of `size` bytes, with a pause before each.
    async fn answer(size: usize, pieces: usize, pause: Duration) -> Response {
        let router = Router::new().route("/", post(read)).layer(middleware::from_fn(limit_body_time));
        let pieces = stream::iter(0..pieces).then(move |_| async move {
            sleep(pause).await;
            Ok::<_, std::io::Error>(vec![b'x'; size])
        });
        let request = Request::post("/").body(Body::from_stream(pieces)).unwrap();
        router.oneshot(request).await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_line_is_waited_for() {
        let response = answer(20_000, 100, Duration::from_secs(1)).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(to_bytes(response.into_body(), 100).await.unwrap(), "2000000");
        assert_eq!(answer(1, 3, Duration::from_secs(9)).await.status(), StatusCode::OK);
    }

    #[tokio::test(start_paused = true)]
    async fn what_nobody_takes_is_read_to_its_end_or_to_a_bound() {
        for (pieces, read) in [(10, 10), (1_000, 16)] {
            let (taken, mut all) = tokio::sync::mpsc::channel(1_000);
            let pieces = stream::iter(0..pieces).map(move |number| {
                let _ = taken.try_send(number);
                Ok::<_, std::io::Error>(vec![b'x'; 1 << 20])
            });
            let router =
                Router::new().route("/", post(|| async {})).layer(middleware::from_fn(limit_body_time));
            let request = Request::post("/").body(Body::from_stream(pieces)).unwrap();
            assert_eq!(router.oneshot(request).await.unwrap().status(), StatusCode::OK);
            let mut count = 0;
            while all.recv().await.is_some() {
                count += 1;
            }
            assert_eq!(count, read);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_drips_is_ended() {
        let begun = tokio::time::Instant::now();
        let response = answer(1, 10_000, Duration::from_secs(1)).await;
        assert_eq!(response.status(), StatusCode::REQUEST_TIMEOUT);
        assert_eq!(response.headers()[header::CONNECTION], "close");
        assert!(begun.elapsed() < TIMEOUT + Duration::from_secs(2), "{:?}", begun.elapsed());
    }
}
