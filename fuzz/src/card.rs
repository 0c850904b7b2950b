use plexus_a2a::{
    Card,
    card::{MAX_CARD_BYTES, Severity, SignatureCoverage},
    keys::SecretKey,
};
use plexus_domain::sanitized_text::has_invisible;

use crate::{SEED, captured_output::assert_shown};

/// Fuzzes agent cards of version 1.0, of 0.3, and of both combined.
pub fn card(data: &[u8]) {
    let reading = Card::read(data);
    let has_error = reading.problems.iter().any(|problem| problem.severity == Severity::Error);
    assert_eq!(reading.card.is_none(), has_error, "a card is refused with a reason, and used without");
    assert!(reading.problems.len() <= 101, "{} problems", reading.problems.len());
    for problem in &reading.problems {
        assert!(problem.pointer.is_empty() || problem.pointer.starts_with('/'));
        assert_shown(&problem.message);
    }
    if let Some(card) = &reading.card {
        usable(card);
        signed(card);
        assert_eq!(Card::read(&card.source), reading);
    }
}

fn usable(card: &Card) {
    assert!(card.source.len() <= MAX_CARD_BYTES);
    assert!((1..=100).contains(&card.name.chars().count()), "{:?}", card.name);
    assert!(card.best_interface().is_some() && !card.origins().is_empty());
    for interface in &card.interfaces {
        assert!(matches!(interface.url.scheme(), "http" | "https"), "{}", interface.url);
    }
    let provider = card.provider.iter().map(|provider| &provider.organization);
    let skills =
        card.skills.iter().flat_map(|skill| [&skill.name, &skill.description].into_iter().chain(&skill.tags));
    for shown in [&card.name, &card.description, &card.version].into_iter().chain(provider).chain(skills) {
        assert!(!has_invisible(shown), "{shown:?}");
    }
    let urls = [&card.documentation_url, &card.icon_url].into_iter().flatten();
    for url in urls.chain(card.provider.iter().filter_map(|provider| provider.url.as_ref())) {
        assert!(matches!(url.scheme(), "http" | "https"), "{url}");
    }
}

/// Unforgeability: a card that verifies with the test key is the one that this key signed.
fn signed(card: &Card) {
    if card.verify(&SecretKey::from_seed(&SEED).public()) == Ok(SignatureCoverage::Whole) {
        assert_eq!((card.name.as_str(), card.skills.len()), ("Signed clerk", 1));
    }
    assert!(card.claimed_signers().len() <= card.signatures.len());
}
