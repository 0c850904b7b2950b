//! Built-in agents of the hub. They need no model and no network.

mod calc;
mod chart;
mod conformance;
mod guide;
mod input_text;
pub(crate) mod markdown;
mod text;

pub use calc::Calc;
pub use chart::ChartMaker;
pub use conformance::Tck;
pub use guide::{AgentSearch, Found, Guide, is_offer};
pub use text::TextAnalyzer;
