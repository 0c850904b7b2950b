//! Who fits a need.

use plexus_domain::page::PageSize;
use plexus_search::{Index, Need};

use crate::common::{index, listing};

fn found(index: &Index, text: &str, context: &str) -> Vec<String> {
    let need = Need { text, context, context_weight: 0.3, size: PageSize::DEFAULT };
    index.fitting(&need).unwrap().into_iter().map(|(hit, _)| hit.name).collect()
}

#[test]
fn any_word_counts_in_any_form_and_the_context_a_little() {
    let said = [
        "Translates patents for banks",
        "Translation of patents for hospitals",
        "Forecasts for hospitals",
        "天気予報",
    ];
    let index = index((0..).zip(said).map(|(n, name)| listing(n, name)));
    assert_eq!(found(&index, "translate a patent", "")[0], said[0], "the form that is nearer");
    let about = "For hospitals: translate a patent, and thank them.";
    assert_eq!(
        found(&index, "translate a patent", about),
        [said[1], said[0]],
        "nobody for the context alone"
    );
    assert_eq!(found(&index, "天気", ""), [said[3]]);
    assert!(found(&index, "", "hospitals").is_empty());
    assert!(found(&index, "sing 12", "").is_empty());
}

#[test]
fn nothing_in_a_need_is_an_operator() {
    let index = index([listing(1, "Finds tides"), listing(2, "Finds trails")]);
    assert_eq!(found(&index, "-tides", ""), ["Finds tides"]);
    assert_eq!(found(&index, "tag:nobody \"tides", ""), ["Finds tides"]);
}
