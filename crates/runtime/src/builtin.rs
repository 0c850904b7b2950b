//! Built-in agents of the hub. They need no model and no network.

mod calc;
mod conformance;
mod guide;
mod markdown;

pub use calc::Calc;
pub use conformance::Tck;
pub use guide::{AgentSearch, Found, Guide, is_offer};
