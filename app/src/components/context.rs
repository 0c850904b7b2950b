//! What components read from their surroundings instead of being handed it through every layer.

use std::sync::Arc;

use leptos::prelude::use_context;
use plexus_domain::{MessageId, Timestamp, account::Role};

use crate::model::Assets;

/// The moment that relative times count from; none in what is kept longer than a page.
#[derive(Clone, Copy)]
pub struct Now(pub Option<Timestamp>);

/// What whoever looks may do; none where nobody is signed in.
#[derive(Clone, Copy)]
pub struct Viewing(pub Option<Role>);

pub fn role() -> Option<Role> {
    use_context::<Viewing>().and_then(|viewing| viewing.0)
}

pub fn now() -> Option<Timestamp> {
    use_context::<Now>().and_then(|now| now.0)
}

pub fn assets() -> Arc<Assets> {
    use_context::<Arc<Assets>>().unwrap_or_default()
}

/// Marks the end of the closed text of an open message. Text from outside cannot contain it: the markdown
/// renderer drops comments, and everything else is escaped.
pub fn follow_mark(id: MessageId) -> String {
    format!("<!--open {id}-->")
}
