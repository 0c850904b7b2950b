//! Posts a message: inserts the message, one run and one open answer per addressed agent.
//!
//! The chat row must be locked.

use plexus_domain::{
    CallOptions, ChatId, Error as Refusal, MemberId, MessageAttributes, MessageId, Part, Principal,
    PrincipalId, RunId, RunState, Timestamp,
    chat::{ChatKind, Title},
    chat_event::Event,
    message::{Message, MessageState, TreeNode},
};
use plexus_store::{
    Tx, chats,
    chats::Chat,
    members,
    members::{Member, MemberRole},
    messages::MessageHeader,
    principals,
    runs::{Origin, Run},
    webhooks::Webhook,
};
use serde_json::json;
use tokio::task;

use super::{ChatChangeSet, agent_limits::check_agent_limits};
use crate::{
    Error, Hub, Result,
    agents::ResolvedAgent,
    caller::Requester,
    quotas,
    runs::{self, MessageAuthors, NewRunSpec, RunJob},
    views::{Author, MessageView, RunView},
};

/// The lane of the first agent's answer; lane 0 is for the requester's messages.
const FIRST_LANE: i32 = 1;

/// A message to be posted.
pub(crate) struct PostMessage<'a> {
    pub chat: &'a Chat,
    /// The messages that the chat has already.
    pub tree: &'a [MessageHeader],
    pub parent: Option<MessageId>,
    pub id: MessageId,
    pub parts: &'a [Part],
    /// Attributes that the calling program gave the message.
    pub attributes: Option<Box<MessageAttributes>>,
    pub origin: Origin,
    /// The run that waits for this message as its input.
    pub continues: Option<Run>,
    /// When the caller stops waiting for the answers, if that is known.
    pub until: Option<Timestamp>,
    pub options: CallOptions,
    /// True if the answers are not returned after this call.
    pub is_withheld: bool,
}

/// A posted message whose transaction is not committed yet.
pub(crate) struct PostedMessage {
    change_set: ChatChangeSet,
    jobs: Vec<RunJob>,
}

impl PostedMessage {
    pub const fn of(change_set: ChatChangeSet, jobs: Vec<RunJob>) -> Self {
        Self { change_set, jobs }
    }

    pub fn runs(&self) -> Vec<RunId> {
        self.jobs.iter().map(|job| job.run).collect()
    }

    /// Adds a webhook for a run.
    pub fn hook(&mut self, hook: Webhook) {
        self.change_set.hook(hook);
    }

    /// Returns the message and the empty answers to it.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.change_set.said()
    }

    /// Returns the first run.
    pub fn first(&self) -> Option<&RunJob> {
        self.jobs.first()
    }

    /// Commits, starts the workers and publishes the events.
    ///
    /// Runs in a task of its own, so that a cancelled request leaves no committed run without a worker.
    pub async fn commit_and_start(self, hub: &Hub, requester: &Requester, tx: Tx) -> Result<()> {
        let (hub, account) = (hub.clone(), requester.account());
        let tasks = hub.tasks().clone();
        let going = tasks.spawn(async move {
            let committed = self.change_set.commit(&hub, tx).await?;
            let asks_first = self.jobs.iter().any(|job| job.version.connector.waits_before_output());
            let silence = runs::spawn_workers(&hub, self.jobs);
            if asks_first {
                // Lets connectors send their request before the events are published: the latency of the
                // model or agent dominates.
                task::yield_now().await;
            }
            committed.publish(&hub, account).await;
            drop(silence);
            Ok(())
        });
        going.await.map_err(Error::fault)?
    }
}

/// Writes the message, and creates a run and an open answer for each of the agents.
pub(crate) async fn post_message(
    hub: &Hub,
    tx: &mut Tx,
    requester: &Requester,
    post: PostMessage<'_>,
    agents: &[ResolvedAgent],
) -> Result<PostedMessage> {
    quotas::check_message(hub, tx, requester, post.chat.creator, post.parts).await?;
    // A new chat has no limits. A reply to a waiting run is part of an answer that has begun.
    if !post.tree.is_empty() && post.continues.is_none() {
        check_agent_limits(hub, tx, post.chat, agents).await?;
    }
    let chat = post.chat.id;
    let mut change_set = ChatChangeSet::new(post.chat);
    change_set.add_message(question(hub, requester, &post));
    let seen = seen(requester, &post);
    let mut jobs = Vec::new();
    for (lane, reached) in (FIRST_LANE..).zip(agents) {
        let author = ensure_principal(hub, tx, reached).await?;
        change_set.join(new_member(hub, chat, author, MemberRole::Guest));
        let has_answered = |header: &MessageHeader| header.author == author && header.run.is_some();
        if !post.tree.iter().any(has_answered) {
            change_set.record(Event::MemberChanged { principal: author, joined: true });
        }
        let continues = post.continues.clone().filter(|run| run.agent == reached.agent.id);
        let (origin, question, until) = (post.origin, post.id, post.until);
        let (options, is_withheld) = (post.options.clone(), post.is_withheld);
        let (reached, beside, seen) = (reached.clone(), Vec::new(), seen.clone());
        let called = post.attributes.as_ref().and_then(|given| given.id.clone());
        let words = Some(post.parts.to_vec());
        let ask = NewRunSpec {
            chat,
            question,
            called,
            lane,
            beside,
            seen,
            words,
            reached,
            author,
            origin,
            continues,
            until,
            options,
            is_withheld,
        };
        jobs.push(runs::create(hub, tx, &mut change_set, requester, ask).await?);
    }
    let leaf = jobs.first().map_or(post.id, |job| job.answer.id);
    change_set.set_read_position(requester.principal, leaf);
    Ok(PostedMessage { change_set, jobs })
}

/// Returns the messages that are visible to the agents that answer.
fn seen(requester: &Requester, post: &PostMessage<'_>) -> MessageAuthors {
    let (id, parent) = (post.id, post.parent);
    let question = TreeNode { id, parent, lane: 0, seq: post.chat.last_seq + 1 };
    runs::visible_messages(
        post.tree.iter().map(MessageHeader::by).chain([(question, requester.principal)]),
        id,
    )
}

fn question(hub: &Hub, requester: &Requester, post: &PostMessage<'_>) -> MessageView {
    let going_on = |run: &Run| RunView { state: RunState::Working, ..RunView::from(run) };
    let message = Message {
        id: post.id,
        seq: 0,
        parent: post.parent,
        lane: 0,
        author: requester.principal,
        run: post.continues.as_ref().map(|run| run.id),
        state: MessageState::Done,
        created: hub.env().now(),
        parts: post.parts.to_vec(),
        attributes: post.attributes.clone(),
    };
    let is_beside = |header: &&MessageHeader| header.parent == post.parent && header.lane == 0;
    let beside = post.tree.iter().filter(is_beside).map(|header| header.id);
    let alternatives = beside.chain([post.id]).collect();
    let run = post.continues.as_ref().map(going_on);
    MessageView {
        message,
        author: Author::from(requester),
        run,
        alternatives,
        open: Vec::new(),
        status: None,
        mentioned: Vec::new(),
    }
}

/// Locks the row of a chat until the transaction ends. Fails if the chat does not exist.
pub(crate) async fn lock(tx: &mut Tx, chat: ChatId) -> Result<Chat> {
    let found = chats::lock(tx, chat).await?;
    found.ok_or_else(|| Refusal::not_found("Chat not found.").into())
}

/// How long a new chat is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ChatRetention {
    UntilDeleted,
    Until(Timestamp),
    /// The chat is temporary, and deleted so many milliseconds after its latest message.
    Temporary {
        delete_after_ms: i64,
    },
}

/// Inserts a chat with its owner as its first member.
pub(crate) async fn insert_chat(
    hub: &Hub,
    tx: &mut Tx,
    creator: PrincipalId,
    kind: ChatKind,
    title: Title,
    retention: ChatRetention,
) -> Result<Chat> {
    let now = hub.env().now();
    let (expires_at, delete_after_ms) = match retention {
        ChatRetention::UntilDeleted => (None, None),
        ChatRetention::Until(end) => (Some(end), None),
        ChatRetention::Temporary { delete_after_ms } => {
            let end = Timestamp::from_millis(now.millis().saturating_add(delete_after_ms));
            (Some(end), Some(delete_after_ms))
        }
    };
    let chat = Chat {
        id: hub.env().id(ChatId::new),
        kind,
        title,
        creator,
        last_seq: 0,
        settings: json!({}),
        created_at: now,
        last_activity_at: now,
        expires_at,
        archived_at: None,
        delete_after_ms,
    };
    chats::insert(tx, &chat).await?;
    members::insert(tx, &new_member(hub, chat.id, creator, MemberRole::Owner)).await?;
    Ok(chat)
}

/// Returns the principal of an agent, and creates it on first use.
pub(super) async fn ensure_principal(hub: &Hub, tx: &mut Tx, reached: &ResolvedAgent) -> Result<PrincipalId> {
    if let Some(known) = reached.principal {
        return Ok(known);
    }
    let who = Principal::Agent { agent: reached.agent.id };
    Ok(principals::ensure(tx, &who, hub.env().id(PrincipalId::new)).await?)
}

pub(super) fn new_member(hub: &Hub, chat: ChatId, principal: PrincipalId, role: MemberRole) -> Member {
    Member {
        id: hub.env().id(MemberId::new),
        chat,
        principal,
        role,
        joined_at: hub.env().now(),
        left_at: None,
        current_message: None,
        last_read_seq: 0,
        folder: None,
        pinned: false,
    }
}
