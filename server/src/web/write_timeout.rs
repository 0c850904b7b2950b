//! Write timeout: fails a stream whose peer stops reading, instead of blocking the connection for ever.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

/// Maximum time that a pending write may make no progress.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A stream with the timeout. `held` is dropped with the stream, also when an upgraded connection (WebSocket) outlives the
/// task that accepted it.
pub struct WriteTimeout<S, H = ()> {
    stream: S,
    _held: H,
    /// Deadline of the pending write; `None` if no write is pending.
    due: Option<Pin<Box<Sleep>>>,
}

impl<S: Unpin, H> WriteTimeout<S, H> {
    pub const fn new(stream: S, held: H) -> Self {
        Self { stream, _held: held, due: None }
    }

    /// Returns the result of a write, or `TimedOut` once the deadline has passed.
    fn in_time<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let polled = written(Pin::new(&mut self.stream), cx);
        if polled.is_ready() {
            self.due = None;
            return polled;
        }
        let due = self.due.get_or_insert_with(|| Box::pin(sleep(TIMEOUT)));
        due.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin, H: Unpin> AsyncRead for WriteTimeout<S, H> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin, H: Unpin> AsyncWrite for WriteTimeout<S, H> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.in_time(cx, |stream, cx| stream.poll_write(cx, buf))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.in_time(cx, |stream, cx| stream.poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_write_that_nobody_takes_ends() {
        let (near, _far) = duplex(8);
        let ended = WriteTimeout::new(near, ()).write_all(b"more than eight bytes").await.unwrap_err();
        assert_eq!(ended.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_takes_something_now_and_then_is_served() {
        let (near, mut far) = duplex(8);
        let mut near = WriteTimeout::new(near, ());
        let text = [b'x'; 80];
        let reading = async {
            let mut read = Vec::new();
            while read.len() < text.len() {
                sleep(TIMEOUT - Duration::from_secs(1)).await;
                far.read_buf(&mut read).await.unwrap();
            }
        };
        let (written, ()) = tokio::join!(near.write_all(&text), reading);
        written.unwrap();
    }
}
