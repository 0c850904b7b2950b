//! Client side of stream requests between hubs.

use std::{io, time::Duration};

use futures::Stream as Pieces;
use futures::stream;
use libp2p::{PeerId, Stream};
use libp2p_stream::Control;
use tokio::{sync::oneshot, time::timeout};

use super::{CALL, RequestHead, ResponseHead, framing};
use crate::{
    HubId,
    net::{
        actor_api::{ActorCommand, ActorHandle},
        peer_id,
    },
};

/// Timeout of connecting to the other hub.
const REACHED_WITHIN: Duration = Duration::from_secs(15);

/// Why a stream request got no response.
#[derive(Debug, thiserror::Error)]
pub enum StreamCallError {
    #[error("the hub is not reached over the network of hubs")]
    NotReached,
    #[error("the connection broke off ({0})")]
    Broken(#[from] io::Error),
}

/// Client that opens request streams to other hubs.
#[derive(Clone)]
pub struct StreamClient {
    net: ActorHandle,
    streams: Control,
}

impl StreamClient {
    pub(in crate::net) const fn new(net: ActorHandle, streams: Control) -> Self {
        Self { net, streams }
    }

    /// Sends a request to `hub` and waits for the head of the response. Dropping the response cancels the
    /// request.
    ///
    /// # Errors
    /// When the hub cannot be reached, or the connection breaks.
    pub async fn ask(
        &self,
        hub: HubId,
        question: &RequestHead,
        body: &[u8],
    ) -> Result<StreamReply, StreamCallError> {
        let peer = peer_id::peer_of(hub).ok_or(StreamCallError::NotReached)?;
        let opened = timeout(REACHED_WITHIN, self.open(hub, peer)).await;
        let mut stream = opened.map_err(|_| StreamCallError::NotReached)??;
        framing::write_head(&mut stream, question).await?;
        framing::write_body(&mut stream, body).await?;
        framing::write_end(&mut stream).await?;
        let told = framing::read_head(&mut stream).await?;
        Ok(StreamReply { told, stream })
    }

    /// Connects to the hub and opens a stream.
    async fn open(&self, hub: HubId, peer: PeerId) -> Result<Stream, StreamCallError> {
        // Only the actor knows the addresses of the hub.
        let (done, begun) = oneshot::channel();
        self.net.order(ActorCommand::Reach { hub, done }).await.map_err(|_| StreamCallError::NotReached)?;
        begun.await.map_err(|_| StreamCallError::NotReached)?;
        let opened = self.streams.clone().open_stream(peer, CALL).await;
        opened.map_err(|error| {
            tracing::debug!(%hub, %error, "federation call: hub unreachable");
            StreamCallError::NotReached
        })
    }
}

/// Response of another hub: its head, and the stream of its body.
pub struct StreamReply {
    pub told: ResponseHead,
    stream: Stream,
}

impl StreamReply {
    /// Streams the pieces of the body as they arrive.
    pub fn into_body(self) -> impl Pieces<Item = io::Result<Vec<u8>>> + Send + 'static {
        stream::unfold(Some(self.stream), |stream| async move {
            let mut stream = stream?;
            match framing::read_piece(&mut stream).await {
                Ok(Some(piece)) => Some((Ok(piece), Some(stream))),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        })
    }
}
