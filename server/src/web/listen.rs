//! Accepts TCP connections and serves HTTP/1.1 until shutdown.

use std::{net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
    serve::Listener,
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Mutex,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::Service as _;

use super::write_timeout::WriteTimeout;

/// Timeout for a request's headers, which is also the keep-alive timeout after each response.
const TIMEOUT: Duration = Duration::from_secs(75);

/// Binds a listener. An error names `setting`, which configures the address.
pub async fn bind(address: SocketAddr, setting: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            anyhow::anyhow!("{address} is in use, perhaps by another hub; choose another with {setting}")
        }
        _ => anyhow::anyhow!("listening on {address}: {error}"),
    })
}

/// Serves until `stop` is cancelled, then closes the listener and waits for requests in progress. Streams end
/// themselves when `stop` is cancelled.
///
/// Only HTTP/1.1 is supported, without protocol detection: detection costs each stream 8 KB.
pub async fn serve(listener: Arc<Mutex<Option<TcpListener>>>, router: Router, stop: CancellationToken) {
    let mut slot = listener.lock().await;
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(TIMEOUT);
    let connections = TaskTracker::new();
    while let Some(listener) = slot.as_mut() {
        let Some((stream, peer)) = stop.run_until_cancelled(Listener::accept(listener)).await else { break };
        connections.spawn(connection(http.clone(), stream, peer, router.clone(), stop.clone()));
    }
    // Closed before the wait. The kernel would accept connections for an open listener that are never served, and
    // a proxy uses another instance only if this one refuses.
    *slot = None;
    connections.close();
    connections.wait().await;
}

async fn connection(
    http: http1::Builder,
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    stop: CancellationToken,
) {
    // Disable Nagle's algorithm: with it, the first event of a stream is delayed by 44 ms.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection keeps Nagle's algorithm");
    }
    let answer = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().call(request)
    });
    let mut served =
        pin!(http.serve_connection(TokioIo::new(WriteTimeout::new(stream)), answer).with_upgrades());
    let ended = match stop.run_until_cancelled(&mut served).await {
        Some(ended) => ended,
        None => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}
