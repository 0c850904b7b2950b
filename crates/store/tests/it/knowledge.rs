//! Tests of the text files of model agents.

use plexus_domain::{KnowledgeFileId, knowledge::Passage};
use plexus_store::{
    knowledge::{self, KnowledgeFile},
    on_both,
    testing::World,
};

on_both! {
    async fn a_file_is_replaced_by_its_name_and_deleted_with_its_passages(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/weaver").await.agent;
        let mut file = |name: &str, bytes| KnowledgeFile {
            id: world.id(KnowledgeFileId::new),
            agent,
            name: name.to_owned(),
            bytes,
            added_at: world.now(),
        };
        let (first, second, other) = (file("a.md", 3), file("a.md", 5), file("b.md", 1));
        let passage = |text: &str| Passage { place: "line 1".to_owned(), text: text.to_owned() };
        let mut tx = world.write().await;
        knowledge::put(&mut tx, &first, &[passage("old")]).await.unwrap();
        knowledge::put(&mut tx, &other, &[passage("x"), passage("y")]).await.unwrap();
        knowledge::put(&mut tx, &second, &[passage("n\0ew")]).await.unwrap();
        let texts: Vec<String> =
            knowledge::passages(&mut tx, agent).await.unwrap().into_iter().map(|found| found.text).collect();
        assert_eq!(texts, ["new", "x", "y"]);
        assert_eq!(knowledge::list(&mut tx, agent).await.unwrap(), [second.clone(), other.clone()]);
        assert!(!knowledge::delete(&mut tx, agent, "c.md").await.unwrap());
        assert!(knowledge::delete(&mut tx, agent, "b.md").await.unwrap());
        assert_eq!(knowledge::passages(&mut tx, agent).await.unwrap().len(), 1);
        knowledge::delete_by_agent(&mut tx, agent).await.unwrap();
        assert!(knowledge::passages(&mut tx, agent).await.unwrap().is_empty());
        tx.commit().await.unwrap();
    }
}
