//! Form of the page `/settings/shares` that imports chats. The page shows the result.

use axum::{
    body::Bytes,
    extract::{Multipart, State, multipart::MultipartError},
    http::HeaderMap,
    response::Response,
};
use plexus_app::{
    text,
    view_models::{Locale, shared_chat::ChatImportResult},
};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error,
    chats::{self, ImportedChats, MAX_IMPORT_BYTES, MAX_IMPORT_MESSAGES, MAX_IMPORT_TEXT_BYTES, Omission},
    limits::Rate,
    quotas::in_units,
};

use super::shares;
use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{admission::admit_body, form::Fields, json_body::body_error, page::PageContext},
};

/// Maximum bytes of the form: a file, and what is around it.
pub const MAX_UPLOAD: usize = MAX_IMPORT_BYTES + (64 << 10);

pub async fn import(
    State(site): State<AppState>,
    visit: PageContext,
    headers: HeaderMap,
    form: Multipart,
) -> Response {
    if let Err(error) = admit_body(&site, &visit.caller, Rate::Imports, &headers).await {
        return visit.refuse(error);
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
        Ok(result) => {
            let result = view(visit.frame().locale, result);
            visit.show(page.with_import(result))
        }
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

/// Describes how much of a kind was left out, such as "3 images".
fn describe(locale: Locale, omission: Omission, count: u64) -> String {
    match omission {
        Omission::UnreadableConversation => text!(locale => "omitted-unreadable", count = count),
        Omission::LongConversation => {
            text!(locale => "omitted-long", count = count, limit = MAX_IMPORT_MESSAGES)
        }
        Omission::EmptyConversation => text!(locale => "omitted-empty-chats", count = count),
        Omission::Image => text!(locale => "omitted-images", count = count),
        Omission::File => text!(locale => "omitted-files", count = count),
        Omission::ToolMessage => text!(locale => "omitted-tools", count = count),
        Omission::HiddenMessage => text!(locale => "omitted-hidden", count = count),
        Omission::EmptyMessage => text!(locale => "omitted-empty", count = count),
        Omission::DuplicateMessage => text!(locale => "omitted-repeated", count = count),
        Omission::LongText => {
            text!(locale => "omitted-text", count = count, limit = MAX_IMPORT_TEXT_BYTES >> 20)
        }
    }
}

fn view(locale: Locale, result: ImportedChats) -> ChatImportResult {
    ChatImportResult {
        service: result.format.service().to_owned(),
        imported: result.imported,
        new_messages: result.new_messages,
        already_there: result.already_there,
        left_out: result
            .omissions
            .iter()
            .map(|(omission, count)| describe(locale, omission, count))
            .collect(),
        problem: result.refusal.map(|refusal| refusal.to_string()),
    }
}
