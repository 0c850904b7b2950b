//! Form of the page `/settings/shares` that imports chats. The page shows the result.

use axum::{
    body::Bytes,
    extract::{Multipart, State, multipart::MultipartError},
    response::Response,
};
use plexus_app::view_models::shared_chat::ChatImportResult;
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error,
    caller::Scope,
    chats::{self, ImportedChats, MAX_IMPORT_BYTES},
    quotas::in_units,
};

use super::shares;
use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{form::Fields, json_body::body_error, page::PageContext},
};

/// Maximum bytes of the form: a file, and what is around it.
pub const MAX_UPLOAD: usize = MAX_IMPORT_BYTES + (64 << 10);

pub async fn import(State(site): State<AppState>, visit: PageContext, form: Multipart) -> Response {
    // Before the body is read: a visitor that may not import sends none.
    if let Err(refusal) = visit.caller.may(Scope::Chat) {
        return visit.refuse(refusal.into());
    }
    let imported = match file(form).await {
        Ok(file) => chats::import(&site.hub, &visit.caller, file).await,
        Err(error) => Err(error),
    };
    let page = match shares::page(&site, &visit.caller).await {
        Ok(page) => page,
        Err(error) => return visit.refuse(error),
    };
    match imported {
        Ok(result) => visit.show(page.with_import(view(result))),
        Err(error) => refused(visit, error, Fields::from(Vec::new()), |form| page.with_form(form)),
    }
}

/// Reads the file of a multipart form (RFC 7578).
async fn file(mut form: Multipart) -> Result<Bytes, Error> {
    let unreadable = |error: MultipartError| {
        let limit = in_units(MAX_IMPORT_BYTES as u64);
        let words = format!("The upload broke off, or is larger than {limit}. Export fewer chats at once.");
        Error::from(body_error(&error, Refusal::invalid("file", words)))
    };
    while let Some(field) = form.next_field().await.map_err(unreadable)? {
        // A form without a chosen file has a field without a file name.
        if field.name() == Some("file") && field.file_name().is_some_and(|name| !name.is_empty()) {
            return field.bytes().await.map_err(unreadable);
        }
    }
    Err(Refusal::invalid("file", "Choose a file first.").into())
}

fn view(result: ImportedChats) -> ChatImportResult {
    ChatImportResult {
        service: result.format.service().to_owned(),
        imported: result.imported,
        already_there: result.already_there,
        left_out: result.omissions.iter().map(|(omission, count)| omission.describe(count)).collect(),
        problem: result.refusal.map(|refusal| refusal.to_string()),
    }
}
