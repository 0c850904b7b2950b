//! Page frame: what every page needs from the request, such as viewer, theme and asset URLs.

use std::sync::Arc;

use plexus_domain::{
    Timestamp,
    account::{Registration, Role},
};

/// Frame of one request.
///
/// The CSP nonce is printed only in `nonce="…"` of the `<script>` elements in `<head>`.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Name of this hub, such as "Plexus" or "Example University".
    pub hub: String,
    /// Public URL without a trailing slash, for canonical links and snippets.
    pub origin: String,
    /// Path and query of the request: marks the current navigation link, and is where sign-in returns to.
    pub path: String,
    pub nonce: String,
    /// Language of the page.
    pub locale: Locale,
    /// Language that the reader chose; `None` if the browser decides.
    pub chosen_locale: Option<Locale>,
    pub theme: Theme,
    pub density: Density,
    /// Whether shortcuts of a single key work (WCAG 2.1.4).
    pub single_keys: bool,
    pub viewer: Option<Viewer>,
    pub registration: Registration,
    /// Notice shown once at the top of the page, such as "Password changed."
    pub notice: Option<Notice>,
    /// Problem that an administrator has to solve, shown until it is solved.
    pub alert: Option<Notice>,
    pub assets: Arc<Assets>,
    /// Reference time of relative times.
    pub now: Timestamp,
}

/// The signed-in user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer {
    pub name: String,
    pub role: Role,
}

/// Language of the site, with its writing direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Locale {
    #[default]
    En,
    /// Chinese in simplified characters.
    ZhHans,
    De,
    Ar,
}

impl Locale {
    /// In the order of the variants.
    pub const ALL: [Self; 4] = [Self::En, Self::ZhHans, Self::De, Self::Ar];

    /// Returns the language tag (BCP 47): the value in the cookie, the form and `lang`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::ZhHans => "zh-Hans",
            Self::De => "de",
            Self::Ar => "ar",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|locale| locale.as_str() == text)
    }

    /// Returns the name of the language in that language.
    pub const fn name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::ZhHans => "简体中文",
            Self::De => "Deutsch",
            Self::Ar => "العربية",
        }
    }

    pub const fn is_rtl(self) -> bool {
        matches!(self, Self::Ar)
    }

    /// Returns the value of the attribute `dir`.
    pub const fn direction(self) -> &'static str {
        if self.is_rtl() { "rtl" } else { "ltr" }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Follows the device's setting.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// Returns the value in the cookie, the form and `data-theme`.
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

    /// Returns the value in the cookie, the form and `data-density`.
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

/// Notice of one or two sentences about a result or a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub tone: Tone,
    pub text: String,
    /// Label and URL of a link after the text.
    pub link: Option<(&'static str, &'static str)>,
}

impl Notice {
    pub fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { tone, text: text.into(), link: None }
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

/// URLs of the static files. The server may add content hashes to the names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assets {
    pub css: String,
    /// Script with small helpers for every page; each page works without it.
    pub site_js: String,
    /// JavaScript module that wasm-bindgen generated.
    pub module_js: String,
    /// Wasm file of that module.
    pub module_wasm: String,
    /// Worker that holds the event stream for all tabs of a browser.
    pub events_js: String,
    /// SVG sprite of the icons.
    pub icons: String,
    /// Favicon.
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
