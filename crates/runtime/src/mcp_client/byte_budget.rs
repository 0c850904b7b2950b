//! Byte budget for everything that a server sends in one session, over any transport.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, ReadBuf};

/// Bytes charged per message in addition to its size, for the cost of parsing it.
pub(super) const MESSAGE_COST: usize = 1 << 10;

/// Remaining bytes, shared by all streams of a session.
#[derive(Clone, Debug)]
pub(super) struct ByteBudget(Arc<AtomicUsize>);

impl ByteBudget {
    pub fn new(bytes: usize) -> Self {
        Self(Arc::new(AtomicUsize::new(bytes)))
    }

    /// Takes `bytes` from the budget. Fails if they exceed it.
    pub fn take(&self, bytes: usize) -> io::Result<()> {
        let less = |left: usize| left.checked_sub(bytes);
        match self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(_) => Ok(()),
            Err(_) => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "it exceeded the data limit of one run"))
            }
        }
    }
}

/// Reader of line-delimited messages that fails when the budget is exhausted.
pub(super) struct MeteredReader<R> {
    pub inner: R,
    pub meter: ByteBudget,
}

impl<R: AsyncRead + Unpin> AsyncRead for MeteredReader<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        let read = &buf.filled()[before..];
        let messages = read.iter().filter(|&&byte| byte == b'\n').count();
        Poll::Ready(self.meter.take(read.len() + messages * MESSAGE_COST))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn reading_ends_where_the_meter_runs_out() {
        let meter = ByteBudget::new(10);
        let mut read = MeteredReader { inner: &b"12345678901"[..], meter: meter.clone() };
        let mut bytes = [0; 8];
        assert_eq!(read.read(&mut bytes).await.unwrap(), 8);
        assert!(read.read(&mut bytes).await.is_err());
        assert!(meter.take(2).is_ok() && meter.take(1).is_err());
    }
}
