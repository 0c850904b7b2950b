//! HTML that is shown as it is.

/// HTML made safe by the markdown renderer. Everything else that pages show is text and gets escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// `rendered` must come from `plexus-markup` (or be a constant of this project), never from outside.
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
