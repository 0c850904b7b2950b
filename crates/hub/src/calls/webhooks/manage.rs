//! Create, read and delete the webhooks of a task, for its caller.

use anyhow::Context as _;
use plexus_domain::{Error as Refusal, PushId, RunId};
use plexus_store::{Tx, webhooks, webhooks::Webhook};

use super::{NamedWebhook, WebhookConfig, WebhookRequestInput, config::name};
use crate::{
    Error, Hub, Result,
    calls::{AuthorizedAgent, task},
    chats::post_message::PostedMessage,
    quotas,
};

/// Maximum number of webhooks of one task.
const MAX_ITEMS: usize = 10;

/// Returns the encryption purpose of the webhooks of a run.
fn purpose(run: RunId) -> String {
    format!("push {run}")
}

/// Adds a webhook to a task, or replaces the one of the same name. Without a name it gets a generated one.
pub async fn add(
    hub: &Hub,
    authorized: &AuthorizedAgent,
    run: RunId,
    webhook_request: WebhookRequestInput,
) -> Result<NamedWebhook> {
    task::find(hub, &mut hub.store().read().await?, authorized, run).await?;
    let mut tx = hub.store().write().await?;
    let (row, named) = acceptable(hub, &mut tx, authorized, run, webhook_request).await?;
    webhooks::set(&mut tx, &row).await?;
    tx.commit().await?;
    Ok(named)
}

/// Adds a webhook to a message that is being posted: its row is written after the row of the run.
pub(in crate::calls) async fn keep(
    hub: &Hub,
    tx: &mut Tx,
    authorized: &AuthorizedAgent,
    said: &mut PostedMessage,
    webhook_request: WebhookRequestInput,
) -> Result<()> {
    let Some(run) = said.first().map(|job| job.run) else { return Ok(()) };
    said.hook(acceptable(hub, tx, authorized, run, webhook_request).await?.0);
    Ok(())
}

async fn acceptable(
    hub: &Hub,
    tx: &mut Tx,
    authorized: &AuthorizedAgent,
    run: RunId,
    WebhookRequestInput { name: given, hook }: WebhookRequestInput,
) -> Result<(Webhook, NamedWebhook)> {
    let Some(person) = &authorized.requester.person else {
        return Err(Refusal::forbidden("Push notifications require an account. Sign in.").into());
    };
    let id = hub.env().id(PushId::new);
    let name = given.map_or_else(|| Ok(id.to_string()), name)?;
    hub.outbound()
        .webhooks()
        .check(hook.url())
        .map_err(|failure| Refusal::invalid("url", failure.message))?;
    let others = webhooks::list_by_run(tx, run).await?;
    let is_new = others.iter().all(|other| other.name != name);
    if is_new {
        quotas::check_webhook(hub, tx, person).await?;
    }
    if is_new && others.len() >= MAX_ITEMS {
        let words = format!("A task has at most {MAX_ITEMS} push configurations. Delete one first.");
        return Err(Refusal::invalid("id", words).into());
    }
    let plain = serde_json::to_vec(&hook).map_err(Error::fault)?;
    let ciphertext = hub.vault().seal(&purpose(run), &plain)?;
    Ok((
        Webhook { id, run, caller: Some(person.principal), name: name.clone(), ciphertext },
        NamedWebhook { name, hook },
    ))
}

/// Returns the webhook of this name.
pub async fn find(hub: &Hub, authorized: &AuthorizedAgent, run: RunId, name: &str) -> Result<NamedWebhook> {
    let found = list(hub, authorized, run).await?.into_iter().find(|named| named.name == name);
    found.ok_or_else(|| Refusal::not_found("Push configuration not found.").into())
}

/// Returns all webhooks of a task, the oldest first.
pub async fn list(hub: &Hub, authorized: &AuthorizedAgent, run: RunId) -> Result<Vec<NamedWebhook>> {
    let mut conn = hub.store().snapshot().await?;
    task::find(hub, &mut conn, authorized, run).await?;
    let rows = webhooks::list_by_run(&mut conn, run).await?;
    rows.into_iter().map(|row| Ok(NamedWebhook { hook: open(hub, &row)?, name: row.name })).collect()
}

/// Removes the webhook of this name. Idempotent.
pub async fn remove(hub: &Hub, authorized: &AuthorizedAgent, run: RunId, name: &str) -> Result<()> {
    task::find(hub, &mut hub.store().read().await?, authorized, run).await?;
    let mut tx = hub.store().write().await?;
    webhooks::delete(&mut tx, run, name).await?;
    Ok(tx.commit().await?)
}

pub(super) fn open(hub: &Hub, row: &Webhook) -> Result<WebhookConfig> {
    let plain = hub.vault().open_sealed(&purpose(row.run), &row.ciphertext)?;
    Ok(serde_json::from_slice(&plain).context("a hook that was kept")?)
}
