//! Tests of listings and their change numbers.

use plexus_domain::Timestamp;
use plexus_store::{
    Store,
    listings::{self, Listing, ListingState},
    on_both, sequences,
    testing::{AgentSeed, World},
};
use serde_json::json;

fn listing(agent: &AgentSeed, at: Timestamp) -> Listing {
    Listing {
        agent: agent.agent,
        seq: 1,
        card: agent.card,
        summary: json!({ "name": "Calc" }),
        envelope: None,
        hash: None,
        issued_at: at,
        expires_at: None,
        leased_until: None,
        state: ListingState::Live,
        change: 0,
    }
}

async fn put(store: &Store, listing: &Listing) -> i64 {
    let mut tx = store.write().await.unwrap();
    let change = listings::put(&mut tx, listing).await.unwrap();
    tx.commit().await.unwrap();
    change
}

on_both! {
    async fn an_index_sees_every_change_once_by_one_number(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let (one, two) = (world.agent(&ada, "@ada/one").await, world.agent(&ada, "@ada/two").await);
        let now = world.now();
        let (first, second) = (listing(&one, now), listing(&two, now));
        assert_eq!(put(&world.store, &first).await, 1);
        assert_eq!(put(&world.store, &second).await, 2);
        assert_eq!(put(&world.store, &Listing { seq: 2, envelope: Some(vec![0]), ..first.clone() }).await, 3);

        let mut tx = world.write().await;
        let changed = listings::changed_since(&mut tx, 1, 10).await.unwrap();
        assert_eq!(changed.iter().map(|one| (one.agent, one.change)).collect::<Vec<_>>(), [(two.agent, 2), (one.agent, 3)]);
        assert_eq!(changed[1].envelope.as_deref(), Some([0].as_slice()));
        assert_eq!(listings::changed_since(&mut tx, 0, 1).await.unwrap().len(), 1);
        assert_eq!(listings::mark_changed(&mut tx, two.agent).await.unwrap(), Some(4));
        assert_eq!(listings::set_state(&mut tx, one.agent, ListingState::Deleted).await.unwrap(), Some(5));
        assert_eq!(listings::last_change(&mut tx).await.unwrap(), 5);
        assert_eq!(listings::find(&mut tx, one.agent).await.unwrap().unwrap().state, ListingState::Deleted);
        assert_eq!(listings::list(&mut tx, &[one.agent, two.agent]).await.unwrap().len(), 2);
    }

    async fn listings_that_expire_are_found(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let mut agents = Vec::new();
        for (name, expires_at) in [("a", Some(30)), ("b", None), ("c", Some(10)), ("d", Some(50))] {
            let agent = world.agent(&ada, &format!("@ada/{name}")).await;
            let expires_at = expires_at.map(Timestamp::from_millis);
            let now = world.now();
            put(&world.store, &Listing { expires_at, ..listing(&agent, now) }).await;
            agents.push(agent.agent);
        }
        let mut conn = world.store.read().await.unwrap();
        let due = listings::list_expiring(&mut conn, Timestamp::from_millis(50), 10).await.unwrap();
        assert_eq!(due.iter().map(|one| one.agent).collect::<Vec<_>>(), [agents[2], agents[0]]);
    }

    async fn numbers_taken_at_once_have_no_holes(store: Store) {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..16 {
            let store = store.clone();
            tasks.spawn(async move {
                let mut tx = store.write().await.unwrap();
                let n = sequences::next(&mut tx, "test").await.unwrap();
                tx.commit().await.unwrap();
                n
            });
        }
        let mut taken = tasks.join_all().await;
        taken.sort_unstable();
        assert_eq!(taken, (1..=16).collect::<Vec<_>>());
        // A rolled-back number is allocated again.
        let mut tx = store.write().await.unwrap();
        assert_eq!(sequences::next(&mut tx, "test").await.unwrap(), 17);
        drop(tx);
        let mut conn = store.read().await.unwrap();
        assert_eq!(sequences::current(&mut conn, "test").await.unwrap(), 16);
        assert_eq!(sequences::current(&mut conn, "other").await.unwrap(), 0);
    }
}
