use plexus_runtime::sse::{SseDecoder, TooLong};

use crate::piece_size;

/// Small, so that inputs reach the limit.
const MAX: usize = 512;

/// Fuzzes server-sent events. Decoded events are bounded and independent of the chunk size.
pub fn sse(data: &[u8]) {
    let whole = read(data, data.len().max(1));
    assert_eq!(read(data, piece_size(data)), whole, "pieces make a difference");
    let (_, events) = whole;
    assert!(events.iter().all(|event| event.len() <= MAX));
    assert!(events.iter().map(Vec::len).sum::<usize>() <= data.len());
}

fn read(data: &[u8], size: usize) -> (Result<(), TooLong>, Vec<Vec<u8>>) {
    let mut decoder = SseDecoder::new(MAX);
    let mut events = Vec::new();
    let end = data.chunks(size).try_for_each(|piece| {
        decoder.push(piece, |event| {
            events.push(event.to_vec());
            Ok::<_, TooLong>(())
        })
    });
    (end, events)
}
