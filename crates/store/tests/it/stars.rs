//! Tests of stars.

use plexus_domain::AccountId;
use plexus_store::{
    Tx, account_erasure, accounts, on_both,
    stars::{self, Star},
    testing::{AgentSeed, World},
};

on_both! {
    async fn a_star_is_given_once_and_taken_away_once(store: Store) {
        let mut world = World::new(store);
        let (ada, bob) = (world.person("ada").await, world.person("bob").await);
        let (one, two) = (world.agent(&ada, "@ada/one").await, world.agent(&ada, "@ada/two").await);
        let first = star(&mut world, &one);
        let [second, again, bobs] = [star(&mut world, &two), star(&mut world, &one), star(&mut world, &one)];
        let mut tx = world.write().await;
        assert!(stars::insert(&mut tx, ada.account, &first).await.unwrap());
        assert!(stars::insert(&mut tx, ada.account, &second).await.unwrap());
        assert!(!stars::insert(&mut tx, ada.account, &again).await.unwrap());
        assert!(stars::insert(&mut tx, bob.account, &bobs).await.unwrap());
        assert_eq!(stars::list_by_account(&mut tx, ada.account).await.unwrap(), [second, first], "the first time counts");
        assert_eq!(stars::count_by_account(&mut tx, ada.account).await.unwrap(), 2);
        assert_eq!(counts(&mut tx, &[&one, &two]).await, [2, 1]);

        assert!(stars::delete(&mut tx, ada.account, one.agent).await.unwrap());
        assert!(!stars::delete(&mut tx, ada.account, one.agent).await.unwrap());
        assert!(!stars::exists(&mut tx, ada.account, one.agent).await.unwrap());
        assert!(stars::exists(&mut tx, bob.account, one.agent).await.unwrap());
    }

    async fn stars_go_with_the_agent_and_with_the_account(store: Store) {
        let mut world = World::new(store);
        let (ada, bob) = (world.person("ada").await, world.person("bob").await);
        let (one, two) = (world.agent(&ada, "@ada/one").await, world.agent(&ada, "@ada/two").await);
        let given = [star(&mut world, &one), star(&mut world, &two)];
        let mut tx = world.write().await;
        for account in [ada.account, bob.account] {
            give(&mut tx, account, &given).await;
        }
        stars::delete_by_agent(&mut tx, one.agent).await.unwrap();
        assert_eq!(counts(&mut tx, &[&one, &two]).await, [0, 2]);
        account_erasure::delete_rows(&mut tx, ada.account).await.unwrap();
        assert_eq!(counts(&mut tx, &[&one, &two]).await, [0, 1]);
    }

    async fn who_locks_an_account_counts_what_others_wrote(store: Store) {
        let mut world = World::new(store.clone());
        let ada = world.person("ada").await;
        let (one, two) = (world.agent(&ada, "@ada/one").await, world.agent(&ada, "@ada/two").await);
        let given = [star(&mut world, &one), star(&mut world, &two)];
        let add = async |star: &Star| {
            let mut tx = store.write().await.unwrap();
            accounts::lock(&mut tx, ada.account).await.unwrap();
            stars::insert(&mut tx, ada.account, star).await.unwrap();
            let count = stars::count_by_account(&mut tx, ada.account).await.unwrap();
            // Gives the other task the chance to count in the meantime.
            tokio::task::yield_now().await;
            tx.commit().await.unwrap();
            count
        };
        let (first, second) = tokio::join!(add(&given[0]), add(&given[1]));
        assert_eq!(first + second, 3, "one of them sees both");
    }
}

fn star(world: &mut World, seed: &AgentSeed) -> Star {
    Star { agent: seed.agent, starred_at: world.now() }
}

async fn give(tx: &mut Tx, account: AccountId, given: &[Star]) {
    for star in given {
        stars::insert(tx, account, star).await.unwrap();
    }
}

async fn counts(tx: &mut Tx, seeds: &[&AgentSeed]) -> Vec<u64> {
    let mut counts = Vec::new();
    for seed in seeds {
        counts.push(stars::count_by_agent(tx, seed.agent).await.unwrap());
    }
    counts
}
