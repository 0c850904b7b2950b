use plexus_domain::run::Failure;
use plexus_runtime::{RunEnd, llm::CompletionStream};

use crate::{
    captured_output::{Heard, assert_shown},
    piece_size,
};

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
}

fn read(data: &[u8], size: usize) -> (Result<RunEnd, Failure>, Heard) {
    let mut heard = Heard::default();
    let mut answer = CompletionStream::new(&mut heard, "The model server".to_owned(), MAX_ANSWER_BYTES);
    let broken = data.chunks(size).try_for_each(|piece| answer.push(piece));
    let end = broken.and_then(|()| answer.finish());
    answer.report_usage();
    (end, heard)
}

fn heard_again(heard: &Heard) -> Heard {
    Heard { text: heard.text.clone(), parts: heard.parts.clone(), usage: heard.usage, ..Heard::default() }
}
