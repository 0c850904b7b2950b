//! Rendering tests: snapshots per node type, and safety properties of the output for hostile input.

use std::time::Duration;

use plexus_markup::{Budget, MAX_INPUT};
use proptest::prelude::*;

/// Renders without an effective time limit; the `cost` tests cover time.
fn render(text: &str) -> String {
    render_in("", text)
}

fn render_in(scope: &str, text: &str) -> String {
    Budget::trusted(Duration::from_secs(60)).render(scope, text).html
}

#[test]
fn inline_text() {
    insta::assert_snapshot!(render(
        "**Bold**, *em*, ~~gone~~, `a < b`, www.example.com, <https://a.example/?q=1&r=2>\nnext line"
    ));
}

#[test]
fn a_single_tilde_is_text() {
    for text in [
        "大约3~5天，价格100~200元",
        "3~5日、100~200円",
        "3~5일, 100~200원",
        "H~2~O",
        "A~B~C",
        "Mon~Fri 9~17",
        "от 3~5 до 7~9",
        "٣~٥ و ٧~٩",
        "3~5 דקות 7~8",
        "३~५ दिन ७~९",
        "3~5 ngày 7~9",
        "3~5 min, costs $5~$10",
    ] {
        assert_eq!(render(text), format!("<p dir=\"auto\">{text}</p>\n"));
    }
    assert!(render("3~5 ~~gone~~ 7~8").contains("3~5 <del>gone</del> 7~8"));
    assert!(render("![3~5 a~b](https://a.example)").contains("3~5 a~b"));
}

#[test]
fn formulas_are_mathml() {
    for (text, part) in [
        (r"\(\theta\)", "<math><mi>θ</mi></math>"),
        (r"$a*b*c$", "rspace=\"0.2222em\">∗</mo><mi>b</mi>"),
        (r"$x^*$ and $y^*$", "</math> and <math>"),
        (r"$$\{x_i\}_{i=1}^n \\ y$$", "<math display=\"block\">"),
        (r"\[a_1 * b_2 * c_3\]", "<msub><mi>a</mi><mn>1</mn></msub>"),
        (r"其中\(a_i*b_j*c\)成立", "其中<math>"),
        (r"если $x_1*y_1*z$ то", "</math> то"),
        (r"\(x < y\)", "<mo>&lt;</mo>"),
        (r"$\$5*2*3$", "<mn>5</mn>"),
        ("GitHub's $`\\sqrt{2}`$", "<msqrt><mn>2</mn></msqrt>"),
        ("> $$\n> a*b*c\n> $$", "<blockquote>\n<p dir=\"auto\"><math display=\"block\">"),
        ("\\[\n- a_1 \\\\\n+ b\n= c\n\\]", "<p dir=\"auto\"><math display=\"block\">"),
        ("| $a_1$ | $b*c*d$ |\n|--|--|\n| $5 | 6$ |", "<td dir=\"auto\">$5</td>"),
        (r"\begin{aligned}", "begin{aligned}"),
        (
            "$$\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}$$",
            "<mtd class=\"align-right\"><mi>a</mi></mtd>",
        ),
        (r"\(P(A|B)\)", "<mi>B</mi>"),
    ] {
        assert!(render(text).contains(part), "{text}: {}", render(text));
    }
}

#[test]
fn what_is_no_formula_stays_as_written() {
    for text in [
        r"prices: $5 and $10",
        r"costs $5~$10",
        r"$\unknown*b*c$",
        r"\(a*b* {\)",
        r"$x & y$",
        r"$\href{https://evil.example}{x}$",
    ] {
        let written = text.replace('&', "&amp;");
        assert_eq!(render(text), format!("<p dir=\"auto\">{written}</p>\n"));
    }
    assert!(render("| $a|b*c*$ |\n|--|--|\n").contains("$a"));
    for code in ["`\\(a*b\\)`", "`$a_b$`", "```\n\\(a*b\\)\n```", "    $a*b$\n"] {
        let html = render(code);
        assert!(!html.contains("\\\\") && !html.contains("\\*") && !html.contains("<math"), "{html}");
    }
    assert!(render("*a* $5 and *b* 6$").contains("<em>a</em>"));
    assert!(!render(r"\(\text{<img src=x onerror=alert(1)>}\)").contains("<img"));
}

#[test]
fn a_bare_url_ends_before_cjk_punctuation() {
    for (text, url, after) in [
        ("见 https://a.example/x，然后", "https://a.example/x", "，然后"),
        ("https://a.example/x。次", "https://a.example/x", "。次"),
        ("（https://a.example/x）", "https://a.example/x", "）"),
    ] {
        let html = render(text);
        assert!(html.contains(&format!("href=\"{url}\"")), "{html}");
        assert!(html.contains(&format!(">{url}</a>{after}")), "{html}");
    }
}

#[test]
fn emphasis_stands_next_to_letters_without_spaces() {
    for (text, html) in [
        ("这是**重要**的", "<strong>重要</strong>"),
        ("これは**「重要」**です", "<strong>「重要」</strong>"),
        ("이것은 **중요**합니다", "<strong>중요</strong>"),
        ("هذا **مهم** جدا", "<strong>مهم</strong>"),
    ] {
        assert!(render(text).contains(html), "{text}");
    }
}

#[test]
fn every_block_has_its_own_direction() {
    let html = render("# عنوان\n\nفقرة\n\n- بند\n\n> قول\n\n| a | ب |\n|--|--|\n| 1 | ج |\n");
    for tag in ["h3", "p", "li", "th", "td"] {
        assert!(html.contains(&format!("<{tag} ")), "{tag}: {html}");
        assert!(!html.contains(&format!("<{tag}>")), "{tag}: {html}");
        assert!(html.split(&format!("<{tag} ")).skip(1).all(|rest| {
            rest.split('>').next().is_some_and(|attributes| attributes.contains("dir=\"auto\""))
        }));
    }
}

#[test]
fn headings_leave_two_levels_to_the_page() {
    insta::assert_snapshot!(render("# One\n\n## Two\n\nThree\n=====\n\n###### Six"));
}

#[test]
fn code_with_and_without_a_language() {
    insta::assert_snapshot!(render(
        "```rust,ignore\nlet x = \"<b>\";\n```\n\n```\nplain\n```\n\n    indented\n\n```a\"><script>\nx\n```"
    ));
}

#[test]
fn tables_lists_tasks_alerts_and_footnotes() {
    insta::assert_snapshot!(render(
        "| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | 3 |\n| <b>x</b> |\n\n3. three\n4. four\n   - [x] done\n   - [ ] open\n\n\
         > [!WARNING]\n> Careful.\n\n> Quote\n\nSee[^n] and again[^n].\n\n[^n]: The note.\n"
    ));
}

#[test]
fn an_image_is_a_link_to_it() {
    insta::assert_snapshot!(render(
        "![a *cat*](https://a.example/c.png \"t\") ![](https://a.example/d.png) [![badge](https://b.example/x.svg)](https://b.example) ![x](data:image/png;base64,AA)"
    ));
}

#[test]
fn raw_html_is_a_few_bare_tags_and_else_text() {
    insta::assert_snapshot!(render(
        "H<sub>2</sub>O<br/>a <b>b *c</b> d* <i>open\n\nVec<String> <img src=x onerror=alert(1)> <a href=x>y</a> <!-- no -->\n\n\
         <details>\n<summary>More</summary>\n\ninside\n\n</details>\n\n<script>alert(1)</script>\n\n<!-- gone -->\n"
    ));
}

#[test]
fn footnotes_of_two_texts_on_one_page_do_not_share_ids() {
    let html = render_in("m1", "a[^1]\n\n[^1]: b");
    assert!(html.contains("href=\"#user-content-m1-fn-1\"") && html.contains("id=\"user-content-m1-fn-1\""));
}

#[test]
fn links_go_to_the_web_mail_and_own_pages_only() {
    for bad in [
        "[x](javascript:alert(1))",
        "[x](JAVASCRIPT&colon;alert(1))",
        "[x](java&#10;script:alert(1))",
        "[x](data:text/html,hi)",
        "[x](vbscript:x)",
        "<javascript:alert(1)>",
        "[x](//evil.example)",
        "![x](javascript:alert(1))",
        "[x][r]\n\n[r]: javascript:alert(1)",
    ] {
        assert!(!render(bad).contains("<a "), "{bad}: {}", render(bad));
    }
    let own = render("[calc](/@plexus/calc) <a@b.example>");
    assert!(own.contains("<a href=\"/@plexus/calc\" rel=\"nofollow noopener noreferrer ugc\">"), "{own}");
    assert!(own.contains("href=\"mailto:a@b.example\""), "{own}");
}

#[test]
fn what_is_too_much_is_shown_as_it_is() {
    let deep = format!("{}x", "> ".repeat(500));
    assert!(render(&deep).starts_with("<div class=\"plain\" dir=\"auto\">&gt; &gt;"));
    let emphasis = format!("{}x{}", "*a **b ".repeat(300), "** *".repeat(300));
    assert!(!render(&emphasis).is_empty());
    let wide = format!("|{}\n|{}\n{}", "a|".repeat(400), "-|".repeat(400), "|x|\n".repeat(400));
    assert!(render(&wide).starts_with("<div class=\"plain\" dir=\"auto\">"));
    let long = "a <b\n\n".repeat(MAX_INPUT / 6 + 1);
    assert!(render(&long).starts_with("<div class=\"plain\" dir=\"auto\">a &lt;b"));
}

#[test]
fn long_text_is_rendered_block_by_block() {
    let rows: String = (0..20_000).map(|n| format!("| {n} | {} |\n", n * n)).collect();
    let html = render(&format!("| n | square |\n|---|---|\n{rows}\nend of **table**\n"));
    assert!(html.contains("<td dir=\"auto\">19999</td>") && html.contains("<strong>table</strong>"));
    assert!(!html.contains("class=\"plain\""));
    let code = format!("```\n{}```\n\n# After\n", "line <x>\n".repeat(40_000));
    let html = render(&code);
    assert_eq!(html.matches("line &lt;x&gt;").count(), 40_000);
    assert!(html.contains("<h3 dir=\"auto\">After</h3>") && !html.contains("```"));
}

#[test]
fn no_text_needs_a_deep_stack() {
    let texts = [
        format!("- a\n{}", "\n".repeat(200_000)),
        "> ".repeat(50_000),
        "- ".repeat(50_000),
        "[".repeat(50_000),
        "*a **b ".repeat(10_000),
        "<b>".repeat(20_000),
        "<details>\n\n".repeat(5_000),
        "```\n".repeat(20_000),
        format!("```js\n{}", "(".repeat(1_900)),
    ];
    let render_all = move || texts.iter().map(|text| render(text).len()).sum::<usize>();
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(render_all).unwrap();
    assert!(thread.join().unwrap() > 0);
}

/// Generates hostile text from fragments of known attacks.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "<script>",
            "</script>",
            "<img src=x onerror=alert(1)>",
            "<svg/onload=alert(1)>",
            "<b>",
            "</b>",
            "<details>",
            "</details>",
            "<!--",
            "-->",
            "<![CDATA[",
            "]]>",
            "<style>",
            "<math><mtext>",
            "<a href=\"javascript:x\">",
            "javascript:alert(1)",
            "](javascript:x)",
            "[a](",
            "![",
            "]",
            "\"",
            "'",
            "`",
            "```",
            "```html\n",
            "~~~",
            "\n",
            "\n\n",
            "    ",
            "> ",
            "- ",
            "1. ",
            "| a | b |\n|---|---|\n",
            "|",
            "*",
            "**",
            "_",
            "~~",
            "<",
            ">",
            "&lt;",
            "&#x3c;script&#x3e;",
            "&",
            "[^1]",
            "\n[^1]: ",
            "[!NOTE]\n",
            "# ",
            "---\n",
            "===\n",
            "\\",
            "\u{0}",
            "\u{202e}",
            "\t",
            "\r",
            "onclick=x",
            "<code class=x onmouseover=y>",
            "http://a.b",
            "www.a.b",
            "a@b.c",
            "<br/>",
            "<textarea>",
            "$",
            "$$",
            "\\(",
            "\\)",
            "\\text{",
            "\\href{javascript:x}{",
            "}",
            "^",
            "&",
            "<title>",
            "<noscript>",
            "<plaintext>",
            "<table><tr><td>",
            "<p title='",
            "' onx='",
            "x",
            "é",
            "字",
        ])
        .prop_map(str::to_owned),
        ".{0,6}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Returns the tags of serialized HTML, in which `<` and quotes inside values are escaped.
fn tags(html: &str) -> impl Iterator<Item = &str> {
    html.split('<').skip(1).map(|rest| rest.split('>').next().unwrap_or(rest))
}

/// Returns the attributes of a tag as (name, value).
fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = tag.split('"').collect();
    parts
        .chunks_exact(2)
        .map(|pair| (pair[0].rsplit(' ').next().unwrap_or_default().trim_end_matches('='), pair[1]))
        .collect()
}

fn assert_safe(html: &str) {
    const NAMES: [&str; 16] = [
        "href",
        "title",
        "id",
        "class",
        "aria-label",
        "rel",
        "role",
        "dir",
        "tabindex",
        "type",
        "checked",
        "disabled",
        "start",
        "scope",
        "lang",
        "colspan",
    ];
    const FORMULA_NAMES: [&str; 20] = [
        "accent",
        "accentunder",
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
    for tag in tags(html) {
        let name: String =
            tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        assert!(
            !["script", "style", "img", "svg", "iframe", "annotation", "object", "form", "textarea"]
                .contains(&name.as_str())
                && !name.is_empty(),
            "<{tag}> in {html}"
        );
        for (attribute, value) in attributes(tag) {
            let is_measure = |c: char| c.is_ascii_alphanumeric() || ".%+- ".contains(c);
            let is_of_formula = name.starts_with('m') && value.chars().all(is_measure);
            let is_known =
                NAMES.contains(&attribute) || (is_of_formula && FORMULA_NAMES.contains(&attribute));
            assert!(is_known, "{attribute} in {html}");
            assert!(attribute != "id" || value.starts_with("user-content-"), "{html}");
            if attribute == "href" {
                let scheme = value.to_ascii_lowercase();
                let starts = ["http://", "https://", "mailto:", "/", "#user-content-"];
                assert!(starts.iter().any(|start| scheme.starts_with(start)), "{value} in {html}");
            }
        }
    }
}

proptest! {
    #![proptest_config(plexus_testing::cases(400))]

    #[test]
    fn nothing_hostile_comes_out(text in hostile()) {
        assert_safe(&render(&text));
    }

    #[test]
    fn any_text_is_rendered(text in any::<String>()) {
        assert_safe(&render(&text));
    }
}
