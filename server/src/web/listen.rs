//! Accepts TCP connections and serves HTTP/1.1 until shutdown.

use std::{
    convert::Infallible,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{ConnectInfo, Request},
    http::StatusCode,
    serve::Listener,
};
use hyper::{
    body::{Body as HttpBody, Frame, Incoming, SizeHint},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use ipnet::IpNet;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Mutex,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::Service as _;

use super::{
    connections::{ConnectionTable, OpenConnection, RequestGuard},
    write_timeout::WriteTimeout,
};

/// Timeout for a request's headers, which is also the keep-alive timeout after each response.
const TIMEOUT: Duration = Duration::from_secs(75);
/// Maximum bytes of a request's headers, and of what waits to be read or written for a connection.
const BUFFER_BYTES: usize = 64 << 10;

/// Response to a connection for which there is no room.
const NO_ROOM: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\n\
Content-Length: 0\r\n\r\n";

/// What a listener serves, and to how many connections.
#[derive(Clone)]
pub struct HttpService {
    pub router: Router,
    pub connections: Arc<ConnectionTable>,
    /// Addresses that stand for many clients.
    pub trusted_proxies: Arc<[IpNet]>,
}

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
pub async fn serve(listener: Arc<Mutex<Option<TcpListener>>>, service: HttpService, stop: CancellationToken) {
    let mut slot = listener.lock().await;
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(TIMEOUT).max_buf_size(BUFFER_BYTES);
    let connections = TaskTracker::new();
    while let Some(listener) = slot.as_mut() {
        let Some((stream, peer)) = stop.run_until_cancelled(Listener::accept(listener)).await else { break };
        let ip = peer.ip().to_canonical();
        let is_proxy = service.trusted_proxies.iter().any(|network| network.contains(&ip));
        let Some(place) = service.connections.open(ip, is_proxy) else {
            // As much as the socket's buffer takes: waiting would hold the file.
            let _ = stream.try_write(NO_ROOM);
            continue;
        };
        connections.spawn(connection(
            http.clone(),
            stream,
            peer,
            place,
            service.router.clone(),
            stop.clone(),
        ));
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
    place: OpenConnection,
    router: Router,
    stop: CancellationToken,
) {
    // Disable Nagle's algorithm: with it, the first event of a stream is delayed by 44 ms.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection keeps Nagle's algorithm");
    }
    let closed = place.closed().clone();
    let place = Arc::new(place);
    let stream = WriteTimeout::new(stream, Arc::clone(&place));
    let answer = service_fn(move |request: Request<Incoming>| {
        let guard = place.begin_request();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        let response = router.clone().call(request);
        async move {
            let response = response.await?;
            if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                guard.keep_busy();
            }
            Ok::<_, Infallible>(response.map(|body| GuardedBody { body, _guard: guard }))
        }
    });
    let mut served = pin!(http.serve_connection(TokioIo::new(stream), answer).with_upgrades());
    let ended = tokio::select! {
        ended = &mut served => ended,
        // An idle connection that makes room for another: it ends without a response.
        () = closed.cancelled() => return,
        () = stop.cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}

/// A response body whose connection is in use until the body is sent or dropped.
struct GuardedBody {
    body: Body,
    _guard: RequestGuard,
}

impl HttpBody for GuardedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
