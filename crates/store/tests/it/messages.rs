//! Tests of messages, their parts, and the message tree.

use plexus_domain::{
    ApprovalId, ChatId, Digest, HubRowId, MessageId, Part, PartBody, RunState,
    chat_event::Event,
    message::{self, MessageState, TreeNode},
    part::ToolUse,
};
use plexus_store::{
    blobs::{self, Blob},
    chats, events, hubs,
    hubs::{Hub, HubState},
    messages,
    messages::{InsertOutcome, NewMessage},
    on_both, runs,
    runs::RunTransition,
    testing::World,
};
use serde_json::json;

on_both! {
    async fn two_agents_answer_one_message_and_one_is_retried(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let (one, two) = (world.agent(&ada, "@ada/one").await, world.agent(&ada, "@ada/two").await);
        let chat = world.chat(&ada, &[&one, &two]).await;
        let question = world.say(chat, ada.principal, None, "What is it?").await;
        let (_, first) = world.run(&ada, &one, chat, question, 1).await;
        let (_, second) = world.run(&ada, &two, chat, question, 2).await;
        let (_, retry) = world.run(&ada, &two, chat, question, 2).await;

        let mut conn = world.store.read().await.unwrap();
        let headers = messages::list_by_chat(&mut conn, chat).await.unwrap();
        let nodes: Vec<TreeNode> = headers.iter().map(TreeNode::from).collect();
        assert_eq!(message::alternatives(&nodes, second), [second, retry]);
        assert_eq!(message::visible(&nodes, retry), [question, first, retry]);
        assert_eq!(messages::list_open(&mut conn, chat).await.unwrap().len(), 3);
    }

    async fn a_run_takes_a_second_message_of_its_caller(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/asks").await;
        let chat = world.chat(&ada, &[&agent]).await;
        let request = world.say(chat, ada.principal, None, "Book a table").await;
        let (run, question) = world.run(&ada, &agent, chat, request, 1).await;

        let mut tx = world.write().await;
        for (from, to) in [(RunState::Queued, RunState::Working), (RunState::Working, RunState::InputRequired)] {
            let step = RunTransition { from, to, at: world.now(), failure: None, usage: None };
            assert!(runs::set_state(&mut tx, run, &step).await.unwrap());
        }
        assert!(messages::finish(&mut tx, question, MessageState::Done, &[Part::text("For when?")]).await.unwrap());
        assert_eq!(runs::find_input_required(&mut tx, chat, agent.agent).await.unwrap().unwrap().id, run);
        let parts = [Part::text("Tonight")];
        let mut answer = world.message(chat, ada.principal, Some(question), &parts);
        answer.run = Some(run);
        messages::insert(&mut tx, &answer).await.unwrap();
        tx.commit().await.unwrap();

        let mut conn = world.store.read().await.unwrap();
        let of_run: Vec<MessageId> =
            messages::list_by_run(&mut conn, run).await.unwrap().iter().map(|header| header.id).collect();
        assert_eq!(of_run, [question, answer.id]);
        assert_eq!(messages::find(&mut conn, question).await.unwrap().unwrap().parent, Some(request));
    }

    async fn an_agent_of_another_hub_speaks(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let hub = world.id(HubRowId::new);
        let row = Hub {
            id: hub,
            domain: None,
            state: HubState::Carried,
            record: None,
            head_seq: 0,
            last_seen_at: world.now(),
    hub_key: None, head: None, first_seen_at: None, };
        let mut tx = world.write().await;
        hubs::insert(&mut tx, &row).await.unwrap();
        tx.commit().await.unwrap();
        let far = world.agent_of(hub, None, "@bob/far").await;
        let chat = world.chat(&ada, &[&far]).await;
        let question = world.say(chat, ada.principal, None, "Anybody there?").await;
        let (run, answer) = world.run(&ada, &far, chat, question, 1).await;
        let mut tx = world.write().await;
        assert!(messages::finish(&mut tx, answer, MessageState::Done, &[Part::text("Here.")]).await.unwrap());
        assert!(runs::set_remote(&mut tx, run, Some("task-1"), Some("ctx-1")).await.unwrap());
        tx.commit().await.unwrap();

        let mut conn = world.store.snapshot().await.unwrap();
        let said = messages::load(&mut conn, &[answer]).await.unwrap();
        assert_eq!((said[0].author, said[0].run), (far.principal, Some(run)));
        let run = runs::find(&mut conn, run).await.unwrap().unwrap();
        assert_eq!((run.remote_task.as_deref(), run.remote_context.as_deref()), (Some("task-1"), Some("ctx-1")));
    }

    async fn parts_of_every_kind_come_back_as_they_were(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let chat = world.chat(&ada, &[]).await;
        let sha256 = Digest::of("a picture");
        let tool = ToolUse {
            tool: "search".to_owned(),
            arguments: json!({ "q": "x" }),
            result: Some(json!([1, 2.5, null])),
            took_ms: Some(12),
            call_id: None,
        };
        let approval = PartBody::Approval {
            approval: world.id(ApprovalId::new),
            decision: None,
            tool: "shell".to_owned(),
            arguments: json!({ "argv": ["rm"] }),
        };
        let named = Part { name: Some("p.png".to_owned()), media_type: Some("image/png".to_owned()),
            artifact: Some("pictures".to_owned()), ..Part::from(PartBody::File { blob: sha256, size: 9, image: None }) };
        let parts = [
            Part::text("Zero \0, snow ☃, quotes \"'\\ and a line\r\n"),
            Part::from(PartBody::Data { data: json!({ "deep": { "\0": [1.5e300, -0.0, i64::MAX] } }) }),
            named,
            Part::from(PartBody::Link { url: "https://a.example/?a=b#c".to_owned() }),
            Part::from(PartBody::Tool(tool)),
            Part::from(PartBody::Reasoning { text: String::new() }),
            Part::from(approval),
        ];
        let mut tx = world.write().await;
        let blob = Blob { sha256, size: 9, media_type: "image/png".to_owned(), place: "ab/cd".to_owned() };
        assert!(blobs::insert(&mut tx, &blob).await.unwrap());
        assert!(!blobs::insert(&mut tx, &blob).await.unwrap());
        let new = world.message(chat, ada.principal, None, &parts);
        messages::insert(&mut tx, &new).await.unwrap();
        assert_eq!(messages::load(&mut tx, &[new.id]).await.unwrap()[0].parts, parts);
        assert_eq!(blobs::list_unused(&mut tx, 10).await.unwrap(), []);
        assert!(messages::erase(&mut tx, new.id).await.unwrap());
        let erased = messages::load(&mut tx, &[new.id]).await.unwrap();
        assert_eq!((erased[0].state, erased[0].parts.len()), (MessageState::Deleted, 0));
        assert_eq!(blobs::list_unused(&mut tx, 10).await.unwrap(), [blob]);
        let by = blobs::BlobReference { owner_kind: "agent", owner: new.id.uuid() };
        assert!(blobs::add_use(&mut tx, &sha256, by).await.unwrap());
        assert_eq!(blobs::list_unused(&mut tx, 10).await.unwrap(), []);
        assert!(blobs::remove_use(&mut tx, &sha256, by).await.unwrap());
        assert!(blobs::delete(&mut tx, &sha256).await.unwrap());
        assert_eq!(blobs::find(&mut tx, &sha256).await.unwrap(), None);
    }

    async fn a_message_sent_twice_is_written_once(store: Store) {
        let mut world = World::new(store);
        let (ada, bob) = (world.person("ada").await, world.person("bob").await);
        let (chat, other) = (world.chat(&ada, &[]).await, world.chat(&ada, &[]).await);
        let parts = [Part::text("hello")];
        let new = world.message(chat, ada.principal, None, &parts);
        let mut tx = world.write().await;
        assert_eq!(messages::insert(&mut tx, &new).await.unwrap(), InsertOutcome::New { seq: 1 });
        tx.commit().await.unwrap();
        let mut tx = world.write().await;
        assert_eq!(messages::insert(&mut tx, &new).await.unwrap(), InsertOutcome::AlreadyThere);
        tx.commit().await.unwrap();

        let mut tx = world.write().await;
        assert_eq!(messages::list_by_chat(&mut tx, chat).await.unwrap().len(), 1);
        assert_eq!(messages::load(&mut tx, &[new.id]).await.unwrap()[0].parts, parts);
        let stolen = NewMessage { author: bob.principal, ..new.clone() };
        assert!(messages::insert(&mut tx, &stolen).await.unwrap_err().is_conflict());
        let moved = NewMessage { chat: other, ..new.clone() };
        assert!(messages::insert(&mut tx, &moved).await.unwrap_err().is_conflict());
    }

    async fn an_answer_is_in_the_chat_of_what_it_answers(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let (chat, other) = (world.chat(&ada, &[]).await, world.chat(&ada, &[]).await);
        let here = world.say(chat, ada.principal, None, "here").await;
        let mut tx = world.write().await;
        let there = world.message(other, ada.principal, Some(here), &[]);
        assert!(messages::insert(&mut tx, &there).await.unwrap_err().is_conflict());
        let missing = world.id(ChatId::new);
        let nowhere = world.message(missing, ada.principal, None, &[]);
        assert!(messages::insert(&mut tx, &nowhere).await.unwrap_err().is_conflict());
        let orphan = NewMessage { parent: Some(world.id(MessageId::new)), ..world.message(chat, ada.principal, None, &[]) };
        assert!(messages::insert(&mut tx, &orphan).await.unwrap_err().is_conflict());
    }

    async fn a_message_ends_once(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/calc").await;
        let chat = world.chat(&ada, &[&agent]).await;
        let question = world.say(chat, ada.principal, None, "2+2").await;
        let (_, answer) = world.run(&ada, &agent, chat, question, 1).await;
        let mut tx = world.write().await;
        assert!(messages::finish(&mut tx, answer, MessageState::Stopped, &[Part::text("fo")]).await.unwrap());
        assert!(!messages::finish(&mut tx, answer, MessageState::Done, &[Part::text("four")]).await.unwrap());
        let ended = messages::load(&mut tx, &[answer, question]).await.unwrap();
        assert_eq!(ended.iter().map(|one| one.id).collect::<Vec<_>>(), [question, answer]);
        assert_eq!((ended[1].state, ended[1].parts[0].as_text()), (MessageState::Stopped, Some("fo")));
        assert_eq!(messages::list_open(&mut tx, chat).await.unwrap(), []);
    }

    async fn events_and_messages_share_one_row_of_numbers(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let chat = world.chat(&ada, &[]).await;
        let said = world.say(chat, ada.principal, None, "one").await;
        let told = [
            Event::MessageCreated { message: said, run: None },
            Event::TitleChanged { title: "nul \0".to_owned() },
            Event::MemberChanged { principal: ada.principal, joined: true },
        ];
        let mut tx = world.write().await;
        assert_eq!(World::tell(&mut tx, chat, &told[..2], world.now()).await, 2);
        assert_eq!(World::tell(&mut tx, chat, &told[2..], world.now()).await, 4);
        tx.commit().await.unwrap();

        let mut conn = world.store.read().await.unwrap();
        let all = events::list_after(&mut conn, chat, 0, 10).await.unwrap();
        assert_eq!(all.iter().map(|row| &row.payload).collect::<Vec<_>>(), told.iter().collect::<Vec<_>>());
        let rest = events::list_after(&mut conn, chat, 2, 1).await.unwrap();
        assert_eq!(rest.iter().map(|row| row.seq).collect::<Vec<_>>(), [3]);
        assert_eq!(chats::find(&mut conn, chat).await.unwrap().unwrap().last_seq, 4);
    }
}
