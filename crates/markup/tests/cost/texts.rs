//! Worst-case candidates for the parser, grouped by kind.

/// Fragments whose repetitions and mixtures form test texts.
#[rustfmt::skip]
pub const PIECES: &[&str] = &[
    ">", "> ", "- ", "* ", "1. ", "> - ", "- > ", "[", "![", "[^", "*a_ ", "*a **b ", "_", "*", "**a", "`", "` ", "<", "<a ", "<!--",
    "<?", "<!A", "<![CDATA[", "</", "<b>", "<b></b>", "](", "[a](", "[a](<b", "[a][", "[a]", "[a][b]", "&", "&amp;", "&#x", "\\",
    "www.a ", "http://", "http://a(", "a@", "a@b.c ", "a.b@", "mailto:", "~", "~~a", "|", "|a", "a|b\n", "|-", "#", "# a\n", "===\n",
    "a\n===\n", "a\n", "a\n\n", "\n", "[a]: b\n", "[a]: b\n\n", "[^a]: b\n\n", "[^a]", "[^1]:", "[ ] ", "- [ ] a\n", "```\n", "~~~\n",
    "    a\n", "\ta\n", "\t", "x", "é", "字", "**字", "\u{a7}", "\u{0}", "\r", "a\r", "> [!NOTE]\n", "> a\n", "> a\n\n", "- a\n",
    "- a\n\n", "1. a\n", "<details>\n\n", "<summary>", "a*", "*a*", "**a** ", "\"", "'", "(", "[a](b \"", "<a href=\"", "<http://",
    "a  \n", "a\\\n", "-\n", "- \n", "+ a\n  ", "__a", "_a_", "***a** b* ", "x**x", "[a](((((", "[![a](b)](c)", "<x-y z=", "]]>",
    "*_", "~*", "~~~a~~~ ", "~www.a", "`` ` ", "`a` ", "a`b", "[x\\]", "<b>\n\n", "<div>\n\n", "|a|\n|-|\n|b|\n\n", "|a|b|\n|-|\n",
];

/// A kind of test text, generated in any size.
pub struct Text {
    pub name: String,
    pub make: Box<dyn Fn(usize) -> String>,
}

/// Repeats `unit` up to at least `size` bytes.
pub fn fill(unit: &str, size: usize) -> String {
    unit.repeat(size / unit.len().max(1) + 1)
}

/// Returns all kinds of test texts.
pub fn texts() -> Vec<Text> {
    let piece = |piece: &'static str| text(format!("{piece:?}"), move |size| fill(piece, size));
    let mut texts: Vec<Text> = PIECES.iter().copied().map(piece).collect();
    texts.extend(inline());
    texts.extend(blocks());
    texts.extend(definitions());
    texts.extend(code());
    texts
}

fn text(name: impl Into<String>, make: impl Fn(usize) -> String + 'static) -> Text {
    Text { name: name.into(), make: Box::new(make) }
}

/// Concatenates numbered fragments up to at least `size` bytes.
fn numbered(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    (0..)
        .take_while(|number| {
            text.push_str(&piece(*number));
            text.len() < size
        })
        .for_each(drop);
    text
}

fn pairs(open: &'static str, close: &'static str) -> Text {
    text(format!("{open} … {close}"), move |size| {
        let times = size / (open.len() + close.len());
        format!("{}{}", open.repeat(times), close.repeat(times))
    })
}

fn inline() -> Vec<Text> {
    vec![
        pairs("*x ", ".**"),
        pairs(" _x", "x* "),
        pairs("*a **a ", " a** a*"),
        pairs("[", "]"),
        pairs("[^", "]"),
        pairs("![", "](a)"),
        pairs("[a", "](b)"),
        text("backticks of growing length", |size| numbered(size, |n| format!("{}e", "`".repeat(n + 1)))),
        text("pictures in pictures", |size| {
            fill(&format!("{}{} ", "![".repeat(90), "](a)".repeat(90)), size)
        }),
        text("an endless tag", |size| format!("<a {}>", fill("b=c ", size))),
        text("an endless address", |size| format!("http://{}", fill("a.", size))),
        text("an address with brackets", |size| format!("http://a{}", fill(")", size))),
        text("an address with entities", |size| format!("http://a{}", fill("&amp;", size))),
        text("a link with entities", |size| format!("[a](http://a?{} \"b\")", fill("&", size))),
        text("a link with a long title", |size| format!("[a](http://a \"{}\")", fill("&", size))),
        text("an endless mail address", |size| format!("{}@a.b", fill("a.", size))),
    ]
}

fn blocks() -> Vec<Text> {
    let table = |columns: usize, rows: usize| {
        format!("|{}\n|{}\n{}", "x|".repeat(columns), "-|".repeat(columns), "a\n".repeat(rows))
    };
    vec![
        text("a table with many columns", move |size| table(size / 8, size / 4)),
        text("a square table", move |size| table(size.isqrt(), size / 2 - 2 * size.isqrt())),
        text("a table with many rows", |size| format!("|a|b|\n|-|-|\n{}", fill("|x|y|\n", size))),
        text("a table behind a paragraph", |size| format!("{}|a|\n|-|\n", fill("b\n", size))),
        text("a list in a list", |size| numbered(size, |n| format!("{}- a\n", "  ".repeat(n)))),
        text("a deep list with empty lines", |size| {
            numbered(size / 2, |n| format!("{}- a\n", "  ".repeat(n))) + &"\n".repeat(size / 2)
        }),
        text("a list of one line with empty lines", |size| {
            format!("{}a\n{}", "- ".repeat(99), "\n".repeat(size))
        }),
        text("a deep quote that goes on", |size| format!("{}a\n{}", "> ".repeat(90), fill("b\n", size))),
        text("a deep quote again", |size| fill(&format!("{}a\n\n", ">".repeat(90)), size)),
        text("a deep quote of many lines", |size| fill(&format!("{}a\n", ">".repeat(90)), size)),
        text("tags in tags", |size| format!("<pre>{}", fill("<b>\n", size))),
    ]
}

fn definitions() -> Vec<Text> {
    vec![
        text("link definitions and links", |size| {
            numbered(size / 2, |n| format!("[a{n}]: b\n"))
                + "\n"
                + &numbered(size / 2, |n| format!("[a{n}] "))
        }),
        text("links by a long name", |size| {
            let name = "a".repeat(900);
            format!("[{name}]: b\n\n{}", fill(&format!("[{name}] "), size))
        }),
        text("links to a long address", |size| {
            format!("[a]: /{}\n\n{}", "b".repeat(size / 2), fill("[a] ", size / 2))
        }),
        text("footnotes", |size| {
            numbered(size / 2, |n| format!("[^a{n}] "))
                + "\n"
                + &numbered(size / 2, |n| format!("\n[^a{n}]: b\n"))
        }),
        text("footnotes without references", |size| numbered(size, |n| format!("[^a{n}]: b\n\n"))),
        text("references to one footnote", |size| format!("{}\n\n[^a]: b\n", fill("[^a] ", size))),
    ]
}

fn code() -> Vec<Text> {
    let block = |language: &'static str, unit: &'static str, line: usize| {
        text(format!("{language} {unit:?} in lines of {line}"), move |size| {
            let line = fill(unit, line);
            format!(
                "```{language}\n{}```\n",
                fill(&format!("{}\n", &line[..line.floor_char_boundary(line.len() - 1)]), size)
            )
        })
    };
    vec![
        block("", "<&\">x", 6),
        block("r", "a$b([", 1_900),
        block("r", "a$b([", 6),
        block("cpp", "a<b<c(", 1_900),
        block("cpp", "a<b<c(", 60),
        block("rust", "let mut x: Vec<u8> = vec![1, 2, 3]; // note", 80),
        block("python", "x = [a for a in range(9) if a % 2 == 0] ", 80),
        text("code that does not end", |size| format!("{}\n{}", fill("`", size / 2), fill("`a\n", size / 2))),
    ]
}
