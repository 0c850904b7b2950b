//! Page `/register/import`: creates an agent from an exported one.

use axum::{
    extract::{Multipart, State, multipart::MultipartError},
    response::Response,
};
use plexus_app::view_models::{Form, register::RegisterImport};
use plexus_domain::Error as Refusal;
use plexus_hub::{
    Error,
    agents::{self, CreatedModelAgent, ImportChoices, export_too_large},
    caller::Scope,
};

use super::instructions::options;
use crate::{
    app_state::AppState,
    pages::account::refused,
    web::{
        form::Fields,
        json_body::body_error,
        page::{PageContext, redirect_with_notice},
    },
};

/// Maximum size of an upload in bytes: a document and the form around it.
pub const MAX_UPLOAD: usize = agents::MAX_AGENT_EXPORT_BYTES + (64 << 10);

/// Posted form.
#[derive(Default)]
struct ImportForm {
    document: Vec<u8>,
    choices: ImportChoices,
}

pub async fn show(State(site): State<AppState>, visit: PageContext) -> Response {
    let page = page(&site, &visit, Form::default()).await;
    visit.show_or_refuse(page)
}

async fn page(site: &AppState, visit: &PageContext, form: Form) -> Result<RegisterImport, Error> {
    let owner = visit.caller.may(Scope::Agents)?.name.to_string();
    Ok(RegisterImport { owner, models: options(site, visit).await?, form })
}

pub async fn import(State(site): State<AppState>, visit: PageContext, upload: Multipart) -> Response {
    let mut form = ImportForm::default();
    let imported = async {
        visit.caller.may(Scope::Agents)?;
        read(upload, &mut form).await?;
        if form.document.is_empty() {
            return Err(Refusal::invalid("file", "Choose a file first.").into());
        }
        let document = std::mem::take(&mut form.document);
        agents::import_agent(&site.hub, &visit.caller, document, form.choices.clone()).await
    };
    match imported.await {
        Ok(CreatedModelAgent { address, needs_credentials: true }) => {
            redirect_with_notice(&format!("/{address}/credentials"), "imported-credentials")
        }
        Ok(CreatedModelAgent { address, .. }) => {
            redirect_with_notice(&format!("/{address}/manage"), "imported")
        }
        Err(error) => match page(&site, &visit, Form::default()).await {
            Ok(page) => {
                let fields = [("name", form.choices.name), ("model", form.choices.model)];
                let fields = fields.map(|(name, value)| (name.to_owned(), value)).to_vec();
                let error = with_field_of_form(error, &["file", "name", "model"], "file");
                refused(visit, error, Fields::from(fields), |form| RegisterImport { form, ..page })
            }
            Err(error) => visit.refuse(error),
        },
    }
}

/// Returns the error for `other` if it names a field that is not on the form, but in the content of the new agent.
pub fn with_field_of_form(error: Error, fields: &[&str], other: &str) -> Error {
    match error {
        Error::Refused(Refusal::Invalid { field, message }) if !fields.contains(&field.as_str()) => {
            Refusal::invalid(other, message).into()
        }
        error => error,
    }
}

async fn read(mut upload: Multipart, form: &mut ImportForm) -> Result<(), Error> {
    let unreadable = |error: MultipartError| Error::from(body_error(&error, export_too_large()));
    while let Some(field) = upload.next_field().await.map_err(unreadable)? {
        match field.name() {
            Some("file") => form.document = field.bytes().await.map_err(unreadable)?.into(),
            Some("name") => form.choices.name = field.text().await.map_err(unreadable)?,
            Some("model") => form.choices.model = field.text().await.map_err(unreadable)?,
            _ => {}
        }
    }
    Ok(())
}
