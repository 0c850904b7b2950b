//! Generated chats of one account with one agent: questions and answers, as in direct chats of the hub.

use std::path::Path;

use anyhow::Context as _;
use plexus_domain::{
    AccountId, ChatId, HubRowId, MemberId, MessageId, NamespaceId, Part, Principal, PrincipalId, Timestamp,
    account::Role,
    chat::{ChatKind, Title},
    message::MessageState,
};
use plexus_store::{
    Store, StoreConfig, Tx,
    accounts::{self, Account, AccountState},
    agents,
    chats::{self, Chat, ChatChanges},
    members::{self, Member, MemberRole},
    messages::NewMessage,
    namespaces::{self, Namespace, NamespaceKind},
    principals,
};
use serde_json::json;

use crate::listings::{self, Words};

/// Messages of each chat, half of them answers.
const PER_CHAT: usize = 100;
/// Words of a message: at least this many, at most four times as many.
const MIN_WORDS: u64 = 10;
const CHATS_PER_TRANSACTION: usize = 10;
const START: i64 = 1_700_000_000_000;

/// Adds `count` messages, rounded down to whole chats, to the hub in `folder`, which has generated listings.
pub async fn insert(folder: &Path, count: usize) -> anyhow::Result<()> {
    let store = Store::open(&StoreConfig::parse(None, folder)?).await?;
    let mut words = Words::new(2);
    let mut tx = store.write().await?;
    let authors = authors(&mut tx, &mut words).await?;
    for n in 0..count / PER_CHAT {
        insert_chat(&mut tx, authors, n, &mut words).await?;
        if n % CHATS_PER_TRANSACTION == CHATS_PER_TRANSACTION - 1 {
            tx.commit().await?;
            tx = store.write().await?;
        }
    }
    tx.commit().await?;
    store.close().await;
    Ok(())
}

#[derive(Clone, Copy)]
struct Authors {
    person: PrincipalId,
    agent: PrincipalId,
}

async fn authors(tx: &mut Tx, words: &mut Words) -> anyhow::Result<Authors> {
    let created_at = Timestamp::from_millis(START);
    let namespace = NamespaceId::new(created_at, &words.entropy());
    let name = "historian".parse()?;
    let kind = NamespaceKind::Person;
    namespaces::insert(tx, &Namespace { id: namespace, name, kind, created_at, retired_at: None }).await?;
    let account = AccountId::new(created_at, &words.entropy());
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
    accounts::insert(tx, &row).await?;
    let agent_name = listings::sample(0).name.parse()?;
    let agent = agents::by_address(tx, HubRowId::SELF, &"generated".parse()?, &agent_name).await?;
    let agent = agent.context("there are no generated listings")?.id;
    let new = PrincipalId::new(created_at, &words.entropy());
    let person = principals::ensure(tx, &Principal::Account { account }, new).await?;
    let new = PrincipalId::new(created_at, &words.entropy());
    let agent = principals::ensure(tx, &Principal::Agent { agent }, new).await?;
    Ok(Authors { person, agent })
}

async fn insert_chat(tx: &mut Tx, authors: Authors, n: usize, words: &mut Words) -> anyhow::Result<()> {
    let created_at = Timestamp::from_millis(START + n as i64 * 60_000);
    let id = ChatId::new(created_at, &words.entropy());
    let chat = Chat {
        id,
        kind: ChatKind::Direct,
        title: Title::from_message(&words.query()),
        creator: authors.person,
        last_seq: 0,
        settings: json!({}),
        created_at,
        last_activity_at: created_at,
        expires_at: None,
        archived_at: None,
        delete_after_ms: None,
    };
    chats::insert(tx, &chat).await?;
    for (principal, role) in [(authors.person, MemberRole::Owner), (authors.agent, MemberRole::Member)] {
        let member = Member {
            id: MemberId::new(created_at, &words.entropy()),
            chat: id,
            principal,
            role,
            joined_at: created_at,
            left_at: None,
            current_message: None,
            last_read_seq: 0,
            folder: None,
            pinned: false,
        };
        members::insert(tx, &member).await?;
    }
    let texts: Vec<[Part; 1]> = (0..PER_CHAT).map(|_| [Part::text(text(words))]).collect();
    let mut messages: Vec<(i64, NewMessage<'_>)> = Vec::new();
    for (at, parts) in texts.iter().enumerate() {
        let message = NewMessage {
            id: MessageId::new(created_at, &words.entropy()),
            chat: id,
            parent: messages.last().map(|(_, previous)| previous.id),
            lane: 0,
            author: if at % 2 == 0 { authors.person } else { authors.agent },
            run: None,
            state: MessageState::Done,
            created_at,
            parts,
            attributes: None,
        };
        messages.push((at as i64 + 1, message));
    }
    let current_message = messages.last().map(|(_, last)| (authors.person, last.id));
    let changes = ChatChanges {
        is_listed: true,
        runs: &[],
        messages,
        events: &[],
        ended: Vec::new(),
        members: &[],
        current_message,
        is_room: false,
        at: created_at,
    };
    Ok(chats::append(tx, id, &changes).await?)
}

fn text(words: &mut Words) -> String {
    let count = MIN_WORDS + words.below(MIN_WORDS * 3 + 1);
    (0..count).map(|_| words.word()).collect::<Vec<_>>().join(" ")
}
