//! Allow-list HTML sanitizer, applied to all formatter output (defence in depth).

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

/// Elements of MathML that formulas consist of (`math`). None of them loads or runs anything.
const MATHML_TAGS: [&str; 25] = [
    "math",
    "menclose",
    "mfrac",
    "mi",
    "mmultiscripts",
    "mn",
    "mo",
    "mover",
    "mpadded",
    "mphantom",
    "mprescripts",
    "mroot",
    "mrow",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
];
/// Attributes of MathML. Their values are words, numbers and lengths.
const MATHML_ATTRIBUTES: [&str; 21] = [
    "accent",
    "accentunder",
    "class",
    "columnspan",
    "depth",
    "display",
    "displaystyle",
    "form",
    "height",
    "linethickness",
    "lspace",
    "mathvariant",
    "maxsize",
    "minsize",
    "movablelimits",
    "notation",
    "rspace",
    "scriptlevel",
    "stretchy",
    "symmetric",
    "width",
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

/// Elements that take their direction from their first letter. Containers of them, such as
/// lists and tables, follow their first one by style.
const DIRECTED: [&str; 10] = ["figcaption", "h3", "h4", "h5", "h6", "li", "p", "summary", "td", "th"];

/// Classes written by the formatter, besides `language-*`, `hl-*` and `alert-*`.
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

/// Maximum bytes of text without a tag. For each `&` in a text the
/// serializer scans the rest of the text for `<`, which is quadratic.
const MAX_TEXT: usize = 1_024;
/// A tag without effect, used to split texts. The sanitizer removes it.
const BREAK: &str = "<wbr>";

/// Removes all tags and attributes that this crate does not generate. Linear time, if attributes are short.
pub fn clean(html: &str) -> String {
    CLEANER.clean(&divide(html)).to_string()
}

/// Splits long texts by inserting a tag.
fn divide(html: &str) -> Cow<'_, str> {
    let is_long = |text: &str| text.len() > MAX_TEXT;
    if !html.split('<').any(is_long) {
        return html.into();
    }
    let mut divided = String::with_capacity(html.len() + html.len() / MAX_TEXT * BREAK.len());
    for (nth, piece) in html.split('<').enumerate() {
        let text = piece.find('>').filter(|_| nth > 0).map_or(0, |end| end + 1);
        let (tag, mut text) = piece.split_at(text);
        divided.push_str(if nth > 0 { "<" } else { "" });
        divided.push_str(tag);
        while is_long(text) {
            let (head, rest) = text.split_at(break_at(text));
            divided.push_str(head);
            divided.push_str(BREAK);
            text = rest;
        }
        divided.push_str(text);
    }
    divided.into()
}

/// Returns where a long text may be split: not within a character or an entity.
fn break_at(text: &str) -> usize {
    let at = text.floor_char_boundary(MAX_TEXT);
    let entity = text[..at].rfind('&').filter(|start| !text[*start..at].contains(';'));
    entity.filter(|start| *start > 0).unwrap_or(at)
}

fn cleaner() -> Builder<'static> {
    let mut attributes: HashMap<&str, HashSet<&str>> =
        ATTRIBUTES.into_iter().map(|(tag, names)| (tag, names.iter().copied().collect())).collect();
    attributes.insert("th", HashSet::from(["class", "scope"]));
    attributes.extend(MATHML_TAGS.map(|tag| (tag, HashSet::from(MATHML_ATTRIBUTES))));
    let mut builder = Builder::empty();
    builder
        .tags(TAGS.into_iter().chain(MATHML_TAGS).collect())
        .clean_content_tags(HashSet::from(["script", "style"]))
        .tag_attributes(attributes)
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::PassThrough)
        .link_rel(Some("nofollow noopener noreferrer ugc"))
        .attribute_filter(|_, name, value| keep(name, value));
    for tag in DIRECTED {
        builder.set_tag_attribute_value(tag, "dir", "auto");
    }
    builder
}

fn keep<'v>(name: &str, value: &'v str) -> Option<Cow<'v, str>> {
    let allowed = match name {
        _ if name != "class" && MATHML_ATTRIBUTES.contains(&name) => is_measure(value),
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

/// Returns true for the words, numbers and lengths of MathML attributes.
fn is_measure(value: &str) -> bool {
    value.len() <= 24 && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".%+- ".contains(&byte))
}

fn is_own_class(class: &str) -> bool {
    CLASSES.contains(&class) || CLASS_PREFIXES.iter().any(|prefix| class.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_divided_and_stays_what_it_is() {
        for unit in ["&amp;", "a", "é", "&amp;\u{a7}b"] {
            let html = format!("<p dir=\"auto\">{}</p>\n", unit.repeat(5_000));
            assert!(divide(&html).contains(BREAK), "{unit}");
            assert_eq!(clean(&html), html, "{unit}");
        }
        assert!(matches!(divide("<p>a</p>"), Cow::Borrowed(_)));
    }
}
