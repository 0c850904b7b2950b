//! Uploads: files that users store for a message, until they send it or for a day.

mod image_file;

use std::{slice, time::Duration};

use bytes::Bytes;
use plexus_domain::{Error as Refusal, Part, PartBody, UploadId};
use plexus_image_file::{Format, photo_format_with_metadata};
pub use plexus_store::uploads::Upload;
use plexus_store::{Conn, Tx, uploads};

pub use self::image_file::REENCODE_IMAGE_COMMAND;
use crate::{
    Caller, Hub, Result,
    blobs::{self, NewBlob},
    caller::{Person, Requester, Scope},
    media_types, quotas,
};

/// Maximum number of files of one message.
pub const MAX_FILES: usize = 10;
/// Maximum number of files of one account that are not sent.
const MAX_UNSENT_FILES: u64 = 40;
/// Unsent bytes per account, as a multiple of the bytes of one message.
const UNSENT_MESSAGES: u64 = 4;
/// Lifetime of a file that is not sent.
const UPLOAD_TTL: Duration = Duration::from_hours(24);
/// Field of a refusal that concerns a file.
const FIELD: &str = "file";
const UNNAMED: &str = "file";

/// Limits of the files of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UploadLimits {
    pub files: usize,
    /// Limit for the sum of all files.
    pub bytes: u64,
}

/// Returns the limits of the files of one message on this hub.
pub fn limits(hub: &Hub) -> UploadLimits {
    UploadLimits { files: MAX_FILES, bytes: hub.config().limits.max_file_bytes as u64 }
}

/// Stores a file of the caller until it is sent. An image is encoded again, which changes its bytes.
///
/// `declared` is the media type that the client sent; a file without one gets it from the extension of its name.
pub async fn store(
    hub: &Hub,
    caller: &Caller,
    name: &str,
    declared: Option<&str>,
    bytes: Bytes,
) -> Result<Upload> {
    let person = caller.may(Scope::Chat)?;
    let name = blobs::label(Some(blobs::file_name(name).to_owned())).unwrap_or_else(|| UNNAMED.to_owned());
    check_bytes(hub, &name, bytes.len() as u64)?;
    let requester = Requester::from(person);
    quotas::check_files(hub, &requester, bytes.len() as u64)?;
    check_room(hub, &mut hub.store().read().await?, &requester, bytes.len() as u64).await?;
    let (name, blob) = clean(hub, &caller.key(), name, declared, bytes).await?;
    check_bytes(hub, &name, blob.size())?;
    let staged = hub.blobs().write(slice::from_ref(&blob)).await?;
    let mut tx = hub.store().write().await?;
    check_room(hub, &mut tx, &requester, blob.size()).await?;
    staged.record(&mut tx).await?;
    let upload = described(hub, name, &blob);
    uploads::insert(&mut tx, person.principal, &upload, hub.env().now()).await?;
    tx.commit().await?;
    Ok(upload)
}

/// Checks a file of the caller with this key as [`store`] does, without storing it. Returns its name and its content, which is that of an image that
/// was encoded again.
pub(crate) async fn check_file(
    hub: &Hub,
    caller: &str,
    name: &str,
    declared: Option<&str>,
    bytes: Bytes,
) -> Result<(String, NewBlob)> {
    let name = blobs::label(Some(blobs::file_name(name).to_owned())).unwrap_or_else(|| UNNAMED.to_owned());
    check_bytes(hub, &name, bytes.len() as u64)?;
    let (name, blob) = clean(hub, caller, name, declared, bytes).await?;
    check_bytes(hub, &name, blob.size())?;
    Ok((name, blob))
}

/// Returns those of these uploads that the caller has stored and not sent.
pub async fn list(hub: &Hub, caller: &Caller, ids: &[UploadId]) -> Result<Vec<Upload>> {
    let person = caller.may(Scope::Chat)?;
    let mut conn = hub.store().read().await?;
    let mut found = Vec::new();
    for id in ids.iter().take(MAX_FILES) {
        found.extend(uploads::find(&mut conn, person.principal, *id).await?);
    }
    Ok(found)
}

/// Deletes a file that is not sent. Idempotent.
pub async fn discard(hub: &Hub, caller: &Caller, id: UploadId) -> Result<()> {
    let person = caller.may(Scope::Chat)?;
    let mut tx = hub.store().write().await?;
    uploads::delete(&mut tx, person.principal, id).await?;
    Ok(tx.commit().await?)
}

/// Takes the files of a message: deletes their uploads and returns their parts. `kept` are the other files of the
/// message.
pub(crate) async fn take(
    hub: &Hub,
    tx: &mut Tx,
    person: &Person,
    ids: &[UploadId],
    kept: &[Part],
) -> Result<Vec<Part>> {
    let limits = limits(hub);
    if ids.len() + kept.len() > limits.files {
        let words = format!("A message has at most {} files. Send the rest in another.", limits.files);
        return Err(Refusal::invalid("uploads", words).into());
    }
    let mut parts = kept.to_vec();
    for id in ids {
        let gone =
            || Refusal::invalid("uploads", "A file of this message is not stored any more. Add it again.");
        let upload = uploads::find(tx, person.principal, *id).await?.ok_or_else(gone)?;
        uploads::delete(tx, person.principal, *id).await?;
        parts.push(upload.part());
    }
    let bytes = parts.iter().map(file_bytes).fold(0, u64::saturating_add);
    if bytes > limits.bytes {
        let limit = quotas::in_units(limits.bytes);
        let words = format!("The files of a message have at most {limit} in all. Send some in another.");
        return Err(Refusal::too_large(words, limits.bytes).into());
    }
    Ok(parts)
}

/// Deletes the uploads that were not sent in time. Returns how many.
pub(crate) async fn delete_expired(hub: &Hub) -> Result<u64> {
    let mut tx = hub.store().write_background().await?;
    let deleted = uploads::delete_older(&mut tx, hub.env().now() - UPLOAD_TTL).await?;
    tx.commit().await?;
    Ok(deleted)
}

/// Returns the files among these parts.
pub(crate) fn files(parts: Vec<Part>) -> Vec<Part> {
    parts.into_iter().filter(|part| matches!(part.content, PartBody::File { .. })).collect()
}

const fn file_bytes(part: &Part) -> u64 {
    match &part.content {
        PartBody::File { size, .. } => *size,
        _ => 0,
    }
}

fn check_bytes(hub: &Hub, name: &str, bytes: u64) -> Result<(), Refusal> {
    if bytes == 0 {
        return Err(Refusal::invalid(FIELD, format!("{name} is empty. Choose another file.")));
    }
    let limit = limits(hub).bytes;
    if bytes > limit {
        let words = format!("{name} is larger than {}. Send a smaller file.", quotas::in_units(limit));
        return Err(Refusal::too_large(words, limit));
    }
    Ok(())
}

/// Checks that the account may store another file of this size without sending it.
async fn check_room(hub: &Hub, conn: &mut Conn, requester: &Requester, bytes: u64) -> Result<()> {
    let unsent = uploads::total(conn, requester.principal).await?;
    let limit = limits(hub).bytes.saturating_mul(UNSENT_MESSAGES);
    if unsent.files >= MAX_UNSENT_FILES || unsent.bytes.saturating_add(bytes) > limit {
        let words = format!(
            "Your account has {} files of {} that are not sent. Send or remove some, or wait: each is deleted after a day.",
            unsent.files,
            quotas::in_units(unsent.bytes)
        );
        return Err(quotas::over("unsent_files", unsent.bytes, limit, words).into());
    }
    let all_unsent = uploads::total_bytes(conn).await?;
    quotas::check_unsent(
        hub,
        conn,
        requester,
        unsent.bytes.saturating_add(bytes),
        all_unsent.saturating_add(bytes),
    )
    .await
}

fn described(hub: &Hub, name: String, blob: &NewBlob) -> Upload {
    let (row, image) = (blob.row(), blob.image());
    Upload {
        id: hub.env().id(UploadId::new),
        blob: row.sha256,
        size: row.size,
        name,
        media_type: row.media_type.clone(),
        width: image.map(|image| image.width),
        height: image.map(|image| image.height),
    }
}

/// Returns the name and the content to store. An image is recognised by its bytes, whatever its declared type is.
async fn clean(
    hub: &Hub,
    caller: &str,
    name: String,
    declared: Option<&str>,
    bytes: Bytes,
) -> Result<(String, NewBlob)> {
    let declared = media_types::type_of_file(declared, &name);
    if let Some(format) = Format::detect(&bytes) {
        let image = image_file::clean(hub, caller, &name, format, bytes).await?;
        let name =
            image.extension.map_or_else(|| name.clone(), |new| media_types::with_extension(&name, new));
        return Ok((name, NewBlob::new(Some(image.media_type.to_owned()), image.bytes)));
    }
    if let Some(format) = photo_format_with_metadata(&bytes) {
        return Err(image_file::keeps_metadata(&name, format).into());
    }
    if media_types::inline_type(&declared).is_some() {
        return Err(image_file::invalid(&name).into());
    }
    Ok((name, NewBlob::new(Some(declared), bytes)))
}
