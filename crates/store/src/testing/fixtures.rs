//! Test fixtures: concise creation of accounts, agents, chats and other rows.

use plexus_domain::{
    AccountId, AgentId, ChatId, Digest, HubRowId, MemberId, MessageId, NamespaceId, Part, Principal,
    PrincipalId, ProcessId, RunId, RunState, Timestamp, VersionId,
    account::Role,
    agent::{AgentAccess, Builtin, Connector, Visibility},
    chat::{ChatKind, Title},
    chat_event::Event,
    id::Entropy,
    message::MessageState,
};
use serde_json::json;

use crate::{
    Store, Tx,
    accounts::{self, Account, AccountState},
    agent_versions::{self, Version},
    agents::{self, Agent, AgentState},
    cards,
    chats::{self, Chat, ChatChanges},
    members::{self, Member, MemberRole},
    messages::{self, InsertOutcome, NewMessage},
    namespaces::{self, Namespace, NamespaceKind},
    principals,
    processes::{self, Instance},
    runs::{self, NewRun, Origin},
};

/// An account with its namespace and principal.
#[derive(Clone, Debug)]
pub struct Person {
    pub account: AccountId,
    pub namespace: NamespaceId,
    pub principal: PrincipalId,
}

/// An agent with a version, ready to run.
#[derive(Clone, Debug)]
pub struct AgentSeed {
    pub agent: AgentId,
    pub version: VersionId,
    pub card: Digest,
    pub principal: PrincipalId,
}

/// Row factory. Time and ids increase by one with each use, so tests are deterministic.
pub struct World {
    pub store: Store,
    tick: u64,
}

/// 2026-11-20, so that ids look realistic.
const START: u64 = 1_795_132_800_000;

impl World {
    pub const fn new(store: Store) -> Self {
        Self { store, tick: 0 }
    }

    /// Returns the next timestamp.
    pub const fn now(&mut self) -> Timestamp {
        self.tick += 1;
        Timestamp::from_millis((START + self.tick).cast_signed())
    }

    /// Returns the next id of any type: `world.id(ChatId::new)`.
    pub fn id<T>(&mut self, new: impl FnOnce(Timestamp, &Entropy) -> T) -> T {
        let at = self.now();
        let mut entropy = [0; 10];
        entropy[2..].copy_from_slice(&self.tick.to_be_bytes());
        new(at, &entropy)
    }

    pub async fn write(&self) -> Tx {
        self.store.write().await.expect("a transaction")
    }

    pub async fn person(&mut self, name: &str) -> Person {
        let (namespace, account) = (self.id(NamespaceId::new), self.id(AccountId::new));
        let (new, created_at) = (self.id(PrincipalId::new), self.now());
        let mut tx = self.write().await;
        let name = name.parse().expect("a name");
        let kind = NamespaceKind::Person;
        let row = Namespace { id: namespace, name, kind, created_at, retired_at: None };
        namespaces::insert(&mut tx, &row).await.expect("a namespace");
        let row = Account {
            id: account,
            namespace,
            email_folded: None,
            role: Role::User,
            state: AccountState::Active,
            purge_at: None,
            prefs: json!({}),
            created_at,
        };
        accounts::insert(&mut tx, &row).await.expect("an account");
        let principal = principals::ensure(&mut tx, &Principal::Account { account }, new).await;
        tx.commit().await.expect("a commit");
        Person { account, namespace, principal: principal.expect("a principal") }
    }

    /// Creates a built-in agent owned by this account.
    pub async fn agent(&mut self, owner: &Person, address: &str) -> AgentSeed {
        self.agent_of(HubRowId::SELF, Some(owner.namespace), address).await
    }

    /// Creates an agent at `@owner/name` of any hub.
    pub async fn agent_of(
        &mut self,
        hub: HubRowId,
        namespace: Option<NamespaceId>,
        address: &str,
    ) -> AgentSeed {
        let address: plexus_domain::Address = address.parse().expect("an address");
        let (agent, version) = (self.id(AgentId::new), self.id(VersionId::new));
        let (new, created_at) = (self.id(PrincipalId::new), self.now());
        let mut tx = self.write().await;
        let row = Agent {
            id: agent,
            hub,
            home: None,
            owner: address.owner,
            name: address.name.clone(),
            listing_id: Some(format!("pl1{agent}")),
            namespace,
            visibility: Visibility::Public,
            access: AgentAccess::Accounts,
            state: AgentState::Active,
            created_at,
        };
        agents::insert(&mut tx, &row).await.expect("an agent");
        let body = json!({ "name": address.name.as_str() }).to_string();
        let card = cards::insert(&mut tx, body.as_bytes()).await.expect("a card");
        let row = Version {
            id: version,
            agent,
            semver: "1.0.0".to_owned(),
            card,
            connector: Connector::Builtin { program: Builtin::Calc },
            secret: None,
            created_at,
            yanked_reason: None,
        };
        agent_versions::insert(&mut tx, &row).await.expect("a version");
        let principal = principals::ensure(&mut tx, &Principal::Agent { agent }, new).await;
        tx.commit().await.expect("a commit");
        AgentSeed { agent, version, card, principal: principal.expect("a principal") }
    }

    /// Creates a direct chat of this account with these agents.
    pub async fn chat(&mut self, person: &Person, agents: &[&AgentSeed]) -> ChatId {
        let (id, created_at) = (self.id(ChatId::new), self.now());
        let mut tx = self.write().await;
        let chat = Chat {
            id,
            kind: ChatKind::Direct,
            title: Title::from_message("A chat"),
            creator: person.principal,
            last_seq: 0,
            settings: json!({}),
            created_at,
            last_activity_at: created_at,
            expires_at: None,
            archived_at: None,
            delete_after_ms: None,
        };
        chats::insert(&mut tx, &chat).await.expect("a chat");
        let others = agents.iter().map(|agent| (agent.principal, MemberRole::Member));
        for (principal, role) in std::iter::once((person.principal, MemberRole::Owner)).chain(others) {
            let member = self.member(id, principal, role);
            members::insert(&mut tx, &member).await.expect("a member");
        }
        tx.commit().await.expect("a commit");
        id
    }

    pub fn member(&mut self, chat: ChatId, principal: PrincipalId, role: MemberRole) -> Member {
        Member {
            id: self.id(MemberId::new),
            chat,
            principal,
            role,
            joined_at: self.now(),
            left_at: None,
            current_message: None,
            last_read_seq: 0,
            folder: None,
            pinned: false,
        }
    }

    /// Posts a finished message.
    pub async fn say(
        &mut self,
        chat: ChatId,
        author: PrincipalId,
        parent: Option<MessageId>,
        text: &str,
    ) -> MessageId {
        let parts = [Part::text(text)];
        let message = self.message(chat, author, parent, &parts);
        let mut tx = self.write().await;
        let inserted = messages::insert(&mut tx, &message).await.expect("a message");
        assert!(matches!(inserted, InsertOutcome::New { .. }));
        tx.commit().await.expect("a commit");
        message.id
    }

    /// Returns a finished message in lane 0, to be inserted.
    pub fn message<'a>(
        &mut self,
        chat: ChatId,
        author: PrincipalId,
        parent: Option<MessageId>,
        parts: &'a [Part],
    ) -> NewMessage<'a> {
        NewMessage {
            id: self.id(MessageId::new),
            chat,
            parent,
            lane: 0,
            author,
            run: None,
            state: MessageState::Done,
            created_at: self.now(),
            parts,
            attributes: None,
        }
    }

    /// Creates a queued run of `agent` with its open answer to `request`.
    pub async fn run(
        &mut self,
        caller: &Person,
        agent: &AgentSeed,
        chat: ChatId,
        request: MessageId,
        lane: i32,
    ) -> (RunId, MessageId) {
        let id = self.id(RunId::new);
        let new = NewRun {
            id,
            chat,
            agent: agent.agent,
            version: agent.version,
            caller: caller.principal,
            origin: Origin::Page,
            instance: None,
            state: RunState::Queued,
            queued_at: self.now(),
            options: plexus_domain::CallOptions::default(),
            is_withheld: false,
        };
        let answer = self.message(chat, agent.principal, Some(request), &[]);
        let answer = NewMessage { lane, run: Some(id), state: MessageState::Open, ..answer };
        let mut tx = self.write().await;
        runs::insert(&mut tx, &new).await.expect("a run");
        messages::insert(&mut tx, &answer).await.expect("an answer");
        tx.commit().await.expect("a commit");
        (id, answer.id)
    }

    /// Appends events to a chat and returns the sequence number of the first.
    pub async fn tell(tx: &mut Tx, chat: ChatId, events: &[Event], at: Timestamp) -> i64 {
        let locked = chats::lock(tx, chat).await.expect("a chat").expect("this chat");
        let numbered: Vec<_> = (locked.last_seq + 1..).zip(events.iter().cloned()).collect();
        let added = ChatChanges {
            is_room: false,
            is_listed: true,
            runs: &[],
            messages: Vec::new(),
            events: &numbered,
            ended: Vec::new(),
            members: &[],
            current_message: None,
            at,
        };
        chats::append(tx, chat, &added).await.expect("events");
        locked.last_seq + 1
    }

    pub async fn process(&mut self) -> ProcessId {
        let (id, started_at) = (self.id(ProcessId::new), self.now());
        let mut tx = self.write().await;
        let row =
            Instance { id, started_at, last_heartbeat_at: started_at, address: None, runs_federation: false };
        processes::insert(&mut tx, &row).await.expect("a process");
        tx.commit().await.expect("a commit");
        id
    }
}
