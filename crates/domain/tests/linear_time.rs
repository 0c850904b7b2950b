//! The time of everything that reads text from outside is linear in the text.

use plexus_domain::{
    Address, Timestamp,
    agent::http_endpoint::PlaceholderValues,
    chat::Title,
    embedded_block::{embedded_blocks, without_long_blocks},
    knowledge::{join_passages, split_passages},
    media_type,
    sanitized_text::{
        byte_prefix, cluster_end, cluster_start, ellipsize, has_invisible, multi_line, one_line, prefix,
    },
    team::formation::{goal_parts, is_concurrent, required_skills},
    tokenize::{fold, index_tokens, query_tokens},
};
use plexus_testing::cost::assert_linear;
use serde_json::json;

// Slow: it reads long texts of each kind.
#[test]
fn cleaning_and_cutting() {
    assert_linear("one_line", one_line);
    assert_linear("multi_line", multi_line);
    assert_linear("has_invisible", has_invisible);
    assert_linear("ellipsize", |text| (ellipsize(text, 60), ellipsize(text, text.len() / 2)));
    assert_linear("prefix", |text| (prefix(text, 60).len(), byte_prefix(text, text.len() / 2).len()));
    assert_linear("clusters", |text| {
        let middle = text.floor_char_boundary(text.len() / 2);
        (cluster_start(text, middle), cluster_end(text, middle))
    });
    assert_linear("Title::from_message", Title::from_message);
}

// Slow: it reads long texts of each kind.
#[test]
fn terms() {
    assert_linear("fold", fold);
    assert_linear("index_tokens", index_tokens);
    assert_linear("query_tokens", query_tokens);
}

// Slow: it reads long texts of each kind.
#[test]
fn blocks_and_passages() {
    assert_linear("embedded_blocks", embedded_blocks);
    assert_linear("without_long_blocks", without_long_blocks);
    for name in ["a.md", "a.csv", "a.txt", "a.pdf"] {
        assert_linear(name, |text| {
            let passages = split_passages(name, text);
            join_passages(
                name,
                passages.iter().map(|passage| (passage.place.as_str(), passage.text.as_str())),
            )
        });
    }
}

// Slow: it reads long texts of each kind.
#[test]
fn goals() {
    assert_linear("goal_parts", goal_parts);
    assert_linear("required_skills", required_skills);
    assert_linear("is_concurrent", is_concurrent);
}

// Slow: it reads long texts of each kind.
#[test]
fn names_and_headers() {
    assert_linear("mentions", |text| {
        let mut rest = text;
        while let Some((_, after)) = Address::split_mention(rest) {
            rest = after;
        }
        rest.len()
    });
    assert_linear("Address", |text| text.parse::<Address>().is_ok());
    assert_linear("media types", |text| (media_type::essence(text), media_type::is_covered(text, text)));
    assert_linear("Timestamp", |text| Timestamp::from_rfc3339(text).is_some());
}

// Slow: it reads long texts of each kind.
#[test]
fn placeholders() {
    let values = PlaceholderValues { message: "x".to_owned(), ..PlaceholderValues::default() };
    assert_linear("placeholders", |text| (values.url(text), values.header(text), values.body(&json!(text))));
}
