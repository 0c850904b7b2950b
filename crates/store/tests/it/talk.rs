//! Chats, messages and runs: what keeps the schema honest.

use plexus_domain::{
    HubRowId, MessageId, Part, RunState,
    message::{self, MessageState, Node},
};
use plexus_store::{messages, on_both, runs, runs::Step, testing::World};

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
        let nodes: Vec<Node> = headers.iter().map(Node::from).collect();
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
            let step = Step { from, to, at: world.now(), failure: None };
            assert!(runs::set_state(&mut tx, run, &step).await.unwrap());
        }
        assert!(messages::finish(&mut tx, question, MessageState::Done, &[Part::text("For when?")]).await.unwrap());
        assert_eq!(runs::waiting(&mut tx, chat, agent.agent).await.unwrap().unwrap().id, run);
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
        let agent = world.agent_of(HubRowId::SELF, None, "@bob/far").await;
        let chat = world.chat(&ada, &[&agent]).await;
        let said = world.say(chat, agent.principal, None, "Hello").await;
        let mut conn = world.store.read().await.unwrap();
        assert_eq!(messages::load(&mut conn, &[said]).await.unwrap()[0].author, agent.principal);
    }
}
