//! Leptos context values that components read instead of receiving them through props.

use std::sync::Arc;

use leptos::prelude::use_context;
use plexus_domain::{MessageId, Timestamp, account::Role};

use crate::view_models::{Assets, Locale};

/// Reference time of relative times. `None` for HTML that may be shown later than it is rendered.
#[derive(Clone, Copy)]
pub struct Now(pub Option<Timestamp>);

/// Role of the viewer; `None` if not signed in.
#[derive(Clone, Copy)]
pub struct Viewing(pub Option<Role>);

pub fn role() -> Option<Role> {
    use_context::<Viewing>().and_then(|viewing| viewing.0)
}

pub fn now() -> Option<Timestamp> {
    use_context::<Now>().and_then(|now| now.0)
}

/// Returns the language of what is rendered: English outside of a page.
pub fn locale() -> Locale {
    use_context::<Locale>().unwrap_or_default()
}

pub fn assets() -> Arc<Assets> {
    use_context::<Arc<Assets>>().unwrap_or_default()
}

/// Returns the HTML comment that marks the end of the closed text of an open message.
///
/// Untrusted text cannot contain it: the Markdown renderer drops comments, and all other text is escaped.
pub fn follow_mark(id: MessageId) -> String {
    format!("<!--open {id}-->")
}
