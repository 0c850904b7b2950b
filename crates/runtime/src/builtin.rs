//! Built-in agents of the hub. They need no model and no network.

mod calc;
mod chart;
mod conformance;
mod guide;
mod input_text;
pub(crate) mod markdown;
mod text;
mod text_decoding;

use plexus_domain::agent::Builtin;

pub use calc::Calc;
pub use chart::ChartMaker;
pub use conformance::Tck;
pub use guide::{AgentSearch, Found, Guide, is_offer};
pub use text::TextAnalyzer;

/// Returns whether a built-in agent can do what a part of a goal asks for, by the parser with which it reads requests. The
/// goal may have the data for it.
pub async fn can_answer(program: Builtin, calc: &Calc, request: &str, goal: &str) -> bool {
    match program {
        Builtin::Calc => calc.can_answer(request).await,
        Builtin::Chart => chart::can_answer(request, goal),
        Builtin::Text => text::can_answer(request),
        Builtin::Guide | Builtin::Tck => false,
    }
}
