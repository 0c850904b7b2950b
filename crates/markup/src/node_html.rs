//! HTML formatting of the node types that differ from comrak's default.

use std::fmt::{self, Write};

use comrak::{
    Node,
    html::{ChildRendering, Context, format_node_default},
    nodes::{AlertType, NodeCodeBlock, NodeLink, NodeValue, TableAlignment},
};

use crate::{budget::Meter, highlight, link, math, raw_html::RawHtmlFilter, render::Pieces};

/// Maximum length of a language name in a class or label; longer names are truncated.
const MAX_LANGUAGE: usize = 32;
/// Maximum length of a link title in bytes; longer titles are omitted.
const MAX_TITLE: usize = 1_000;
/// Offset of heading levels: pages have headings of level 1 and 2 above the text.
const HEADING_SHIFT: u8 = 2;

/// Formatter state: context of the node being written.
pub struct NodeContext<'s> {
    /// Prefix of ids, so that several texts on one page have distinct ids.
    pub scope: &'s str,
    pub raw: RawHtmlFilter,
    pub column: usize,
    pub footnotes: u32,
    pub meter: &'s Meter<'s>,
    pub pieces: Pieces,
}

/// Result of a formatter callback.
type Written = Result<ChildRendering, fmt::Error>;

/// Formats one node on entering or leaving it; callback of `format_document_with_formatter`.
///
/// Fails when the time budget is exhausted.
pub fn node(context: &mut Context<NodeContext<'_>>, node: Node<'_>, entering: bool) -> Written {
    if context.user.meter.step() {
        return Err(fmt::Error);
    }
    if entering && is_at_top(node) && context.user.raw.is_closed() && context.user.footnotes == 0 {
        context.user.pieces.cut();
    }
    if is_raw(node) {
        return if entering { raw_html(context, node) } else { Ok(ChildRendering::HTML) };
    }
    if entering {
        context.user.raw.enter_node();
        return write_node(context, node, true);
    }
    let mut raw = std::mem::take(&mut context.user.raw);
    raw.leave_node(context)?;
    context.user.raw = raw;
    write_node(context, node, false)
}

fn write_node(context: &mut Context<NodeContext<'_>>, node: Node<'_>, entering: bool) -> Written {
    match &node.data().value {
        NodeValue::Heading(heading) => self::heading(context, heading.level, entering),
        NodeValue::CodeBlock(block) => code_block(context, block, entering),
        NodeValue::Image(image) => anchor(context, image, node, true, entering),
        NodeValue::Link(target) => anchor(context, target, node, false, entering),
        NodeValue::Table(_) => table(context, node, entering),
        NodeValue::TableRow(_) => {
            context.user.column = 0;
            format_node_default(context, node, entering)
        }
        NodeValue::TableCell => table_cell(context, node, entering),
        NodeValue::TaskItem(item) => task(context, item.symbol.is_some(), entering),
        NodeValue::Alert(alert) => self::alert(context, alert.alert_type, entering),
        NodeValue::Math(formula) => self::formula(context, &formula.literal, entering),
        NodeValue::FootnoteReference(reference) => {
            footnote_reference(context, reference.ix, reference.ref_num, entering)
        }
        NodeValue::FootnoteDefinition(_) => footnote(context, node, entering),
        _ => format_node_default(context, node, entering),
    }
}

fn is_at_top(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| matches!(parent.data().value, NodeValue::Document))
}

fn is_raw(node: Node<'_>) -> bool {
    matches!(node.data().value, NodeValue::HtmlInline(_) | NodeValue::HtmlBlock(_))
}

fn raw_html(context: &mut Context<NodeContext<'_>>, node: Node<'_>) -> Written {
    let mut raw = std::mem::take(&mut context.user.raw);
    match &node.data().value {
        NodeValue::HtmlInline(literal) => raw.write_inline(context, literal)?,
        NodeValue::HtmlBlock(block) => raw.write_block(context, &block.literal)?,
        _ => {}
    }
    context.user.raw = raw;
    Ok(ChildRendering::HTML)
}

fn heading(context: &mut Context<NodeContext<'_>>, level: u8, entering: bool) -> Written {
    let level = (level + HEADING_SHIFT).min(6);
    if entering {
        context.cr()?;
        write!(context, "<h{level}>")?;
    } else {
        write!(context, "</h{level}>")?;
        context.lf()?;
    }
    Ok(ChildRendering::HTML)
}

fn code_block(context: &mut Context<NodeContext<'_>>, block: &NodeCodeBlock, entering: bool) -> Written {
    if !entering {
        return Ok(ChildRendering::HTML);
    }
    let language = language(&block.info);
    context.cr()?;
    context.write_str("<figure class=\"code\">")?;
    if !language.is_empty() {
        context.write_str("<figcaption>")?;
        context.escape(&language)?;
        context.write_str("</figcaption>")?;
    }
    context.write_str("<pre tabindex=\"0\"><code")?;
    if is_class_word(&language) {
        write!(context, " class=\"language-{language}\"")?;
    }
    context.write_str(">")?;
    let meter = context.user.meter;
    meter.highlight(|is_up| highlight::write(context, &language, &block.literal, is_up))?;
    context.write_str("</code></pre></figure>")?;
    context.lf()?;
    Ok(ChildRendering::HTML)
}

/// Returns the language of an info string without suffixes of some tools ("rust,ignore", "py{1,3}").
fn language(info: &str) -> String {
    let word = info.split(|c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}' | ':')).next();
    word.unwrap_or_default().chars().take(MAX_LANGUAGE).collect::<String>().to_lowercase()
}

fn is_class_word(language: &str) -> bool {
    !language.is_empty()
        && language
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'#' | b'-' | b'_' | b'.'))
}

/// Writes a link. Images become links, too: the browser must not fetch URLs chosen by an agent (tracking).
fn anchor(
    context: &mut Context<NodeContext<'_>>,
    target: &NodeLink,
    node: Node<'_>,
    image: bool,
    entering: bool,
) -> Written {
    let linked = link::is_allowed(&target.url) && !(image && is_inside_link(node));
    if !entering {
        if linked {
            context.write_str("</a>")?;
        }
        return Ok(ChildRendering::HTML);
    }
    if linked {
        context.write_str("<a href=\"")?;
        context.escape_href(&target.url)?;
        if (1..=MAX_TITLE).contains(&target.title.len()) {
            context.write_str("\" title=\"")?;
            context.escape(&target.title)?;
        }
        context.write_str("\">")?;
    }
    if image && node.first_child().is_none() {
        context.write_str("image")?;
    }
    Ok(if image { ChildRendering::Plain } else { ChildRendering::HTML })
}

fn is_inside_link(node: Node<'_>) -> bool {
    node.ancestors().skip(1).any(|ancestor| matches!(ancestor.data().value, NodeValue::Link(_)))
}

fn table(context: &mut Context<NodeContext<'_>>, node: Node<'_>, entering: bool) -> Written {
    if entering {
        context.cr()?;
        context.write_str("<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"Table\">")?;
        return format_node_default(context, node, true);
    }
    format_node_default(context, node, false)?;
    context.write_str("</div>")?;
    context.lf()?;
    Ok(ChildRendering::HTML)
}

fn table_cell(context: &mut Context<NodeContext<'_>>, node: Node<'_>, entering: bool) -> Written {
    let row = node.parent();
    let header = row.is_some_and(|row| matches!(row.data().value, NodeValue::TableRow(true)));
    let name = if header { "th" } else { "td" };
    if !entering {
        write!(context, "</{name}>")?;
        return Ok(ChildRendering::HTML);
    }
    let column = context.user.column;
    context.user.column += 1;
    context.cr()?;
    write!(context, "<{name}")?;
    if header {
        context.write_str(" scope=\"col\"")?;
    }
    match row.and_then(|row| row.parent()).map_or(TableAlignment::None, |table| alignment(table, column)) {
        TableAlignment::Center => context.write_str(" class=\"align-center\">")?,
        TableAlignment::Right => context.write_str(" class=\"align-right\">")?,
        TableAlignment::Left | TableAlignment::None => context.write_str(">")?,
    }
    Ok(ChildRendering::HTML)
}

fn alignment(table: Node<'_>, column: usize) -> TableAlignment {
    match &table.data().value {
        NodeValue::Table(table) => table.alignments.get(column).copied().unwrap_or(TableAlignment::None),
        _ => TableAlignment::None,
    }
}

fn task(context: &mut Context<NodeContext<'_>>, done: bool, entering: bool) -> Written {
    if !entering {
        context.write_str("</li>")?;
        context.lf()?;
        return Ok(ChildRendering::HTML);
    }
    let (checked, label) = if done { (" checked=\"\"", "Done") } else { ("", "To do") };
    context.cr()?;
    write!(
        context,
        "<li class=\"task\"><input type=\"checkbox\" disabled=\"\"{checked} aria-label=\"{label}\"> "
    )?;
    Ok(ChildRendering::HTML)
}

fn alert(context: &mut Context<NodeContext<'_>>, kind: AlertType, entering: bool) -> Written {
    context.cr()?;
    if entering {
        let title = kind.default_title();
        let class = title.to_lowercase();
        write!(context, "<div class=\"alert alert-{class}\"><p class=\"alert-title\">{title}</p>")?;
    } else {
        context.write_str("</div>")?;
    }
    context.lf()?;
    Ok(ChildRendering::HTML)
}

/// Writes a formula as MathML, or as its source if it is not valid.
fn formula(context: &mut Context<NodeContext<'_>>, source: &str, entering: bool) -> Written {
    if entering {
        match math::to_mathml(source) {
            Some(mathml) => context.write_str(&mathml)?,
            None => context.escape(source)?,
        }
    }
    Ok(ChildRendering::HTML)
}

fn footnote_reference(
    context: &mut Context<NodeContext<'_>>,
    index: u32,
    nth: u32,
    entering: bool,
) -> Written {
    if entering {
        let prefix = id_prefix(context);
        write!(context, "<sup class=\"footnote-ref\"><a href=\"#{prefix}fn-{index}\"")?;
        if nth == 1 {
            write!(context, " id=\"{prefix}fnref-{index}\"")?;
        }
        write!(context, ">{index}</a></sup>")?;
    }
    Ok(ChildRendering::HTML)
}

/// Writes a footnote definition. Definitions come at the end of the document, in order of their references.
fn footnote(context: &mut Context<NodeContext<'_>>, node: Node<'_>, entering: bool) -> Written {
    let prefix = id_prefix(context);
    if entering {
        context.cr()?;
        if context.user.footnotes == 0 {
            context.write_str("<div class=\"footnotes\"><ol>\n")?;
        }
        context.user.footnotes += 1;
        let index = context.user.footnotes;
        write!(context, "<li id=\"{prefix}fn-{index}\">")?;
        return Ok(ChildRendering::HTML);
    }
    let index = context.user.footnotes;
    let back = format!("href=\"#{prefix}fnref-{index}\" aria-label=\"Back to reference {index}\"");
    writeln!(context, "<a class=\"footnote-back\" {back}>↩</a></li>")?;
    if node.next_sibling().is_none() {
        context.write_str("</ol></div>\n")?;
    }
    Ok(ChildRendering::HTML)
}

fn id_prefix(context: &Context<NodeContext<'_>>) -> String {
    match context.user.scope {
        "" => link::ID_PREFIX.to_owned(),
        scope => format!("{}{scope}-", link::ID_PREFIX),
    }
}
