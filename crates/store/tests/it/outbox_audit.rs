//! Tests of outbox messages and the audit log.

use std::time::Duration;

use plexus_domain::{AuditId, OutboxId, page::PageSize};
use plexus_store::{
    audit,
    audit::AuditEntry,
    on_both,
    outbox::{self, OutboxMessage},
    testing::World,
};
use serde_json::json;

const LEASE: Duration = Duration::from_secs(60);

on_both! {
    async fn a_letter_is_sent_until_it_is_deleted(store: Store) {
        let mut world = World::new(store);
        let now = world.now();
        let letter = OutboxMessage {
            id: world.id(OutboxId::new),
            target: "hub.example".to_owned(),
            kind: "listing".to_owned(),
            payload: vec![0, 255],
            due_at: now,
            attempts: 0,
        };
        let mut tx = world.write().await;
        outbox::insert(&mut tx, &letter).await.unwrap();
        let taken = outbox::lease(&mut tx, "listing", now, now + LEASE, 10).await.unwrap();
        assert_eq!((taken[0].payload.as_slice(), taken[0].attempts), ([0, 255].as_slice(), 1));
        assert_eq!(outbox::lease(&mut tx, "listing", now, now + LEASE, 10).await.unwrap(), []);
        assert_eq!(outbox::lease(&mut tx, "other", now + LEASE, now + LEASE, 10).await.unwrap(), []);
        assert_eq!(outbox::next_due(&mut tx, "listing").await.unwrap(), Some(now + LEASE));
        let later = OutboxMessage { id: world.id(OutboxId::new), ..letter.clone() };
        assert_eq!(outbox::earliest_pending_before(&mut tx, &later).await.unwrap(), Some(now + LEASE));
        assert_eq!(outbox::earliest_pending_before(&mut tx, &letter).await.unwrap(), None);
        assert!(outbox::retry(&mut tx, &taken[0], now).await.unwrap());
        let again = outbox::lease(&mut tx, "listing", now, now + LEASE, 10).await.unwrap();
        assert!(!outbox::delete(&mut tx, &taken[0]).await.unwrap());
        assert!(outbox::delete(&mut tx, &again[0]).await.unwrap());
    }

    async fn the_audit_log_is_read_newest_first(store: Store) {
        let mut world = World::new(store);
        let recorded_at = world.now();
        let mut written = Vec::new();
        let mut tx = world.write().await;
        for n in 0..3 {
            let entry = AuditEntry {
                id: world.id(AuditId::new),
                recorded_at,
                actor: "cli".to_owned(),
                action: "user.make_admin".to_owned(),
                target: format!("account:{}", n % 2),
                change: json!({ "n": n }),
                request: String::new(),
            };
            audit::insert(&mut tx, &entry).await.unwrap();
            written.insert(0, entry);
        }
        let page = PageSize::new(2).unwrap();
        let first = audit::list(&mut tx, None, page).await.unwrap();
        assert_eq!(first, written[..2]);
        assert_eq!(audit::list(&mut tx, first.last(), page).await.unwrap(), written[2..]);
        let action = "user.make_admin";
        let latest = audit::latest(&mut tx, "account:0", action, recorded_at).await.unwrap();
        assert_eq!(latest.as_ref(), Some(&written[0]));
        assert_eq!(audit::latest(&mut tx, "account:0", action, world.now() + LEASE).await.unwrap(), None);
        audit::set_change(&mut tx, written[0].id, &json!({ "n": 9 })).await.unwrap();
        assert_eq!(audit::list(&mut tx, None, page).await.unwrap()[0].change, json!({ "n": 9 }));
        assert_eq!(audit::delete_before(&mut tx, action, recorded_at).await.unwrap(), 0);
        assert_eq!(audit::delete_before(&mut tx, action, recorded_at + LEASE).await.unwrap(), 3);
    }
}
