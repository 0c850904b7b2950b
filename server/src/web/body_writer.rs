//! A response body that a blocking thread writes.

use std::io::{self, Write};

use axum::body::Body;
use bytes::Bytes;
use futures::{StreamExt as _, stream};
use tokio::sync::mpsc;

/// Chunks that wait to be sent. The writer blocks while there are more.
const CHUNKS: usize = 16;
const CHUNK_BYTES: usize = 64 * 1024;

type Sender = mpsc::Sender<io::Result<Bytes>>;

/// Writes the body. Use it on a thread that may block.
pub struct BodyWriter {
    sender: Sender,
    buffer: Vec<u8>,
}

/// Breaks the body off, so that the client does not take it for complete.
pub struct BodyFailure(Sender);

/// Returns a writer, and the body that is written with it.
pub fn new() -> (BodyWriter, Body) {
    let (sender, receiver) = mpsc::channel(CHUNKS);
    let chunks = stream::unfold(receiver, |mut receiver| async {
        let next = receiver.recv().await?;
        Some((next, receiver))
    });
    (BodyWriter { sender, buffer: Vec::new() }, Body::from_stream(chunks.boxed()))
}

impl BodyWriter {
    pub fn failure(&self) -> BodyFailure {
        BodyFailure(self.sender.clone())
    }
}

impl BodyFailure {
    pub async fn report(self) {
        // The client may be gone already.
        let _ = self.0.send(Err(io::Error::other("the body could not be completed"))).await;
    }
}

impl Write for BodyWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= CHUNK_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    /// Sends what was written. An error means that the client is gone.
    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let chunk = Bytes::from(std::mem::take(&mut self.buffer));
        self.sender.blocking_send(Ok(chunk)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}
