//! Saying something.

use plexus_domain::{
    Address, ChatId, Error as Refusal, MemberId, MessageId, Part, Principal, PrincipalId, RunId,
    chat::{ChatKind, Title},
    event::Event,
    message::MessageState,
    text,
};
use plexus_store::{
    Tx,
    agents::Agent,
    chats,
    chats::Chat,
    members,
    members::{Member, MemberRole},
    messages,
    messages::{Header, Inserted},
    principals, runs as run_rows,
};
use serde_json::json;

use super::{Telling, address, membership, membership_or};
use crate::{
    Caller, Error, Hub, Result,
    agents::reach_by_id,
    caller::{Person, Scope},
    error::conflict,
    runs::{self, Ask, Job},
};

/// A message to be said. `id` is made by whoever writes it, so that sending it twice is harmless.
#[derive(Clone, Debug)]
pub struct NewMessage {
    pub id: MessageId,
    /// What it answers; none is the leaf that the person looks at.
    pub parent: Option<MessageId>,
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct Sent {
    pub chat: ChatId,
    pub message: MessageId,
    pub runs: Vec<RunId>,
}

/// Agents answer in lanes from here on; people speak in lane 0.
const FIRST_LANE: i32 = 1;

/// Begins a chat with `to`, or with whom the text mentions, or with the guide.
pub async fn start(hub: &Hub, caller: &Caller, to: Option<&Address>, new: NewMessage) -> Result<Sent> {
    let person = caller.may(Scope::Chat)?;
    let text = acceptable(hub, caller, &new.text)?;
    let id = new.id;
    if let Some(sent) = sent_before(hub, person, id).await? {
        return Ok(sent);
    }
    match begin_chat(hub, person, to, id, text).await {
        // The same message came twice at once, and the other was first.
        Err(Error::Refused(Refusal::Conflict { message })) => {
            sent_before(hub, person, id).await?.ok_or_else(|| Refusal::conflict(message).into())
        }
        done => done,
    }
}

/// The chat that this message has begun already.
async fn sent_before(hub: &Hub, person: &Person, id: MessageId) -> Result<Option<Sent>> {
    let mut conn = hub.store().read().await?;
    let Some(known) = messages::find(&mut conn, id).await? else { return Ok(None) };
    membership(&mut conn, person, known.chat).await?;
    Ok(Some(Sent { chat: known.chat, message: id, runs: Vec::new() }))
}

async fn begin_chat(
    hub: &Hub,
    person: &Person,
    to: Option<&Address>,
    id: MessageId,
    text: String,
) -> Result<Sent> {
    let mut tx = hub.store().write().await?;
    let (mentioned, rest) = address::mentions(&text);
    let asked = match (mentioned.is_empty(), to) {
        (false, _) => mentioned,
        (true, Some(to)) => vec![to.clone()],
        (true, None) => vec![crate::agents::guide_address()],
    };
    let agents = address::resolve(hub, &mut tx, person, &asked).await?;
    let chat =
        insert_chat(hub, &mut tx, person, Title::from_message(if rest.is_empty() { &text } else { rest }))
            .await?;
    let saying = Saying { chat: &chat, tree: &[], parent: None, id, text: &text };
    let (sent, telling, jobs) = say(hub, &mut tx, person, saying, &agents).await?;
    go(hub, person, tx, telling, jobs).await?;
    Ok(sent)
}

/// Says something in a chat that exists.
pub async fn send(hub: &Hub, caller: &Caller, chat: ChatId, new: NewMessage) -> Result<Sent> {
    let person = caller.may(Scope::Chat)?;
    let text = acceptable(hub, caller, &new.text)?;
    let mut tx = hub.store().write().await?;
    let row = lock(&mut tx, chat).await?;
    let member = membership(&mut tx, person, chat).await?;
    if messages::find(&mut tx, new.id).await?.is_some_and(|known| known.chat == chat) {
        return Ok(Sent { chat, message: new.id, runs: Vec::new() });
    }
    let tree = messages::list_by_chat(&mut tx, chat).await?;
    let parent = new.parent.or(member.leaf);
    check_parent(&tree, parent)?;
    let (mentioned, _) = address::mentions(&text);
    let agents = if mentioned.is_empty() {
        let mut kept = Vec::new();
        for agent in address::last_addressed(&mut tx, &tree, parent).await? {
            kept.push(reach_by_id(hub, &mut tx, person, agent).await?);
        }
        kept
    } else {
        address::resolve(hub, &mut tx, person, &mentioned).await?
    };
    let saying = Saying { chat: &row, tree: &tree, parent, id: new.id, text: &text };
    let (sent, telling, jobs) = say(hub, &mut tx, person, saying, &agents).await?;
    go(hub, person, tx, telling, jobs).await?;
    Ok(sent)
}

/// Asks the author of an answer for another one, in its place.
pub async fn retry(hub: &Hub, caller: &Caller, answer: MessageId) -> Result<Sent> {
    let person = caller.may(Scope::Chat)?;
    hub.limits().sends.take(&caller.key())?;
    let gone = || Refusal::not_found("There is no such answer, or it is not yours to retry.");
    let mut tx = hub.store().write().await?;
    let found = messages::find(&mut tx, answer).await?.ok_or_else(gone)?;
    let chat = lock(&mut tx, found.chat).await?;
    membership_or(&mut tx, person, chat.id, gone).await?;
    if found.state == MessageState::Open {
        return Err(Refusal::conflict("This answer is still being written. Stop it first.").into());
    }
    let author = principals::find(&mut tx, found.author).await?;
    let (Some(agent), Some(parent)) = (author.and_then(|who| who.agent()), found.parent) else {
        return Err(gone().into());
    };
    let agent = reach_by_id(hub, &mut tx, person, agent).await?;
    let mut telling = Telling::new(chat.id, chat.last_seq);
    let ask = Ask { chat: chat.id, question: parent, lane: found.lane, agent, continues: None };
    let job = runs::begin(hub, &mut tx, &mut telling, person, ask).await?;
    let sent = Sent { chat: chat.id, message: job.message, runs: vec![job.run] };
    members::set_leaf(&mut tx, chat.id, person.principal, Some(job.message)).await?;
    go(hub, person, tx, telling, vec![job]).await?;
    Ok(sent)
}

/// Commits, begins to work and tells readers what there is, in this order: a request that is given up after the
/// commit leaves no run without a worker.
async fn go(hub: &Hub, person: &Person, tx: Tx, telling: Telling, jobs: Vec<Job>) -> Result<()> {
    let committed = telling.commit(hub, tx).await?;
    let silence = runs::spawn(hub, jobs);
    committed.tell(hub, Some(person.account)).await;
    drop(silence);
    Ok(())
}

/// A message on its way into a chat that is locked.
struct Saying<'a> {
    chat: &'a Chat,
    tree: &'a [Header],
    parent: Option<MessageId>,
    id: MessageId,
    text: &'a str,
}

async fn say(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    saying: Saying<'_>,
    agents: &[Agent],
) -> Result<(Sent, Telling, Vec<Job>)> {
    let now = hub.env().now();
    let chat = saying.chat.id;
    let mut telling = Telling::new(chat, saying.chat.last_seq);
    let waiting = waiting_run(tx, &saying, agents).await?;
    let new = messages::NewMessage {
        id: saying.id,
        chat,
        parent: saying.parent,
        lane: 0,
        author: person.principal,
        run: waiting.as_ref().map(|run| run.id),
        state: MessageState::Done,
        created: now,
        parts: &[Part::text(saying.text)],
    };
    let used = || Refusal::conflict("Another message has this id. Reload the page and send again.");
    if let Inserted::AlreadyThere = conflict(messages::insert(tx, &new).await, used)? {
        return Err(used().into());
    }
    telling.record(Event::Message { message: saying.id, run: new.run });
    let mut jobs = Vec::new();
    for (lane, agent) in (FIRST_LANE..).zip(agents) {
        ensure_member(hub, tx, &mut telling, chat, agent).await?;
        let continues = waiting.clone().filter(|run| run.agent == agent.id);
        let ask = Ask { chat, question: saying.id, lane, agent: agent.clone(), continues };
        jobs.push(runs::begin(hub, tx, &mut telling, person, ask).await?);
    }
    let leaf = jobs.first().map_or(saying.id, |job| job.message);
    members::set_leaf(tx, chat, person.principal, Some(leaf)).await?;
    let runs = jobs.iter().map(|job| job.run).collect();
    Ok((Sent { chat, message: saying.id, runs }, telling, jobs))
}

/// The run that asked something and waits for this message.
async fn waiting_run(tx: &mut Tx, saying: &Saying<'_>, agents: &[Agent]) -> Result<Option<run_rows::Run>> {
    let (Some(parent), [agent]) = (saying.parent, agents) else { return Ok(None) };
    let asked = saying.tree.iter().find(|header| header.id == parent).and_then(|header| header.run);
    let Some(run) = asked else { return Ok(None) };
    let run = run_rows::find(tx, run).await?;
    Ok(run.filter(|run| run.state.is_waiting() && run.agent == agent.id))
}

fn acceptable(hub: &Hub, caller: &Caller, raw: &str) -> Result<String> {
    let limit = hub.config().limits.max_message_bytes;
    if raw.len() > limit {
        let words = format!("A message has at most {} KiB. Send the rest in another.", limit / 1024);
        return Err(Refusal::too_large(words, limit as u64).into());
    }
    let text = text::multi_line(raw);
    if text.trim().is_empty() {
        return Err(Refusal::invalid("text", "Write something first.").into());
    }
    hub.limits().sends.take(&caller.key())?;
    Ok(text)
}

async fn lock(tx: &mut Tx, chat: ChatId) -> Result<Chat> {
    let found = chats::lock(tx, chat).await?;
    found.ok_or_else(|| Refusal::not_found("There is no such chat, or it is not yours.").into())
}

fn check_parent(tree: &[Header], parent: Option<MessageId>) -> Result<()> {
    let Some(parent) = parent else { return Ok(()) };
    match tree.iter().find(|header| header.id == parent).map(|header| header.state) {
        None => Err(Refusal::invalid("parent", "The message that this answers is not in this chat.").into()),
        Some(MessageState::Open) => {
            Err(Refusal::conflict("The answer above is still being written. Wait for it, or stop it.").into())
        }
        Some(_) => Ok(()),
    }
}

async fn insert_chat(hub: &Hub, tx: &mut Tx, person: &Person, title: Title) -> Result<Chat> {
    let now = hub.env().now();
    let chat = Chat {
        id: hub.env().id(ChatId::new),
        kind: ChatKind::Direct,
        title,
        creator: person.principal,
        last_seq: 0,
        settings: json!({}),
        created: now,
        active: now,
        keep_until: None,
        archived: None,
    };
    chats::insert(tx, &chat).await?;
    members::insert(tx, &new_member(hub, chat.id, person.principal, MemberRole::Owner)).await?;
    Ok(chat)
}

async fn ensure_member(
    hub: &Hub,
    tx: &mut Tx,
    telling: &mut Telling,
    chat: ChatId,
    agent: &Agent,
) -> Result<()> {
    let who = Principal::Agent { agent: agent.id };
    let principal = principals::ensure(tx, &who, hub.env().id(PrincipalId::new)).await?;
    if members::insert(tx, &new_member(hub, chat, principal, MemberRole::Guest)).await? {
        telling.record(Event::Member { principal, joined: true });
    }
    Ok(())
}

fn new_member(hub: &Hub, chat: ChatId, principal: PrincipalId, role: MemberRole) -> Member {
    Member {
        id: hub.env().id(MemberId::new),
        chat,
        principal,
        role,
        joined: hub.env().now(),
        left_at: None,
        leaf: None,
        read_seq: 0,
        folder: None,
        pinned: false,
    }
}
