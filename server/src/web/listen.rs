//! Listening for connections until the hub is told to stop.

use std::net::SocketAddr;

use axum::{Router, serve::ListenerExt as _};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// A listener that sends small pieces at once: with Nagle's algorithm the first event of a stream waits 44 ms.
///
/// `setting` is what an error names.
pub async fn bind(address: SocketAddr, setting: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            anyhow::anyhow!("{address} is in use, perhaps by another hub; choose another with {setting}")
        }
        _ => anyhow::anyhow!("listening on {address}: {error}"),
    })
}

/// Serves until `stop`, then lets requests finish. Streams end themselves when `stop` is cancelled.
pub async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) -> std::io::Result<()> {
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps Nagle's algorithm");
        }
    });
    axum::serve(listener, router.into_make_service_with_connect_info::<SocketAddr>())
        .with_graceful_shutdown(stop.cancelled_owned())
        .await
}
