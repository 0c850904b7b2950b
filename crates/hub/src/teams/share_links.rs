//! Share links: read-only access to one ended team without an account.

use plexus_domain::{ChatId, Digest, Error as Refusal, PartBody};
use plexus_store::{Conn, members::MemberRole, team_share_links};

use super::{
    TeamReport, TeamSnapshot, TeamView, log_store,
    redact::{redact, redact_artifacts},
    report::{artifacts, at, nothing_here, read},
    view::gone,
};
use crate::{
    Caller, Hub, Result, accounts, blobs,
    blobs::Download,
    caller::{Person, Scope},
    chats,
    limits::Rate,
};

/// Creates the share link of an ended team, replacing an earlier one. Returns
/// its secret, which is shown once.
pub async fn share(hub: &Hub, caller: &Caller, id: ChatId) -> Result<String> {
    caller.may(Scope::Read)?;
    let person = caller.may(Scope::Team)?;
    let (word, now) = (accounts::random_token(hub), hub.env().now());
    let mut tx = hub.store().write().await?;
    check_owner(&mut tx, person, id).await?;
    if log_store::replay(&mut tx, id).await?.outcome().is_none() {
        return Err(Refusal::conflict("This team is still working. Share it after it has ended.").into());
    }
    team_share_links::put(&mut tx, id, &Digest::of(&word), now).await?;
    tx.commit().await?;
    Ok(word)
}

/// Revokes the share link.
pub async fn unshare(hub: &Hub, caller: &Caller, id: ChatId) -> Result<()> {
    let person = caller.may(Scope::Team)?;
    let mut tx = hub.store().write().await?;
    check_owner(&mut tx, person, id).await?;
    if !team_share_links::delete(&mut tx, id).await? {
        return Err(Refusal::not_found("This team has no share link.").into());
    }
    Ok(tx.commit().await?)
}

async fn check_owner(conn: &mut Conn, person: &Person, id: ChatId) -> Result<()> {
    match chats::membership_or(conn, person, id, gone).await?.role {
        MemberRole::Owner => Ok(()),
        MemberRole::Member | MemberRole::Guest => {
            Err(Refusal::forbidden("Only the owner of this team can share it.").into())
        }
    }
}

/// Returns the team of a share link, redacted.
pub async fn shared(hub: &Hub, caller: &Caller, word: &str) -> Result<(TeamView, TeamReport)> {
    hub.limits().take(Rate::SharedLinks, &caller.key())?;
    let mut conn = hub.store().snapshot().await?;
    let id = find(&mut conn, word).await?;
    let (view, mut report) = read(&mut conn, id).await?.ok_or_else(nothing_here)?;
    let (view, called) = redact(&mut conn, view).await?;
    redact_artifacts(&mut report.artifacts, &called);
    Ok((view, report))
}

/// Returns the redacted team as it was after a log entry.
pub async fn shared_moment(hub: &Hub, caller: &Caller, word: &str, seq: u64) -> Result<TeamSnapshot> {
    hub.limits().take(Rate::SharedLinks, &caller.key())?;
    let mut conn = hub.store().snapshot().await?;
    let id = find(&mut conn, word).await?;
    let moment = at(&mut conn, id, seq).await?;
    let (view, _) = redact(&mut conn, moment.view).await?;
    Ok(TeamSnapshot { view, ..moment })
}

/// Returns a file that the team produced.
pub async fn shared_file(hub: &Hub, caller: &Caller, word: &str, sha256: &str) -> Result<Download> {
    let sha256: Digest = sha256.parse().map_err(|_| nothing_here())?;
    hub.limits().take(Rate::SharedLinks, &caller.key())?;
    let mut conn = hub.store().snapshot().await?;
    let id = find(&mut conn, word).await?;
    let found = artifacts(&mut conn, id).await?.into_iter().map(|artifact| artifact.part);
    let is_it = |content: &PartBody| matches!(content, PartBody::File { blob, .. } if *blob == sha256);
    let part = found.into_iter().find(|part| is_it(&part.content)).ok_or_else(nothing_here)?;
    drop(conn);
    blobs::open(hub, &sha256, part.name, part.media_type).await
}

/// Revoked and unknown links give the same error, so that they cannot be distinguished.
async fn find(conn: &mut Conn, word: &str) -> Result<ChatId> {
    Ok(team_share_links::team(conn, &Digest::of(word)).await?.ok_or_else(nothing_here)?)
}
