use futures::StreamExt as _;
use plexus_runtime::{
    attached::protocol::ProgramFrame,
    stdio::{TerminalText, read_frames},
};
use tokio::io::AsyncWriteExt as _;

use crate::{asked::runtime, piece_size};

/// Small, so that inputs reach the limit.
const MAX_LINE_BYTES: usize = 512;

/// Fuzzes the output of a program: messages in lines with noise between them, and terminal output.
pub fn stdio(data: &[u8]) {
    let lines = data.split(|&byte| byte == b'\n').filter(|line| line.len() <= MAX_LINE_BYTES);
    let expected: Vec<ProgramFrame> = lines.filter_map(message).collect();
    assert_eq!(hear(data, data.len().max(1)), expected);
    assert_eq!(hear(data, piece_size(data)), expected, "pieces make a difference");
    screen(data);
}

fn message(line: &[u8]) -> Option<ProgramFrame> {
    serde_json::from_str(std::str::from_utf8(line).ok()?).ok()
}

fn hear(data: &[u8], size: usize) -> Vec<ProgramFrame> {
    let (mut program, stdout) = tokio::io::duplex(size);
    let write = async {
        program.write_all(data).await.expect("it is read to the end");
        drop(program);
    };
    let read = read_frames(stdout, MAX_LINE_BYTES).collect::<Vec<_>>();
    runtime().block_on(async { tokio::join!(write, read).1 })
}

fn screen(data: &[u8]) {
    let (whole, pieces) = (shown(data, data.len().max(1)), shown(data, piece_size(data)));
    for text in [&whole, &pieces] {
        // An invalid byte may be replaced by a character of three bytes.
        assert!(text.len() <= data.len() * 3, "{} bytes became {}", data.len(), text.len());
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    assert!(!whole.contains(|c: char| c.is_ascii_control() && !c.is_ascii_whitespace()), "{whole:?}");
    // An overwritten line and an incomplete escape sequence appear as they were at the end of a chunk.
    if !text.contains(['\r', '\u{1b}']) {
        assert_eq!(pieces, whole, "pieces make a difference");
    }
}

fn shown(data: &[u8], size: usize) -> String {
    let mut plain = TerminalText::default();
    let mut text: String = data.chunks(size).map(|piece| plain.take(piece)).collect();
    text.push_str(&plain.rest());
    text
}
