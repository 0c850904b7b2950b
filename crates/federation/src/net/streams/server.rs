//! Server side of stream requests between hubs.

use std::{collections::HashMap, io, pin::pin, sync::Arc, time::Duration};

use futures::{AsyncReadExt as _, AsyncWriteExt as _, Stream as Pieces, StreamExt as _};
use libp2p::{PeerId, Stream};
use libp2p_stream::IncomingStreams;
use parking_lot::Mutex;
use tokio::time::{sleep, timeout};

use super::{MAX_DURATION, RequestHead, ResponseHead, framing};
use crate::{HubId, net::peer_id};

/// Maximum concurrent requests of one hub (`PER_HUB`) and of all hubs (`AT_ONCE`). Further ones are refused.
const PER_HUB: usize = 32;
const AT_ONCE: usize = 256;
/// Timeout of receiving a complete request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout of sending a refusal.
const REFUSED_WITHIN: Duration = Duration::from_secs(2);

/// Listener for incoming stream requests.
pub struct StreamListener {
    streams: IncomingStreams,
    places: StreamPermits,
}

impl StreamListener {
    pub(in crate::net) fn new(streams: IncomingStreams) -> Self {
        Self { streams, places: StreamPermits::default() }
    }

    /// Returns the next stream within the concurrency limits; `None` when the network has stopped. Streams
    /// beyond the limits are refused with status 429.
    pub async fn next(&mut self) -> Option<IncomingStream> {
        loop {
            let (peer, stream) = self.streams.next().await?;
            let Some(from) = peer_id::hub_of(&peer) else { continue };
            match self.places.take(peer) {
                Some(place) => return Some(IncomingStream { from, stream, place }),
                None => drop(tokio::spawn(timeout(REFUSED_WITHIN, refuse(stream, busy(), b"")))),
            }
        }
    }
}

fn busy() -> ResponseHead {
    ResponseHead { status: 429, headers: [("retry-after".to_owned(), "5".to_owned())].into() }
}

async fn refuse(mut stream: Stream, told: ResponseHead, words: &[u8]) -> io::Result<()> {
    framing::write_head(&mut stream, &told).await?;
    if !words.is_empty() {
        framing::write_body(&mut stream, words).await?;
    }
    framing::write_end(&mut stream).await?;
    stream.close().await
}

/// An accepted stream whose request is not read yet.
pub struct IncomingStream {
    from: HubId,
    stream: Stream,
    place: StreamPermit,
}

impl IncomingStream {
    /// Returns the calling hub, authenticated by the connection.
    pub const fn from(&self) -> HubId {
        self.from
    }

    /// Refuses the request before any of it is read.
    pub async fn refuse(self, told: ResponseHead, words: &[u8]) {
        _ = timeout(REFUSED_WITHIN, refuse(self.stream, told, words)).await;
    }

    /// Reads the complete request, with a body of at most `most` bytes.
    ///
    /// # Errors
    /// When it is too large, too slow or malformed.
    pub async fn read(mut self, most: usize) -> io::Result<IncomingRequest> {
        let read = timeout(REQUEST_TIMEOUT, read(&mut self.stream, most)).await;
        let (question, body) = read.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
        Ok(IncomingRequest { from: self.from, question, body, stream: self.stream, _place: self.place })
    }
}

async fn read(stream: &mut Stream, most: usize) -> io::Result<(RequestHead, Vec<u8>)> {
    let (question, mut body) = (framing::read_head(stream).await?, Vec::new());
    while let Some(piece) = framing::read_piece(stream).await? {
        if body.len() + piece.len() > most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        body.extend_from_slice(&piece);
    }
    Ok((question, body))
}

/// A completely read request.
pub struct IncomingRequest {
    pub from: HubId,
    pub question: RequestHead,
    pub body: Vec<u8>,
    stream: Stream,
    _place: StreamPermit,
}

impl IncomingRequest {
    /// Sends the response with backpressure. Gives up when the requester closes the stream or its deadline
    /// passes.
    pub async fn answer(
        self,
        told: ResponseHead,
        body: impl Pieces<Item = io::Result<impl AsRef<[u8]>>> + Send,
    ) {
        let waits = Duration::from_millis(self.question.deadline_ms).min(MAX_DURATION);
        let (mut from, mut to) = self.stream.split();
        let work = async {
            framing::write_head(&mut to, &told).await?;
            let mut body = pin!(body);
            while let Some(piece) = body.next().await {
                framing::write_body(&mut to, piece?.as_ref()).await?;
            }
            framing::write_end(&mut to).await?;
            to.close().await
        };
        // The requester sends nothing more, so any read result means that it closed the stream.
        let mut more = [0; 1];
        let gone = async { _ = from.read(&mut more).await };
        let ended = tokio::select! {
            ended = work => ended,
            () = gone => return,
            () = sleep(waits) => Err(io::ErrorKind::TimedOut.into()),
        };
        if let Err(error) = ended {
            tracing::debug!(hub = %self.from, %error, "federation call: response not sent");
        }
    }
}

/// Concurrency limit: running requests per peer.
#[derive(Clone, Default)]
struct StreamPermits(Arc<Mutex<HashMap<PeerId, usize>>>);

/// Permit of one request, released on drop.
struct StreamPermit {
    places: StreamPermits,
    peer: PeerId,
}

impl StreamPermits {
    /// Acquires a permit for `peer`, if the limits allow it.
    fn take(&self, peer: PeerId) -> Option<StreamPermit> {
        let mut taken = self.0.lock();
        let all: usize = taken.values().sum();
        let of_peer = taken.entry(peer).or_default();
        let fits = *of_peer < PER_HUB && all < AT_ONCE;
        *of_peer += usize::from(fits);
        if *of_peer == 0 {
            taken.remove(&peer);
        }
        fits.then(|| StreamPermit { places: self.clone(), peer })
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut taken = self.places.0.lock();
        if let Some(of_peer) = taken.get_mut(&self.peer) {
            *of_peer -= 1;
            if *of_peer == 0 {
                taken.remove(&self.peer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_bounded_for_each_hub_and_for_all() {
        let (places, one) = (StreamPermits::default(), PeerId::random());
        let mut taken: Vec<_> = (0..PER_HUB).map(|_| places.take(one).unwrap()).collect();
        assert!(places.take(one).is_none());
        taken.pop();
        taken.push(places.take(one).unwrap());
        while taken.len() < AT_ONCE {
            taken.push(places.take(PeerId::random()).unwrap());
        }
        assert!(places.take(PeerId::random()).is_none());
        drop(taken);
        assert!(places.0.lock().is_empty(), "nobody is remembered");
    }
}
