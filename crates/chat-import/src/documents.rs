//! Documents that an assistant writes beside the conversation (canvas, artifacts): each edit becomes the text after it.

use std::rc::Rc;

use regex::{Captures, RegexBuilder};

use crate::{
    content::{ImportedPart, code_block},
    limits::MAX_TEXT_BYTES,
    message_tree::{NodeContent, SourceNode, SourcePart, parents},
    omission::{Omission, Omissions},
};

/// Maximum size of a compiled pattern in bytes.
const MAX_PATTERN_BYTES: usize = 64 << 10;
/// What an edit costs beside its text, for the bound of all versions.
const EDIT_COST: usize = 4 << 10;

/// A change of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentEdit {
    /// Id of the document; `None` for the one that was edited last.
    pub document: Option<String>,
    pub change: DocumentChange,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentChange {
    Write { title: Option<String>, language: Option<String>, text: String },
    Replace(Vec<Replacement>),
}

/// Replacement of a text, or of what a regular expression matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    pub old: String,
    pub new: String,
    pub is_pattern: bool,
    pub is_repeated: bool,
}

/// The documents of a branch, the one that was edited last first.
type Documents = Option<Rc<Document>>;

struct Document {
    id: Option<String>,
    title: Option<String>,
    language: String,
    text: Rc<str>,
    others: Documents,
}

/// Replaces the edits in messages by the text of their document after them. `budget` is the number of bytes that all
/// texts may have.
pub fn apply_edits(nodes: &mut [SourceNode], budget: &mut usize, omissions: &mut Omissions) {
    let is_edited = |node: &SourceNode| edits(node).next().is_some();
    if !nodes.iter().any(is_edited) {
        return;
    }
    let parents = parents(nodes);
    let mut after: Vec<Option<Documents>> = nodes.iter().map(|_| None).collect();
    let mut is_visited = vec![false; nodes.len()];
    for start in 0..nodes.len() {
        let mut path = Vec::new();
        let mut next = Some(start);
        while let Some(at) = next.filter(|at| after[*at].is_none() && !is_visited[*at]) {
            is_visited[at] = true;
            path.push(at);
            next = parents[at];
        }
        let mut documents = next.and_then(|at| after[at].clone()).flatten();
        for at in path.into_iter().rev() {
            documents = edit(&mut nodes[at], documents, budget, omissions);
            after[at] = Some(documents.clone());
        }
    }
}

fn edits(node: &SourceNode) -> impl Iterator<Item = &DocumentEdit> {
    let parts = match &node.content {
        NodeContent::Message(message) => message.parts.as_slice(),
        _ => &[],
    };
    parts.iter().filter_map(|part| match part {
        SourcePart::Edit(edit) => Some(edit),
        SourcePart::Done(_) => None,
    })
}

/// Applies the edits of a message. Returns the documents after it.
fn edit(
    node: &mut SourceNode,
    mut documents: Documents,
    budget: &mut usize,
    omissions: &mut Omissions,
) -> Documents {
    let NodeContent::Message(message) = &mut node.content else { return documents };
    for part in &mut message.parts {
        let SourcePart::Edit(edit) = part else { continue };
        let before = find(&documents, edit.document.as_deref());
        let cost = cost(before.as_deref(), &edit.change);
        if cost > *budget {
            omissions.add(Omission::LongText, 1);
            *budget = 0;
            let title = before.and_then(|document| document.title.clone()).unwrap_or_default();
            *part = SourcePart::Done(ImportedPart::text(title));
            continue;
        }
        *budget -= cost;
        let (document, unapplied) = changed(before.as_deref(), edit, documents.clone());
        let shown = code_block(document.title.as_deref(), &document.language, &document.text);
        let rest = unapplied.iter().map(|text| format!("\n\n{}", code_block(None, &document.language, text)));
        *part = SourcePart::Done(ImportedPart::text(shown + &rest.collect::<String>()));
        documents = Some(Rc::new(document));
    }
    documents
}

/// Returns the bytes that an edit reads or writes, before it is applied.
fn cost(before: Option<&Document>, change: &DocumentChange) -> usize {
    match change {
        DocumentChange::Write { text, .. } => text.len() + EDIT_COST,
        DocumentChange::Replace(replacements) => {
            let before = before.map_or(0, |document| document.text.len());
            let each = replacements.iter().map(|replacement| before + replacement.new.len() + EDIT_COST);
            each.sum::<usize>() + before + EDIT_COST
        }
    }
}

/// Returns the document with this id, else the one that was edited last. Of many documents, older ones are forgotten.
fn find(documents: &Documents, id: Option<&str>) -> Documents {
    const REMEMBERED: usize = 64;
    let mut next = documents.as_ref();
    for _ in 0..REMEMBERED {
        let Some(document) = next else { break };
        if id.is_none() || document.id.as_deref() == id {
            return Some(Rc::clone(document));
        }
        next = document.others.as_ref();
    }
    // A document whose creation has no id.
    documents.clone().filter(|latest| latest.id.is_none())
}

/// Returns the document after an edit, and the texts of replacements that do not fit it.
fn changed<'a>(
    before: Option<&Document>,
    edit: &'a DocumentEdit,
    others: Documents,
) -> (Document, Vec<&'a str>) {
    let mut unapplied = Vec::new();
    let title = before.and_then(|document| document.title.clone());
    let language = before.map(|document| document.language.clone());
    let id = edit.document.clone().or_else(|| before.and_then(|document| document.id.clone()));
    let (title, language, text) = match &edit.change {
        DocumentChange::Write { title: new, language: other, text } => {
            (new.clone().or(title), other.clone().or(language), Rc::from(cut(text)))
        }
        DocumentChange::Replace(replacements) => {
            let mut text: Rc<str> = before.map_or_else(|| Rc::from(""), |document| Rc::clone(&document.text));
            for replacement in replacements {
                match replacement.apply(&text) {
                    Some(new) => text = Rc::from(new),
                    None => unapplied.push(replacement.new.as_str()),
                }
            }
            (title, language, text)
        }
    };
    (Document { id, title, language: language.unwrap_or_default(), text, others }, unapplied)
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}

impl Replacement {
    /// Returns the new text, or `None` if the old one does not occur.
    fn apply(&self, text: &str) -> Option<String> {
        if self.is_pattern && matches!(self.old.as_str(), ".*" | "^.*$" | "(?s).*" | "[\\s\\S]*") {
            return Some(cut(&self.new).to_owned());
        }
        let by_pattern = if self.is_pattern { self.apply_pattern(text) } else { None };
        by_pattern.or_else(|| self.apply_text(text))
    }

    fn apply_text(&self, text: &str) -> Option<String> {
        if self.old.is_empty() || !text.contains(&self.old) {
            return None;
        }
        let count = if self.is_repeated { usize::MAX } else { 1 };
        let mut replaced = String::new();
        let mut rest = text;
        for _ in 0..count {
            let Some((before, after)) = rest.split_once(&self.old) else { break };
            if replaced.len() + self.new.len() > MAX_TEXT_BYTES {
                break;
            }
            replaced.push_str(before);
            replaced.push_str(&self.new);
            rest = after;
        }
        replaced.push_str(rest);
        Some(replaced)
    }

    fn apply_pattern(&self, text: &str) -> Option<String> {
        let pattern = RegexBuilder::new(&self.old)
            .dot_matches_new_line(true)
            .multi_line(true)
            .size_limit(MAX_PATTERN_BYTES)
            .dfa_size_limit(MAX_PATTERN_BYTES)
            .build()
            .ok()?;
        let count = if self.is_repeated { usize::MAX } else { 1 };
        let mut replaced = String::new();
        let mut end = 0;
        let mut is_found = false;
        for found in pattern.captures_iter(text).take(count) {
            let Some(whole) = found.get(0) else { break };
            if replaced.len() + self.new.len() + whole.len() > MAX_TEXT_BYTES {
                break;
            }
            replaced.push_str(&text[end..whole.start()]);
            self.expand(&found, &mut replaced);
            end = whole.end();
            is_found = true;
        }
        replaced.push_str(&text[end..]);
        is_found.then_some(replaced)
    }

    /// Appends the replacement, with the groups that it names as in Python: `\1` or `\g<1>`.
    fn expand(&self, found: &Captures<'_>, replaced: &mut String) {
        let mut rest = self.new.as_str();
        while let Some((before, after)) = rest.split_once('\\') {
            replaced.push_str(before);
            let number = after.strip_prefix("g<").and_then(|inner| inner.split_once('>'));
            let (name, length) = match number {
                Some((name, _)) => (name, name.len() + 3),
                None => (after.get(..1).unwrap_or_default(), 1),
            };
            match name.parse().ok().and_then(|number| found.get(number)) {
                Some(group) => {
                    replaced.push_str(group.as_str());
                    rest = &after[length..];
                }
                None => {
                    replaced.push('\\');
                    rest = after;
                }
            }
        }
        replaced.push_str(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replacement(old: &str, new: &str, is_pattern: bool, is_repeated: bool) -> Replacement {
        Replacement { old: old.to_owned(), new: new.to_owned(), is_pattern, is_repeated }
    }

    #[test]
    fn replacements_are_texts_or_patterns() {
        let poem = "Rain (soft)\nRain again";
        for (replacement, expected) in [
            (replacement(".*", "Snow", true, true), Some("Snow")),
            (replacement("Rain", "Sun", true, false), Some("Sun (soft)\nRain again")),
            (replacement("Rain", "Sun", true, true), Some("Sun (soft)\nSun again")),
            (replacement("R(ai)n", "\\1-\\g<1>\\n\\9", true, false), Some("ai-ai\\n\\9 (soft)\nRain again")),
            (replacement("soft\\).*again$", "loud)", true, false), Some("Rain (loud)")),
            (replacement("(soft)", "(loud)", false, false), Some("Rain (loud)\nRain again")),
            (replacement("(?=look)", "x", true, false), None),
            (replacement("Hail", "x", true, true), None),
            (replacement("(soft", "[loud", true, false), Some("Rain [loud)\nRain again")),
            (replacement("", "x", false, true), None),
        ] {
            assert_eq!(replacement.apply(poem).as_deref(), expected, "{replacement:?}");
        }
    }

    #[test]
    fn a_small_change_cannot_make_a_large_text() {
        let text = "a".repeat(1 << 16);
        for is_pattern in [true, false] {
            let large = replacement("a", &"b".repeat(1 << 16), is_pattern, true).apply(&text).unwrap();
            assert!(large.len() <= MAX_TEXT_BYTES + (1 << 16), "{}", large.len());
        }
        assert_eq!(replacement("(a{1000}){1000}", "b", true, false).apply(&text), None);
    }
}
