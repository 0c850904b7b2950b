//! Cost tests of queries: at most linear in the query length, measured as CPU time of the calling thread.

use plexus_search::{Index, IndexChange, Query, SkillQuery};
use plexus_testing::cost::{self, Cost};

use super::common::listing;

/// Worst-case candidates for the parser and the tokenizer.
const UNITS: [&str; 14] = [
    "a ",
    "\"",
    "-",
    "\"a",
    "-\"a ",
    "tag:",
    "tag:\"a",
    ":",
    "é",
    "字",
    "字 ",
    "A\u{301}\u{301}",
    "weather ",
    "\u{fdfa}",
];
/// Maximum growth of the cost per KiB for a text of four times the size. A quadratic cost would grow by 4.
const GROWTH: f64 = 2.5;

fn index() -> Index {
    let index = Index::in_memory().unwrap();
    let put = |n| IndexChange::Put(Box::new(listing(n, "weather 字 forecast")));
    index.apply(&(0..8).map(put).collect::<Vec<_>>(), 1).unwrap();
    index
}

fn assert_linear(name: &str, [small, _, large]: [Cost; 3]) {
    assert!(large.is_noise() || large.per_kib() <= small.per_kib() * GROWTH, "{name}: {small:?} {large:?}");
}

#[test]
fn a_question_costs_no_more_than_its_length() {
    let index = index();
    for unit in UNITS {
        let text = |size: usize| unit.repeat(size / unit.len());
        let search = |text: &String| index.search(&Query::text(text.as_str())).unwrap();
        assert_linear(&format!("search {unit:?}"), cost::growth(8 * 1024, text, search));
        let alike = |text: &String| index.related_terms(text).unwrap();
        assert_linear(&format!("alike {unit:?}"), cost::growth(8 * 1024, text, alike));
        let fit = |text: &String| {
            index.rank_agents(&SkillQuery { parts: &[text], most: 3, also: None, granted: &[] }).unwrap()
        };
        assert_linear(&format!("fitting {unit:?}"), cost::growth(8 * 1024, text, fit));
    }
}
