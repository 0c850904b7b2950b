//! libp2p request-response codec. Streams that exceed the size limit are aborted before parsing.

use std::{io, sync::Arc, time::Duration};

use futures::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use libp2p::{
    StreamProtocol,
    request_response::{self, ProtocolSupport},
};
use tokio::sync::Semaphore;

use super::cbor::{self, MAX_ANSWER, PeerMessage, PeerReply, WireError};

pub const SYNC: StreamProtocol = StreamProtocol::new("/plexus/sync/1");
pub const QUERY: StreamProtocol = StreamProtocol::new("/plexus/query/1");
/// Timeout of a response, and of receiving a message.
const TIME: Duration = Duration::from_secs(10);
/// Maximum concurrent exchanges per connection, in both directions together.
const AT_ONCE: usize = 8;
/// Size below which requests are read without a permit. Only offers and reconciliation messages are larger.
const SMALL: usize = 32 * 1024;
/// Maximum larger requests being read at once, over all peers. Further ones fail; the peer retries later.
const LARGE_AT_ONCE: usize = 64;

pub type Exchange = request_response::Behaviour<Codec>;

/// Codec of one protocol with its maximum request size.
#[derive(Clone, Debug)]
pub struct Codec {
    max_request: usize,
    large: Arc<Semaphore>,
}

/// Builds the request-response behaviour of `protocol`.
pub fn exchange(protocol: StreamProtocol, max_request: usize) -> Exchange {
    let config =
        request_response::Config::default().with_request_timeout(TIME).with_max_concurrent_streams(AT_ONCE);
    let codec = Codec { max_request, large: Arc::new(Semaphore::new(LARGE_AT_ONCE)) };
    Exchange::with_codec(codec, [(protocol, ProtocolSupport::Full)], config)
}

impl request_response::Codec for Codec {
    type Protocol = StreamProtocol;
    type Request = PeerMessage;
    type Response = PeerReply;

    async fn read_request<T>(&mut self, _: &StreamProtocol, io: &mut T) -> io::Result<PeerMessage>
    where
        T: AsyncRead + Unpin + Send,
    {
        let mut bytes = Vec::new();
        io.take(SMALL.min(self.max_request + 1) as u64).read_to_end(&mut bytes).await?;
        if bytes.len() == SMALL {
            let place = self.large.try_acquire().map_err(|_| io::Error::from(io::ErrorKind::ResourceBusy))?;
            bytes.append(&mut read(io, self.max_request.saturating_sub(SMALL)).await?);
            drop(place);
        }
        cbor::read_message(&bytes, self.max_request).map_err(invalid)
    }

    async fn read_response<T>(&mut self, _: &StreamProtocol, io: &mut T) -> io::Result<PeerReply>
    where
        T: AsyncRead + Unpin + Send,
    {
        cbor::read_reply(&read(io, MAX_ANSWER).await?).map_err(invalid)
    }

    async fn write_request<T>(
        &mut self,
        _: &StreamProtocol,
        io: &mut T,
        message: PeerMessage,
    ) -> io::Result<()>
    where
        T: AsyncWrite + Unpin + Send,
    {
        io.write_all(&cbor::write_message(&message).map_err(invalid)?).await
    }

    async fn write_response<T>(&mut self, _: &StreamProtocol, io: &mut T, reply: PeerReply) -> io::Result<()>
    where
        T: AsyncWrite + Unpin + Send,
    {
        io.write_all(&cbor::write_reply(&reply).map_err(invalid)?).await
    }
}

/// Reads at most `limit` bytes, plus one to detect an oversized message.
async fn read<T: AsyncRead + Unpin + Send>(io: &mut T, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io.take(limit as u64 + 1).read_to_end(&mut bytes).await?;
    if bytes.len() > limit { Err(invalid(WireError::TooLarge(limit))) } else { Ok(bytes) }
}

fn invalid(error: WireError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

#[cfg(test)]
mod tests {
    use futures::io::Cursor;
    use libp2p::request_response::Codec as _;

    use super::*;
    use crate::net::cbor::MAX_REQUEST;

    #[tokio::test]
    async fn large_requests_are_read_a_few_at_a_time() {
        let mut codec = Codec { max_request: MAX_REQUEST, large: Arc::new(Semaphore::new(1)) };
        let offer = |bytes| PeerMessage::Offer(vec![vec![1; bytes]; 30]);
        let mut read = async |message: &PeerMessage| {
            let bytes = cbor::write_message(message).unwrap();
            codec.read_request(&SYNC, &mut Cursor::new(bytes)).await.ok()
        };
        let (small, large) = (offer(100), offer(10_000));
        assert_eq!(read(&large).await.as_ref(), Some(&large));
        assert_eq!(read(&large).await.as_ref(), Some(&large), "the first one gave its place back");
        let busy = Arc::new(Semaphore::new(0));
        let mut codec = Codec { max_request: MAX_REQUEST, large: busy };
        let mut read = async |message: &PeerMessage| {
            let bytes = cbor::write_message(message).unwrap();
            codec.read_request(&SYNC, &mut Cursor::new(bytes)).await.ok()
        };
        assert_eq!(read(&large).await, None);
        assert_eq!(read(&small).await.as_ref(), Some(&small));
    }
}
