//! Limit on the size of one server-sent event, checked before the event is complete.

use std::io;

/// Counts the bytes since the last empty line.
pub(super) struct EventLimit {
    max_bytes: usize,
    /// Bytes of the current event, and of its current line.
    event: usize,
    line: usize,
    was_return: bool,
}

impl EventLimit {
    pub const fn new(max_bytes: usize) -> Self {
        Self { max_bytes, event: 0, line: 0, was_return: false }
    }

    /// Counts a chunk of the stream. Fails if an event exceeds the limit.
    pub fn check(&mut self, chunk: &[u8]) -> io::Result<()> {
        for &byte in chunk {
            let is_second_half = byte == b'\n' && self.was_return;
            self.was_return = byte == b'\r';
            match byte {
                _ if is_second_half => {}
                b'\r' | b'\n' if self.line == 0 => self.event = 0,
                b'\r' | b'\n' => self.line = 0,
                _ => (self.event, self.line) = (self.event + 1, self.line + 1),
            }
            if self.event > self.max_bytes {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "an event is too large"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_counted_from_empty_line_to_empty_line() {
        for (stream, fits) in [
            ("data: 45\n\ndata: 45\n\n", true),
            ("data: 45\r\n\r\ndata: 45\r\r", true),
            ("data: 456\n\n", false),
            ("a: 3\r\nb: 67\r\n", false),
            ("a: 3\nb: 67", false),
        ] {
            let mut limit = EventLimit::new(8);
            let is_ok = stream.as_bytes().chunks(3).all(|chunk| limit.check(chunk).is_ok());
            assert_eq!(is_ok, fits, "{stream:?}");
        }
    }
}
