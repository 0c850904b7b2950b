//! Form extractor for messages: fields and files, as multipart (RFC 7578) or, without files, URL-encoded.

use axum::{
    body::Bytes,
    extract::{
        DefaultBodyLimit, FromRequest, Multipart, Request,
        multipart::{Field, MultipartError},
    },
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use plexus_domain::Error as Refusal;
use plexus_hub::{limits::Rate, quotas::in_units, uploads};

use super::{
    admission::admit_body,
    error::status,
    form::Fields,
    json_body::{body_error, is_of_type},
    page::PageContext,
};
use crate::app_state::AppState;

/// Maximum number of fields and files of a form.
const MAX_FIELDS: usize = 64;
/// Maximum bytes of the boundaries and headers between fields.
const OVERHEAD: usize = 64 * 1024;
/// A body may have this multiple of the file limit: files over the limit are read and dropped, so that the page can say
/// what was too large, and keep the text.
const SLACK: usize = 2;

/// The fields of a message form, and its files.
pub struct MessageForm {
    pub fields: Fields,
    pub files: Vec<FormFile>,
    /// Why files were dropped.
    pub refusal: Option<Refusal>,
}

/// A file of a form, in memory.
pub struct FormFile {
    pub name: String,
    pub media_type: Option<String>,
    pub bytes: Bytes,
}

impl MessageForm {
    /// Reads the form of a caller that may send a message of this size.
    pub async fn read(mut request: Request, site: &AppState, visit: &PageContext) -> Result<Self, Response> {
        let admitted = admit_body(site, &visit.caller, Rate::Messages, request.headers()).await;
        admitted.map_err(|error| visit.clone().refuse(error))?;
        if !is_of_type(request.headers(), &["multipart/form-data"]) {
            let fields = Fields::from_request(request, site).await?;
            return Ok(Self { fields, files: Vec::new(), refusal: None });
        }
        let reader = FormReader::new(site);
        let most = reader.files_left.saturating_mul(SLACK).saturating_add(reader.text_left);
        DefaultBodyLimit::max(most).apply(&mut request);
        let multipart =
            Multipart::from_request(request, site).await.map_err(|error| error.into_response())?;
        reader.read(multipart).await
    }
}

/// Reads a multipart body within limits.
struct FormReader {
    fields: Vec<(String, String)>,
    files: Vec<FormFile>,
    refusal: Option<Refusal>,
    files_left: usize,
    text_left: usize,
    max_file_bytes: u64,
}

impl FormReader {
    fn new(site: &AppState) -> Self {
        let limits = &site.hub.config().limits;
        Self {
            fields: Vec::new(),
            files: Vec::new(),
            refusal: None,
            files_left: limits.max_file_bytes,
            text_left: limits.max_message_bytes.saturating_add(OVERHEAD),
            max_file_bytes: uploads::limits(&site.hub).bytes,
        }
    }

    async fn read(mut self, mut multipart: Multipart) -> Result<MessageForm, Response> {
        let mut count = 0;
        while let Some(field) = multipart.next_field().await.map_err(|error| self.broken(&error))? {
            count += 1;
            if count > MAX_FIELDS {
                return Err((StatusCode::BAD_REQUEST, "The form has too many fields.\n").into_response());
            }
            match field.file_name() {
                Some(_) => self.file(field).await?,
                None => self.text(field).await?,
            }
        }
        Ok(MessageForm { fields: self.fields.into(), files: self.files, refusal: self.refusal })
    }

    async fn text(&mut self, mut field: Field<'_>) -> Result<(), Response> {
        let name = field.name().unwrap_or_default().to_owned();
        let mut bytes = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(|error| self.broken(&error))? {
            self.text_left = self.text_left.checked_sub(chunk.len()).ok_or_else(|| self.too_large())?;
            bytes.extend_from_slice(&chunk);
        }
        let text = String::from_utf8(bytes);
        let text =
            text.map_err(|_| (StatusCode::BAD_REQUEST, "The form is not valid UTF-8.\n").into_response())?;
        self.fields.push((name, text));
        Ok(())
    }

    async fn file(&mut self, mut field: Field<'_>) -> Result<(), Response> {
        let name = field.file_name().unwrap_or_default().to_owned();
        let media_type = field.content_type().map(str::to_owned);
        let mut bytes = Vec::new();
        let mut fits = self.files.len() < uploads::MAX_FILES;
        if !fits {
            let words =
                format!("A message has at most {} files. Send the rest in another.", uploads::MAX_FILES);
            self.refusal.get_or_insert(Refusal::invalid("file", words));
        }
        while let Some(chunk) = field.chunk().await.map_err(|error| self.broken(&error))? {
            if fits && bytes.len() + chunk.len() > self.files_left {
                fits = false;
                bytes = Vec::new();
                let limit = in_units(self.max_file_bytes);
                let words = format!("The files are larger than {limit} in all. Send smaller or fewer files.");
                self.refusal.get_or_insert(Refusal::too_large(words, self.max_file_bytes));
            }
            if fits {
                bytes.extend_from_slice(&chunk);
            }
        }
        // A file input without a chosen file is sent as an empty file without a name.
        if fits && !(name.is_empty() && bytes.is_empty()) {
            self.files_left -= bytes.len();
            self.files.push(FormFile { name, media_type, bytes: bytes.into() });
        }
        Ok(())
    }

    fn too_large(&self) -> Response {
        let words = "This form is larger than the hub accepts. Go back and send less.";
        let refusal = Refusal::too_large(words, self.max_file_bytes);
        (status(&refusal), format!("{refusal}\n")).into_response()
    }

    fn broken(&self, error: &MultipartError) -> Response {
        if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
            return self.too_large();
        }
        let refusal =
            body_error(error, Refusal::invalid("body", "The form could not be read. Send it again."));
        (status(&refusal), format!("{refusal}\n")).into_response()
    }
}
