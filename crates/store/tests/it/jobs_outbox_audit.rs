//! Tests of jobs, outbox messages, usage windows and the audit log.

use std::{collections::HashSet, time::Duration};

use plexus_domain::{AuditId, JobId, OutboxId, Timestamp, page::PageSize};
use plexus_store::{
    Tx, audit,
    audit::AuditEntry,
    jobs::{self, NewJob},
    on_both,
    outbox::{self, OutboxMessage},
    testing::World,
    usage_windows,
};
use serde_json::json;

const LEASE: Duration = Duration::from_secs(60);

async fn queue(world: &mut World, tx: &mut Tx, key: Option<&str>, due: Timestamp) -> bool {
    let new = NewJob { id: world.id(JobId::new), name: "sweep", key, payload: &json!({ "n": 1 }), due };
    jobs::insert(tx, &new).await.unwrap()
}

on_both! {
    async fn a_job_is_leased_tried_again_and_done(store: Store) {
        let mut world = World::new(store);
        let now = world.now();
        let mut tx = world.write().await;
        assert!(queue(&mut world, &mut tx, Some("k"), now).await);
        assert!(!queue(&mut world, &mut tx, Some("k"), now).await, "it is queued already");
        assert!(queue(&mut world, &mut tx, None, now + LEASE * 10).await);

        let leased = jobs::lease(&mut tx, now, now + LEASE, 10).await.unwrap();
        assert_eq!(leased.len(), 1, "the other is not due");
        assert_eq!((leased[0].tries, leased[0].payload.clone()), (1, json!({ "n": 1 })));
        assert_eq!(jobs::lease(&mut tx, now, now + LEASE, 10).await.unwrap(), []);
        assert_eq!(jobs::next_due(&mut tx).await.unwrap(), Some(now + LEASE));
        let later = now + LEASE;
        assert!(jobs::retry(&mut tx, &leased[0], later, "no answer\0").await.unwrap());
        let again = jobs::lease(&mut tx, later, later + LEASE, 10).await.unwrap();
        assert_eq!((again[0].tries, again[0].error.as_deref()), (2, Some("no answer")));
        assert!(!jobs::delete(&mut tx, &leased[0]).await.unwrap(), "another worker has it now");
        assert!(jobs::delete(&mut tx, &again[0]).await.unwrap());
    }

    async fn a_lease_that_ran_out_lets_another_try_and_a_hopeless_job_is_kept(store: Store) {
        let mut world = World::new(store);
        let now = world.now();
        let mut tx = world.write().await;
        queue(&mut world, &mut tx, Some("k"), now).await;
        jobs::lease(&mut tx, now, now + LEASE, 1).await.unwrap();
        let again = jobs::lease(&mut tx, now + LEASE, now + LEASE * 2, 1).await.unwrap();
        assert_eq!(again[0].tries, 2);
        assert!(jobs::fail(&mut tx, &again[0], "gone").await.unwrap());
        assert_eq!(jobs::lease(&mut tx, now + LEASE * 9, now + LEASE * 10, 1).await.unwrap(), []);
        assert_eq!(jobs::list_failed(&mut tx, 10).await.unwrap()[0].error.as_deref(), Some("gone"));
        assert_eq!(jobs::next_due(&mut tx).await.unwrap(), None);
        assert!(queue(&mut world, &mut tx, Some("k"), now).await, "its key is free again");
    }

    async fn no_two_workers_get_the_same_job(store: Store) {
        let mut world = World::new(store.clone());
        let now = world.now();
        let mut tx = world.write().await;
        for _ in 0..40 {
            queue(&mut world, &mut tx, None, now).await;
        }
        tx.commit().await.unwrap();
        let mut workers = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let store = store.clone();
            workers.spawn(async move {
                let mut tx = store.write().await.unwrap();
                let leased = jobs::lease(&mut tx, now, now + LEASE, 5).await.unwrap();
                tx.commit().await.unwrap();
                leased.into_iter().map(|job| job.id).collect::<Vec<_>>()
            });
        }
        let leased: Vec<JobId> = workers.join_all().await.into_iter().flatten().collect();
        assert_eq!(leased.len(), 40);
        assert_eq!(leased.iter().collect::<HashSet<_>>().len(), 40);
    }

    async fn a_letter_is_sent_until_it_is_deleted(store: Store) {
        let mut world = World::new(store);
        let now = world.now();
        let letter = OutboxMessage {
            id: world.id(OutboxId::new),
            target: "hub.example".to_owned(),
            kind: "listing".to_owned(),
            payload: vec![0, 255],
            due: now,
            tries: 0,
        };
        let mut tx = world.write().await;
        outbox::insert(&mut tx, &letter).await.unwrap();
        let taken = outbox::lease(&mut tx, "listing", now, now + LEASE, 10).await.unwrap();
        assert_eq!((taken[0].payload.as_slice(), taken[0].tries), ([0, 255].as_slice(), 1));
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

    async fn what_was_used_of_a_limit_adds_up(store: Store) {
        let mut world = World::new(store);
        let (first, second) = (world.now(), world.now());
        let mut tx = world.write().await;
        assert_eq!(usage_windows::used(&mut tx, "k", first).await.unwrap(), 0);
        assert_eq!(usage_windows::add(&mut tx, "k", first, 2).await.unwrap(), 2);
        assert_eq!(usage_windows::add(&mut tx, "k", first, 3).await.unwrap(), 5);
        assert_eq!(usage_windows::add(&mut tx, "k", second, 1).await.unwrap(), 1);
        assert_eq!(usage_windows::used(&mut tx, "k", first).await.unwrap(), 6);
        assert_eq!(usage_windows::used(&mut tx, "k", second).await.unwrap(), 1);
        assert_eq!(usage_windows::delete_before(&mut tx, second).await.unwrap(), 1);
        assert_eq!(usage_windows::used(&mut tx, "k", first).await.unwrap(), 1);
    }

    async fn the_audit_log_is_read_newest_first(store: Store) {
        let mut world = World::new(store);
        let at = world.now();
        let mut written = Vec::new();
        let mut tx = world.write().await;
        for n in 0..3 {
            let entry = AuditEntry {
                id: world.id(AuditId::new),
                at,
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
        let of_one = audit::list_by_target(&mut tx, "account:0", page).await.unwrap();
        assert_eq!(of_one, [written[0].clone(), written[2].clone()]);
    }
}
