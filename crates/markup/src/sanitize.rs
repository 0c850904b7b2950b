//! The second wall: whatever the formatter wrote, only this leaves the crate.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use ammonia::{Builder, UrlRelative};

use crate::link;

const TAGS: [&str; 43] = [
    "a",
    "b",
    "blockquote",
    "br",
    "code",
    "del",
    "details",
    "div",
    "em",
    "figcaption",
    "figure",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "input",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
    "var",
];

const ATTRIBUTES: [(&str, &[&str]); 12] = [
    ("a", &["href", "title", "id", "class", "aria-label"]),
    ("code", &["class"]),
    ("div", &["class", "role", "tabindex", "aria-label"]),
    ("figure", &["class"]),
    ("input", &["type", "checked", "disabled", "aria-label"]),
    ("li", &["id", "class"]),
    ("ol", &["start"]),
    ("p", &["class"]),
    ("pre", &["tabindex"]),
    ("span", &["class"]),
    ("sup", &["class"]),
    ("td", &["class"]),
];

/// Classes that the formatter writes, besides `language-*`, `hl-*` and `alert-*`.
const CLASSES: [&str; 11] = [
    "alert",
    "align-center",
    "align-left",
    "align-right",
    "code",
    "footnote-back",
    "footnote-ref",
    "footnotes",
    "plain",
    "table",
    "task",
];
const CLASS_PREFIXES: [&str; 3] = ["language-", "hl-", "alert-"];

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(cleaner);

pub fn clean(html: &str) -> String {
    CLEANER.clean(html).to_string()
}

fn cleaner() -> Builder<'static> {
    let mut attributes: HashMap<&str, HashSet<&str>> =
        ATTRIBUTES.into_iter().map(|(tag, names)| (tag, names.iter().copied().collect())).collect();
    attributes.insert("th", HashSet::from(["class", "scope"]));
    let mut builder = Builder::empty();
    builder
        .tags(HashSet::from(TAGS))
        .clean_content_tags(HashSet::from(["script", "style"]))
        .tag_attributes(attributes)
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::PassThrough)
        .link_rel(Some("nofollow noopener noreferrer ugc"))
        .attribute_filter(|_, name, value| keep(name, value));
    builder
}

fn keep<'v>(name: &str, value: &'v str) -> Option<Cow<'v, str>> {
    let allowed = match name {
        "href" => link::is_allowed(value),
        "id" => value.starts_with(link::ID_PREFIX),
        "class" => value.split(' ').all(is_own_class),
        "type" => value == "checkbox",
        "role" => value == "group",
        "tabindex" => value == "0",
        "scope" => value == "col",
        _ => true,
    };
    allowed.then_some(Cow::Borrowed(value))
}

fn is_own_class(class: &str) -> bool {
    CLASSES.contains(&class) || CLASS_PREFIXES.iter().any(|prefix| class.starts_with(prefix))
}
