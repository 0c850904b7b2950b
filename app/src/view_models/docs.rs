//! View model of a documentation page, rendered from the project's Markdown files.

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
