//! Decoder adapter that skips undecodable input.

use std::{fmt, io};

use bytes::BytesMut;
use tokio_util::codec::Decoder;

/// Skips input that the inner decoder rejects and continues with the rest. Without it `FramedRead` pauses on
/// an error: it waits for more bytes before it decodes those in its buffer, and drops them at the end of the
/// stream.
pub(super) struct Lenient<D>(pub D);

impl<D: Decoder<Error: fmt::Display>> Decoder for Lenient<D> {
    type Item = D::Item;
    /// I/O error of the stream.
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<D::Item>> {
        Ok(until_accepted(|| self.0.decode(bytes)))
    }

    fn decode_eof(&mut self, bytes: &mut BytesMut) -> io::Result<Option<D::Item>> {
        Ok(until_accepted(|| self.0.decode_eof(bytes)))
    }
}

/// Retries until the decoder accepts. Terminates, because each rejection consumes bytes.
fn until_accepted<T, E: fmt::Display>(mut decode: impl FnMut() -> Result<T, E>) -> T {
    loop {
        match decode() {
            Ok(decoded) => return decoded,
            Err(error) => tracing::warn!(target: "plexus_program", %error, "program output: line unreadable"),
        }
    }
}
