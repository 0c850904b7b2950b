//! What a decoder makes of a stream, without what it cannot decode.

use std::{fmt, io};

use bytes::BytesMut;
use tokio_util::codec::Decoder;

/// Passes over what the decoder in it refuses, and goes on with what follows. `FramedRead` takes a refusal for a break:
/// it waits for more bytes before it looks at those that it has, and at the end of a stream it drops them.
pub(super) struct Lenient<D>(pub D);

impl<D: Decoder<Error: fmt::Display>> Decoder for Lenient<D> {
    type Item = D::Item;
    /// That of the stream, where it cannot be read.
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<D::Item>> {
        Ok(until_accepted(|| self.0.decode(bytes)))
    }

    fn decode_eof(&mut self, bytes: &mut BytesMut) -> io::Result<Option<D::Item>> {
        Ok(until_accepted(|| self.0.decode_eof(bytes)))
    }
}

/// Each refusal takes something from what is left, so there is an end.
fn until_accepted<T, E: fmt::Display>(mut decode: impl FnMut() -> Result<T, E>) -> T {
    loop {
        match decode() {
            Ok(decoded) => return decoded,
            Err(error) => tracing::warn!(target: "plexus_program", %error, "no line"),
        }
    }
}
