use plexus_runtime::{Connector as _, RunEnd, builtin::Calc};
use tokio_util::sync::CancellationToken;

use crate::{
    asked::{request, runtime},
    captured_output::Heard,
    html::assert_harmless,
};

/// Maximum lines. Each may take half a second.
const MAX_LINES: usize = 6;
/// Maximum output per line: a result is truncated at 2,000 characters, and its line precedes it.
const MAX_BYTES_PER_LINE: usize = 12_000;
const HELP_BYTES: usize = 1_000;

/// Fuzzes input of the calculator: a single line or a sheet of lines.
pub fn sheet(data: &[u8]) {
    let text = String::from_utf8_lossy(&data[..data.len().min(2_000)]);
    let question: Vec<&str> = text.lines().take(MAX_LINES).collect();
    let question = question.join("\n");
    let mut heard = Heard::default();
    let stop = CancellationToken::new();
    let end = runtime().block_on(Calc::new().run(request(&question), &mut heard, &stop));
    let is_sheet = question.trim().lines().nth(1).is_some();
    assert!(
        end == Ok(RunEnd::Completed) || (is_sheet && matches!(end, Ok(RunEnd::Rejected { .. }))),
        "{end:?} to {question}"
    );
    assert!(!heard.text.is_empty() && heard.parts.is_empty());
    assert!(heard.text.len() <= MAX_LINES * MAX_BYTES_PER_LINE + HELP_BYTES, "{} bytes", heard.text.len());
    assert_harmless(&plexus_markup::render(&heard.text));
    if is_sheet {
        let fences = heard.text.lines().filter(|line| line.starts_with("```")).count();
        assert_eq!(fences, 2, "a line broke out of its block: {}", heard.text);
    }
}
