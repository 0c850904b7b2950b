//! Transport to a local program: one message in each line of its standard streams, read leniently.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::{Buf, BytesMut};
use futures::Stream;
use rmcp::{
    RoleClient,
    model::ServerJsonRpcMessage,
    transport::async_rw::{JsonRpcMessageCodec, TransportWriter},
};
use tokio::process::{ChildStdin, ChildStdout};
use tokio_util::codec::{Decoder, FramedRead, FramedWrite};

use super::{
    MAX_MESSAGE_BYTES, MAX_SESSION_BYTES,
    byte_budget::{ByteBudget, MeteredReader},
    lenient_json,
};

/// Messages of a program. Ends when it cannot be read any more.
pub(super) struct Messages(FramedRead<MeteredReader<ChildStdout>, MessageLines>);

impl Stream for Messages {
    type Item = ServerJsonRpcMessage;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.0).poll_next(cx).map(|read| read.and_then(Result::ok))
    }
}

/// Returns the sink for messages to the program, and the stream of its messages. The stream ends when the byte
/// budget is exhausted.
pub(super) fn transport(
    stdin: ChildStdin,
    stdout: ChildStdout,
) -> (TransportWriter<RoleClient, ChildStdin>, Messages) {
    let stdout = MeteredReader { inner: stdout, meter: ByteBudget::new(MAX_SESSION_BYTES) };
    let messages = Messages(FramedRead::new(stdout, MessageLines::default()));
    (FramedWrite::new(stdin, JsonRpcMessageCodec::default()), messages)
}

/// Decoder of lines. Lines that are no messages are skipped, since some programs write their log among them.
#[derive(Default)]
struct MessageLines {
    /// Bytes of the buffer without a line end.
    searched: usize,
    /// The beginning of the current line was dropped, because it is too long.
    is_dropping: bool,
}

impl Decoder for MessageLines {
    type Item = ServerJsonRpcMessage;
    type Error = io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        while let Some(end) = buffer[self.searched..].iter().position(|byte| *byte == b'\n') {
            let line = buffer.split_to(self.searched + end);
            buffer.advance(1);
            self.searched = 0;
            if !std::mem::take(&mut self.is_dropping)
                && line.len() <= MAX_MESSAGE_BYTES
                && let Some(message) = lenient_json::parse_message(&line)
                && let Ok(message) = serde_json::from_value(message)
            {
                return Ok(Some(message));
            }
        }
        self.searched = buffer.len();
        if self.searched > MAX_MESSAGE_BYTES {
            tracing::info!("MCP program: dropped a line that is too long");
            buffer.clear();
            (self.searched, self.is_dropping) = (0, true);
        }
        Ok(None)
    }

    /// Ignores a last line without an end: it is incomplete.
    fn decode_eof(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        let message = self.decode(buffer)?;
        if message.is_none() {
            buffer.clear();
            self.searched = 0;
        }
        Ok(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_messages_are_skipped() {
        let ping = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n";
        let long = "x".repeat(MAX_MESSAGE_BYTES + 1);
        for before in ["", "Starting…\n", "{\"id\":\n\n", "[]\n", &format!("{long}{long}\n")] {
            let (mut lines, mut buffer, mut found) = (MessageLines::default(), BytesMut::new(), 0);
            for chunk in format!("{before}{ping}{ping}{{").as_bytes().chunks(1_000) {
                buffer.extend_from_slice(chunk);
                while lines.decode(&mut buffer).unwrap().is_some() {
                    found += 1;
                }
            }
            assert!(lines.decode_eof(&mut buffer).unwrap().is_none() && buffer.is_empty());
            assert_eq!(found, 2, "{}", &before[..before.len().min(20)]);
        }
    }
}
