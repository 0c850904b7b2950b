//! Built-in agents of the hub. They need no model and no network.

mod calc;
mod guide;
mod markdown;
mod tck;

pub use calc::Calc;
pub use guide::{Finder, Found, Guide, is_offer};
pub use tck::Tck;
