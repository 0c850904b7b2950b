//! Splitter tests: blocks cover the text, are independent of the chunks, and render like the whole text.

use std::time::Duration;

use plexus_markup::{Block, Budget, MAX_OPEN, Splitter};
use proptest::prelude::*;

/// Returns a budget without effective limit; the `cost` tests cover time.
fn enough() -> Budget {
    Budget::trusted(Duration::from_secs(60))
}

fn render(text: &str) -> String {
    enough().render("", text).html
}

fn html(block: &Block, text: &str) -> String {
    block.render("", text, &mut enough()).html
}

/// Pushes `text` in chunks of the given sizes (characters), cyclically.
fn split(text: &str, sizes: &[usize]) -> Vec<Block> {
    let mut splitter = Splitter::new();
    let mut blocks = Vec::new();
    let mut rest = text;
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let end = rest.char_indices().nth(*size).map_or(rest.len(), |(at, _)| at);
        blocks.extend(splitter.push(&rest[..end]));
        rest = &rest[end..];
        assert_eq!(splitter.tail_start(), blocks.last().map_or(0, |block: &Block| block.end));
        assert!(text[splitter.tail_start()..].starts_with(splitter.tail()));
    }
    blocks.extend(splitter.finish());
    blocks
}

fn pieces(text: &str) -> Vec<&str> {
    split(text, &[1]).iter().map(|block| &text[block.start..block.end]).collect()
}

fn joined(text: &str) -> String {
    split(text, &[3]).iter().map(|block| html(block, text)).collect()
}

#[test]
fn blocks_are_closed_where_the_reader_sees_them_end() {
    let text = "# Title\nOne\ntwo\n\nHere is code:\n```rust\nfn a() {}\n\nfn b() {}\n```\n- a\n\n- b\n\n**End** of it\n\n\
                | a |\n|---|\n| 1 |\n\n> quote\nlazy\n\n---\n\nlast";
    assert_eq!(
        pieces(text),
        [
            "# Title\n",
            "One\ntwo\n\n",
            "Here is code:\n",
            "```rust\nfn a() {}\n\nfn b() {}\n```\n",
            "- a\n\n- b\n\n",
            "**End** of it\n\n",
            "| a |\n|---|\n| 1 |\n\n",
            "> quote\nlazy\n\n",
            "---\n\n",
            "last",
        ]
    );
}

#[test]
fn a_list_is_closed_by_the_first_letter_after_it() {
    let mut splitter = Splitter::new();
    assert_eq!(splitter.push("1. one\n2. two\n\n"), []);
    assert_eq!(splitter.push("T").len(), 1);
    assert_eq!(splitter.tail(), "T");
}

#[test]
fn nothing_in_an_open_fence_closes_it() {
    let text = "~~~\n# no\n\n```\n\n- x\n\ny\n~~\n~~~ not\n    ~~~\n~~~~  \nafter\n";
    assert_eq!(pieces(text), ["~~~\n# no\n\n```\n\n- x\n\ny\n~~\n~~~ not\n    ~~~\n~~~~  \n", "after\n"]);
}

#[test]
fn an_endless_block_is_cut_and_goes_on_as_what_it_was() {
    let row = "| 1 | two |\n";
    let table = format!("Title\n| n | m |\n|---|---|\n{}\nend", row.repeat(MAX_OPEN / row.len() * 3));
    let fence = format!("```python\n{}```\nend", "x = 1\n".repeat(MAX_OPEN / 6 * 3));
    let list = format!("{}\nend", "- item\n".repeat(MAX_OPEN / 7 * 3));
    for (text, mark) in [
        (&table, "<td dir=\"auto\">1</td>"),
        (&fence, "class=\"language-python\""),
        (&list, "<li dir=\"auto\">item</li>"),
    ] {
        let blocks = split(text, &[977]);
        assert!(blocks.len() > 3 && blocks.iter().all(|block| block.end - block.start <= MAX_OPEN + 1024));
        let open = &blocks[1..blocks.len() - 1];
        for html in open.iter().map(|block| html(block, text)) {
            assert!(
                html.contains(mark) || html.is_empty() || html.len() < 200,
                "{}",
                &html[..200.min(html.len())]
            );
        }
        assert_eq!(html(blocks.last().unwrap(), text), "<p dir=\"auto\">end</p>\n");
    }
    assert_eq!(joined(&table).matches("<td dir=\"auto\">1</td>").count(), MAX_OPEN / row.len() * 3);
    assert_eq!(joined(&list).matches("<li dir=").count(), MAX_OPEN / 7 * 3);
}

#[test]
fn a_byte_order_mark_is_dropped_at_the_start_only() {
    for text in
        ["\u{feff}# head\n\ntext\n", "a\n\n\u{feff}```\nx = 1\n```\n\n- one\n", "a\n\n\u{feff}\u{feff}# b\n"]
    {
        assert_eq!(joined(text), render(text), "{text:?}");
    }
    assert!(render("\u{feff}# head").contains("<h3 dir=\"auto\">head</h3>"));
}

#[test]
fn a_text_without_lines_or_blocks_is_one_block() {
    assert_eq!(pieces(""), [""; 0]);
    assert_eq!(pieces("\n\n \n"), ["\n\n \n"]);
    assert_eq!(pieces("no line end"), ["no line end"]);
    assert_eq!(render("\n\n \n"), "");
}

/// Generates documents without references between blocks, from lines that interact in all ways Markdown has.
fn document() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "text\n",
        "more *text*\n",
        "**Bold**\n",
        "\n",
        "\n\n",
        "# head\n",
        "#nohead\n",
        "===\n",
        "---\n",
        "***\n",
        "- item\n",
        "* star\n",
        "+ plus\n",
        "1. one\n",
        "2) two\n",
        "  - nested\n",
        "    indented\n",
        "  two\n",
        "\ttab\n",
        "> quote\n",
        "> - in quote\n",
        ">\n",
        "> ```\n",
        "```\n",
        "```rust\n",
        "~~~\n",
        "  ```\n",
        "   ~~~\n",
        "    ```\n",
        "- ```\n",
        "1. ```\n",
        "````\n",
        "| a | b |\n",
        "|---|---|\n",
        "| 1 |\n",
        "<details>\n",
        "</details>\n",
        "<!-- c\n",
        "c -->\n",
        "<pre>\n",
        "</pre>\n",
        "<b>x\n",
        "- [ ] task\n",
        "> [!NOTE]\n",
        "-\n",
        "1.\n",
        "    > deep\n",
        "      code\n",
        "x\\\n",
        "  \n",
        "``` not fence `\n",
        "- # h\n",
        "- - a\n",
        "<?php\n",
        "?>\n",
        "\r\n",
        "text\r\n",
        "```\r\n",
    ]);
    prop::collection::vec(line, 0..24).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(plexus_testing::cases(500))]

    #[test]
    fn blocks_cover_any_text_and_chunks_do_not_matter(
        text in prop_oneof![document(), any::<String>(), "([a#>`~|<*\\-\\r\\n \t]|\\[\\^1\\]:?){0,80}"],
        sizes in prop::collection::vec(1_usize..40, 1..6),
    ) {
        let blocks = split(&text, &sizes);
        let covered: String = blocks.iter().map(|block| &text[block.start..block.end]).collect();
        prop_assert_eq!(&covered, &text);
        prop_assert_eq!(blocks, split(&text, &[1]));
    }

    #[test]
    fn blocks_render_as_the_whole(text in document()) {
        // `details` is the only construct that spans blocks;
        // it is shown open until the whole text is rendered.
        let text = text.replace("details>", "summary>");
        prop_assert_eq!(joined(&text), render(&text));
    }
}
