//! Form `/language` of the footer: stores the language in a cookie, and returns to the page.

use axum::{
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::view_models::Locale;

use super::account::local_path;
use crate::web::{form::Fields, language::COOKIE};

pub async fn save(fields: Fields) -> Response {
    let mut response = Redirect::to(&local_path(fields.get("next"))).into_response();
    set_cookie(response.headers_mut(), Locale::parse(fields.get("language")));
    response
}

/// Stores the language for a year, or removes the choice, so that the browser decides.
pub fn set_cookie(headers: &mut HeaderMap, locale: Option<Locale>) {
    const YEAR: u32 = 365 * 24 * 3_600;
    let (value, max_age) = locale.map_or(("", 0), |locale| (locale.as_str(), YEAR));
    if let Ok(cookie) =
        HeaderValue::from_str(&format!("{COOKIE}={value}; Path=/; Max-Age={max_age}; SameSite=Lax"))
    {
        headers.append(header::SET_COOKIE, cookie);
    }
}
