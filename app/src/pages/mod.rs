//! Pages, one per file: their metadata and content.

use leptos::prelude::AnyView;

mod account;
mod admin;
pub mod agent;
mod agents;
mod chat;
mod docs;
pub mod document;
mod error;
mod file_preview;
mod home;
mod namespace;
mod network;
mod register;
mod settings;
mod shared_chat;
mod shortcuts;
mod starred;
mod team;

/// Page that can be rendered into a document.
pub trait Page: 'static {
    fn head(&self) -> PageMeta;

    fn body(self) -> AnyView;

    /// Whether all texts of the page are in the message catalogues. Other pages are shown in English.
    fn is_translated(&self) -> bool {
        false
    }
}

/// Metadata of a page for browsers and crawlers.
pub struct PageMeta {
    pub title: String,
    pub description: Option<String>,
    pub robots: Robots,
    /// Canonical path, if the page has several URLs.
    pub canonical: Option<String>,
    pub layout: Layout,
    /// Preview where the link is posted.
    pub social: Option<SocialPreview>,
    /// Whether the page has an island and so needs the wasm module.
    pub islands: bool,
}

impl PageMeta {
    /// Creates the metadata of a page that search engines may index.
    pub fn public(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            description: None,
            robots: Robots::Index,
            canonical: None,
            layout: Layout::Column,
            social: None,
            islands: false,
        }
    }

    /// Creates the metadata of a personal page, which search engines must not index.
    pub fn private(title: impl Into<String>) -> Self {
        Self { robots: Robots::None, ..Self::public(title) }
    }
}

/// Preview of a page where its link is posted (Open Graph protocol).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocialPreview {
    pub title: String,
    pub description: String,
    /// Path of a PNG of [`SOCIAL_PICTURE_SIZE`].
    pub picture: String,
    /// What the picture shows.
    pub picture_alt: String,
}

/// Width and height of the picture of a preview in pixels.
pub const SOCIAL_PICTURE_SIZE: (u16, u16) = (1_200, 630);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Robots {
    Index,
    /// Not indexed, but its links are followed.
    Follow,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One column in the middle, and a footer.
    Column,
    /// A narrow column, for one form.
    Narrow,
    /// The whole window.
    Full,
}
