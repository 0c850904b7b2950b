//! Quota usage of an account.

use plexus_store::{stars, teams, usage as rows, usage::Holder, webhooks};

use crate::{Caller, Hub, Result, caller::Scope};

/// One quota of an account and its usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// Name in settings and refusals.
    pub quota: &'static str,
    pub used: u64,
    pub limit: u64,
}

/// Returns the usage of each quota of the caller's account.
pub async fn used(hub: &Hub, caller: &Caller) -> Result<Vec<Used>> {
    let person = caller.may(Scope::Read)?;
    let quotas = &hub.config().quotas;
    let mut conn = hub.store().read().await?;
    let stored = rows::stored(&mut conn, Holder::Principal(person.principal)).await?;
    let agents = rows::agents(&mut conn, person.namespace).await?;
    let versions = rows::versions(&mut conn, person.namespace).await?;
    let stars = stars::count_by_account(&mut conn, person.account).await?;
    let drafts = rows::drafts(&mut conn, person.account).await?;
    let tokens = rows::tokens(&mut conn, person.account).await?;
    let webhooks = webhooks::count_by_caller(&mut conn, person.principal).await?;
    let teams = teams::count_open(&mut conn, person.principal).await?;
    let all = [
        ("bytes", stored.bytes, quotas.bytes),
        ("chats", stored.chats, quotas.chats),
        ("agents", agents, quotas.agents),
        ("versions", versions, quotas.versions),
        ("teams", teams, quotas.teams),
        ("stars", stars, quotas.stars),
        ("drafts", drafts, quotas.drafts),
        ("tokens", tokens, quotas.tokens),
        ("webhooks", webhooks, quotas.webhooks),
    ];
    Ok(all.into_iter().map(|(quota, used, limit)| Used { quota, used, limit }).collect())
}
