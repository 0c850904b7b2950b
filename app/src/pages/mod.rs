//! One page per file: what it is called, and what is on it.

use leptos::prelude::AnyView;

mod account;
mod admin;
pub mod agent;
mod agents;
mod chat;
mod docs;
pub mod document;
mod error;
mod home;
mod network;
mod owner;
mod register;
mod settings;
mod starred;
mod team;

/// A page that can be put into a document.
pub trait Page: 'static {
    fn head(&self) -> Head;

    fn body(self) -> AnyView;
}

/// What a page says about itself to browsers and crawlers.
pub struct Head {
    pub title: String,
    pub description: Option<String>,
    pub robots: Robots,
    /// The path that all addresses of this page share, where it has several.
    pub canonical: Option<String>,
    pub layout: Layout,
    /// Whether the page holds an island and so needs the wasm module.
    pub islands: bool,
}

impl Head {
    /// A page that search engines may show.
    pub fn public(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            description: None,
            robots: Robots::Index,
            canonical: None,
            layout: Layout::Column,
            islands: false,
        }
    }

    /// A page for the person who looks at it.
    pub fn private(title: impl Into<String>) -> Self {
        Self { robots: Robots::None, ..Self::public(title) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Robots {
    Index,
    /// Not shown in results, but its links are followed.
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
