use plexus_domain::run::Failure;
use plexus_runtime::{
    RunEnd,
    http_endpoint::EndpointResponse,
    sse::{LineDecoder, SseDecoder},
};

use crate::{
    captured_output::{Heard, assert_shown},
    piece_size,
};

const MAX_PIECE_BYTES: usize = 64 << 10;

/// Fuzzes replies of HTTP endpoints, parsed as each format that a request template may select.
pub fn reply(data: &[u8]) {
    for path in ["", "/t", "/choices/0/delta/content"] {
        for read in [events, lines, text] {
            let (end, heard) = read(data, path, data.len().max(1));
            let (again, heard_again) = read(data, path, piece_size(data));
            assert_eq!((&end, &heard.text), (&again, &heard_again.text), "pieces make a difference");
            assert_eq!(heard.parts, heard_again.parts);
            check(end);
        }
        let mut heard = Heard::default();
        let mut answer = answer(&mut heard, path);
        check(answer.whole(data).and_then(|_| answer.end()));
    }
}

fn answer<'a>(heard: &'a mut Heard, path: &str) -> EndpointResponse<'a> {
    EndpointResponse::new(heard, path)
}

fn check(end: Result<RunEnd, Failure>) {
    if let Err(failure) = end {
        assert_shown(&failure.message);
    }
}

fn events(data: &[u8], path: &str, size: usize) -> (Result<RunEnd, Failure>, Heard) {
    let mut heard = Heard::default();
    let mut answer = answer(&mut heard, path);
    let mut decoder = SseDecoder::new(MAX_PIECE_BYTES);
    let read = data.chunks(size).try_for_each(|piece| decoder.push(piece, |event| answer.piece(event)));
    let end = read.and_then(|()| answer.end());
    (end, heard)
}

fn lines(data: &[u8], path: &str, size: usize) -> (Result<RunEnd, Failure>, Heard) {
    let mut heard = Heard::default();
    let mut answer = answer(&mut heard, path);
    let mut lines = LineDecoder::new(MAX_PIECE_BYTES);
    let read = data.chunks(size).try_for_each(|piece| lines.push(piece, |line| answer.piece(line)));
    let end = read.and_then(|()| lines.end(|line| answer.piece(line))).and_then(|()| answer.end());
    (end, heard)
}

fn text(data: &[u8], path: &str, size: usize) -> (Result<RunEnd, Failure>, Heard) {
    let mut heard = Heard::default();
    let mut answer = answer(&mut heard, path);
    let read = data.chunks(size).try_for_each(|piece| answer.text(piece));
    // When text ends in an error, the amount of valid text before it depends on the chunk size.
    if let Err(failure) = read {
        return (Err(failure), Heard::default());
    }
    (answer.end(), heard)
}
