use plexus_domain::run::Failure;
use plexus_runtime::{
    ApprovalPolicy,
    acp::{AcpTurnOutput, Incoming, read},
    sse::{LineDecoder, TooLong},
};

use crate::{
    captured_output::{Heard, assert_shown},
    piece_size,
};

const MAX_LINE_BYTES: usize = 16 << 10;
const MAX_ANSWER_BYTES: usize = 4 << 10;

/// Fuzzes the output of a program in a turn of the Agent Client Protocol, including noise. The session id is
/// `s`.
pub fn acp(data: &[u8]) {
    let (end, heard) = hear(data, data.len().max(1));
    let (again, heard_again) = hear(data, piece_size(data));
    assert_eq!((&again, &heard_again.text), (&end, &heard.text), "pieces make a difference");
    assert_eq!(heard_again.parts.len(), heard.parts.len(), "pieces make a difference");
    assert!(heard.text.len() <= data.len(), "more text than bytes");
    if let Err(failure) = end {
        assert_shown(&failure.message);
    }
}

fn hear(data: &[u8], size: usize) -> (Result<(), Failure>, Heard) {
    let mut heard = Heard::default();
    let leave = ApprovalPolicy::unavailable();
    let mut answer = AcpTurnOutput::new(&mut heard, &leave, MAX_ANSWER_BYTES);
    let (mut lines, mut cutter) = (Vec::new(), LineDecoder::new(MAX_LINE_BYTES));
    let cut = data.chunks(size).try_for_each(|piece| {
        cutter.push(piece, |line| {
            lines.push(line.to_vec());
            Ok::<_, TooLong>(())
        })
    });
    let said = lines.iter().try_for_each(|line| match read(line) {
        Incoming::Notice { method, params: Some(params) } if method == "session/update" => {
            answer.on_update("s", params)
        }
        _ => Ok(()),
    });
    let end = said.and_then(|()| answer.close()).and(cut.map_err(Failure::from));
    (end, heard)
}
