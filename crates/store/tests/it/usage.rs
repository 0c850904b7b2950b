//! Tests of storage usage, as it is counted on insertion and deletion.

use plexus_domain::{Digest, Part, PartBody, message::MessageState};
use plexus_store::{
    blobs::{self, Blob},
    chats, messages, on_both, teams,
    testing::{Person, World},
    usage::{self, Holder, Stored},
};

async fn stored(world: &World, person: &Person) -> Stored {
    usage::stored(&mut world.store.read().await.unwrap(), Holder::Principal(person.principal)).await.unwrap()
}

/// Size of `{"kind":"text","text":"…"}` with this text.
fn text_bytes(text: &str) -> u64 {
    (text.len() + r#"{"kind":"text","text":""}"#.len()) as u64
}

on_both! {
    async fn an_account_counts_what_its_chats_hold_and_gets_back_what_is_deleted(store: Store) {
        let mut world = World::new(store);
        let (ada, bob) = (world.person("ada").await, world.person("bob").await);
        let agent = world.agent(&ada, "@ada/one").await;
        let chat = world.chat(&ada, &[&agent]).await;
        let other = world.chat(&ada, &[]).await;
        let row = messages::ROW_BYTES.unsigned_abs();
        assert_eq!(stored(&world, &ada).await, Stored { chats: 2, bytes: 0 });

        let question = world.say(chat, ada.principal, None, "Draw it").await;
        let (_, answer) = world.run(&ada, &agent, chat, question, 1).await;
        let said = 2 * row + text_bytes("Draw it");
        assert_eq!(stored(&world, &ada).await, Stored { chats: 2, bytes: said });

        let sha256 = Digest::of("a picture");
        let file = Part { name: Some("p.png".to_owned()), ..Part::from(PartBody::File { blob: sha256, size: 9_000_000, image: None }) };
        let mut tx = world.write().await;
        let blob = Blob { sha256, size: 9_000_000, media_type: "image/png".to_owned(), place: "ab/cd".to_owned() };
        blobs::insert(&mut tx, &blob).await.unwrap();
        assert!(messages::finish(&mut tx, answer, MessageState::Done, &[file]).await.unwrap());
        tx.commit().await.unwrap();
        let with_file = stored(&world, &ada).await.bytes;
        assert!((9_000_000..9_000_200).contains(&(with_file - said)), "{with_file}");

        world.say(other, ada.principal, None, "Elsewhere").await;
        assert_eq!(stored(&world, &bob).await, Stored { chats: 0, bytes: 0 });
        let top = usage::top(&mut world.store.read().await.unwrap(), 5).await.unwrap();
        let top: Vec<_> = top.into_iter().map(|row| (row.name.to_string(), row.chats)).collect();
        assert_eq!(top, [("ada".to_owned(), 2)]);

        let mut tx = world.write().await;
        assert!(messages::erase(&mut tx, answer).await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(stored(&world, &ada).await.bytes, said + row + text_bytes("Elsewhere"));
        let mut tx = world.write().await;
        assert!(chats::delete(&mut tx, chat).await.unwrap());
        tx.commit().await.unwrap();
        let left = Stored { chats: 1, bytes: row + text_bytes("Elsewhere") };
        assert_eq!(stored(&world, &ada).await, left);
        let mut conn = world.store.read().await.unwrap();
        assert_eq!(usage::total(&mut conn).await.unwrap(), left);
        assert!(usage::database(&mut conn).await.unwrap() > 100_000);
        assert_eq!(usage::agents(&mut conn, ada.namespace).await.unwrap(), 1);
        assert_eq!(usage::agents_total(&mut conn).await.unwrap(), 1);
    }

    async fn a_log_of_a_team_counts_to_its_chat(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let chat = world.chat(&ada, &[]).await;
        let mut tx = world.write().await;
        teams::insert(&mut tx, &teams::Team {
            chat,
            goal: "a goal".to_owned(),
            pattern: "floor".to_owned(),
            home_hub: plexus_domain::HubRowId::SELF,
            parent: None,
            depth_left: 0,
            limits: serde_json::json!({}),
            state: teams::TeamState::Forming,
            deadline: world.now(),
        }).await.unwrap();
        let body = "x".repeat(500);
        let entry = teams::SignedEntry { seq: 0, author_key: b"k", prev_hash: b"h", body: &body, signature: b"s" };
        teams::append(&mut tx, chat, &entry).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(stored(&world, &ada).await, Stored { chats: 1, bytes: 500 });
    }
}
