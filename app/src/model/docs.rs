//! The documentation, rendered from the project's own markdown.

use super::Html;

#[derive(Clone, Debug)]
pub struct DocsPage {
    pub title: String,
    pub body: Html,
    /// All pages in reading order.
    pub contents: Vec<DocsLink>,
}

#[derive(Clone, Debug)]
pub struct DocsLink {
    pub title: String,
    pub href: String,
    pub current: bool,
}
