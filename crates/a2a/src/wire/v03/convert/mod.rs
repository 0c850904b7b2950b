//! Conversions between 0.3 and 1.0.

mod message;
mod params;
mod task;

/// Converts every item of a list.
fn all<From, To: std::convert::From<From>>(items: Vec<From>) -> Vec<To> {
    items.into_iter().map(To::from).collect()
}
