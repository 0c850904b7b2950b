//! Contention: many tasks that read and then write the same chat, on few connections.

use plexus_domain::{Part, chat_event::Event};
use plexus_store::{
    Store, StoreConfig, StoreUrl, chats, events, messages,
    testing::{Database, World},
};
use serde_json::json;
use tokio::task::JoinSet;

const TASKS: i64 = 32;
const ROUNDS: i64 = 5;

async fn open(url: StoreUrl) -> Store {
    Store::open(&StoreConfig { connections: 2, ..StoreConfig::new(url) }).await.unwrap()
}

/// Each task increments a number that it has read, posts a message and appends an event.
async fn contend(store: &Store) {
    let mut world = World::new(store.clone());
    let ada = world.person("ada").await;
    let chat = world.chat(&ada, &[]).await;
    let mut tasks = JoinSet::new();
    for _ in 0..TASKS {
        let store = store.clone();
        let said: Vec<_> = (0..ROUNDS).map(|_| world.message(chat, ada.principal, None, &[])).collect();
        tasks.spawn(async move {
            for new in said {
                let parts = [Part::text("one more")];
                let new = messages::NewMessage { parts: &parts, ..new };
                let mut tx = store.write().await.unwrap();
                let before = chats::lock(&mut tx, chat).await.unwrap().unwrap();
                let n = before.settings["n"].as_i64().unwrap_or(0);
                messages::insert(&mut tx, &new).await.unwrap();
                let event = Event::MessageCreated { message: new.id, run: None };
                World::tell(&mut tx, chat, &[event], new.created_at).await;
                chats::set_settings(&mut tx, chat, &json!({ "n": n + 1 })).await.unwrap();
                tx.commit().await.unwrap();
            }
        });
    }
    tasks.join_all().await;

    let mut conn = store.snapshot().await.unwrap();
    let after = chats::find(&mut conn, chat).await.unwrap().unwrap();
    assert_eq!(after.settings, json!({ "n": TASKS * ROUNDS }), "an update was lost");
    assert_eq!(after.last_seq, 2 * TASKS * ROUNDS);
    let mut seqs: Vec<i64> =
        messages::list_by_chat(&mut conn, chat).await.unwrap().iter().map(|header| header.seq).collect();
    seqs.extend(events::list_after(&mut conn, chat, 0, 1000).await.unwrap().iter().map(|row| row.seq));
    seqs.sort_unstable();
    assert_eq!(seqs, (1..=2 * TASKS * ROUNDS).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(StoreUrl::Sqlite { folder: folder.path().to_owned() }).await;
    contend(&store).await;
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres() {
    let Some(database) = Database::new().await else { return };
    let store = open(database.url()).await;
    contend(&store).await;
    store.close().await;
    database.drop().await;
}
