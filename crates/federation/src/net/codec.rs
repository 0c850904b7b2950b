//! Requests and answers on a stream. A stream that brings more than it may is given up before anything is parsed.

use std::{io, time::Duration};

use futures::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use libp2p::{
    StreamProtocol,
    request_response::{self, ProtocolSupport},
};

use super::wire::{self, MAX_ANSWER, Message, Reply, WireError};

pub const SYNC: StreamProtocol = StreamProtocol::new("/plexus/sync/1");
pub const QUERY: StreamProtocol = StreamProtocol::new("/plexus/query/1");
/// How long an answer may take, and a peer may take to send what it began.
const TIME: Duration = Duration::from_secs(10);
/// Exchanges under way with one peer, both ways together.
const AT_ONCE: usize = 8;

pub type Exchange = request_response::Behaviour<Codec>;

/// What goes over a protocol whose requests have at most so many bytes.
#[derive(Clone, Copy, Debug)]
pub struct Codec {
    max_request: usize,
}

/// The exchange of `protocol`.
pub fn exchange(protocol: StreamProtocol, max_request: usize) -> Exchange {
    let config =
        request_response::Config::default().with_request_timeout(TIME).with_max_concurrent_streams(AT_ONCE);
    Exchange::with_codec(Codec { max_request }, [(protocol, ProtocolSupport::Full)], config)
}

impl request_response::Codec for Codec {
    type Protocol = StreamProtocol;
    type Request = Message;
    type Response = Reply;

    async fn read_request<T>(&mut self, _: &StreamProtocol, io: &mut T) -> io::Result<Message>
    where
        T: AsyncRead + Unpin + Send,
    {
        let bytes = read(io, self.max_request).await?;
        wire::read_message(&bytes, self.max_request).map_err(invalid)
    }

    async fn read_response<T>(&mut self, _: &StreamProtocol, io: &mut T) -> io::Result<Reply>
    where
        T: AsyncRead + Unpin + Send,
    {
        wire::read_reply(&read(io, MAX_ANSWER).await?).map_err(invalid)
    }

    async fn write_request<T>(&mut self, _: &StreamProtocol, io: &mut T, message: Message) -> io::Result<()>
    where
        T: AsyncWrite + Unpin + Send,
    {
        io.write_all(&wire::write_message(&message).map_err(invalid)?).await
    }

    async fn write_response<T>(&mut self, _: &StreamProtocol, io: &mut T, reply: Reply) -> io::Result<()>
    where
        T: AsyncWrite + Unpin + Send,
    {
        io.write_all(&wire::write_reply(&reply).map_err(invalid)?).await
    }
}

/// Reads one byte more than allowed, so that what is too long is seen to be.
async fn read<T: AsyncRead + Unpin + Send>(io: &mut T, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io.take(limit as u64 + 1).read_to_end(&mut bytes).await?;
    if bytes.len() > limit { Err(invalid(WireError::TooLarge(limit))) } else { Ok(bytes) }
}

fn invalid(error: WireError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
