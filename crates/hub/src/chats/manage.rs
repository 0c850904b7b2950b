//! Renames, pins, archives, files and keeps chats.

use plexus_domain::{
    AccountId, ChatId, Error as Refusal, PrincipalId,
    chat::{FolderName, Title},
    chat_event::Event,
};
use plexus_store::{Tx, chats, chats::ChatFolder, members};

use super::{
    ChatChangeSet, check_owner, index_older_messages, membership,
    send::check_kind,
    temporary::{check_is_kept, set_temporary},
};
use crate::{
    Caller, Hub, Result,
    bus::ClusterNotice,
    caller::Scope,
    streaming::{FrameKind, StreamFrame, Topic},
};

/// Maximum number of folders of an account.
pub(super) const MAX_FOLDERS: usize = 100;

/// Changes of a chat. `None` leaves a property as it is.
#[derive(Clone, Debug, Default)]
pub struct ChatPatch {
    pub title: Option<String>,
    /// Whether the chat is before the others in the caller's list.
    pub pinned: Option<bool>,
    /// Whether the chat is in the list of archived chats.
    pub archived: Option<bool>,
    /// The caller's folder of the chat.
    pub folder: Option<FolderChange>,
    /// Whether the chat is temporary. A temporary chat can be kept; a chat cannot become temporary.
    pub temporary: Option<bool>,
}

impl ChatPatch {
    /// Whether it changes what temporary chats do not have.
    const fn needs_kept_chat(&self) -> bool {
        self.title.is_some() || self.pinned.is_some() || self.archived.is_some() || self.folder.is_some()
    }
}

/// Change of the folder of a chat. A folder exists while a chat is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderChange {
    MoveTo(FolderName),
    Remove,
}

impl FolderChange {
    /// Returns the change to the folder with this name; an empty name is no folder.
    pub fn requested(name: String) -> Result<Self, Refusal> {
        if name.trim().is_empty() { Ok(Self::Remove) } else { FolderName::try_from(name).map(Self::MoveTo) }
    }
}

/// Changes a chat of which the caller is a member.
pub async fn update(hub: &Hub, caller: &Caller, chat: ChatId, update: ChatPatch) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let needs_kept_chat = update.needs_kept_chat();
    let title = update.title.map(Title::try_from).transpose()?;
    let mut tx = hub.store().write().await?;
    let member = membership(&mut tx, person, chat).await?;
    if title.is_some() || update.archived.is_some() {
        check_owner(&member, "Only the owner of this chat can rename or archive it.")?;
    }
    let mut row = chats::lock(&mut tx, chat).await?.ok_or_else(|| Refusal::not_found("Chat not found."))?;
    let mut change_set = ChatChangeSet::new(&row);
    let was_temporary = row.is_temporary();
    if let Some(is_temporary) = update.temporary {
        set_temporary(&mut tx, &mut row, &member, is_temporary, &mut change_set).await?;
    }
    if needs_kept_chat {
        check_is_kept(&row)?;
    }
    if let Some(pinned) = update.pinned {
        members::set_pinned(&mut tx, chat, person.principal, pinned).await?;
    }
    if let Some(archived) = update.archived {
        check_kind(&row)?;
        chats::set_archived(&mut tx, chat, archived.then(|| hub.env().now())).await?;
    }
    if let Some(folder) = update.folder {
        set_folder(&mut tx, person.principal, chat, &folder).await?;
    }
    if let Some(title) = title {
        chats::set_title(&mut tx, chat, &title).await?;
        change_set.record(Event::TitleChanged { title: title.into() });
    }
    change_set.commit(hub, tx).await?.publish(hub, Some(person.account)).await;
    if was_temporary && !row.is_temporary() {
        hub.spawn_once("message index", index_older_messages(hub.clone()));
    }
    Ok(())
}

async fn set_folder(tx: &mut Tx, member: PrincipalId, chat: ChatId, change: &FolderChange) -> Result<()> {
    let FolderChange::MoveTo(name) = change else {
        members::set_folder(tx, chat, member, None).await?;
        return Ok(());
    };
    let folders = chats::list_folders(tx, member).await?;
    if folders.len() >= MAX_FOLDERS && !folders.iter().any(|it| it.folder == name.as_str()) {
        let words = format!("You have {MAX_FOLDERS} folders. Use one of them, or empty another one.");
        return Err(Refusal::conflict(words).into());
    }
    members::set_folder(tx, chat, member, Some(name.as_str())).await?;
    Ok(())
}

/// Lists the caller's folders of chats, by name.
pub async fn list_folders(hub: &Hub, caller: &Caller) -> Result<Vec<ChatFolder>> {
    let person = caller.may(Scope::Read)?;
    Ok(chats::list_folders(&mut hub.store().read().await?, person.principal).await?)
}

/// Tells an account's subscribers that its list of chats changed.
pub(crate) fn notify_list_changed(hub: &Hub, account: AccountId) {
    hub.cluster_notifier().enqueue(ClusterNotice::Chats(account));
    hub.live().channels.publish(Topic::Account(account), StreamFrame::new(FrameKind::ChatListChanged));
}
