//! Decoder of server-sent events (WHATWG HTML, section 9.2.6), and of streams that resemble them.

use plexus_domain::run::{Failure, FailureClass};

use crate::json_scanner::JsonFramer;

/// Error: a line or event exceeds the limit of the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event is longer than {0} bytes")]
pub struct TooLong(pub usize);

impl From<TooLong> for Failure {
    fn from(error: TooLong) -> Self {
        Self::new(FailureClass::Garbage, format!("The answer is not a stream of events: {error}."))
    }
}

/// Maximum bytes received without content.
const MAX_NOISE_BYTES: usize = 4 << 20;

/// Counter of bytes received since the last content. Protects against endless streams of events without
/// content.
#[derive(Default)]
pub(crate) struct IgnoredBytes(usize);

impl IgnoredBytes {
    pub fn add(&mut self, bytes: usize) -> Result<(), Failure> {
        self.add_besides(bytes, 0)
    }

    /// Adds bytes, of which the last `pending` belong to an event that is not complete.
    pub fn add_besides(&mut self, bytes: usize, pending: usize) -> Result<(), Failure> {
        self.0 = self.0.saturating_add(bytes);
        if self.0.saturating_sub(pending) <= MAX_NOISE_BYTES {
            return Ok(());
        }
        let words = format!("The agent sent more than {MAX_NOISE_BYTES} bytes without an answer in them.");
        Err(Failure::new(FailureClass::Garbage, words))
    }

    pub const fn clear(&mut self) {
        self.0 = 0;
    }
}

/// Event of a stream: its name and its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// Empty unless the stream names the event.
    pub name: &'a [u8],
    pub data: &'a [u8],
}

/// Maximum bytes of the name of an event. A longer one is cut.
const MAX_EVENT_NAME: usize = 64;

/// Splits a byte stream into events. Reuses its buffers.
pub struct SseDecoder {
    /// Incomplete line.
    line: Vec<u8>,
    /// Data of the incomplete event, each line followed by a line feed.
    data: Vec<u8>,
    /// Name of the incomplete event.
    name: Vec<u8>,
    /// Set if JSON is also read without the frame of an event. Holds an incomplete value.
    json: Option<JsonFramer>,
    /// True if the incomplete JSON value is data of an event.
    is_json_framed: bool,
    max: usize,
    is_first_line: bool,
    /// True if the last byte was a carriage return. A following line feed belongs to it.
    is_after_return: bool,
}

impl SseDecoder {
    /// Creates a decoder for lines and events of at most `max` bytes.
    pub fn new(max: usize) -> Self {
        Self {
            line: Vec::new(),
            data: Vec::new(),
            name: Vec::new(),
            json: None,
            is_json_framed: false,
            max,
            is_first_line: true,
            is_after_return: false,
        }
    }

    /// Creates a decoder for JSON in events, in lines, or as one document: an event is a JSON value, with `data:` before
    /// it or without, and ends with the value. Other data ends with its event, as usual.
    pub fn of_json(max: usize) -> Self {
        Self { json: Some(JsonFramer::default()), ..Self::new(max) }
    }

    /// Returns the number of bytes of the event that is not complete.
    pub fn pending(&self) -> usize {
        self.line.len() + self.data.len() + self.json.as_ref().map_or(0, JsonFramer::len)
    }

    /// Decodes the next bytes and calls `event` with the data of each completed event.
    pub fn push<E: From<TooLong>>(
        &mut self,
        bytes: &[u8],
        mut event: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.push_named(bytes, |it| event(it.data))
    }

    /// Calls `event` with what the stream ends with, if that is no complete event. The specification drops it, but many
    /// servers leave out the last line end.
    pub fn finish<E: From<TooLong>>(
        &mut self,
        mut event: impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let line = std::mem::take(&mut self.line);
        self.take_line(&line, &mut event)?;
        let rest = self.json.as_mut().map(JsonFramer::take_rest).unwrap_or_default();
        if !rest.is_empty() {
            event(SseEvent { name: &self.name, data: &rest })?;
        }
        self.end_event(&mut event)
    }

    /// Decodes the next bytes and calls `event` with each completed event.
    pub fn push_named<E: From<TooLong>>(
        &mut self,
        mut bytes: &[u8],
        mut event: impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.is_after_return) && first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                return Ok(append(&mut self.line, bytes, self.max)?);
            };
            self.is_after_return = bytes[end] == b'\r';
            self.end_line(&bytes[..end], &mut event)?;
            bytes = &bytes[end + 1..];
        }
        Ok(())
    }

    fn end_line<E: From<TooLong>>(
        &mut self,
        rest: &[u8],
        event: &mut impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.line.is_empty() {
            return if rest.len() > self.max {
                Err(TooLong(self.max).into())
            } else {
                self.take_line(rest, event)
            };
        }
        append(&mut self.line, rest, self.max)?;
        let mut line = std::mem::take(&mut self.line);
        let taken = self.take_line(&line, event);
        line.clear();
        self.line = line;
        taken
    }

    fn take_line<E: From<TooLong>>(
        &mut self,
        line: &[u8],
        event: &mut impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_first = std::mem::take(&mut self.is_first_line);
        let line = if is_first { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        if self.is_unframed_json(line) {
            self.is_json_framed = false;
            return self.take_json(line, event);
        }
        if line.is_empty() {
            return self.end_event(event);
        }
        if let Some(value) = field(line, b"data") {
            return self.take_data(value, event);
        }
        if let Some(name) = field(line, b"event") {
            name[..name.len().min(MAX_EVENT_NAME)].clone_into(&mut self.name);
        }
        Ok(())
    }

    /// Returns whether a line is JSON by itself. A line of a field ends a value that was not complete.
    fn is_unframed_json(&self, line: &[u8]) -> bool {
        let Some(json) = &self.json else { return false };
        begins_json(line) || json.is_open() && !self.is_json_framed && field(line, b"data").is_none()
    }

    fn take_data<E: From<TooLong>>(
        &mut self,
        value: &[u8],
        event: &mut impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(json) = &mut self.json else { return Ok(self.append_data(value)?) };
        if json.is_open() && !self.is_json_framed {
            let rest = json.take_rest();
            event(SseEvent { name: &[], data: &rest })?;
        }
        let is_json = json.is_open() || begins_json(value);
        if !is_json {
            return Ok(self.append_data(value)?);
        }
        self.is_json_framed = true;
        self.take_json(value, event)
    }

    fn append_data(&mut self, value: &[u8]) -> Result<(), TooLong> {
        append(&mut self.data, value, self.max)?;
        self.data.push(b'\n');
        Ok(())
    }

    fn take_json<E: From<TooLong>>(
        &mut self,
        line: &[u8],
        event: &mut impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(json) = &mut self.json else { return Ok(()) };
        if json.len() + line.len() > self.max {
            return Err(TooLong(self.max).into());
        }
        let name = &self.name;
        json.push(line, |value| event(SseEvent { name, data: value }))?;
        json.push(b"\n", |value| event(SseEvent { name, data: value }))
    }

    fn end_event<E: From<TooLong>>(
        &mut self,
        event: &mut impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(json) = self.json.as_mut().filter(|json| json.is_open() && self.is_json_framed) {
            let rest = json.take_rest();
            event(SseEvent { name: &self.name, data: &rest })?;
        }
        let name = std::mem::take(&mut self.name);
        let Some(end) = self.data.len().checked_sub(1) else { return Ok(()) };
        let given = event(SseEvent { name: &name, data: &self.data[..end] });
        self.data.clear();
        given
    }
}

/// Returns the value of a line with this field.
fn field<'l>(line: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    match line.strip_prefix(name)? {
        [] => Some(&[]),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        _ => None,
    }
}

/// Returns whether a text begins as a JSON object, or as a list of objects. `[DONE]` does not.
fn begins_json(text: &[u8]) -> bool {
    match text.trim_ascii_start() {
        [b'{', ..] => true,
        [b'[', rest @ ..] => matches!(rest.trim_ascii_start(), [] | [b'{' | b']', ..]),
        _ => false,
    }
}

fn append(buffer: &mut Vec<u8>, bytes: &[u8], max: usize) -> Result<(), TooLong> {
    if buffer.len() + bytes.len() > max {
        return Err(TooLong(max));
    }
    buffer.extend_from_slice(bytes);
    Ok(())
}

/// Splits a byte stream into lines, for streams of JSON lines.
pub struct LineDecoder {
    line: Vec<u8>,
    max: usize,
}

impl LineDecoder {
    /// Creates a decoder for lines of at most `max` bytes.
    pub const fn new(max: usize) -> Self {
        Self { line: Vec::new(), max }
    }

    /// Decodes the next bytes and calls `take` with each completed line, trimmed. Empty lines are skipped.
    pub fn push<E: From<TooLong>>(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            append(&mut self.line, piece, self.max)?;
            if piece.ends_with(b"\n") {
                self.end(&mut take)?;
            }
        }
        Ok(())
    }

    /// Calls `take` with a last line that has no line feed.
    pub fn end<E>(&mut self, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let line = std::mem::take(&mut self.line);
        let clean = line.trim_ascii();
        if clean.is_empty() { Ok(()) } else { take(clean) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn events(chunks: &[&[u8]], max: usize) -> Result<Vec<String>, TooLong> {
        let mut decoder = SseDecoder::new(max);
        let mut events = Vec::new();
        for chunk in chunks {
            decoder.push(chunk, |data| {
                events.push(String::from_utf8(data.to_vec()).unwrap());
                Ok::<_, TooLong>(())
            })?;
        }
        Ok(events)
    }

    #[test]
    fn the_examples_of_the_specification() {
        let all = |text: &str| events(&[text.as_bytes()], 100).unwrap();
        assert_eq!(all("data: YHOO\ndata: +2\ndata: 10\n\n"), ["YHOO\n+2\n10"]);
        assert_eq!(
            all(
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n"
            ),
            ["first event", "second event", " third event"]
        );
        assert_eq!(all("data\n\ndata\ndata\n\ndata:"), ["", "\n"]);
        assert_eq!(all("\u{feff}data: x\n\n\u{feff}data: y\n\n"), ["x"]);
        assert_eq!(all("database: x\nevent: e\n\ndata: unfinished"), Vec::<String>::new());
    }

    #[test]
    fn long_lines_and_long_events_end_the_stream() {
        assert_eq!(events(&[&[b'x'; 101]], 100), Err(TooLong(100)));
        assert_eq!(events(&[&[b'x'; 60], &[b'x'; 60]], 100), Err(TooLong(100)));
        assert_eq!(events(&["data: 0123456789\n".repeat(11).as_bytes()], 100), Err(TooLong(100)));
        let comment = format!(":{}\n", "x".repeat(100));
        for pieces in [&[comment.as_bytes()][..], &[&comment.as_bytes()[..60], &comment.as_bytes()[60..]]] {
            assert_eq!(events(pieces, 100), Err(TooLong(100)), "also a comment, also in one piece");
        }
    }

    fn stream() -> impl Strategy<Value = (Vec<String>, Vec<u8>)> {
        let data = prop::collection::vec("[a-z{}\": é水😀]{0,12}", 1..4);
        let line_end = prop::sample::select(&["\n", "\r", "\r\n"][..]);
        let noise = prop::sample::select(&["", ": ping", "event: x", "id: 7"][..]);
        prop::collection::vec((data, line_end, noise), 0..8).prop_map(|list| {
            let mut bytes = Vec::new();
            for (lines, end, noise) in &list {
                let noise = if noise.is_empty() { String::new() } else { format!("{noise}{end}") };
                let lines: String = lines.iter().map(|line| format!("data: {line}{end}")).collect();
                bytes.extend_from_slice(format!("{noise}{lines}{end}").as_bytes());
            }
            (list.into_iter().map(|(lines, ..)| lines.join("\n")).collect(), bytes)
        })
    }

    proptest! {
        #[test]
        fn the_events_do_not_depend_on_the_chunks((expected, bytes) in stream(), cuts in prop::collection::vec(0_usize..400, 0..20)) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(events(&chunks, 1_000).unwrap(), expected);
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = SseDecoder::new(64).push(&bytes, |_| Ok::<_, TooLong>(()));
        }
    }

    // Slow: it reads long texts of each kind.
    #[test]
    fn time_is_linear_in_the_stream_however_it_is_divided() {
        for piece in [16, 4_096] {
            plexus_testing::cost::assert_linear("events", |text| {
                let mut decoder = SseDecoder::new(1 << 20);
                text.as_bytes().chunks(piece).all(|chunk| decoder.push::<TooLong>(chunk, |_| Ok(())).is_ok())
            });
        }
    }
}
