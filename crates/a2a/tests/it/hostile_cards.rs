//! Fuzz test of the card parser: arbitrary cards cause no panic, and accepted cards satisfy the invariants.

use plexus_a2a::{Card, card::Severity};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::card::{V03, card_with, read};

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
        Just(json!("https://a.example/")),
    ];
    leaf.prop_recursive(3, 20, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::hash_map("[a-zA-Z/~]{0,12}", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Card::read(&bytes).card.is_none());
    }

    #[test]
    fn a_member_replaced_by_anything_keeps_the_rules(
        member in prop::sample::select(vec![
            "name", "description", "version", "supportedInterfaces", "url", "provider", "capabilities", "skills",
            "securitySchemes", "securityRequirements", "signatures", "additionalInterfaces", "iconUrl",
        ]),
        value in any_json(),
    ) {
        let reading = read(&card_with(json!({member: value})));
        let has_error = reading.problems.iter().any(|problem| problem.severity == Severity::Error);
        prop_assert_eq!(reading.card.is_none(), has_error);
        if let Some(card) = reading.card {
            prop_assert!(!card.name.is_empty() && card.name.chars().count() <= 100);
            prop_assert!(card.best_interface().is_some());
            prop_assert!(!card.origins().is_empty());
        }
    }

    #[test]
    fn damaged_cards_are_read_without_a_panic(at in 0..V03.len(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = V03.to_vec();
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        let reading = Card::read(&bytes);
        prop_assert!(reading.card.is_some() || !reading.problems.is_empty());
    }
}
