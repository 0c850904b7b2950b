//! What surrounds every page, and comes from the request rather than from the page.

use std::sync::Arc;

use plexus_domain::{
    Timestamp,
    account::{Registration, Role},
};

/// One request's frame. The nonce is printed only in `nonce="…"` of the `<script>` elements in `<head>`.
#[derive(Clone, Debug)]
pub struct Frame {
    /// What this hub calls itself, such as "Plexus" or "Example University".
    pub hub: String,
    /// The public URL without a last slash, for canonical links and snippets.
    pub origin: String,
    /// Path and query of the request: marks the current place, and is where signing in returns to.
    pub path: String,
    pub nonce: String,
    pub theme: Theme,
    pub density: Density,
    pub viewer: Option<Viewer>,
    pub registration: Registration,
    /// Said once at the top of the page, such as "Password changed."
    pub notice: Option<Notice>,
    pub assets: Arc<Assets>,
    /// The moment that relative times count from.
    pub now: Timestamp,
}

/// Whoever is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer {
    pub name: String,
    pub role: Role,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the device says.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The word in the cookie, the form and `data-theme`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.as_str() == text)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Density {
    #[default]
    Comfortable,
    Compact,
}

impl Density {
    pub const ALL: [Self; 2] = [Self::Comfortable, Self::Compact];

    /// The word in the cookie, the form and `data-density`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Comfortable => "comfortable",
            Self::Compact => "compact",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|density| density.as_str() == text)
    }
}

/// One or two sentences about what just happened or what holds here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub tone: Tone,
    pub text: String,
}

impl Notice {
    pub fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { tone, text: text.into() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Neutral,
    Good,
    Caution,
    Bad,
}

impl Tone {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Good => "good",
            Self::Caution => "caution",
            Self::Bad => "bad",
        }
    }
}

/// Where the static files are, with the hashes of their content in the names where the server adds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assets {
    pub css: String,
    /// Small helpers of every page; each page works without it.
    pub site_js: String,
    /// The module that wasm-bindgen wrote, and the wasm file beside it.
    pub module_js: String,
    pub module_wasm: String,
    /// The worker that holds the stream of events for all tabs of a browser.
    pub events_js: String,
    /// The sprite of icons.
    pub icons: String,
    /// The site's own icon.
    pub favicon: String,
}

impl Default for Assets {
    fn default() -> Self {
        Self {
            css: "/style.css".into(),
            site_js: "/site.js".into(),
            module_js: "/pkg/plexus.js".into(),
            module_wasm: "/pkg/plexus_bg.wasm".into(),
            events_js: "/events.js".into(),
            icons: "/icons.svg".into(),
            favicon: "/favicon.svg".into(),
        }
    }
}
