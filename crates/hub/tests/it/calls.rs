//! Calls of programs to agents: tasks, contexts, access and listings.

use std::net::{IpAddr, Ipv4Addr};

use plexus_domain::{
    Address, Error as Refusal, Part, RunId, RunState, message::MessageState, page::PageSize, part::plain_text,
};
use plexus_hub::{
    Caller, Error,
    calls::{
        self, AuthorizedAgent, CallRequest, Origin, PriorMessage, SubscriptionScope, Task, TaskFilter,
        TaskUpdate,
    },
    chats::{self, ChatFilter},
};

use super::common::{World, refusal};

fn calc() -> Address {
    "@plexus/calc".parse().unwrap()
}

fn call(text: &str) -> CallRequest {
    CallRequest::new(Origin::A2a, vec![Part::text(text)])
}

fn answer(task: &Task) -> String {
    task.agents_messages().map(|message| plain_text(&message.parts)).collect()
}

async fn ask(world: &World, authorized: &AuthorizedAgent, call: CallRequest) -> Task {
    let (task, following) =
        calls::start(&world.hub, authorized, call, SubscriptionScope::Settled).await.unwrap();
    following.wait_settled(task).await.unwrap()
}

async fn begin(world: &World, authorized: &AuthorizedAgent, call: CallRequest) -> Result<RunId, Error> {
    Ok(calls::start(&world.hub, authorized, call, SubscriptionScope::Settled).await?.0.id)
}

/// Returns input that takes the calculator a while.
fn long_sheet() -> String {
    (0..20_000).map(|line| format!("{line} * 3 km in m\n")).collect()
}

#[tokio::test]
async fn a_call_is_a_run_that_its_caller_can_find_again() {
    let world = World::new().await;
    let authorized = calls::authorize(&world.hub, &world.ada, &calc()).await.unwrap();
    let task = ask(&world, &authorized, call("2 + 3 * 4")).await;
    assert_eq!(task.state, RunState::Completed);
    assert!(answer(&task).contains("14"), "{}", answer(&task));
    assert_eq!(plain_text(&task.messages[0].parts), "2 + 3 * 4", "the question comes first");

    let again = calls::get(&world.hub, &authorized, task.id).await.unwrap();
    assert_eq!((again.context.clone(), again.messages.len()), (task.context.clone(), 2));
    let page =
        calls::list(&world.hub, &authorized, &TaskFilter::default(), None, PageSize::DEFAULT).await.unwrap();
    assert_eq!((page.total, page.tasks[0].id), (1, task.id));

    // The site shows the same messages, but not the chat in the list of chats.
    let chat = task.context.parse().unwrap();
    let shown = chats::open(&world.hub, &world.ada, chat, None, None).await.unwrap();
    assert_eq!(shown.messages.len(), 2);
    assert!(chats::list(&world.hub, &world.ada, ChatFilter::Active, None).await.unwrap().0.is_empty());

    // A task of another user is reported as missing.
    let others = calls::authorize(&world.hub, &world.bob, &calc()).await.unwrap();
    assert!(matches!(refusal(calls::get(&world.hub, &others, task.id).await), Refusal::NotFound { .. }));
    assert!(matches!(refusal(calls::cancel(&world.hub, &others, task.id).await), Refusal::NotFound { .. }));
    assert!(matches!(
        refusal(calls::cancel(&world.hub, &authorized, task.id).await),
        Refusal::Conflict { .. }
    ));
}

#[tokio::test]
async fn a_context_is_one_conversation_of_one_caller() {
    let world = World::new().await;
    let authorized = calls::authorize(&world.hub, &world.ada, &calc()).await.unwrap();
    let named = |text: &str, name: &str| CallRequest { context: Some(name.to_owned()), ..call(text) };
    let first = ask(&world, &authorized, named("1 + 1", "mine")).await;
    let second = ask(&world, &authorized, named("2 + 2", "mine")).await;
    let other = ask(&world, &authorized, named("3 + 3", "another")).await;
    assert_eq!((first.context.as_str(), second.context.as_str()), ("mine", "mine"));
    assert_eq!(second.messages[0].parent, Some(first.messages[1].id), "one goes on from the other");
    assert_eq!(other.messages[0].parent, None);

    let bobs = calls::authorize(&world.hub, &world.bob, &calc()).await.unwrap();
    let his = ask(&world, &bobs, named("4 + 4", "mine")).await;
    assert_eq!(his.messages[0].parent, None, "a name means something to one caller only");

    let filter = TaskFilter { context: Some("mine".to_owned()), ..TaskFilter::default() };
    let page = calls::list(&world.hub, &authorized, &filter, None, PageSize::DEFAULT).await.unwrap();
    assert_eq!(page.tasks.iter().map(|task| task.id).collect::<Vec<_>>(), [second.id, first.id]);

    let wrong = CallRequest { task: Some(first.id), ..named("5", "another") };
    assert!(
        matches!(refusal(begin(&world, &authorized, wrong).await), Refusal::Invalid { field, .. } if field == "message.contextId")
    );
    let ended = CallRequest { task: Some(first.id), ..call("5") };
    assert!(matches!(refusal(begin(&world, &authorized, ended).await), Refusal::Conflict { .. }));
}

#[tokio::test]
async fn a_reader_has_every_byte_once_and_a_second_one_too() {
    let world = World::new().await;
    let authorized = calls::authorize(&world.hub, &world.ada, &calc()).await.unwrap();
    let run = begin(&world, &authorized, call(&long_sheet())).await.unwrap();
    let read = async || {
        let (task, mut following) =
            calls::subscribe(&world.hub, &authorized, run, SubscriptionScope::Settled).await.unwrap();
        let mut text = task
            .agents_messages()
            .flat_map(|message| message.parts.clone())
            .map(|part| part.as_text().unwrap_or_default().to_owned())
            .collect::<String>();
        let mut last = None;
        while let Some(news) = following.next().await.unwrap() {
            match news {
                TaskUpdate::Part { start, part, .. } => {
                    let body = part.as_text().unwrap();
                    assert!(start <= text.len(), "nothing is missing");
                    text.truncate(start);
                    text.push_str(body);
                }
                TaskUpdate::Ended { message, .. } => {
                    assert!(message.parts[0].as_text().unwrap().starts_with(&text));
                }
                TaskUpdate::Status { line } => panic!("two calls do not wait: {line}"),
                TaskUpdate::State { task } => last = Some(task),
            }
        }
        *last.unwrap()
    };
    let (one, two) = tokio::join!(read(), read());
    assert_eq!((one.state, answer(&one)), (RunState::Completed, answer(&two)));
    assert!(answer(&one).len() > 20_000);
}

#[tokio::test]
async fn a_call_that_goes_on_can_be_cancelled() {
    let world = World::new().await;
    let authorized = calls::authorize(&world.hub, &world.ada, &calc()).await.unwrap();
    let run = begin(&world, &authorized, call(&long_sheet())).await.unwrap();
    let task = calls::cancel(&world.hub, &authorized, run).await.unwrap();
    assert_eq!(task.state, RunState::Stopped);
    assert!(task.messages.iter().all(|message| message.state != MessageState::Open));
}

#[tokio::test]
async fn what_was_said_before_is_part_of_the_conversation_and_a_message_is_asked_once() {
    let world = World::new().await;
    let authorized = calls::authorize(&world.hub, &world.ada, &calc()).await.unwrap();
    let before = [(false, "1 + 1"), (true, "2"), (false, "thanks")];
    let before = before.map(|(by_agent, text)| PriorMessage { by_agent, parts: vec![Part::text(text)] });
    let id = "0b5c9a52-1f0e-4c0e-9b64-0f4f6a1f5a11".to_owned();
    let asked = CallRequest { before: before.to_vec(), message_id: Some(id), ..call("5 + 5") };
    let task = ask(&world, &authorized, asked.clone()).await;
    let chat = task.context.parse().unwrap();
    let shown = chats::open(&world.hub, &world.ada, chat, None, None).await.unwrap();
    let said: Vec<_> = shown.messages.iter().map(|view| plain_text(&view.message.parts)).collect();
    assert_eq!(said[..4], ["1 + 1", "2", "thanks", "5 + 5"]);
    assert_eq!(begin(&world, &authorized, asked).await.unwrap(), task.id, "sending twice asks once");
}

#[tokio::test]
async fn the_same_message_to_another_agent_is_another_question() {
    let world = World::new().await;
    let id = "0199c0de-0000-7000-8000-00000000000a".to_owned();
    let named = |text: &str| CallRequest { message_id: Some(id.clone()), ..call(text) };
    let calc = calls::authorize(&world.hub, &world.ada, &calc()).await.unwrap();
    let guide = calls::authorize(&world.hub, &world.ada, &"@plexus/guide".parse().unwrap()).await.unwrap();
    let sum = ask(&world, &calc, named("1 + 1")).await;
    let found = ask(&world, &guide, named("1 + 1")).await;
    assert_ne!(sum.id, found.id);
    assert_eq!(begin(&world, &calc, named("1 + 1")).await.unwrap(), sum.id, "the same again");
}

#[tokio::test]
async fn a_call_has_a_bounded_number_of_parts() {
    let world = World::new().await;
    let authorized = calls::authorize(&world.hub, &world.ada, &calc()).await.unwrap();
    let many = |count: usize| vec![Part::text("1"); count];
    let before = vec![PriorMessage { by_agent: false, parts: many(2_001) }];
    let told = CallRequest { before, ..call("1 + 1") };
    assert!(matches!(refusal(begin(&world, &authorized, told).await), Refusal::Invalid { .. }));
    let said = CallRequest::new(Origin::A2a, many(257));
    assert!(matches!(refusal(begin(&world, &authorized, said).await), Refusal::Invalid { .. }));
    let task = ask(&world, &authorized, CallRequest::new(Origin::A2a, many(200))).await;
    assert_eq!(task.messages[0].parts.len(), 200);
}

#[tokio::test]
async fn strangers_reach_open_agents_and_hold_the_ids_of_their_tasks() {
    let world = World::new().await;
    let anonymous = Caller::anonymous(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let authorized = calls::authorize(&world.hub, &anonymous, &calc()).await.unwrap();
    let task = ask(&world, &authorized, call("7 * 6")).await;
    assert!(answer(&task).contains("42"));
    assert_eq!(calls::get(&world.hub, &authorized, task.id).await.unwrap().state, RunState::Completed);
    let listed =
        calls::list(&world.hub, &authorized, &TaskFilter::default(), None, PageSize::DEFAULT).await.unwrap();
    assert!(listed.tasks.is_empty());

    let guessed = CallRequest { context: Some("notes".to_owned()), ..call("1") };
    assert!(matches!(refusal(begin(&world, &authorized, guessed).await), Refusal::Invalid { .. }));
    let more =
        ask(&world, &authorized, CallRequest { context: Some(task.context.clone()), ..call("1 + 1") }).await;
    assert_eq!(more.context, task.context);

    let missing: Address = "@ada/none".parse().unwrap();
    assert!(matches!(
        refusal(calls::authorize(&world.hub, &anonymous, &missing).await),
        Refusal::NotFound { .. }
    ));
}
