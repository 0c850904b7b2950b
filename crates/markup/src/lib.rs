//! Renders untrusted Markdown to safe HTML, whole or block by block; no IO.
//!
//! [`render()`] converts text of an agent, a card or a user to HTML that is safe to embed in a page:
//! GitHub-flavoured Markdown without images and styles. Authors cannot set attributes other than link targets
//! and titles. [`Splitter`] finds the completed blocks of a streaming text, so that each is rendered once.
//!
//! Text that people typed is not Markdown: [`Budget::render_typed`] shows it as it was written.
//!
//! Blocks of text have `dir="auto"`: each takes its direction from its first letter.
//!
//! # Generated HTML
//!
//! | markdown | HTML |
//! |---|---|
//! | heading of level 1 to 6 | `h3` to `h6`: the page owns `h1` and `h2` |
//! | code block | `figure.code`, optional `figcaption` (the language), `pre[tabindex=0] > code.language-*` |
//! | table | `div.table[role=group][tabindex=0]` that scrolls, `.align-center` and `.align-right` on cells |
//! | alert | `div.alert.alert-{note,tip,important,warning,caution}` with `p.alert-title` |
//! | task list | `li.task` with a disabled, labelled checkbox |
//! | footnotes | `sup.footnote-ref`, `div.footnotes > ol > li[id]`, `a.footnote-back` |
//! | image | a link to it, labelled with its alternative text |
//! | text that people typed | `div.typed` with the source text and links |
//! | too large, too deep or too slow to render | `div.plain` with the source text |
//!
//! Highlighted code has `span`s of these classes: `hl-c` comment, `hl-s` string, `hl-k` keyword, `hl-n`
//! number or constant, `hl-f` function, `hl-t` type or tag, `hl-v` variable or attribute, `hl-i` inserted and
//! `hl-d` deleted line of a diff.

mod bare_link;
mod block_splitter;
mod bounds;
mod budget;
mod highlight;
mod last_block;
mod link;
mod link_chars;
mod link_marks;
mod literal_text;
mod math;
mod node_html;
mod plain_as_markdown;
mod raw_html;
mod render;
mod sanitize;
mod typed_text;

pub use block_splitter::{Block, MAX_OPEN, Splitter};
pub use budget::{BUILD_FACTOR, Budget, Cut, Rendered, TEXT_TIME, thread_time};
pub use plain_as_markdown::{fenced, line_as_markdown, missing_fence, typed_as_markdown};
pub use render::{MAX_INPUT, render, render_in};
