//! Filter for raw HTML in Markdown: a few tags without attributes are allowed, everything else is escaped.

use std::fmt::{self, Write};

use comrak::html::escape;

/// Maximum number of open raw tags; further ones are escaped.
const MAX_OPEN_TAGS: usize = 16;

const INLINE: [&str; 17] = [
    "b", "code", "del", "em", "i", "ins", "kbd", "mark", "q", "s", "samp", "small", "strong", "sub", "sup",
    "u", "var",
];
const BLOCK: [&str; 2] = ["details", "summary"];
const VOID: [&str; 1] = ["br"];

/// Balances the allowed raw tags: each is closed at the latest with the node it stands in.
///
/// Otherwise the sanitizer's parser would reopen unclosed tags in every paragraph.
#[derive(Default)]
pub struct RawHtmlFilter {
    open: Vec<OpenTag>,
    tags: usize,
}

/// Entry of the stack: a node boundary or an open tag.
enum OpenTag {
    Node,
    Tag(&'static str),
}

impl RawHtmlFilter {
    /// Returns true if no raw tag is open.
    pub const fn is_closed(&self) -> bool {
        self.tags == 0
    }

    pub fn enter_node(&mut self) {
        self.open.push(OpenTag::Node);
    }

    /// Closes the tags that the node left open.
    pub fn leave_node(&mut self, out: &mut dyn Write) -> fmt::Result {
        self.close_while(out, |_| true)?;
        self.open.pop();
        Ok(())
    }

    fn close_while(&mut self, out: &mut dyn Write, also: impl Fn(&str) -> bool) -> fmt::Result {
        while let Some(&OpenTag::Tag(name)) = self.open.last()
            && also(name)
        {
            self.open.pop();
            self.tags -= 1;
            write!(out, "</{name}>")?;
        }
        Ok(())
    }

    /// Writes inline HTML: allowed tags as tags, comments omitted, the rest escaped.
    pub fn write_inline(&mut self, out: &mut dyn Write, raw: &str) -> fmt::Result {
        if is_comment(raw) { Ok(()) } else { self.write(out, raw, false) }
    }

    /// Writes an HTML block. Only `details` may stay open after it and enclose the following blocks.
    pub fn write_block(&mut self, out: &mut dyn Write, raw: &str) -> fmt::Result {
        if is_comment(raw) {
            return Ok(());
        }
        if mentions_block_tag(raw) {
            self.write(out, raw.trim_end(), true)?;
            self.close_while(out, |tag| tag != "details")?;
            return out.write_str("\n");
        }
        out.write_str("<p>")?;
        self.enter_node();
        self.write(out, raw.trim_end(), false)?;
        self.leave_node(out)?;
        out.write_str("</p>\n")
    }

    fn write(&mut self, out: &mut dyn Write, raw: &str, block: bool) -> fmt::Result {
        let mut rest = raw;
        while let Some(at) = rest.find('<') {
            escape(out, &rest[..at])?;
            rest = &rest[at..];
            let length = self.write_tag(out, rest, block)?;
            if length == 0 {
                escape(out, "<")?;
            }
            rest = &rest[length.max(1)..];
        }
        escape(out, rest)
    }

    /// Writes the tag at the start of `text` and returns its length, or 0 if it is not allowed.
    fn write_tag(&mut self, out: &mut dyn Write, text: &str, block: bool) -> Result<usize, fmt::Error> {
        let Some(end) = text.find('>') else { return Ok(0) };
        let inside = &text[1..end];
        let written = match inside.strip_prefix('/') {
            Some(name) => self.close(out, name.trim_end())?,
            None => self.open(out, inside.trim_end_matches('/').trim_end(), block)?,
        };
        Ok(if written { end + 1 } else { 0 })
    }

    fn open(&mut self, out: &mut dyn Write, name: &str, block: bool) -> Result<bool, fmt::Error> {
        if let Some(name) = known(&VOID, name) {
            write!(out, "<{name}>")?;
            return Ok(true);
        }
        let name = known(&INLINE, name).or_else(|| known(&BLOCK, name).filter(|_| block));
        let Some(name) = name.filter(|_| self.tags < MAX_OPEN_TAGS) else { return Ok(false) };
        self.open.push(OpenTag::Tag(name));
        self.tags += 1;
        write!(out, "<{name}>")?;
        Ok(true)
    }

    /// Closes the innermost tag of the current node. Closing tags
    /// of outer nodes are dropped: they end with their node.
    fn close(&mut self, out: &mut dyn Write, name: &str) -> Result<bool, fmt::Error> {
        let is_same = |open: &OpenTag| matches!(open, OpenTag::Tag(tag) if tag.eq_ignore_ascii_case(name));
        if self.open.last().is_some_and(is_same)
            && let Some(OpenTag::Tag(tag)) = self.open.pop()
        {
            self.tags -= 1;
            write!(out, "</{tag}>")?;
            return Ok(true);
        }
        Ok(self.open.iter().any(is_same))
    }
}

fn is_comment(raw: &str) -> bool {
    let raw = raw.trim();
    raw.starts_with("<!--") && raw.ends_with("-->")
}

fn mentions_block_tag(raw: &str) -> bool {
    raw.split('<').any(|rest| {
        let name = rest.strip_prefix('/').unwrap_or(rest).split('>').next().unwrap_or_default();
        known(&BLOCK, name.trim_end()).is_some()
    })
}

fn known(names: &[&'static str], name: &str) -> Option<&'static str> {
    names.iter().copied().find(|known| known.eq_ignore_ascii_case(name))
}
