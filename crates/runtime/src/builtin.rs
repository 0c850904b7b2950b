//! The agents that every hub has. They need no model and no network.

mod calc;
mod guide;
mod markdown;

pub use calc::Calc;
pub use guide::{Finder, Found, Guide, is_offer};
