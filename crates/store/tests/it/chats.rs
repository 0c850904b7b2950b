//! Tests of chats and chat lists.

use plexus_domain::{
    ChatId, Timestamp,
    chat::{ChatKind, DailyLimitUnit, Title},
    chat_event::Event,
    page::PageSize,
};
use plexus_store::{
    Tx, caller_contexts,
    chat_agent_limits::{self, ChatAgentLimit},
    chats,
    chats::{Chat, ChatFilter},
    members,
    members::MemberRole,
    on_both,
    testing::World,
    transfer,
};
use serde_json::json;

on_both! {
    async fn a_list_shows_the_chat_last_spoken_in_first(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let mut order: Vec<ChatId> = Vec::new();
        for _ in 0..5 {
            order.insert(0, world.chat(&ada, &[]).await);
        }
        let again = order.pop().unwrap();
        world.say(again, ada.principal, None, "still here").await;
        order.insert(0, again);

        let mut conn = world.store.read().await.unwrap();
        let page = PageSize::new(2).unwrap();
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let items = chats::list_by_member(&mut conn, ada.principal, ChatFilter::Active, after, page).await.unwrap();
            after = items.last().map(|item| item.cursor());
            if items.is_empty() {
                break;
            }
            seen.extend(items.into_iter().map(|item| item.id));
        }
        assert_eq!(seen, order);
    }

    async fn a_list_has_what_its_member_may_see(store: Store) {
        let mut world = World::new(store);
        let (ada, bob) = (world.person("ada").await, world.person("bob").await);
        let [kept, archived, left] =
            [world.chat(&ada, &[]).await, world.chat(&ada, &[]).await, world.chat(&ada, &[]).await];
        world.chat(&bob, &[]).await;
        let mut tx = world.write().await;
        let at = world.now();
        assert!(chats::set_archived(&mut tx, archived, Some(at)).await.unwrap());
        assert!(members::leave(&mut tx, left, ada.principal, at).await.unwrap());
        let api = Chat {
            id: world.id(ChatId::new),
            kind: ChatKind::Api,
            title: Title::from_message("by a program"),
            creator: ada.principal,
            last_seq: 0,
            settings: json!({}),
            created_at: at,
            last_activity_at: at,
            expires_at: Some(at),
            archived_at: None,
            delete_after_ms: None,
        };
        chats::insert(&mut tx, &api).await.unwrap();
        let member = world.member(api.id, ada.principal, MemberRole::Owner);
        members::insert(&mut tx, &member).await.unwrap();
        assert!(members::set_pinned(&mut tx, kept, ada.principal, true).await.unwrap());
        assert!(members::set_folder(&mut tx, kept, ada.principal, Some("work")).await.unwrap());

        let page = PageSize::DEFAULT;
        let shown = chats::list_by_member(&mut tx, ada.principal, ChatFilter::Active, None, page).await.unwrap();
        assert_eq!(shown.iter().map(|item| item.id).collect::<Vec<_>>(), [kept]);
        assert_eq!((shown[0].pinned, shown[0].folder.as_deref()), (true, Some("work")));
        let away = chats::list_by_member(&mut tx, ada.principal, ChatFilter::Archived, None, page).await.unwrap();
        assert_eq!(away.iter().map(|item| item.id).collect::<Vec<_>>(), [archived]);
        let in_folder = async |tx: &mut Tx, name| {
            let filter = ChatFilter::Folder(name);
            let found = chats::list_by_member(tx, ada.principal, filter, None, page).await.unwrap();
            found.iter().map(|item| item.id).collect::<Vec<_>>()
        };
        assert_eq!(in_folder(&mut tx, "work").await, [kept]);
        assert_eq!(in_folder(&mut tx, "home").await, []);
        let folders = chats::list_folders(&mut tx, ada.principal).await.unwrap();
        assert_eq!(folders.iter().map(|it| (it.folder.as_str(), it.chats)).collect::<Vec<_>>(), [("work", 1)]);
        assert_eq!(chats::list_expired(&mut tx, at, 10).await.unwrap(), [api.id]);
        assert_eq!(chats::list_expired(&mut tx, Timestamp::from_millis(0), 10).await.unwrap(), []);
    }

    async fn a_limit_of_an_agent_is_replaced_and_goes_with_its_chat(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let (calc, other) = (world.agent(&ada, "@ada/calc").await, world.agent(&ada, "@ada/other").await);
        let chat = world.chat(&ada, &[&calc, &other]).await;
        let mut tx = world.write().await;
        let agents = members::list_agents(&mut tx, chat, 10).await.unwrap();
        assert_eq!(agents.iter().map(|(_, agent)| *agent).collect::<Vec<_>>(), [calc.agent, other.agent]);
        assert_eq!(members::list_agents(&mut tx, chat, 1).await.unwrap().len(), 1);
        for (unit, amount) in [(DailyLimitUnit::Answers, 3), (DailyLimitUnit::Tokens, 1_000_000_000)] {
            let limit = ChatAgentLimit { chat, agent: calc.agent, unit, amount };
            chat_agent_limits::put(&mut tx, &limit).await.unwrap();
            assert_eq!(chat_agent_limits::list_by_chat(&mut tx, chat).await.unwrap(), [limit]);
        }
        assert!(!chat_agent_limits::delete(&mut tx, chat, other.agent).await.unwrap());
        assert!(chats::delete(&mut tx, chat).await.unwrap());
        assert_eq!(chat_agent_limits::list_by_chat(&mut tx, chat).await.unwrap(), []);
    }

    async fn a_chat_is_renamed_and_keeps_its_settings(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let chat = world.chat(&ada, &[]).await;
        let mut tx = world.write().await;
        let title = Title::from_message("Ein neuer Titel");
        assert!(chats::set_title(&mut tx, chat, &title).await.unwrap());
        assert!(chats::set_settings(&mut tx, chat, &json!({ "agent": "x" })).await.unwrap());
        let found = chats::lock(&mut tx, chat).await.unwrap().unwrap();
        assert_eq!((found.title, found.settings), (title, json!({ "agent": "x" })));
    }

    async fn where_a_member_looks_is_their_own(store: Store) {
        let mut world = World::new(store);
        let (ada, bob) = (world.person("ada").await, world.person("bob").await);
        let chat = world.chat(&ada, &[]).await;
        let said = world.say(chat, ada.principal, None, "hello").await;
        let mut tx = world.write().await;
        let member = world.member(chat, bob.principal, MemberRole::Guest);
        assert!(members::insert(&mut tx, &member).await.unwrap());
        assert!(!members::insert(&mut tx, &member).await.unwrap(), "he is there already");
        assert!(members::set_current_message(&mut tx, chat, bob.principal, Some(said)).await.unwrap());
        assert!(members::set_read(&mut tx, chat, bob.principal, 5).await.unwrap());
        assert!(!members::set_read(&mut tx, chat, bob.principal, 4).await.unwrap(), "reading goes forward");
        assert!(members::leave(&mut tx, chat, bob.principal, world.now()).await.unwrap());
        assert_eq!(members::list_by_chat(&mut tx, chat).await.unwrap().len(), 1);
        let back = world.member(chat, bob.principal, MemberRole::Member);
        assert!(members::insert(&mut tx, &back).await.unwrap());
        let found = members::find(&mut tx, chat, bob.principal).await.unwrap().unwrap();
        assert_eq!((found.id, found.role, found.left_at), (member.id, MemberRole::Member, None));
        assert_eq!((found.current_message, found.last_read_seq), (Some(said), 5));
        assert_eq!(members::find(&mut tx, chat, ada.principal).await.unwrap().unwrap().current_message, None);
    }

    async fn a_deleted_chat_leaves_nothing(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/calc").await;
        let before = transfer::contents(&mut world.store.read().await.unwrap()).await.unwrap();

        let chat = world.chat(&ada, &[&agent]).await;
        let question = world.say(chat, ada.principal, None, "2+2").await;
        let (run, answer) = world.run(&ada, &agent, chat, question, 1).await;
        world.run(&ada, &agent, chat, question, 1).await;
        let reply = world.say(chat, ada.principal, Some(answer), "thanks").await;
        let mut tx = world.write().await;
        members::set_current_message(&mut tx, chat, ada.principal, Some(reply)).await.unwrap();
        caller_contexts::insert(&mut tx, ada.principal, agent.agent, "ctx", chat).await.unwrap();
        let event = Event::MessageCreated { message: answer, run: Some(run) };
        World::tell(&mut tx, chat, &[event], world.now()).await;
        tx.commit().await.unwrap();

        let mut tx = world.write().await;
        assert!(chats::delete(&mut tx, chat).await.unwrap());
        assert!(!chats::delete(&mut tx, chat).await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(transfer::contents(&mut world.store.read().await.unwrap()).await.unwrap(), before);
    }
}
