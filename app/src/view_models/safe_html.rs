//! Trusted HTML, rendered without escaping.

/// HTML sanitised by the Markdown renderer. All other content of pages is text and is escaped (XSS).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// Wraps rendered HTML.
    ///
    /// `rendered` must come from `plexus-markup` or be a constant of this project, never from untrusted
    /// input.
    pub const fn from_markup(rendered: String) -> Self {
        Self(rendered)
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn into_string(self) -> String {
        self.0
    }
}
