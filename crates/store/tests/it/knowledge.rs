//! Tests of the files of model agents, and of their vectors.

use plexus_domain::{KnowledgeFileId, knowledge::Passage};
use plexus_store::{
    knowledge::{self, KnowledgeFile},
    on_both,
    passage_vectors::{self, PassageVector, VectorCoverage},
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

    async fn a_passage_has_a_vector_of_one_model(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/weaver").await.agent;
        let file = KnowledgeFile {
            id: world.id(KnowledgeFileId::new),
            agent,
            name: "a.md".to_owned(),
            bytes: 3,
            added_at: world.now(),
        };
        let passage = |text: &str| Passage { place: "line 1".to_owned(), text: text.to_owned() };
        let vector = |position, vector: &[f32]| PassageVector { file: file.id, position, vector: vector.to_vec() };
        let mut tx = world.write().await;
        knowledge::put(&mut tx, &file, &[passage("x"), passage("y"), passage("z")]).await.unwrap();
        let missing = passage_vectors::list_unembedded(&mut tx, "one", None, 2).await.unwrap();
        let texts: Vec<&str> = missing.iter().map(|passage| passage.text.as_str()).collect();
        assert_eq!((texts, missing[0].agent), (vec!["x", "y"], agent));
        let rest = passage_vectors::list_unembedded(&mut tx, "one", Some((file.id, 1)), 9).await.unwrap();
        assert_eq!(rest.len(), 1);
        passage_vectors::put(&mut tx, "one", &vector(0, &[0.5, -1.0])).await.unwrap();
        passage_vectors::put(&mut tx, "one", &vector(1, &[1.0, 2.0])).await.unwrap();
        assert_eq!(passage_vectors::list_unembedded(&mut tx, "one", None, 9).await.unwrap().len(), 1);
        assert_eq!(passage_vectors::list_unembedded(&mut tx, "two", None, 9).await.unwrap().len(), 3);
        passage_vectors::put(&mut tx, "two", &vector(1, &[3.0])).await.unwrap();
        assert_eq!(passage_vectors::list(&mut tx, agent, "one").await.unwrap(), [vector(0, &[0.5, -1.0])]);
        let covered = passage_vectors::count(&mut tx, agent, "two").await.unwrap();
        assert_eq!(covered, VectorCoverage { passages: 3, vectors: 1 });

        assert!(knowledge::delete(&mut tx, agent, "a.md").await.unwrap());
        passage_vectors::put(&mut tx, "one", &vector(0, &[1.0])).await.unwrap();
        let covered = passage_vectors::count(&mut tx, agent, "one").await.unwrap();
        assert_eq!(covered, VectorCoverage::default());
        tx.commit().await.unwrap();
    }
}
