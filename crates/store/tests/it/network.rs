//! Tests of persisted peer-to-peer state: addresses, provider records, nonces and violations.

use std::time::Duration;

use plexus_domain::{Digest, HubRowId, Timestamp};
use plexus_store::{
    Tx, hub_faults, hub_nonces, hub_peers,
    hub_peers::Announcement,
    hub_rules::{self, Rule, RuleAction},
    on_both,
    rule_lists::{self, Listed, RuleList},
};

const NOW: Timestamp = Timestamp::from_millis(1_000_000);

fn rule(subject: &str, action: RuleAction) -> Rule {
    Rule {
        subject: subject.to_owned(),
        action,
        reason: "Spam.".to_owned(),
        author: "ada".to_owned(),
        created: NOW,
        expires: None,
    }
}

fn list(url: &str) -> RuleList {
    RuleList {
        url: url.to_owned(),
        signer: "12D3KooWfar".to_owned(),
        name: "Far".to_owned(),
        author: "ada".to_owned(),
        created: NOW,
        seq: 1,
        checked: NOW,
        problem: None,
    }
}

fn listed(url: &str, subject: &str) -> Listed {
    let Rule { subject, action, reason, created, .. } = rule(subject, RuleAction::Block);
    Listed { list: url.to_owned(), subject, action, reason, created, expires: Some(NOW) }
}

async fn subscribe(tx: &mut Tx, url: &str, subjects: &[&str]) {
    let rules: Vec<Listed> = subjects.iter().map(|subject| listed(url, subject)).collect();
    rule_lists::put(tx, &list(url)).await.unwrap();
    rule_lists::set_rules(tx, url, &rules).await.unwrap();
}

on_both! {
    async fn a_list_takes_its_rules_away_with_it(store: Store) {
        let mut tx = store.write().await.unwrap();
        subscribe(&mut tx, "https://b", &["hub:a", "hub:c"]).await;
        subscribe(&mut tx, "https://a", &["hub:a"]).await;
        assert_eq!(rule_lists::list(&mut tx).await.unwrap(), [list("https://a"), list("https://b")]);
        let about = [listed("https://a", "hub:a"), listed("https://b", "hub:a")];
        assert_eq!(rule_lists::about(&mut tx, "hub:a").await.unwrap(), about);
        rule_lists::set_rules(&mut tx, "https://b", &[listed("https://b", "hub:b")]).await.unwrap();
        assert_eq!(rule_lists::rules(&mut tx, "https://b").await.unwrap(), [listed("https://b", "hub:b")]);
        assert_eq!(rule_lists::count_rules(&mut tx, "https://b").await.unwrap(), 1);
        assert!(rule_lists::delete(&mut tx, "https://b").await.unwrap());
        assert_eq!(rule_lists::find(&mut tx, "https://b").await.unwrap(), None);
        assert!(rule_lists::about(&mut tx, "hub:b").await.unwrap().is_empty());
    }

    async fn a_fault_is_noted_once_however_often_it_comes(store: Store) {
        let (mut tx, hub) = (store.write().await.unwrap(), HubRowId::SELF);
        let later = NOW + Duration::from_secs(1);
        for (fault, about, at) in [
            (hub_faults::Fault::Pads, "one", NOW),
            (hub_faults::Fault::Pads, "other", later),
            (hub_faults::Fault::Swaps, "one", NOW),
        ] {
            hub_faults::note(&mut tx, hub, fault, about, at).await.unwrap();
        }
        let noted = hub_faults::list(&mut tx, hub).await.unwrap();
        assert_eq!(noted.len(), 2);
        assert_eq!((noted[0].about.as_str(), noted[0].times), ("other", 2), "the last first");
        assert_eq!((noted[0].first_at, noted[0].last_at), (NOW, later));
    }

    async fn a_rule_replaces_the_one_about_the_same(store: Store) {
        let mut tx = store.write().await.unwrap();
        hub_rules::put(&mut tx, &rule("hub:a", RuleAction::Block)).await.unwrap();
        hub_rules::put(&mut tx, &rule("hub:b", RuleAction::Block)).await.unwrap();
        hub_rules::put(&mut tx, &rule("hub:a", RuleAction::Allow)).await.unwrap();
        let rules = [rule("hub:a", RuleAction::Allow), rule("hub:b", RuleAction::Block)];
        assert_eq!(hub_rules::list(&mut tx, 10).await.unwrap(), rules);
        assert_eq!(hub_rules::list(&mut tx, 1).await.unwrap().len(), 1);
        assert!(hub_rules::delete(&mut tx, "hub:a").await.unwrap());
        assert!(!hub_rules::delete(&mut tx, "hub:a").await.unwrap());
    }

    async fn a_rule_is_found_by_what_it_is_about(store: Store) {
        let mut tx = store.write().await.unwrap();
        hub_rules::put(&mut tx, &rule("hub:a", RuleAction::Block)).await.unwrap();
        assert_eq!(hub_rules::find(&mut tx, "hub:a").await.unwrap(), Some(rule("hub:a", RuleAction::Block)));
        assert_eq!(hub_rules::find(&mut tx, "hub:b").await.unwrap(), None);
    }

    async fn a_nonce_is_taken_once_until_it_expires(store: Store) {
        let mut tx = store.write().await.unwrap();
        let (one, other, later) = (Digest::of("one"), Digest::of("other"), NOW + Duration::from_secs(1));
        let hub = HubRowId::SELF;
        assert!(hub_nonces::take(&mut tx, hub, &one, later, NOW).await.unwrap());
        assert!(!hub_nonces::take(&mut tx, hub, &one, later, NOW).await.unwrap());
        assert!(hub_nonces::take(&mut tx, hub, &other, later, NOW).await.unwrap());
        assert!(hub_nonces::take(&mut tx, hub, &one, later, later).await.unwrap(), "what expired is forgotten");
    }

    async fn what_the_network_remembers_runs_out(store: Store) {
        let mut tx = store.write().await.unwrap();
        let later = NOW + Duration::from_secs(1);
        let places = vec!["/ip4/192.0.2.1/tcp/1".to_owned()];
        hub_peers::put_addresses(&mut tx, "old", &places, NOW).await.unwrap();
        hub_peers::put_addresses(&mut tx, "new", &[], NOW).await.unwrap();
        hub_peers::put_addresses(&mut tx, "new", &places, later).await.unwrap();
        assert_eq!(hub_peers::forget_addresses(&mut tx, later).await.unwrap(), 1);
        let left = hub_peers::list_addresses(&mut tx, 10).await.unwrap();
        assert_eq!(left.iter().map(|row| (row.peer.as_str(), &row.addresses)).collect::<Vec<_>>(), [("new", &places)]);

        let announced = |provider: &str, expires| Announcement {
            key: vec![0, 255],
            provider: provider.to_owned(),
            addresses: places.clone(),
            expires,
        };
        for (provider, expires) in [("one", NOW), ("other", NOW), ("other", later)] {
            hub_peers::put_announcement(&mut tx, &announced(provider, expires)).await.unwrap();
        }
        let found = hub_peers::list_announcements(&mut tx, NOW, 10).await.unwrap();
        assert_eq!(found, [announced("other", later)]);
        assert_eq!(hub_peers::forget_announcements(&mut tx, NOW).await.unwrap(), 1);
        assert!(hub_peers::delete_announcement(&mut tx, &[0, 255], "other").await.unwrap());
        assert!(hub_peers::list_announcements(&mut tx, NOW, 10).await.unwrap().is_empty());
    }
}
