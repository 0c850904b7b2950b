//! Cost tests of the card parser: linear in the size of the card, measured as CPU time of the parsing thread.

use plexus_a2a::Card;
use plexus_testing::cost::{self, Cost};

/// Maximum growth of the cost per KiB for a card of four times the size. A quadratic cost would grow by 4.
const GROWTH: f64 = 2.5;
/// Smallest of three sizes; the largest is the maximum size of a card.
const SMALL: usize = plexus_a2a::card::MAX_CARD_BYTES / 4 - 1_024;

fn assert_linear(name: &str, [small, _, large]: [Cost; 3]) {
    assert!(large.is_noise() || large.per_kib() <= small.per_kib() * GROWTH, "{name}: {small:?} {large:?}");
}

/// Returns a minimal card with an additional `member`.
fn card(member: &str, value: &str) -> Vec<u8> {
    format!(
        "{{\"name\":\"a\",\"description\":\"b\",\"version\":\"1\",\"protocolVersion\":\"0.3.0\",\"url\":\"https://a.example/\",\
         \"{member}\":{value}}}"
    )
    .into_bytes()
}

fn list(item: &str, size: usize) -> String {
    format!("[{}{item}]", format!("{item},").repeat(size / (item.len() + 1)))
}

#[test]
fn a_card_costs_no_more_than_its_bytes() {
    for item in [
        "0",
        "\"a\"",
        "[]",
        "{}",
        "[[[[0]]]]",
        "{\"a\":0,\"a\":0}",
        "{\"id\":\"a\",\"name\":\"b\",\"tags\":[\"c\"]}",
    ] {
        for member in
            ["skills", "other", "defaultInputModes", "securitySchemes", "signatures", "additionalInterfaces"]
        {
            let make = |size: usize| card(member, &list(item, size));
            assert_linear(
                &format!("{member} of {item}"),
                cost::growth(SMALL, make, |bytes| Card::read(bytes)),
            );
        }
    }
    for text in ["a", "&", "\\\\u202e", "é", "<"] {
        let make = |size: usize| {
            card("documentationUrl", &format!("\"https://a/{}\"", text.repeat(size / text.len())))
        };
        assert_linear(&format!("an address of {text}"), cost::growth(SMALL, make, |bytes| Card::read(bytes)));
    }
    let below = |size: usize| card(&"x".repeat(size / 2), &list("0", size / 2));
    assert_linear("values below a long name", cost::growth(SMALL, below, |bytes| Card::read(bytes)));
    let twice = |size: usize| card(&"x".repeat(size / 2), &list("{\"a\":0,\"a\":0}", size / 2));
    assert_linear("duplicates below a long name", cost::growth(SMALL, twice, |bytes| Card::read(bytes)));
}
