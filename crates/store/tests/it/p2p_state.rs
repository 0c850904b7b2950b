//! Tests of persisted peer-to-peer state: addresses, provider records, nonces and violations.

use std::time::Duration;

use plexus_domain::{Digest, HubRowId, Timestamp};
use plexus_store::{
    Tx,
    federation_rules::{self, FederationRule, RuleAction},
    hub_violations, on_both, p2p_state,
    p2p_state::ProviderRecord,
    request_nonces,
    rule_subscriptions::{self, RuleSubscription, SubscribedRule},
};

const NOW: Timestamp = Timestamp::from_millis(1_000_000);

fn rule(subject: &str, action: RuleAction) -> FederationRule {
    FederationRule {
        subject: subject.to_owned(),
        action,
        reason: "Spam.".to_owned(),
        author: "ada".to_owned(),
        created_at: NOW,
        expires_at: None,
    }
}

fn list(url: &str) -> RuleSubscription {
    RuleSubscription {
        url: url.to_owned(),
        signer: "12D3KooWfar".to_owned(),
        name: "Far".to_owned(),
        author: "ada".to_owned(),
        created_at: NOW,
        seq: 1,
        checked_at: NOW,
        problem: None,
    }
}

fn listed(url: &str, subject: &str) -> SubscribedRule {
    let FederationRule { subject, action, reason, created_at, .. } = rule(subject, RuleAction::Block);
    SubscribedRule { list: url.to_owned(), subject, action, reason, created_at, expires_at: Some(NOW) }
}

async fn subscribe(tx: &mut Tx, url: &str, subjects: &[&str]) {
    let rules: Vec<SubscribedRule> = subjects.iter().map(|subject| listed(url, subject)).collect();
    rule_subscriptions::put(tx, &list(url)).await.unwrap();
    rule_subscriptions::set_rules(tx, url, &rules).await.unwrap();
}

on_both! {
    async fn a_list_takes_its_rules_away_with_it(store: Store) {
        let mut tx = store.write().await.unwrap();
        subscribe(&mut tx, "https://b", &["hub:a", "hub:c"]).await;
        subscribe(&mut tx, "https://a", &["hub:a"]).await;
        assert_eq!(rule_subscriptions::list(&mut tx).await.unwrap(), [list("https://a"), list("https://b")]);
        let about = [listed("https://a", "hub:a"), listed("https://b", "hub:a")];
        assert_eq!(rule_subscriptions::rules_about(&mut tx, "hub:a").await.unwrap(), about);
        rule_subscriptions::set_rules(&mut tx, "https://b", &[listed("https://b", "hub:b")]).await.unwrap();
        assert_eq!(rule_subscriptions::rules(&mut tx, "https://b").await.unwrap(), [listed("https://b", "hub:b")]);
        assert_eq!(rule_subscriptions::count_rules(&mut tx, "https://b").await.unwrap(), 1);
        assert!(rule_subscriptions::delete(&mut tx, "https://b").await.unwrap());
        assert_eq!(rule_subscriptions::find(&mut tx, "https://b").await.unwrap(), None);
        assert!(rule_subscriptions::rules_about(&mut tx, "hub:b").await.unwrap().is_empty());
    }

    async fn a_fault_is_noted_once_however_often_it_comes(store: Store) {
        let (mut tx, hub) = (store.write().await.unwrap(), HubRowId::SELF);
        let later = NOW + Duration::from_secs(1);
        for (kind, about_hub, at) in [
            (hub_violations::HubViolation::ExtraListings, "one", NOW),
            (hub_violations::HubViolation::ExtraListings, "other", later),
            (hub_violations::HubViolation::WrongVersions, "one", NOW),
        ] {
            hub_violations::note(&mut tx, hub, kind, about_hub, at).await.unwrap();
        }
        let noted = hub_violations::list(&mut tx, hub).await.unwrap();
        assert_eq!(noted.len(), 2);
        assert_eq!((noted[0].about_hub.as_str(), noted[0].count), ("other", 2), "the last first");
        assert_eq!((noted[0].first_at, noted[0].last_at), (NOW, later));
    }

    async fn a_rule_replaces_the_one_about_the_same(store: Store) {
        let mut tx = store.write().await.unwrap();
        federation_rules::put(&mut tx, &rule("hub:a", RuleAction::Block)).await.unwrap();
        federation_rules::put(&mut tx, &rule("hub:b", RuleAction::Block)).await.unwrap();
        federation_rules::put(&mut tx, &rule("hub:a", RuleAction::Allow)).await.unwrap();
        let rules = [rule("hub:a", RuleAction::Allow), rule("hub:b", RuleAction::Block)];
        assert_eq!(federation_rules::list(&mut tx, 10).await.unwrap(), rules);
        assert_eq!(federation_rules::list(&mut tx, 1).await.unwrap().len(), 1);
        assert!(federation_rules::delete(&mut tx, "hub:a").await.unwrap());
        assert!(!federation_rules::delete(&mut tx, "hub:a").await.unwrap());
    }

    async fn a_rule_is_found_by_what_it_is_about(store: Store) {
        let mut tx = store.write().await.unwrap();
        federation_rules::put(&mut tx, &rule("hub:a", RuleAction::Block)).await.unwrap();
        assert_eq!(federation_rules::find(&mut tx, "hub:a").await.unwrap(), Some(rule("hub:a", RuleAction::Block)));
        assert_eq!(federation_rules::find(&mut tx, "hub:b").await.unwrap(), None);
    }

    async fn a_nonce_is_taken_once_until_it_expires(store: Store) {
        let mut tx = store.write().await.unwrap();
        let (one, other, later) = (Digest::of("one"), Digest::of("other"), NOW + Duration::from_secs(1));
        let hub = HubRowId::SELF;
        assert!(request_nonces::insert_once(&mut tx, hub, &one, later, NOW).await.unwrap());
        assert!(!request_nonces::insert_once(&mut tx, hub, &one, later, NOW).await.unwrap());
        assert!(request_nonces::insert_once(&mut tx, hub, &other, later, NOW).await.unwrap());
        assert!(request_nonces::insert_once(&mut tx, hub, &one, later, later).await.unwrap(), "what expired is forgotten");
    }

    async fn what_the_network_remembers_runs_out(store: Store) {
        let mut tx = store.write().await.unwrap();
        let later = NOW + Duration::from_secs(1);
        let places = vec!["/ip4/192.0.2.1/tcp/1".to_owned()];
        p2p_state::put_addresses(&mut tx, "old", &places, NOW).await.unwrap();
        p2p_state::put_addresses(&mut tx, "new", &[], NOW).await.unwrap();
        p2p_state::put_addresses(&mut tx, "new", &places, later).await.unwrap();
        assert_eq!(p2p_state::forget_addresses(&mut tx, later).await.unwrap(), 1);
        let left = p2p_state::list_addresses(&mut tx, 10).await.unwrap();
        assert_eq!(left.iter().map(|row| (row.peer.as_str(), &row.addresses)).collect::<Vec<_>>(), [("new", &places)]);

        let announced = |provider: &str, expires_at| ProviderRecord {
            key: vec![0, 255],
            provider: provider.to_owned(),
            addresses: places.clone(),
            expires_at,
        };
        for (provider, expires_at) in [("one", NOW), ("other", NOW), ("other", later)] {
            p2p_state::put_announcement(&mut tx, &announced(provider, expires_at)).await.unwrap();
        }
        let found = p2p_state::list_announcements(&mut tx, NOW, 10).await.unwrap();
        assert_eq!(found, [announced("other", later)]);
        assert_eq!(p2p_state::forget_announcements(&mut tx, NOW).await.unwrap(), 1);
        assert!(p2p_state::delete_announcement(&mut tx, &[0, 255], "other").await.unwrap());
        assert!(p2p_state::list_announcements(&mut tx, NOW, 10).await.unwrap().is_empty());
    }
}
