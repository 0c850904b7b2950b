use plexus_domain::run::Failure;
use plexus_runtime::{RunEnd, llm::CompletionStream, sse::SseDecoder};

use crate::{
    captured_output::{Heard, assert_shown},
    piece_size,
};

const MAX_EVENT_BYTES: usize = 64 << 10;
const MAX_ANSWER_BYTES: usize = 4 << 10;

/// Fuzzes streamed chat completions of OpenAI-compatible servers.
pub fn completion(data: &[u8]) {
    let (end, heard) = read(data, data.len().max(1));
    assert_eq!(read(data, piece_size(data)), (end.clone(), heard_again(&heard)), "pieces make a difference");
    assert!(heard.text.len() <= data.len(), "more text than bytes");
    if let Err(failure) = &end {
        assert_shown(&failure.message);
    }
    if let Ok(RunEnd::Rejected { reason }) = &end {
        assert_shown(reason);
    }
    // A server without streaming responds with one document.
    let mut heard = Heard::default();
    if let Err(failure) =
        CompletionStream::new(&mut heard, "model.example".to_owned(), MAX_ANSWER_BYTES).event(data)
    {
        assert_shown(&failure.message);
    }
}

fn read(data: &[u8], size: usize) -> (Result<RunEnd, Failure>, Heard) {
    let mut heard = Heard::default();
    let mut answer = CompletionStream::new(&mut heard, "model.example".to_owned(), MAX_ANSWER_BYTES);
    let mut decoder = SseDecoder::new(MAX_EVENT_BYTES);
    let mut pieces = data.chunks(size);
    let broken = pieces.try_for_each(|piece| decoder.push(piece, |event| answer.event(event)));
    let end = broken.and_then(|()| answer.end());
    answer.report_usage();
    (end, heard)
}

fn heard_again(heard: &Heard) -> Heard {
    Heard { text: heard.text.clone(), parts: heard.parts.clone(), usage: heard.usage, ..Heard::default() }
}
