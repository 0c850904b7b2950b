//! Renders views to HTML strings.

use std::sync::Arc;

use hydration_context::SsrSharedContext;
use leptos::prelude::*;
use plexus_domain::{MessageId, Timestamp};

use crate::{
    components::{agent_row, article::MessageArticle, context, live_search, message_parts},
    pages::{Page, document::document},
    view_models::{
        Assets, Frame, Locale,
        agents::AgentRow,
        live_search::Sources,
        message::{Article, PartView},
    },
};

/// Renders a page as a complete HTML document.
pub fn page(frame: Frame, page: impl Page) -> String {
    let (assets, now) = (frame.assets.clone(), Some(frame.now));
    let role = frame.viewer.as_ref().map(|viewer| viewer.role);
    let content = if page.is_translated() { frame.locale } else { Locale::En };
    let html = text(assets, now, content, move || {
        provide_context(context::Viewing(role));
        document(&frame, content, page.head(), || page.body())
    });
    format!("<!DOCTYPE html>{html}")
}

/// Renders the `<article>` of a message, for the events `message` and `ended`.
pub fn article(assets: &Arc<Assets>, locale: Locale, article: Article) -> String {
    text(assets.clone(), None, locale, || view! { <MessageArticle article /> })
}

/// Renders the complete part at `index`, for the event `open` of an article that is still being written.
pub fn part(assets: &Arc<Assets>, locale: Locale, article: Article, index: usize, part: PartView) -> String {
    text(assets.clone(), None, locale, move || message_parts::part(index, &part, &article))
}

/// Renders rows of a list of agents, for the event `found` of a live search.
pub fn agent_rows(assets: &Arc<Assets>, locale: Locale, rows: Vec<AgentRow>) -> String {
    text(assets.clone(), None, locale, || agent_row::items(rows))
}

/// Renders the sources of search results, for the event `done` of a live search.
pub fn sources(assets: &Arc<Assets>, locale: Locale, sources: Sources) -> String {
    text(assets.clone(), None, locale, || live_search::sources_line(sources))
}

/// Piece of a document that is streamed to a reader without JavaScript.
///
/// The blocks of the message `then` are written after the piece, as they close.
pub struct StreamedDocument {
    pub html: String,
    pub then: Option<MessageId>,
}

/// Splits a rendered thread at the end of the closed text of each of these messages, in the order of the
/// page.
///
/// A message that the page does not contain is ignored.
pub fn follow(page: &str, open: &[MessageId]) -> Vec<StreamedDocument> {
    let mut cuts: Vec<_> = open.iter().filter_map(|&id| cut_of(page, id).map(|at| (at, id))).collect();
    cuts.sort_unstable();
    let mut pieces = Vec::with_capacity(cuts.len() + 1);
    let mut from = 0;
    for (at, id) in cuts {
        pieces.push(StreamedDocument { html: page[from..at].to_owned(), then: Some(id) });
        from = at;
    }
    pieces.push(StreamedDocument { html: page[from..].to_owned(), then: None });
    pieces
}

/// Returns the end of the closed text of an open message: the marker that [`MessageArticle`] renders.
fn cut_of(page: &str, id: MessageId) -> Option<usize> {
    page.find(&context::follow_mark(id))
}

/// Renders a view under a reactive owner of its own. Only islands are prepared for hydration.
fn text<V: IntoView + 'static>(
    assets: Arc<Assets>,
    now: Option<Timestamp>,
    locale: Locale,
    view: impl FnOnce() -> V,
) -> String {
    let owner = Owner::new_root(Some(Arc::new(SsrSharedContext::new_islands())));
    let html = owner.with(|| {
        provide_context(assets);
        provide_context(locale);
        provide_context(context::Now(now));
        view().into_view().to_html()
    });
    owner.unset_with_forced_cleanup();
    without_placeholders(&html)
}

/// Removes the hydration markers of Leptos outside of islands, since only islands are hydrated.
///
/// Text cannot look like a marker: it is escaped, and the Markdown renderer drops comments.
fn without_placeholders(html: &str) -> String {
    const STARTS: &str = "<leptos-island";
    const ENDS: &str = "</leptos-island>";
    let mut clean = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(start) = rest.find(STARTS) {
        let (before, island) = rest.split_at(start);
        let (island, after) = island.split_at(island.find(ENDS).unwrap_or(island.len()));
        push_without_marks(before, &mut clean);
        clean.push_str(island);
        rest = after;
    }
    push_without_marks(rest, &mut clean);
    clean
}

fn push_without_marks(html: &str, clean: &mut String) {
    const MARKS: [&str; 2] = ["<!---->", "<!>"];
    let mut rest = html;
    while let Some(at) = rest.find("<!") {
        let (before, from) = rest.split_at(at);
        let mark = MARKS.into_iter().find(|mark| from.starts_with(mark));
        clean.push_str(before);
        let (kept, after) = mark.map_or_else(|| from.split_at(2), |mark| ("", &from[mark.len()..]));
        clean.push_str(kept);
        rest = after;
    }
    clean.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::without_placeholders;

    #[test]
    fn marks_go_everywhere_but_in_islands() {
        let island = "<leptos-island data-props=\"{}\"><p>a<!> <!---->b</p></leptos-island>";
        let html = format!("<p>1<!---->2<!></p><!--open x-->{island}<!>é");
        assert_eq!(without_placeholders(&html), format!("<p>12</p><!--open x-->{island}é"));
        assert_eq!(without_placeholders("<leptos-island>"), "<leptos-island>");
        assert_eq!(without_placeholders(""), "");
    }
}
