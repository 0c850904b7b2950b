//! Files that callers attach to a message.

use plexus_domain::{Error as Refusal, Part, PartBody, media_type::is_covered};
use plexus_store::{Conn, cards};

use super::{AuthorizedAgent, CallRequest};
use crate::{
    Hub, Result,
    agents::{Card, ResolvedAgent},
    blobs::{NewBlob, StagedFiles},
    quotas,
};

/// Field name of a refusal that concerns a media type.
pub const MEDIA_TYPE: &str = "message.parts.mediaType";
const UNKNOWN: &str = "application/octet-stream";

/// Checks media types and quotas, then stages the files of a call on disk. None without files.
///
/// Files of a call that is rejected later are deleted as orphans within the hour.
pub(super) async fn keep<'a>(
    hub: &'a Hub,
    authorized: &AuthorizedAgent,
    call: &'a CallRequest,
) -> Result<Option<StagedFiles<'a>>> {
    if call.parts.iter().any(|part| media_type(part).is_some()) {
        check(&mut hub.store().read().await?, authorized, call).await?;
    }
    if call.files.is_empty() {
        return Ok(None);
    }
    quotas::check_files(hub, &authorized.requester, call.files.iter().map(NewBlob::size).sum())?;
    // Checked again when the message is stored; checked here before anything is written to disk.
    quotas::check_bytes(hub, &mut hub.store().read().await?, &authorized.requester, &call.parts).await?;
    Ok(Some(hub.blobs().write(&call.files).await?))
}

/// Rejects media types that the agent's card does not list (A2A 1.0, section 3.1.1).
async fn check(conn: &mut Conn, authorized: &AuthorizedAgent, call: &CallRequest) -> Result<()> {
    let given: Vec<&str> = call.parts.iter().filter_map(media_type).collect();
    if given.is_empty() {
        return Ok(());
    }
    let modes = modes(conn, &authorized.reached).await?;
    let Some(wrong) = given.into_iter().find(|given| !is_taken(&modes, given)) else { return Ok(()) };
    let words = format!(
        "{} does not accept {}, only {}.",
        authorized.address(),
        plexus_domain::sanitized_text::ellipsize(wrong, 60),
        modes.join(", ")
    );
    Err(Refusal::invalid(MEDIA_TYPE, words).into())
}

/// Removes the parts that the agent does not accept, for callers that cannot choose what to send.
pub(crate) async fn acceptable_to(
    conn: &mut Conn,
    reached: &ResolvedAgent,
    mut parts: Vec<Part>,
) -> Result<Vec<Part>> {
    if parts.iter().any(|part| media_type(part).is_some()) {
        let modes = modes(conn, reached).await?;
        parts.retain(|part| media_type(part).is_none_or(|given| is_taken(&modes, given)));
    }
    Ok(parts)
}

/// Returns the input modes of the agent's card. Empty means that it accepts everything.
async fn modes(conn: &mut Conn, reached: &ResolvedAgent) -> Result<Vec<String>> {
    let body = cards::find(conn, &reached.version.card).await?;
    let card = body.and_then(|body| Card::read(&body).card);
    Ok(card.map(|card| card.input_modes).unwrap_or_default())
}

fn is_taken(modes: &[String], given: &str) -> bool {
    modes.is_empty() || modes.iter().any(|mode| is_covered(mode, given))
}

/// Returns the media type of a part. Files without one count as octet streams.
fn media_type(part: &Part) -> Option<&str> {
    let is_file = matches!(part.content, PartBody::File { .. });
    part.media_type.as_deref().or_else(|| is_file.then_some(UNKNOWN))
}
