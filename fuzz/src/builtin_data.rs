use plexus_domain::embedded_block::{embedded_blocks, without_long_blocks};
use plexus_runtime::{
    Connector, RunEnd,
    builtin::{ChartMaker, TextAnalyzer},
};
use tokio_util::sync::CancellationToken;

use crate::{
    asked::{request, runtime},
    captured_output::Heard,
    html::assert_harmless,
};

/// Maximum bytes of an input, so that a run stays short.
const MAX_BYTES: usize = 4_000;

/// Fuzzes input of the agents for tables and for texts: whole messages with embedded blocks.
pub fn table(data: &[u8]) {
    let text = String::from_utf8_lossy(&data[..data.len().min(MAX_BYTES)]);
    let mut end = 0;
    for block in embedded_blocks(&text) {
        let (range, content) = (&block.range, &block.content);
        assert!(end <= range.start && range.start <= content.start && content.end <= range.end, "{block:?}");
        end = range.end;
    }
    assert!(without_long_blocks(&text).len() <= text.len());
    let agents: [&dyn Connector; 2] = [&ChartMaker, &TextAnalyzer];
    for agent in agents {
        let mut heard = Heard::default();
        let stop = CancellationToken::new();
        let end = runtime().block_on(agent.run(request(&text), &mut heard, &stop));
        assert_eq!(end, Ok(RunEnd::Completed), "{text}");
        assert!(!heard.text.is_empty());
        assert_harmless(&plexus_markup::render(&heard.text));
    }
}
