//! Uploads: files for a message that is sent later.

use axum::{
    Json,
    body::{self, Body},
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode, header},
};
use plexus_domain::{Digest, Error as Refusal, ImageSize, UploadId};
use plexus_hub::{
    caller::Scope,
    limits::Rate,
    quotas::in_units,
    uploads::{self, Upload},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::id;
use crate::{
    app_state::AppState,
    web::{admission::admit_body, auth::ApiCaller, error::ApiResult, json_body::body_error},
};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UploadQuery {
    /// File name.
    name: Option<String>,
}

/// A file that is stored and not sent yet.
#[derive(Serialize, ToSchema)]
#[schema(as = Upload)]
pub struct UploadJson {
    id: UploadId,
    name: String,
    media_type: String,
    /// Bytes as stored.
    size: u64,
    /// SHA-256 digest of the stored bytes.
    blob: Digest,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<ImageSize>,
}

impl From<Upload> for UploadJson {
    fn from(upload: Upload) -> Self {
        let image = upload.image();
        Self {
            id: upload.id,
            name: upload.name,
            media_type: upload.media_type,
            size: upload.size,
            blob: upload.blob,
            image,
        }
    }
}

/// Stores a file for a message.
///
/// The body is the file, and `Content-Type` its media type. PNG, JPEG, GIF and WebP images are encoded again, without
/// their metadata. A file that is not sent within a day is deleted.
#[utoipa::path(post, path = "/uploads", operation_id = "uploads.create", tag = "Chats", params(UploadQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    security(("token" = ["chat"])), responses((status = CREATED, description = "The file is \
        stored.", body = UploadJson)))]
pub async fn create(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Query(query): Query<UploadQuery>,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<(StatusCode, Json<UploadJson>)> {
    // Before the body is read: who may not store files sends none.
    caller.may(Scope::Chat)?;
    admit_body(&site, &caller, Rate::FileKib, &headers).await?;
    let limit = uploads::limits(&site.hub).bytes;
    let words = format!("The file is larger than {}. Send a smaller file.", in_units(limit));
    let too_large = Refusal::too_large(words, limit);
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let bytes = body::to_bytes(body, most).await.map_err(|error| body_error(&error, too_large))?;
    let declared = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let name = query.name.unwrap_or_default();
    let upload = uploads::store(&site.hub, &caller, &name, declared, bytes).await?;
    Ok((StatusCode::CREATED, Json(upload.into())))
}

/// Deletes a file that is not sent.
#[utoipa::path(delete, path = "/uploads/{upload}", operation_id = "uploads.delete", tag = "Chats",
    params(("upload" = UploadId, Path)), security(("token" = ["chat"])),
    responses((status = NO_CONTENT, description = "Deleted.")))]
pub async fn delete(
    State(site): State<AppState>,
    ApiCaller(caller): ApiCaller,
    Path(upload): Path<String>,
) -> ApiResult<StatusCode> {
    uploads::discard(&site.hub, &caller, id(&upload)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
