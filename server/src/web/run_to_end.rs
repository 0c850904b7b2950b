//! Requests that change something run to their end, also when their client disconnects.

use std::panic::resume_unwind;

use axum::{
    extract::{Request, State},
    http::StatusCode,
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

/// Middleware: handles requests that change something in a task of their own. The server drops the future of a request
/// whose client is gone, at any point at which it waits: without a task, what follows a commit might never happen.
pub async fn run_to_end(State(changes): State<TaskTracker>, request: Request, next: Next) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    match changes.spawn(next.run(request).in_current_span()).await {
        Ok(response) => response,
        Err(ended) => match ended.try_into_panic() {
            // For the layer that turns panics into responses.
            Ok(panic) => resume_unwind(panic),
            Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };

    use axum::{Router, body::Body, http::Method, middleware, routing::any};
    use futures::FutureExt as _;
    use tokio::sync::Notify;
    use tower::ServiceExt as _;

    use super::*;

    /// Sends a request whose handler waits for `go`, disconnects while it waits, and returns whether the handler ended.
    async fn ends_without_client(method: Method) -> bool {
        let (go, ended) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
        let (seen_go, seen_end) = (Arc::clone(&go), Arc::clone(&ended));
        let handler = move || {
            let (go, ended) = (Arc::clone(&seen_go), Arc::clone(&seen_end));
            async move {
                go.notified().await;
                ended.store(true, Ordering::SeqCst);
            }
        };
        let changes = TaskTracker::new();
        let router = Router::new()
            .route("/", any(handler))
            .layer(middleware::from_fn_with_state(changes.clone(), run_to_end));
        let request = Request::builder().method(method).uri("/").body(Body::empty()).unwrap();
        let mut response = Box::pin(router.oneshot(request));
        assert!((&mut response).now_or_never().is_none());
        tokio::task::yield_now().await;
        drop(response);
        go.notify_one();
        changes.close();
        changes.wait().await;
        ended.load(Ordering::SeqCst)
    }

    #[tokio::test]
    async fn a_change_ends_without_its_client_and_a_read_does_not() {
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            assert!(ends_without_client(method.clone()).await, "{method}");
        }
        assert!(!ends_without_client(Method::GET).await);
    }
}
