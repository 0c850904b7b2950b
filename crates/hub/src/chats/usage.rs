//! Usage of a chat: tokens, cost and time of its answers together.

use plexus_domain::ChatId;
use plexus_store::chat_usage::{self, ChatUsage};

use super::membership;
use crate::{Caller, Hub, Result, caller::Scope};

/// Returns the usage of a chat of the caller. Answers that were copied to it have no usage.
pub async fn usage(hub: &Hub, caller: &Caller, chat: ChatId) -> Result<ChatUsage> {
    let person = caller.may(Scope::Read)?;
    let mut conn = hub.store().read().await?;
    membership(&mut conn, person, chat).await?;
    Ok(chat_usage::sum(&mut conn, chat).await?)
}
