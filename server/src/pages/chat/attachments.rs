//! Files of the message that a page's composer is about to send.

use plexus_app::view_models::chat::{Attachment, Attachments};
use plexus_domain::UploadId;
use plexus_hub::{
    Error,
    caller::Caller,
    uploads::{self, Upload},
};

use crate::{
    app_state::AppState,
    web::{form::Fields, message_form::MessageForm},
};

/// What a message form asks for.
pub enum MessageRequest {
    Send(Vec<UploadId>),
    /// To show the page again, without a file that the user removed.
    ShowAgain,
}

/// Stores the files of a form, and adds their ids to its fields. A file that the user removes is deleted.
pub async fn receive(
    site: &AppState,
    caller: &Caller,
    form: MessageForm,
) -> (Fields, Result<MessageRequest, Error>) {
    let MessageForm { mut fields, files, refusal } = form;
    for file in files {
        match uploads::store(&site.hub, caller, &file.name, file.media_type.as_deref(), file.bytes).await {
            Ok(upload) => fields.push("upload", upload.id.to_string()),
            Err(error) => return (fields, Err(error)),
        }
    }
    if let Some(refusal) = refusal {
        return (fields, Err(refusal.into()));
    }
    let Some(removed) = fields.given("remove").map(str::to_owned) else {
        let ids = ids(&fields);
        return (fields, Ok(MessageRequest::Send(ids)));
    };
    let discarded = match removed.parse() {
        Ok(id) => uploads::discard(&site.hub, caller, id).await,
        Err(_) => Ok(()),
    };
    (fields, discarded.map(|()| MessageRequest::ShowAgain))
}

/// Returns the files of a form that are stored and not sent, with the limits of this hub.
pub async fn attachments(
    site: &AppState,
    caller: &Caller,
    fields: Option<&Fields>,
) -> Result<Attachments, Error> {
    let limits = uploads::limits(&site.hub);
    let ids = fields.map(ids).unwrap_or_default();
    let files = if ids.is_empty() { Vec::new() } else { uploads::list(&site.hub, caller, &ids).await? };
    let files = files.into_iter().map(attachment).collect();
    Ok(Attachments { files, max_files: limits.files, max_bytes: limits.bytes })
}

fn ids(fields: &Fields) -> Vec<UploadId> {
    fields.all("upload").filter_map(|id| id.parse().ok()).collect()
}

fn attachment(upload: Upload) -> Attachment {
    Attachment {
        id: upload.id,
        href: format!("/blobs/{}", upload.blob),
        image: upload.image(),
        name: upload.name,
        media_type: upload.media_type,
        size: upload.size,
    }
}
