//! Worst-case cost tests, measured in CPU time of the thread, so that other load does not count.

mod texts;

use std::time::Duration;

use plexus_markup::{BUILD_FACTOR, Budget, Cut, Splitter, render};
use plexus_testing::cost::{self, Cost, assert_linear, assert_linear_within};
use proptest::prelude::*;
use texts::{PIECES, Text, fill, texts};

/// Size of the largest block that is rendered as one.
const LARGEST: usize = 192 * 1024;
/// Size of the largest message.
const MESSAGE: usize = 1024 * 1024;
/// Maximum time for any text: its time limit plus the last step, which cannot be interrupted.
const CAP: Duration = Duration::from_millis(200).saturating_mul(BUILD_FACTOR);
/// Smallest of three sizes, each twice the previous one.
const SMALL: usize = 4 * 1024;
/// Maximum growth of the cost per KiB for a text of four times the size. A quadratic cost would grow by 4.
const GROWTH: f64 = 2.5;
/// Maximum cost per KiB in an unoptimised build. Most of it is spent on code highlighting.
const PER_KIB: Duration = Duration::from_millis(20);

fn assert_growth(name: &str, [small, _, large]: [Cost; 3]) {
    assert!(large.is_noise() || large.per_kib() <= small.per_kib() * GROWTH, "{name}: {small:?} {large:?}");
    assert!(large.per_kib() <= PER_KIB.as_secs_f64() * 1e6, "{name}: {large:?}");
}

/// Warms up: a language's syntax is compiled once per process, on first use.
fn learn(make: &dyn Fn(usize) -> String) {
    Budget::trusted(Duration::from_secs(10)).render("", &make(SMALL / 2));
}

/// Splits a text in chunks as agents stream it. Returns the number of blocks including the last one.
fn split(text: &str) -> usize {
    let mut splitter = Splitter::new();
    let mut rest = text;
    let mut blocks = 0;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(24.min(rest.len())));
        blocks += splitter.push(piece).len();
        rest = after;
    }
    blocks + usize::from(splitter.finish().is_some())
}

// Slow: it renders long texts of each kind, each twice.
#[test]
fn rendering_is_linear_in_the_text() {
    for Text { name, make } in texts() {
        learn(&make);
        assert_growth(&name, cost::growth(SMALL, make, |text| render(text)));
    }
}

#[test]
fn splitting_is_linear_in_the_text() {
    for Text { name, make } in texts() {
        assert_growth(&name, cost::growth(SMALL, make, |text| split(text)));
    }
}

/// Renders typed text without a time limit.
fn render_typed(text: &str) -> String {
    Budget::trusted(Duration::from_secs(60)).render_typed(text).html
}

// Slow: it renders long texts of each kind.
#[test]
fn rendering_typed_text_is_linear() {
    assert_linear("typed", render_typed);
}

// Slow: it renders long texts of each kind.
#[test]
fn quoting_typed_text_is_linear() {
    assert_linear("typed as Markdown", plexus_markup::typed_as_markdown);
    assert_linear("line as Markdown", plexus_markup::line_as_markdown);
    assert_linear("missing fence", plexus_markup::missing_fence);
    assert_linear("fenced", |text| plexus_markup::fenced("", text));
}

// Slow: it renders long texts of each kind.
#[test]
fn rendering_any_hostile_text_is_linear() {
    assert_linear_within("Markdown", PER_KIB, render);
    assert_linear_within("splitting", PER_KIB, split);
}

#[test]
fn typed_text_that_took_a_minute_is_cheap() {
    let texts = [
        format!("http://a{}", ")".repeat(400_000)),
        "http://a.".repeat(20_000),
        "http://a(".repeat(100_000),
        "http://a谢".repeat(100_000),
        "a@".repeat(500_000),
        "@a.b".repeat(250_000),
        "www.".repeat(250_000),
    ];
    for text in texts {
        let spent = cost::measure(|| Budget::new(CAP).render_typed(&text));
        let start = &text[..text.floor_char_boundary(9)];
        println!("{start:?}… of {} bytes: {spent:?}", text.len());
        assert!(spent < CAP, "{start:?}: {spent:?}");
    }
}

// Slow: it renders the worst texts that are known.
#[test]
fn no_text_costs_more_than_the_cap() {
    for Text { name, make } in texts() {
        learn(&make);
        let text = make(LARGEST);
        let spent = cost::measure(|| render(&text));
        assert!(spent < CAP, "{name}: {spent:?}");
    }
    let worst =
        [">".repeat(190_000), fill("a$b([\n", 100_000), "&".repeat(190_000), "[a]: b\n\n".repeat(20_000)];
    let message: String = worst.iter().cycle().map(|block| format!("{block}\n\n")).take(7).collect();
    let spent = cost::measure(|| render(&message[..MESSAGE]));
    assert!(spent < CAP, "{spent:?}");
}

#[test]
fn what_is_cut_short_is_still_there() {
    let paragraph = |n: usize| format!("word{n}. *a* `b` [c](d)\n\n- e\n\n```json\n[1]\n```\n\n");
    for (size, millis) in [(96, 0), (96, 2), (512, 0), (512, 2), (512, 20), (512, 60)] {
        let count = size * 1024 / paragraph(1_000).len();
        let text: String = (0..count).map(paragraph).collect();
        let shown = Budget::new(Duration::from_millis(millis)).render("", &text);
        let mut rest = shown.html.as_str();
        for n in 0..count {
            let word = format!("word{n}.");
            rest = &rest[rest.find(&word).unwrap_or_else(|| panic!("{word} of {size} KiB in {millis} ms"))..];
        }
        assert_eq!(shown.cut, Cut::Budget);
    }
}

#[test]
fn a_deep_line_is_shown_as_it_is_and_the_rest_as_meant() {
    let deep = ">".repeat(60_000);
    let html = render(&format!("# One\n\n{deep}\n\nTwo **bold**.\n\n```\n{deep}\n```\n"));
    assert!(
        html.starts_with("<h3 dir=\"auto\">One</h3>\n<div class=\"plain\" dir=\"auto\">\n&gt;&gt;"),
        "{}",
        &html[..100]
    );
    assert!(html.contains("<p dir=\"auto\">Two <strong>bold</strong>.</p>\n<figure class=\"code\">"));
    assert_eq!(html.matches("&gt;").count(), 120_000);
}

proptest! {
    #![proptest_config(plexus_testing::cases(96))]

    /// Random input: a few repeated fragments between other fragments.
    // Slow: it renders 96 random mixtures.
    #[test]
    fn no_mixture_costs_more_than_the_cap(
        before in prop::collection::vec(prop::sample::select(PIECES), 0..3),
        unit in prop::collection::vec(prop::sample::select(PIECES), 1..5),
        after in prop::collection::vec(prop::sample::select(PIECES), 0..3),
    ) {
        let text = format!("{}{}{}", before.concat(), fill(&unit.concat(), LARGEST / 2), fill(&after.concat(), LARGEST / 4));
        prop_assert!(cost::measure(|| render(&text)) < CAP);
    }
}
