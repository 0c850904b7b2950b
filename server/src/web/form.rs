//! Form extractor: URL-encoded fields, preserved so that a rejected form is shown again as it was filled in.

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use plexus_app::view_models::Form;
use plexus_domain::Error as Refusal;

use super::{error::status, json_body::body_error};
use crate::app_state::AppState;

/// The fields of a posted form. Repeated names are preserved.
pub struct Fields(Vec<(String, String)>);

impl FromRequest<AppState> for Fields {
    type Rejection = Response;

    async fn from_request(request: Request, site: &AppState) -> Result<Self, Response> {
        let limit = site.hub.config().limits.max_message_bytes as u64;
        let words = "This form is larger than the hub accepts. Go back and send less.";
        let body = Bytes::from_request(request, site).await.map_err(|rejection| {
            let refusal = body_error(&rejection, Refusal::too_large(words, limit));
            (status(&refusal), format!("{refusal}\n")).into_response()
        })?;
        if std::str::from_utf8(&body).is_err() {
            return Err((StatusCode::BAD_REQUEST, "The form is not valid UTF-8.\n").into_response());
        }
        Ok(Self(url::form_urlencoded::parse(&body).into_owned().collect()))
    }
}

impl From<Vec<(String, String)>> for Fields {
    fn from(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }
}

impl Fields {
    /// Returns the value of `name`, or an empty string if it is missing.
    pub fn get(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    /// Returns the value of `name`, or `None` if it is missing or empty.
    pub fn given(&self, name: &str) -> Option<&str> {
        Some(self.get(name)).filter(|value| !value.is_empty())
    }

    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn push(&mut self, name: &str, value: String) {
        self.0.push((name.to_owned(), value));
    }

    pub fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    /// Converts the fields to a form that is shown again with these values.
    pub fn into_form(self) -> Form {
        Form::filled(self.0)
    }
}
