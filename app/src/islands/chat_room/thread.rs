//! Thread: the articles of the chat on the page.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
};

use leptos::prelude::document;
use web_sys::{Element, HtmlElement, Node};

use super::{
    article_position::{ArticlePosition, ShownArticle, place},
    dom,
    events::{AgentStatus, BlockHtml, MessageCreated, PartSnapshot, TextDelta},
    morph::morph,
    streaming_text::{StreamingText, TextChange},
    tail,
    texts::texts,
    thread_limit::ThreadSize,
};

/// Class of a thread that shows answers side by side.
const COMPARES: &str = "compares";

/// Message id and part index.
type Key = (String, u32);

pub struct Thread {
    element: Element,
    tails: RefCell<HashMap<Key, StreamingText>>,
    /// Received text that the next frame appends to the page.
    waiting: RefCell<HashMap<Key, String>>,
    /// Parts whose tail the next frame rewrites completely.
    stale: RefCell<HashSet<Key>>,
}

impl Thread {
    pub fn find() -> Option<Self> {
        let element = dom::by_id("thread")?;
        Some(Self {
            element,
            tails: RefCell::default(),
            waiting: RefCell::default(),
            stale: RefCell::default(),
        })
    }

    pub const fn element(&self) -> &Element {
        &self.element
    }

    pub fn article(&self, id: &str) -> Option<Element> {
        dom::by_id(&format!("m-{id}"))
    }

    /// Returns the id of the last article.
    pub fn last(&self) -> Option<String> {
        shown(&self.last_article()?).map(|shown| shown.id)
    }

    /// Finds the last article from the end, since a chat may show thousands.
    fn last_article(&self) -> Option<Element> {
        let mut element = self.element.last_element_child();
        while let Some(at) = element {
            if at.matches("article.message").unwrap_or_default() {
                return Some(at);
            }
            element = at.previous_element_sibling();
        }
        None
    }

    /// True if the chat has several people.
    pub fn is_room(&self) -> bool {
        self.element.has_attribute("data-viewer")
    }

    /// True if newer messages are on another page.
    pub fn is_older_page(&self) -> bool {
        dom::find::<Element>(&self.element, ":scope > #newer").is_some()
    }

    /// Returns the articles that are still being written.
    pub fn open(&self) -> Vec<Element> {
        dom::all(&self.element, "article[aria-busy]")
    }

    /// Returns the answers that the viewer may stop: in a room its own ones, or all for the owner.
    pub fn stoppable(&self) -> Vec<Element> {
        let is_owner = self.element.get_attribute("data-role").is_none_or(|role| role == "owner");
        let may_stop = |article: &Element| is_owner || article.class_list().contains("own-run");
        self.open().into_iter().filter(may_stop).collect()
    }

    /// True if an approval request, or a question that ends the chat, waits for the reader.
    pub fn waits_for_reader(&self) -> bool {
        let asks = |article: &Element| article.class_list().contains("asks");
        dom::find::<Element>(&self.element, ".approval form").is_some()
            || self.last_article().as_ref().is_some_and(asks)
    }

    /// True if the last article shows a failure.
    pub fn ends_in_failure(&self) -> bool {
        self.last_article().is_some_and(|article| article.class_list().contains("failed"))
    }

    fn shown(&self) -> Vec<ShownArticle> {
        dom::all(&self.element, "article.message").iter().filter_map(shown).collect()
    }

    /// Inserts or replaces an article. `None` if it belongs to a branch that is not shown.
    pub fn put(&self, placed: &MessageCreated) -> Option<Element> {
        let new =
            ShownArticle { id: placed.id.clone(), parent: placed.parent.clone(), branch: placed.branch };
        match place(&self.shown(), &new) {
            ArticlePosition::Elsewhere => None,
            ArticlePosition::Same => self.replace(&placed.id, &placed.html),
            ArticlePosition::After { answer } => {
                self.article(&answer)?.insert_adjacent_html("afterend", &placed.html).ok()?;
                self.added(&placed.id)
            }
            ArticlePosition::End { instead_of } => {
                for id in instead_of {
                    self.remove(&id);
                }
                self.element.insert_adjacent_html("beforeend", &placed.html).ok()?;
                self.added(&placed.id)
            }
        }
    }

    /// Changes an article in its position. If the element with the focus is gone, the composer gets it.
    pub fn replace(&self, id: &str, html: &str) -> Option<Element> {
        let old = self.article(id)?;
        let focused = old.contains(document().active_element().as_deref());
        if morph(&old, html).is_none() {
            old.set_outer_html(html);
        }
        self.forget(id);
        let article = self.added(id)?;
        if focused && !article.contains(document().active_element().as_deref()) {
            let _ = dom::by_id::<HtmlElement>("composer-text").map(|text| text.focus());
        }
        Some(article)
    }

    /// Shows the user's message before the hub has accepted it (optimistic update).
    pub fn put_unsent(&self, id: &str, text: &str) -> Option<()> {
        let article = dom::element("article", "message person own sending", "")?;
        article.set_id(&format!("m-{id}"));
        article.set_attribute("data-parent", &self.last().unwrap_or_default()).ok()?;
        article.set_attribute("data-branch", "0").ok()?;
        let header = dom::element("header", "", "")?;
        header.append_child(dom::element("h2", "", &texts().sending)?.as_ref()).ok()?;
        let body = dom::element("div", "body", "")?;
        body.append_child(dom::element("div", "tail", text)?.as_ref()).ok()?;
        article.append_child(&header).ok()?;
        article.append_child(&body).ok()?;
        self.element.append_child(&article).ok()?;
        Some(())
    }

    pub fn remove(&self, id: &str) {
        if let Some(article) = self.article(id) {
            article.remove();
            self.arrange_columns(&article);
        }
        self.forget(id);
    }

    /// Removes the oldest messages of a thread over its limit, up to a message that is no answer. The link to older
    /// messages leads to them. Returns true if it removed some.
    ///
    /// Messages that are being written, wait for the reader or have the focus stay, and all after them.
    pub fn trim(&self, chat: &str) -> bool {
        if self.is_older_page() {
            return false;
        }
        let articles = dom::all(&self.element, ":scope > article.message");
        let mut size = ThreadSize { messages: articles.len(), height: self.element.scroll_height() };
        if !size.is_exceeded() {
            return false;
        }
        // All heights are read before the first removal: after it, reading one would lay out the thread again.
        let is_surplus = |article: &&Element| {
            let is_surplus = size.has_surplus() && !is_in_use(article);
            size.messages -= 1;
            size.height -= article.client_height();
            is_surplus
        };
        let surplus = articles.iter().take_while(is_surplus).count();
        // An answer without its question could not be asked for again.
        let articles: Vec<ShownArticle> = articles.iter().take(surplus + 1).filter_map(shown).collect();
        let first = articles.iter().rposition(|article| article.branch == 0).filter(|first| *first > 0);
        let (Some(first), Some(last)) = (first, self.last()) else { return false };
        let older = format!("/chat/{chat}?m={last}&before={}", articles[first].id);
        if self.link_older(&older).is_none() {
            return false;
        }
        articles[..first].iter().for_each(|article| self.remove(&article.id));
        true
    }

    /// Sets the link to older messages, which is the first element of a thread that has them.
    fn link_older(&self, href: &str) -> Option<()> {
        if let Some(link) = dom::find::<Element>(&self.element, ":scope > .older a") {
            return link.set_attribute("href", href).ok();
        }
        let link = dom::element("a", "", &texts().older)?;
        link.set_attribute("href", href).ok()?;
        let line = dom::element("p", "older", "")?;
        line.append_child(&link).ok()?;
        self.element.prepend_with_node_1(&line).ok()
    }

    fn added(&self, id: &str) -> Option<Element> {
        let article = self.article(id)?;
        // The hub renders an article once for all people of a room.
        let viewer_id = self.element.get_attribute("data-viewer-id");
        if viewer_id.is_some() && article.get_attribute("data-author-id") == viewer_id {
            article.class_list().add_1("own").ok()?;
        }
        if viewer_id.is_some() && article.get_attribute("data-run-by") == viewer_id {
            article.class_list().add_1("own-run").ok()?;
        }
        self.arrange_columns(&article);
        dom::announce_added(&article);
        Some(article)
    }

    /// Puts the answers to the message that `changed` answers side by side, if there are several. These are classes,
    /// since selectors with `:has()` would compute the styles of all messages again whenever one is added.
    fn arrange_columns(&self, changed: &Element) {
        let is_second =
            changed.get_attribute("data-branch").is_some_and(|branch| branch == "2" || branch == "3");
        if !is_second && !self.element.class_list().contains(COMPARES) {
            return;
        }
        let parent = changed.get_attribute("data-parent").unwrap_or_default();
        let answers = dom::all(&self.element, &format!("article.agent[data-parent=\"{parent}\"]"));
        let count = answers.len();
        for answer in answers {
            let classes = answer.class_list();
            for columns in [2, 3] {
                let _ = classes.toggle_with_force(&format!("columns-{columns}"), count == columns);
            }
        }
        let compares = dom::find::<Element>(&self.element, ".columns-2, .columns-3").is_some();
        let _ = self.element.class_list().toggle_with_force(COMPARES, compares);
    }

    fn forget(&self, id: &str) {
        self.tails.borrow_mut().retain(|(message, _), _| message != id);
        self.waiting.borrow_mut().retain(|(message, _), _| message != id);
        self.stale.borrow_mut().retain(|(message, _)| message != id);
    }

    /// Resets a part to its state from the start, if its message is shown.
    pub fn reset(&self, open: PartSnapshot) {
        if open.w {
            self.put_whole(&open);
            return;
        }
        let key = (open.m, open.p);
        let Some((closed, _)) = self.part(&key) else { return };
        closed.set_inner_html(&open.h);
        dom::announce_added(&closed);
        self.tails.borrow_mut().insert(key.clone(), StreamingText::new(open.s, open.t));
        self.stale.borrow_mut().insert(key);
    }

    /// Replaces a whole part, such as a tool card.
    ///
    /// An unfolded card stays unfolded. If the card had the focus, the composer gets it.
    fn put_whole(&self, open: &PartSnapshot) -> Option<()> {
        let body: Element = dom::find(&self.article(&open.m)?, ".body")?;
        let selector = format!("[data-part=\"{}\"]", open.p);
        let Some(old) = dom::find::<Element>(&body, &selector) else {
            body.insert_adjacent_html("beforeend", &open.h).ok()?;
            dom::announce_added(&body);
            return Some(());
        };
        let focused = old.contains(document().active_element().as_deref());
        let unfolded = dom::find::<Element>(&old, "details[open]").is_some();
        old.set_outer_html(&open.h);
        let new: Element = dom::find(&body, &selector)?;
        if let (true, Some(fold)) = (unfolded, dom::find::<Element>(&new, "details")) {
            fold.set_attribute("open", "").ok()?;
        }
        if focused {
            let _ = dom::by_id::<HtmlElement>("composer-text").map(|text| text.focus());
        }
        dom::announce_added(&new);
        Some(())
    }

    /// Shows the agent's current activity below its text. An empty status removes the line.
    pub fn show_doing(&self, status: &AgentStatus) -> Option<()> {
        let article = self.article(&status.m).filter(|article| article.has_attribute("aria-busy"))?;
        match (dom::find::<Element>(&article, ":scope > .doing"), status.t.is_empty()) {
            (Some(line), true) => line.remove(),
            (Some(line), false) => line.set_text_content(Some(&status.t)),
            (None, true) => {}
            (None, false) => {
                let line = dom::element("p", "doing", &status.t)?;
                line.set_attribute("dir", "auto").ok()?;
                dom::find::<Element>(&article, ":scope > .body")?.after_with_node_1(&line).ok()?;
            }
        }
        Some(())
    }

    /// Returns the tool that a part requests approval for, while the request is pending.
    pub fn asks(&self, message: &str, part: u32) -> Option<String> {
        let selector = format!("[data-part=\"{part}\"] .approval");
        let card: Element = dom::find(&self.article(message)?, &selector)?;
        dom::find::<Element>(&card, "form:not(.tool-question form)")?;
        dom::find::<Element>(&card, "p code")?.text_content()
    }

    /// Returns the text of a tool's question, while it waits for an answer.
    pub fn tool_question(&self, message: &str, part: u32) -> Option<String> {
        let selector = format!("[data-part=\"{part}\"] .tool-question");
        let card: Element = dom::find(&self.article(message)?, &selector)?;
        dom::find::<Element>(&card, "form")?;
        let texts = dom::all(&card, ":scope > p").into_iter().filter_map(|text| text.text_content());
        Some(texts.collect::<Vec<_>>().join(" "))
    }

    pub fn push(&self, text: TextDelta) -> TextChange {
        let key = (text.m, text.p);
        let Some((closed, _)) = self.part(&key) else { return TextChange::Nothing };
        let unheard_of = !self.tails.borrow().contains_key(&key);
        let change = self.tails.borrow_mut().entry(key.clone()).or_default().push(text.s, &text.t);
        // The stream resends the part from its start, so the text that came with the article is dropped.
        if unheard_of && change != TextChange::Gap {
            closed.set_text_content(None);
            self.stale.borrow_mut().insert(key.clone());
        }
        if let TextChange::Appended(new) = &change {
            self.waiting.borrow_mut().entry(key).or_default().push_str(new);
        }
        change
    }

    pub fn close(&self, block: BlockHtml) -> TextChange {
        let key = (block.m, block.p);
        let Some((closed, _)) = self.part(&key) else { return TextChange::Nothing };
        let change = self.tails.borrow_mut().entry(key.clone()).or_default().close(block.s, block.e);
        if change == TextChange::Closed {
            if block.s == 0 {
                closed.set_text_content(None);
            }
            let _ = closed.insert_adjacent_html("beforeend", &block.h);
            dom::announce_added(&closed);
            self.stale.borrow_mut().insert(key);
        }
        change
    }

    /// Writes the text received since the last frame to the page.
    pub fn flush(&self) {
        for key in self.stale.take() {
            self.waiting.borrow_mut().remove(&key);
            if let (Some((_, tail)), Some(known)) = (self.part(&key), self.tails.borrow().get(&key)) {
                tail::draw(&tail, known.text());
            }
        }
        for (key, text) in self.waiting.take() {
            if let (Some((_, tail)), Some(known)) = (self.part(&key), self.tails.borrow().get(&key)) {
                tail::append(&tail, known.text(), &text);
            }
        }
    }

    /// Returns the elements for closed text and tail of a part. Creates them if the message is shown but the
    /// part is missing.
    fn part(&self, (message, part): &Key) -> Option<(Element, Element)> {
        let article = self.article(message)?;
        let body: Element = dom::find(&article, ".body")?;
        let place: Element = match dom::find(&body, &format!("[data-part=\"{part}\"]")) {
            Some(place) => place,
            None => new_part(&body, *part)?,
        };
        Some((dom::find(&place, ".closed")?, dom::find(&place, ".tail")?))
    }
}

/// True if an article is being written, waits for the reader or has the focus.
fn is_in_use(article: &Element) -> bool {
    article.has_attribute("aria-busy")
        || article.contains(document().active_element().as_deref())
        || dom::find::<Element>(article, ".approval form").is_some()
}

fn shown(article: &Element) -> Option<ShownArticle> {
    let id = article.id().strip_prefix("m-")?.to_owned();
    let parent = article.get_attribute("data-parent").filter(|parent| !parent.is_empty());
    let branch = article.get_attribute("data-branch")?.parse().ok()?;
    Some(ShownArticle { id, parent, branch })
}

fn new_part(body: &Element, part: u32) -> Option<Element> {
    let place = dom::element("div", "part", "")?;
    place.set_attribute("data-part", &part.to_string()).ok()?;
    for class in ["closed prose", "tail"] {
        let child: Node = dom::element("div", class, "")?.into();
        place.append_child(&child).ok()?;
    }
    body.append_child(&place).ok()?;
    Some(place)
}
