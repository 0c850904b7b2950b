//! Tests of featured agents.

use plexus_store::{featured_agents, on_both, testing::World};

on_both! {
    async fn featured_agents_keep_their_order(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let (one, two) = (world.agent(&ada, "@ada/one").await, world.agent(&ada, "@ada/two").await);
        let times = [world.now(), world.now(), world.now()];
        let mut tx = world.write().await;
        assert!(featured_agents::insert(&mut tx, two.agent, times[0]).await.unwrap());
        assert!(featured_agents::insert(&mut tx, one.agent, times[1]).await.unwrap());
        assert!(!featured_agents::insert(&mut tx, two.agent, times[2]).await.unwrap());
        assert_eq!(featured_agents::list(&mut tx).await.unwrap(), [two.agent, one.agent]);
        assert!(featured_agents::delete(&mut tx, two.agent).await.unwrap());
        assert!(!featured_agents::delete(&mut tx, two.agent).await.unwrap());
        assert_eq!(featured_agents::list(&mut tx).await.unwrap(), [one.agent]);
    }
}
