//! Bare links in typed text and in Markdown: where they begin and end.
#![expect(clippy::unwrap_used, reason = "a failure of a helper fails the test")]

use std::time::Duration;

use plexus_markup::{Block, Budget, Splitter};

const PATIENCE: Duration = Duration::from_secs(60);

fn typed(text: &str) -> String {
    let html = Budget::trusted(PATIENCE).render_typed(text).html;
    let inside =
        html.strip_prefix("<div class=\"typed\" dir=\"auto\">").and_then(|rest| rest.strip_suffix("</div>"));
    inside.unwrap_or_else(|| panic!("{html}")).to_owned()
}

fn markdown(text: &str) -> String {
    Budget::trusted(PATIENCE).render("", text).html
}

/// Renders Markdown as it is streamed: block by block.
fn streamed(text: &str) -> String {
    let mut splitter = Splitter::new();
    let mut blocks: Vec<Block> = Vec::new();
    for c in text.chars() {
        blocks.extend(splitter.push(c.encode_utf8(&mut [0; 4])));
    }
    blocks.extend(splitter.finish());
    let mut budget = Budget::trusted(PATIENCE);
    blocks.iter().map(|block| block.render("", text, &mut budget).html).collect()
}

/// Returns the links of HTML as target and label.
fn links(html: &str) -> Vec<(String, String)> {
    let decoded = |text: &str| {
        let text =
            text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
        text.replace("&#39;", "'").replace("&#x27;", "'")
    };
    let link = |rest: &str| {
        let (target, rest) = rest.split_once('"').unwrap();
        let label = rest.split_once('>').unwrap().1.split_once("</a>").unwrap().0;
        (decoded(target), decoded(label))
    };
    html.split("<a href=\"").skip(1).map(link).collect()
}

/// Texts with their links. A link is its label, or `target <- label`.
#[rustfmt::skip]
const ENDS: &[(&str, &[&str])] = &[
    // Emphasis of each kind, before punctuation, letters and the end.
    ("**https://a.example/x**。次", &["https://a.example/x"]),
    ("**https://a.example/x**，然后", &["https://a.example/x"]),
    ("**https://a.example/x**然后", &["https://a.example/x"]),
    ("**https://a.example/x**", &["https://a.example/x"]),
    ("**https://a.example/x**.", &["https://a.example/x"]),
    ("**https://a.example/x.**", &["https://a.example/x"]),
    ("见**https://a.example/x**）", &["https://a.example/x"]),
    ("**见 https://a.example/x**。", &["https://a.example/x"]),
    ("*https://a.example/x*。", &["https://a.example/x"]),
    ("*https://a.example/x*然后", &["https://a.example/x"]),
    ("***https://a.example/x***！", &["https://a.example/x"]),
    ("_https://a.example/x_。", &["https://a.example/x"]),
    ("_https://a.example/a_b_c_ ok", &["https://a.example/a_b_c"]),
    ("__https://a.example/x__；", &["https://a.example/x"]),
    ("~~https://a.example/x~~。", &["https://a.example/x"]),
    ("`x` https://a.example/x`y`", &["https://a.example/x"]),
    ("'https://a.example/x' or", &["https://a.example/x"]),
    ("'https://a.example/x'。", &["https://a.example/x"]),
    ("PR 已开:**https://a.example/54**(rebase 到最新,5 个文件)。", &["https://a.example/54"]),
    ("已建好：**https://a.example/2137**（revision 1）。", &["https://a.example/2137"]),
    ("**PR opened: https://a.example/12345**", &["https://a.example/12345"]),
    ("See https://a.example/bar**bold**", &["https://a.example/bar"]),
    ("**http://localhost:3003**", &["http://localhost:3003"]),
    ("句点直後: https://a.example/foo。次の文。読点: https://b.example/qux、続き。", &["https://a.example/foo", "https://b.example/qux"]),
    // Marks that are part of a URL.
    ("https://a.example/a_b_c/_next_/x", &["https://a.example/a_b_c/_next_/x"]),
    ("https://a.example/~user/*.js?q=a*b", &["https://a.example/~user/*.js?q=a*b"]),
    ("https://en.example/wiki/Foo_(bar)_baz", &["https://en.example/wiki/Foo_(bar)_baz"]),
    ("https://zh.example/wiki/A_中文_(消歧义)", &["https://zh.example/wiki/A_中文_(消歧义)"]),
    // Quotation marks and brackets.
    ("“https://a.example/x”", &["https://a.example/x"]),
    ("„https://a.example/x“", &["https://a.example/x"]),
    ("‘https://a.example/x’", &["https://a.example/x"]),
    ("«https://a.example/x»", &["https://a.example/x"]),
    ("‹https://a.example/x›", &["https://a.example/x"]),
    ("\"https://a.example/x\"", &["https://a.example/x"]),
    ("「https://a.example/x」", &["https://a.example/x"]),
    ("『https://a.example/x』", &["https://a.example/x"]),
    ("（https://a.example/x）", &["https://a.example/x"]),
    ("《https://a.example/x》", &["https://a.example/x"]),
    ("【https://a.example/x】", &["https://a.example/x"]),
    ("〈https://a.example/x〉", &["https://a.example/x"]),
    ("［https://a.example/x］", &["https://a.example/x"]),
    ("(https://a.example/x)", &["https://a.example/x"]),
    ("(https://a.example/x).", &["https://a.example/x"]),
    ("(https://a.example/x)and", &["https://a.example/x"]),
    ("(see https://a.example/x_(y))", &["https://a.example/x_(y)"]),
    ("{https://a.example/x}", &["https://a.example/x"]),
    ("https://a.example/x(see below", &["https://a.example/x"]),
    ("https://a.example/x[1]", &["https://a.example/x[1]"]),
    // Stops of scripts.
    ("https://a.example/x。", &["https://a.example/x"]),
    ("https://a.example/x、y", &["https://a.example/x"]),
    ("https://a.example/x；y", &["https://a.example/x"]),
    ("https://a.example/x：y", &["https://a.example/x"]),
    ("https://a.example/x！", &["https://a.example/x"]),
    ("https://a.example/x？", &["https://a.example/x"]),
    ("https://a.example/x，y", &["https://a.example/x"]),
    ("https://a.example/x، ثم", &["https://a.example/x"]),
    ("https://a.example/x؛", &["https://a.example/x"]),
    ("https://a.example/x؟", &["https://a.example/x"]),
    ("https://a.example/x।", &["https://a.example/x"]),
    ("https://a.example/x॥", &["https://a.example/x"]),
    ("https://a.example/x…", &["https://a.example/x"]),
    ("https://a.example/x...", &["https://a.example/x"]),
    ("https://a.example/x?!", &["https://a.example/x"]),
    ("https://a.example/x — y", &["https://a.example/x"]),
    ("https://a.example/x—", &["https://a.example/x"]),
    ("https://a.example。", &["https://a.example"]),
    ("https://a.example谢谢", &["https://a.example"]),
    ("https://a.example/x\u{200b}y", &["https://a.example/x"]),
    // Emoji and other symbols.
    ("https://a.example/x🎉", &["https://a.example/x"]),
    ("https://a.example/x👍🏽!", &["https://a.example/x"]),
    ("https://a.example/x 🎉", &["https://a.example/x"]),
    ("https://a.example/x👩\u{200d}🔬", &["https://a.example/x"]),
    ("https://a.example/x🇩🇪", &["https://a.example/x"]),
    ("https://a.example/x❤\u{fe0f}", &["https://a.example/x"]),
    ("https://a.example/x→", &["https://a.example/x"]),
    ("https://a.example/🎉/x", &["https://a.example/🎉/x"]),
    // Parts of URLs.
    ("https://a.example:8080/x?a=1&b=2#c.", &["https://a.example:8080/x?a=1&b=2#c"]),
    ("http://127.0.0.1:3000, http://[::1]:3000/", &["http://127.0.0.1:3000", "http://[::1]:3000/"]),
    ("https://a.example/%E8%B7%AF?q=%20", &["https://a.example/%E8%B7%AF?q=%20"]),
    ("https://münchen.example/straße,", &["https://münchen.example/straße"]),
    ("https://例え.テスト/パス。", &["https://例え.テスト/パス"]),
    ("HTTPS://A.EXAMPLE/X", &["HTTPS://A.EXAMPLE/X"]),
    ("https://user@a.example/x", &["https://user@a.example/x"]),
    ("https://a.example/$x$y, costs $5", &["https://a.example/$x$y"]),
    ("https://a.example/x&gt;", &["https://a.example/x"]),
    ("https://a.example/x&quot;", &["https://a.example/x"]),
    ("https://a.example/a,https://b.example/b", &["https://a.example/a", "https://b.example/b"]),
    ("https://a.example/a https://b.example/b", &["https://a.example/a", "https://b.example/b"]),
    ("https://a.example/a(https://b.example/b)", &["https://a.example/a", "https://b.example/b"]),
    ("https://web.example/2020/https://a.example/", &["https://web.example/2020/https://a.example/"]),
    // Names and mail addresses.
    ("www.a.example/x.", &["http://www.a.example/x <- www.a.example/x"]),
    ("**www.a.example**。", &["http://www.a.example <- www.a.example"]),
    ("（www.a.example）", &["http://www.a.example <- www.a.example"]),
    ("_www.a.example_", &["http://www.a.example <- www.a.example"]),
    ("a.b+c@d.example.", &["mailto:a.b+c@d.example <- a.b+c@d.example"]),
    ("**a@b.example**。", &["mailto:a@b.example <- a@b.example"]),
    ("写信到a@b.example谢谢", &["mailto:a@b.example <- a@b.example"]),
    ("mailto:a@b.example", &["mailto:a@b.example"]),
    ("(a@b.example)", &["mailto:a@b.example <- a@b.example"]),
    ("_a@b.example_", &["mailto:a@b.example <- a@b.example"]),
    // No links.
    ("javascript://x http:// xhttp://a :// ftp://a.example", &[]),
    ("http://. http://- https://， https://*", &[]),
    ("www. www.a wwww.a.example x/www.a.example", &[]),
    ("@ada/mirror@hub.example @ada@hub.example a@b a@b. a@@b.example a@1.2", &[]),
];

#[test]
fn links_end_where_the_sentence_goes_on() {
    for (text, expected) in ENDS {
        let expected: Vec<(String, String)> = expected
            .iter()
            .map(|link| link.split_once(" <- ").unwrap_or((link, link)))
            .map(|(target, label)| (target.to_owned(), label.to_owned()))
            .collect();
        let percent_encoded = |html: &str| -> Vec<(String, String)> {
            links(html).into_iter().map(|(target, label)| (percent_decoded(&target), label)).collect()
        };
        let expected: Vec<_> =
            expected.into_iter().map(|(target, label)| (percent_decoded(&target), label)).collect();
        assert_eq!(percent_encoded(&typed(text)), expected, "typed: {text}\n{}", typed(text));
        assert_eq!(percent_encoded(&markdown(text)), expected, "Markdown: {text}\n{}", markdown(text));
        assert_eq!(percent_encoded(&streamed(text)), expected, "streamed: {text}\n{}", streamed(text));
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn emphasis_around_a_link_is_kept_in_markdown() {
    let link = |url: &str| format!("<a href=\"{url}\" rel=\"nofollow noopener noreferrer ugc\">{url}</a>");
    let url = link("https://a.example/x");
    for (text, html) in [
        ("**https://a.example/x**。次", format!("<strong>{url}</strong>。次")),
        ("请看**https://a.example/x**，谢谢", format!("请看<strong>{url}</strong>，谢谢")),
        ("see**https://a.example/x**now", format!("see<strong>{url}</strong>now")),
        ("*https://a.example/x*、", format!("<em>{url}</em>、")),
        ("_https://a.example/x_。", format!("<em>{url}</em>。")),
        ("~~https://a.example/x~~！", format!("<del>{url}</del>！")),
        (
            "**[x](https://a.example/x)**。",
            format!("<strong>{}</strong>。", url.replace(">https://a.example/x<", ">x<")),
        ),
        ("3~5 https://a.example/x 7~8", format!("3~5 {url} 7~8")),
    ] {
        assert_eq!(markdown(text), format!("<p dir=\"auto\">{html}</p>\n"), "{text}");
        assert_eq!(streamed(text), format!("<p dir=\"auto\">{html}</p>\n"), "{text}");
    }
}

#[test]
fn links_of_markdown_stay_what_they_are() {
    for (text, expected) in [
        ("[label](https://a.example/x)", vec![("https://a.example/x", "label")]),
        ("[https://a.example](https://b.example/y)", vec![("https://b.example/y", "https://a.example")]),
        (
            "[see https://a.example now](https://b.example \"https://c.example\")",
            vec![("https://b.example", "see https://a.example now")],
        ),
        ("[a](<https://a.example/x y>)", vec![("https://a.example/x%20y", "a")]),
        ("<https://a.example/x>", vec![("https://a.example/x", "https://a.example/x")]),
        ("<a@b.example>", vec![("mailto:a@b.example", "a@b.example")]),
        ("[a]\n\n[a]: https://a.example/x", vec![("https://a.example/x", "a")]),
        ("[https://a.example]\n\n[https://a.example]: /y", vec![("/y", "https://a.example")]),
        ("![alt](https://a.example/c.png)", vec![("https://a.example/c.png", "alt")]),
        ("https://a.example/a\\_b\\_c", vec![("https://a.example/a_b_c", "https://a.example/a_b_c")]),
        (
            "https://a.example/?a=1&amp;b=2",
            vec![("https://a.example/?a=1&b=2", "https://a.example/?a=1&b=2")],
        ),
        ("a\\_b@c.example", vec![("mailto:a_b@c.example", "a_b@c.example")]),
        ("| https://a.example/x|y |\n|--|--|\n", vec![("https://a.example/x", "https://a.example/x")]),
        (
            "- https://a.example/x\n- **https://b.example**\n",
            vec![("https://a.example/x", "https://a.example/x"), ("https://b.example", "https://b.example")],
        ),
        ("# https://a.example/x", vec![("https://a.example/x", "https://a.example/x")]),
        ("`https://a.example/x` ``a@b.example``", vec![]),
        ("```\nhttps://a.example/x www.a.example\n```", vec![]),
        ("    https://a.example/x\n", vec![]),
        ("<span title=\"https://a.example/x\">", vec![]),
        ("\\(x^2\\) https://a.example/$a$b", vec![("https://a.example/$a$b", "https://a.example/$a$b")]),
    ] {
        let expected: Vec<(String, String)> =
            expected.into_iter().map(|(target, label)| (target.to_owned(), label.to_owned())).collect();
        assert_eq!(links(&markdown(text)), expected, "{text}\n{}", markdown(text));
    }
    assert!(markdown("`https://a.example/x`").contains("<code>https://a.example/x</code>"));
    assert!(
        markdown("```https://a.example\nwww.a.example x@y.example\n```")
            .contains("www.a.example x@y.example")
    );
    assert!(markdown("$\\href{https://a.example/x}{y}$").contains("$\\href{https://a.example/x}{y}$"));
    assert!(
        markdown("a\u{fdd0}0\u{fdd1}b https://a.example").contains("https://a.example"),
        "no mark is forged"
    );
}

#[test]
fn typed_text_is_shown_as_it_was_written() {
    for text in [
        "2*3*4*5",
        "# x",
        "1) 2+2",
        "__init__",
        "C:\\_new\\*t",
        "---",
        "a\n\n\n  b",
        "大约3~5天，价格100~200元",
        "$a*b*c$ \\(\\theta\\) ${HOME} $${x}",
        "مرحبا *بك*",
        "नमस्ते _दुनिया_",
        "~~x~~",
        "`x`",
    ] {
        assert_eq!(typed(text), text);
    }
    assert_eq!(typed("&lt; <b> \""), "&amp;lt; &lt;b&gt; &quot;");
    for (text, _) in ENDS {
        let html = typed(text);
        let mut shown = String::new();
        let mut is_tag = false;
        for c in html.chars() {
            match c {
                '<' => is_tag = true,
                '>' if is_tag => is_tag = false,
                c if !is_tag => shown.push(c),
                _ => {}
            }
        }
        let shown =
            shown.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
        assert_eq!(shown.replace("&amp;", "&"), *text);
    }
}
