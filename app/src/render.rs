//! From views to HTML text.

use std::sync::Arc;

use hydration_context::SsrSharedContext;
use leptos::prelude::*;
use plexus_domain::{MessageId, Timestamp};

use crate::{
    components::{agent_row, article::MessageArticle, context, others, parts},
    model::{
        Assets, Frame,
        agents::AgentRow,
        message::{Article, PartView},
        others::Sources,
    },
    pages::{Page, document::document},
};

/// A whole HTML document.
pub fn page(frame: Frame, page: impl Page) -> String {
    let (assets, now) = (frame.assets.clone(), Some(frame.now));
    let role = frame.viewer.as_ref().map(|viewer| viewer.role);
    let html = text(assets, now, || {
        provide_context(context::Viewing(role));
        document(frame, page.head(), page.body())
    });
    format!("<!DOCTYPE html>{html}")
}

/// A message's `<article>` by itself, as the events `message` and `ended` carry it.
pub fn article(assets: &Arc<Assets>, article: Article) -> String {
    text(assets.clone(), None, || view! { <MessageArticle article /> })
}

/// The part at `index`, which came whole, as the event `open` carries it while its article is still being written.
pub fn part(assets: &Arc<Assets>, article: Article, index: usize, part: PartView) -> String {
    text(assets.clone(), None, move || parts::part(index, &part, &article))
}

/// Rows of a list of agents, as the event `found` carries them while other hubs are asked.
pub fn agent_rows(assets: &Arc<Assets>, rows: Vec<AgentRow>) -> String {
    text(assets.clone(), None, || agent_row::items(rows))
}

/// Where the rows of a search come from, as the event `done` carries it.
pub fn sources(assets: &Arc<Assets>, sources: Sources) -> String {
    text(assets.clone(), None, || others::said(sources))
}

/// A document in pieces, for a reader without JavaScript: the blocks of the named message, as they close, are
/// written after the piece.
pub struct Followed {
    pub html: String,
    pub then: Option<MessageId>,
}

/// Cuts a rendered thread at the end of the closed text of each of these messages, in the order of the page.
///
/// A message that the page does not hold is left out.
pub fn follow(page: &str, open: &[MessageId]) -> Vec<Followed> {
    let mut cuts: Vec<_> = open.iter().filter_map(|&id| cut_of(page, id).map(|at| (at, id))).collect();
    cuts.sort_unstable();
    let mut pieces = Vec::with_capacity(cuts.len() + 1);
    let mut from = 0;
    for (at, id) in cuts {
        pieces.push(Followed { html: page[from..at].to_owned(), then: Some(id) });
        from = at;
    }
    pieces.push(Followed { html: page[from..].to_owned(), then: None });
    pieces
}

/// Where the closed part of an open message ends: a mark that [`MessageArticle`] leaves there.
fn cut_of(page: &str, id: MessageId) -> Option<usize> {
    page.find(&context::follow_mark(id))
}

/// Renders under an owner of its own. Nothing but islands is made ready for the browser to take over.
fn text<V: IntoView + 'static>(
    assets: Arc<Assets>,
    now: Option<Timestamp>,
    view: impl FnOnce() -> V,
) -> String {
    let owner = Owner::new_root(Some(Arc::new(SsrSharedContext::new_islands())));
    let html = owner.with(|| {
        provide_context(assets);
        provide_context(context::Now(now));
        view().into_view().to_html()
    });
    owner.unset_with_forced_cleanup();
    without_placeholders(&html)
}

/// Leptos marks places that a browser would fill in later; only islands have such places.
///
/// Text cannot look like a mark: it is escaped, and the markdown renderer drops comments.
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
