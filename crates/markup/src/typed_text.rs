//! Text that people typed, as HTML: every character as it was written, with links.

use comrak::html::{escape, escape_href};

use crate::{
    bare_link::{BareLink, BareLinks, Syntax},
    budget::Meter,
    render::MAX_INPUT,
};

/// Maximum number of links in a text, which bounds the size of its HTML. Later ones are shown as text.
const MAX_LINKS: usize = 4_000;

/// Renders text as it was typed: nothing in it is markup, and line breaks and spaces are kept by the style of
/// `div.typed`. What exceeds the time limit has no links. Linear time.
pub fn render(text: &str, meter: &Meter<'_>) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 8 + 48);
    html.push_str("<div class=\"typed\" dir=\"auto\">");
    let mut written = 0;
    let is_plain = text.len() > MAX_INPUT || meter.is_over();
    let links = BareLinks::new(text, Syntax::Typed).take(if is_plain { 0 } else { MAX_LINKS });
    for link in links {
        if meter.step() {
            break;
        }
        write_escaped(&mut html, &text[written..link.start]);
        write_link(&mut html, &link);
        written = link.end;
    }
    write_escaped(&mut html, &text[written..]);
    html.push_str("</div>");
    html
}

fn write_link(html: &mut String, link: &BareLink<'_>) {
    html.push_str("<a href=\"");
    // Writing to a `String` cannot fail.
    let _ = escape_href(html, &link.href(), false);
    html.push_str("\" rel=\"nofollow noopener noreferrer ugc\">");
    write_escaped(html, &link.label);
    html.push_str("</a>");
}

fn write_escaped(html: &mut String, text: &str) {
    // Writing to a `String` cannot fail.
    let _ = escape(html, text);
}
