//! Another answer to a question: an alternative to an answer, or one beside it.

use plexus_domain::{CallOptions, Error as Refusal, MessageId, PrincipalId, chat_event::Event};
use plexus_store::{
    Tx,
    chats::Chat,
    members::MemberRole,
    messages::{self, MessageHeader},
    runs::Origin,
};

use super::{
    ChatChangeSet,
    agent_limits::check_agent_limits,
    check_may_post, membership_or,
    post_message::{ensure_principal, lock, new_member},
    send::check_kind,
};
use crate::{
    Hub, Result,
    agents::ResolvedAgent,
    caller::{Person, Requester},
    runs::{self, NewRunSpec, RunJob},
};

/// An answer and its question, in a chat that is locked.
pub(super) struct AnsweredQuestion {
    pub chat: Chat,
    pub answer: MessageHeader,
    pub question: MessageId,
    /// All messages of the chat.
    pub headers: Vec<MessageHeader>,
}

/// An agent that is asked a question again.
pub(super) struct AskedAgent {
    pub reached: ResolvedAgent,
    pub principal: PrincipalId,
}

impl AnsweredQuestion {
    /// Locks the chat of an answer, and returns it with its question, if this person may post there.
    pub async fn lock(tx: &mut Tx, person: &Person, answer: MessageId) -> Result<Self> {
        let gone = || Refusal::not_found("Answer not found.");
        let answer = messages::find(tx, answer).await?.ok_or_else(gone)?;
        let chat = lock(tx, answer.chat).await?;
        let member = membership_or(tx, person, chat.id, gone).await?;
        check_kind(&chat)?;
        check_may_post(&member)?;
        // Branch 0 has the messages of users.
        let Some(question) = answer.parent.filter(|_| answer.lane > 0) else { return Err(gone().into()) };
        let headers = messages::list_by_chat(tx, chat.id).await?;
        Ok(Self { chat, answer, question, headers })
    }

    /// Checks that the agent may answer another time, and returns it with its principal.
    pub async fn check_agent(&self, hub: &Hub, tx: &mut Tx, reached: ResolvedAgent) -> Result<AskedAgent> {
        check_agent_limits(hub, tx, &self.chat, std::slice::from_ref(&reached)).await?;
        let principal = ensure_principal(hub, tx, &reached).await?;
        Ok(AskedAgent { reached, principal })
    }

    /// Creates the run of an agent that answers the question in branch `lane`. `beside` are the alternatives there.
    pub async fn ask(
        &self,
        hub: &Hub,
        tx: &mut Tx,
        requester: &Requester,
        agent: AskedAgent,
        lane: i32,
        beside: Vec<MessageId>,
    ) -> Result<(ChatChangeSet, RunJob)> {
        let (chat, author) = (self.chat.id, agent.principal);
        let mut changes = ChatChangeSet::new(&self.chat);
        if !self.headers.iter().any(|header| header.author == author) {
            changes.join(new_member(hub, chat, author, MemberRole::Guest));
            changes.record(Event::MemberChanged { principal: author, joined: true });
        }
        let ask = NewRunSpec {
            chat,
            question: self.question,
            called: None,
            lane,
            beside,
            seen: runs::visible_messages(self.headers.iter().map(MessageHeader::by), self.question),
            words: None,
            reached: agent.reached,
            author,
            origin: Origin::Page,
            continues: None,
            until: None,
            options: CallOptions::default(),
            is_withheld: false,
        };
        let job = runs::create(hub, tx, &mut changes, requester, ask).await?;
        Ok((changes, job))
    }
}
