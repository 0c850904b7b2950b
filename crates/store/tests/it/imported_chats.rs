//! Tests of imported chats, and of the authors of their messages.

use plexus_domain::{Principal, PrincipalId};
use plexus_store::{
    chats,
    imported_chats::{self, ImportSource},
    on_both, principals,
    testing::World,
};

on_both! {
    async fn a_conversation_is_imported_once_by_each_account_until_its_chat_is_deleted(store: Store) {
        let mut world = World::new(store);
        let (ada, bob) = (world.person("ada").await, world.person("bob").await);
        let (one, two) = (world.chat(&ada, &[]).await, world.chat(&bob, &[]).await);
        let source = ImportSource { owner: ada.principal, format: "claude", conversation: "c-1" };
        let of_bob = ImportSource { owner: bob.principal, ..source };
        let mut tx = world.write().await;
        assert_eq!(imported_chats::find(&mut tx, source).await.unwrap(), None);
        assert!(imported_chats::insert(&mut tx, source, one).await.unwrap());
        assert!(!imported_chats::insert(&mut tx, source, one).await.unwrap());
        assert!(imported_chats::insert(&mut tx, of_bob, two).await.unwrap());
        let other = ImportSource { format: "chatgpt", ..source };
        assert_eq!(imported_chats::find(&mut tx, other).await.unwrap(), None);
        assert_eq!(imported_chats::find(&mut tx, source).await.unwrap(), Some(one));
        assert!(chats::delete(&mut tx, one).await.unwrap());
        assert_eq!(imported_chats::find(&mut tx, source).await.unwrap(), None);
        assert_eq!(imported_chats::find(&mut tx, of_bob).await.unwrap(), Some(two));
    }

    async fn each_label_has_one_author_besides_the_anonymous_caller(store: Store) {
        let mut world = World::new(store);
        let [claude, gpt] = ["Claude", "ChatGPT · gpt-4o"].map(|label| Principal::Imported { label: label.to_owned() });
        let mut ids = Vec::new();
        for principal in [&Principal::Anonymous, &claude, &gpt, &claude, &Principal::Anonymous] {
            let new = world.id(PrincipalId::new);
            let mut tx = world.write().await;
            ids.push(principals::ensure(&mut tx, principal, new).await.unwrap());
            tx.commit().await.unwrap();
        }
        assert_eq!((ids[0], ids[1]), (ids[4], ids[3]));
        assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
        let mut tx = world.write().await;
        assert_eq!(principals::find(&mut tx, ids[2]).await.unwrap(), Some(gpt));
        assert_eq!(principals::find(&mut tx, ids[0]).await.unwrap(), Some(Principal::Anonymous));
        let named = principals::list_named(&mut tx, &[ids[1]]).await.unwrap();
        assert_eq!(named[0].label.as_deref(), Some("Claude"));
    }
}
