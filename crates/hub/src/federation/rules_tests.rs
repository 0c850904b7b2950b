//! Tests of rule lists and of the details of a remote hub, on both databases.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, http::StatusCode, routing::get};
use plexus_domain::Timestamp;
use plexus_federation::{
    engine::{Effect, Violation as Found, ViolationReport},
    net::driver::EngineStore as _,
    record::{InventoryHead, ListedRule, RuleAction, RuleList, Seq, SetFingerprint, Signed},
};
use plexus_store::{federation_rules, on_both, rule_subscriptions};

use super::{
    HubStatus, HubViolation, RuleOrigin, RuleRow, Ruled, block,
    engine_store::SqlEngineStore,
    export_rules, import_rules, list_rules, other,
    remote_users_tests::{boss, words},
    rule_subscriptions::{refresh, refresh_due},
    shared_rules, subscribe, subscriptions,
    tests::{far, key, open},
    unblock, unsubscribe,
};
use crate::{Caller, Hub};

const DAY: Duration = Duration::from_secs(24 * 3_600);
/// In microseconds.
const TOMORROW: u64 = 24 * 3_600 * 1_000_000;

fn rule(subject: &str, action: RuleAction, expires: Option<Timestamp>) -> ListedRule {
    let created = Timestamp::from_millis(5_000);
    ListedRule { subject: subject.into(), action, reason: format!("Because of {subject}"), created, expires }
}

/// Returns version `n` of a rule list signed by the remote hub.
fn list(hub: &Hub, n: u64, rules: Vec<ListedRule>) -> String {
    signed_by(9, hub, n, rules)
}

fn signed_by(seed: u8, hub: &Hub, n: u64, rules: Vec<ListedRule>) -> String {
    let seq = Seq::try_from(Seq::next(None, hub.env().now()).get() + n).unwrap();
    let list = RuleList { hub: key(seed).public().into(), seq, name: "Far".into(), rules };
    String::from_utf8(Signed::sign(list, &key(seed)).unwrap().encode()).unwrap()
}

/// Stores an inventory head of the remote hub, so that this hub knows it.
async fn meet(hub: &Hub) {
    let seq = Seq::next(None, hub.env().now());
    let head = InventoryHead { hub: far(), seq, count: 0, fingerprint: SetFingerprint::default() };
    let head = Signed::sign(head, &key(9)).unwrap();
    SqlEngineStore::new(hub.clone()).perform(vec![Effect::StoreHead(Box::new(head))]).await.unwrap();
}

async fn stands(hub: &Hub, caller: &Caller) -> (HubStatus, Option<RuleRow>) {
    let found = other(hub, caller, &far().to_string()).await.unwrap().unwrap();
    (found.row.standing, found.rule)
}

/// Starts an HTTP server that serves the current content of `served`. Returns its URL.
async fn serve(served: Arc<Mutex<(StatusCode, String)>>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/rules", listener.local_addr().unwrap());
    let answer = move || async move { served.lock().unwrap().clone() };
    tokio::spawn(async move { axum::serve(listener, Router::new().route("/rules", get(answer))).await });
    url
}

on_both! {
    async fn rules_go_from_one_hub_to_another_with_reason_and_end(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        let boss = boss(&hub).await;
        assert!(export_rules(&hub, &ada).await.is_err(), "reasons are for those who run the hub");
        assert_eq!(shared_rules(&hub).await.unwrap(), None, "nobody asked for that");
        block(&hub, &boss, "tag:mine", Ruled::Block, "Ours.", "r").await.unwrap();
        let exported = export_rules(&hub, &boss).await.unwrap();
        let read = Signed::<RuleList>::parse(exported.as_bytes()).unwrap().verify().unwrap();
        assert_eq!(read.body().rules.len(), 1);
        assert_eq!((read.body().rules[0].subject.as_str(), read.body().rules[0].reason.as_str()), ("tag:mine", "Ours."));

        let now = hub.env().now();
        let rules = vec![
            rule(&format!("hub:{}", far()), RuleAction::Block, Some(now + DAY)),
            rule("tag:mine", RuleAction::Allow, None),
            rule("domain:old.example", RuleAction::Block, Some(now - DAY)),
            rule("king:arthur", RuleAction::Block, None),
        ];
        let document = list(&hub, 0, rules);
        // Forms send CRLF line endings.
        let sent = document.replace('\n', "\r\n");
        meet(&hub).await;
        let done = import_rules(&hub, &boss, &sent, "r").await.unwrap();
        assert_eq!((done.signer, done.imported, done.already_present, done.invalid), (far(), 1, 1, 2));
        let (standing, said) = stands(&hub, &boss).await;
        let said = said.unwrap();
        assert_eq!((standing, said.does, said.expires), (HubStatus::Blocked, Ruled::Block, Some(now + DAY)));
        assert_eq!((said.reason, said.made), (format!("Because of hub:{}", far()), RuleOrigin::Here("cli".into())));
        let own = list_rules(&hub, &boss).await.unwrap();
        assert!(own.iter().any(|row| row.subject == "tag:mine" && row.does == Ruled::Block), "it stays");

        let forged = document.replace("old.example", "new.example");
        assert!(words(import_rules(&hub, &boss, &forged, "r").await).contains("signature"));
        assert!(words(import_rules(&hub, &boss, "rules, please", "r").await).contains("not a valid signed \
            rule list"));
        assert!(import_rules(&hub, &ada, &document, "r").await.is_err());
        hub.close().await;
    }

    async fn a_rule_that_ran_out_keeps_nobody_out(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        meet(&hub).await;
        let row = federation_rules::FederationRule {
            subject: format!("hub:{}", far()),
            action: federation_rules::RuleAction::Block,
            reason: "For a while.".into(),
            author: "boss".into(),
            created_at: hub.env().now() - DAY,
            expires_at: Some(hub.env().now() - Duration::from_secs(1)),
        };
        let mut tx = hub.store().write().await.unwrap();
        federation_rules::put(&mut tx, &row).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(stands(&hub, &ada).await, (HubStatus::Fresh, None));
        hub.close().await;
    }

    async fn a_list_holds_apart_from_own_rules_and_goes_at_once(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        let boss = boss(&hub).await;
        meet(&hub).await;
        let subject = format!("hub:{}", far());
        let rules = vec![rule(&subject, RuleAction::Block, None), rule("king:arthur", RuleAction::Block, None)];
        // The list is signed by a different hub than the one that it blocks.
        let served = Arc::new(Mutex::new((StatusCode::OK, signed_by(8, &hub, 1, rules.clone()))));
        let url = serve(Arc::clone(&served)).await;
        let (signer, anonymous) = (key(8).public(), key(7).public());
        let anonymous = plexus_federation::HubId::from(anonymous).to_string();
        assert!(words(subscribe(&hub, &boss, &url, Some(&anonymous), "r").await).contains("signed by another \
            hub"));
        assert!(subscribe(&hub, &ada, &url, None, "r").await.is_err());
        assert!(words(subscribe(&hub, &boss, "nobody.example", None, "r").await).contains("not found"));
        subscribe(&hub, &boss, &url, None, "r").await.unwrap();
        let kept = subscriptions(&hub, &boss).await.unwrap();
        assert_eq!((kept.len(), kept[0].rules), (1, 1), "what nobody can read is left out");
        assert_eq!(kept[0].signer, plexus_federation::HubId::from(signer).to_string());
        let (standing, said) = stands(&hub, &boss).await;
        assert_eq!((standing, said.unwrap().made), (HubStatus::Blocked, RuleOrigin::List(url.clone())));
        assert!(list_rules(&hub, &boss).await.unwrap().is_empty(), "they are not this hub's own");

        // Own rules take precedence.
        block(&hub, &boss, &far().to_string(), Ruled::Allow, "We know them.", "r").await.unwrap();
        let (standing, said) = stands(&hub, &boss).await;
        assert_eq!((standing, said.unwrap().made), (HubStatus::Fresh, RuleOrigin::Here("cli".into())));
        unblock(&hub, &boss, &far().to_string(), "r").await.unwrap();
        assert_eq!(stands(&hub, &boss).await.0, HubStatus::Blocked);

        unsubscribe(&hub, &boss, &url, "r").await.unwrap();
        assert_eq!(stands(&hub, &boss).await, (HubStatus::Fresh, None));
        assert!(unsubscribe(&hub, &boss, &url, "r").await.is_err());
        hub.close().await;
    }

    async fn a_list_is_renewed_by_whoever_signed_it_first(store: Store) {
        let (hub, _, _folder) = open(&store).await;
        let boss = boss(&hub).await;
        meet(&hub).await;
        let blocked = vec![rule(&format!("hub:{}", far()), RuleAction::Block, None)];
        let served = Arc::new(Mutex::new((StatusCode::OK, signed_by(8, &hub, 5_000_000, blocked))));
        let put = |answer| *served.lock().unwrap() = answer;
        let url = serve(Arc::clone(&served)).await;
        subscribe(&hub, &boss, &url, None, "r").await.unwrap();
        let problem = async || subscriptions(&hub, &boss).await.unwrap()[0].last_error.clone().unwrap_or_default();

        for (answer, why) in [
            ((StatusCode::OK, signed_by(7, &hub, 9_000_000, Vec::new())), "It is signed by another hub"),
            ((StatusCode::OK, signed_by(8, &hub, 1, Vec::new())), "older"),
            ((StatusCode::OK, signed_by(8, &hub, TOMORROW, Vec::new())), "in the future"),
            ((StatusCode::OK, "no list".to_owned()), "not a valid signed rule list"),
            ((StatusCode::NOT_FOUND, String::new()), "404"),
        ] {
            put(answer);
            refresh(&hub, &url).await.unwrap();
            assert!(problem().await.contains(why), "{why}: {}", problem().await);
            assert_eq!(stands(&hub, &boss).await.0, HubStatus::Blocked, "it holds as it was");
        }
        put((StatusCode::OK, signed_by(7, &hub, 9_000_000, Vec::new())));
        let anew = subscribe(&hub, &boss, &url, None, "r").await;
        assert!(words(anew).contains("signed by another hub"), "choosing it anew believes nobody else");
        put((StatusCode::OK, signed_by(8, &hub, 9_000_000, Vec::new())));
        refresh(&hub, &url).await.unwrap();
        assert_eq!(problem().await, "");
        assert_eq!(stands(&hub, &boss).await, (HubStatus::Fresh, None));

        // The next refresh is due after a day.
        put((StatusCode::NOT_FOUND, String::new()));
        refresh_due(&hub).await.unwrap();
        assert_eq!(problem().await, "");
        let mut tx = hub.store().write().await.unwrap();
        let row = rule_subscriptions::find(&mut tx, &url).await.unwrap().unwrap();
        let row = rule_subscriptions::RuleSubscription { checked_at: row.checked_at - DAY, ..row };
        rule_subscriptions::put(&mut tx, &row).await.unwrap();
        tx.commit().await.unwrap();
        refresh_due(&hub).await.unwrap();
        assert!(problem().await.contains("404"));
        hub.close().await;
    }

    async fn what_a_hub_did_is_noted_of_it(store: Store) {
        let (hub, ada, _folder) = open(&store).await;
        let boss = boss(&hub).await;
        meet(&hub).await;
        let accuse = |about, fault| Effect::Accuse(ViolationReport { accused: far(), about, fault });
        let mut home = SqlEngineStore::new(hub.clone());
        home.perform(vec![accuse(far(), Found::RecordEquivocation)]).await.unwrap();
        let elsewhere = key(8).public().into();
        let missing = |missing| accuse(elsewhere, Found::MissingListings { missing });
        home.perform(vec![missing(3), missing(2)]).await.unwrap();
        let found = other(&hub, &ada, &far().to_string()).await.unwrap().unwrap();
        let noted: Vec<_> = found.violations.iter().map(|row| (row.kind, row.count, row.about_hub.is_some())).collect();
        assert_eq!(noted.len(), 2);
        assert!(noted.contains(&(HubViolation::MissingListings, 2, true)));
        assert!(noted.contains(&(HubViolation::RecordEquivocation, 1, false)));
        assert_eq!(found.addresses, None, "addresses are for those who run the hub");
        assert_eq!(other(&hub, &boss, &far().to_string()).await.unwrap().unwrap().addresses, Some(Vec::new()));
        assert!(other(&hub, &boss, "hub.example").await.unwrap().is_none());
        let own = crate::federation::own_id(&hub).await.unwrap().to_string();
        assert!(other(&hub, &boss, &own).await.unwrap().is_none(), "it is no other hub");
        hub.close().await;
    }
}
