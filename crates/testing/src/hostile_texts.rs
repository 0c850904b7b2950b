//! Texts that are expensive for scanners and parsers which read them more than once.

/// A kind of text, generated in any size.
pub struct HostileText {
    pub name: String,
    make: Box<dyn Fn(usize) -> String>,
}

impl HostileText {
    fn new(name: impl Into<String>, make: impl Fn(usize) -> String + 'static) -> Self {
        Self { name: name.into(), make: Box::new(make) }
    }

    /// Returns a text of about `size` bytes.
    pub fn of_size(&self, size: usize) -> String {
        (self.make)(size)
    }
}

/// Fragments of which the repetitions are texts.
#[rustfmt::skip]
const UNITS: &[&str] = &[
    " ", "\n", "\r\n", "\r", "\t", "\u{0}", "x", "x ", "word ", "X1", "é", "e\u{301}", "\u{301}", "字", "字 ", "ใ", "한", "مرحبا ",
    "\u{202e}", "\u{200b}", "\u{200d}", "👩\u{200d}🔬", "🇩", "👍🏽", "\u{fe0f}", "\u{1f3f4}\u{e0067}", "ﷺ", "\u{feff}",
    "(", ")", "[", "]", "{", "}", "<", ">", "()", "[](", "{{", "}}", "{{message}}", "${", "${a}", "$", "$$", "$a", "\\", "\\(", "\\[", "\\\"",
    "\"", "'", "`", "``", "```\n", "“", "”", "„", "«", "「", "\"a\" ", "\"a", "'a' b ", "\"\"", "`a` ", "\" \"",
    "*", "**", "*a", "**a", "_", "_a", "~", "~~a", "#", "# a\n", "> ", "- ", "- a\n", "1. ", "|", "|a", "|a|\n", "---\n", "===\n",
    ".", "..", ". ", "a.", "a. ", ",", ", ", "a,", "a,b\n", ";", "a;b\n", ":", "::", "://", "a:", "a: b\n", "/", "//", "/a", "-", "--", "a-",
    "=", "a=", "a=b&", "&", "&amp;", "&#x", "%", "%41", "+", "++", "c++ ", "c# ", ".net ", "@", "@a", "@a/b ", "@a/b@c.d ", "a@", "a@b.c ", "a@b.",
    "http://", "http://a", "http://a ", "http://a.", "http://a)", "http://a(", "http://a/(", "http://a_", "http://a*", "http://a谢", "(http://a", "https://a.b/c?d=e&f#g, ",
    "www.", "www.a", "www.a.b ", "www.a.b(", "mailto:", "a@b.c(", "git+http://a ", "<http://a>", "[a](http://b)",
    "<think>", "</think>", "<think", "</", "<a ", "<!--", "<b></b>", "data: ", "data: {}\n\n", "data:\n", "event: a\n", "\n\n", ":\n",
    "0", "1", "1 ", "1.", "1,", "1e", "-1", "15% of 240, ", "2+", "(1+", "1 km ", "2026-11-28 ", "12:34 ", "* * * * * ",
    "and ", "then ", "count the words in \"a\" and ", "if a then b ", "\u{3002}", "，", "、", "；", "a。", "null,", "[1,", "{\"a\":", "true ",
];

/// Pairs of which a text has many openings, then many closings.
const PAIRS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("<", ">"),
    ("\"", "\""),
    ("“", "”"),
    ("「", "」"),
    ("`", "`"),
    ("*a ", " b*"),
    ("**", "**"),
    ("[a](", ")"),
    ("{\"a\":", "}"),
    ("<think>", "</think>"),
    ("<b>", "</b>"),
    ("\\(", "\\)"),
    ("$$", "$$"),
    ("http://a(", ")"),
    ("\\left(", "\\right)"),
];

/// Returns all kinds of texts.
pub fn hostile_texts() -> Vec<HostileText> {
    let units = UNITS.iter().copied().map(|unit| {
        HostileText::new(format!("{unit:?} again and again"), move |size| unit.repeat(size / unit.len() + 1))
    });
    let pairs = PAIRS.iter().copied().map(|(open, close)| {
        HostileText::new(format!("many {open:?}, then many {close:?}"), move |size| {
            let times = size / (open.len() + close.len()) + 1;
            format!("{}x{}", open.repeat(times), close.repeat(times))
        })
    });
    let behind =
        ["http://a", "a@", "@a/", "\"", "<think>", "# ", "- ", "$", "\\(", "```\n", "data: "].map(|first| {
            HostileText::new(format!("{first:?} before an endless word"), move |size| {
                format!("{first}{}", "x".repeat(size))
            })
        });
    let brackets = ["http://a", "a@b.c", "@a/b"].map(|first| {
        HostileText::new(format!("{first:?} before closing brackets"), move |size| {
            format!("{first}{}", ").".repeat(size / 2))
        })
    });
    let numbered = [
        HostileText::new("distinct words", |size| numbered(size, |n| format!("w{n} "))),
        HostileText::new("distinct lines", |size| numbered(size, |n| format!("{n},a\n"))),
        HostileText::new("backticks of growing length", |size| {
            numbered(size, |n| format!("{}e", "`".repeat(n + 1)))
        }),
        HostileText::new("deeper and deeper lines", |size| {
            numbered(size, |n| format!("{}- a\n", "  ".repeat(n)))
        }),
        HostileText::new("distinct members", |size| {
            format!("{{{}\"z\":1}}", numbered(size, |n| format!("\"k{n}\":{n},")))
        }),
    ];
    units.chain(pairs).chain(behind).chain(brackets).chain(numbered).collect()
}

/// Concatenates numbered pieces to about `size` bytes.
fn numbered(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < size {
        text.push_str(&piece(number));
        number += 1;
    }
    text
}
