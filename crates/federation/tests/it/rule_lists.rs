//! Rule lists as signed documents.

use plexus_federation::record::{
    self, ListedRule, MAX_LISTED, RecordError, RuleAction, RuleList, Seq, Signed,
};

use crate::fixtures::{START, hub, key};

fn rule(n: usize) -> ListedRule {
    ListedRule {
        subject: format!("domain:hub-{n}.example"),
        action: if n.is_multiple_of(2) { RuleAction::Block } else { RuleAction::Allow },
        reason: "It sends what nobody asked for.".into(),
        created: START,
        expires: n.is_multiple_of(3).then(|| START + crate::fixtures::DAY),
    }
}

fn list(rules: usize) -> RuleList {
    let rules = (0..rules).map(rule).collect();
    RuleList { hub: hub(1), seq: Seq::next(None, START), name: "Tides".into(), rules }
}

#[test]
fn the_largest_list_is_read_as_it_was_signed() {
    let signed = Signed::sign(list(MAX_LISTED), &key(1)).unwrap();
    let bytes = signed.encode();
    let read = Signed::<RuleList>::parse(&bytes).unwrap().verify().unwrap();
    assert_eq!(read.body(), &list(MAX_LISTED));
    assert!(matches!(record::parse(&bytes), Err(RecordError::TooLarge { .. })), "as gossip it is too large");
}

#[test]
fn a_list_is_no_record_that_hubs_pass_on() {
    let bytes = Signed::sign(list(1), &key(1)).unwrap().encode();
    assert_eq!(record::parse(&bytes).unwrap_err(), RecordError::Unknown);
}

#[test]
fn what_breaks_a_rule_of_lists_is_refused() {
    assert!(Signed::sign(list(MAX_LISTED + 1), &key(1)).is_err(), "too many");
    assert!(Signed::sign(list(1), &key(2)).is_err(), "another hub's key");
    let mut two_lines = list(1);
    two_lines.rules[0].reason = "One\ntwo".into();
    assert!(Signed::sign(two_lines, &key(1)).is_err());
    let mut wordy = list(MAX_LISTED);
    wordy.rules.iter_mut().for_each(|rule| rule.reason = "why ".repeat(50).trim_end().to_owned());
    assert!(
        matches!(Signed::sign(wordy, &key(1)), Err(RecordError::TooLarge { .. })),
        "nobody could read it"
    );
    let text = String::from_utf8(Signed::sign(list(2), &key(1)).unwrap().encode()).unwrap();
    let forged = text.replace("hub-1.example", "hub-2.example");
    let refused = Signed::<RuleList>::parse(forged.as_bytes()).unwrap().verify();
    assert!(matches!(refused, Err(RecordError::Signature { .. })));
    let long = [text.as_bytes(), &[b' '; 1 << 20]].concat();
    assert!(matches!(Signed::<RuleList>::parse(&long), Err(RecordError::TooLarge { .. })));
}
