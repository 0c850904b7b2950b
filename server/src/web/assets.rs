//! Static files embedded in the binary, served under `/static/{version}/`.
//!
//! The version is a digest of all files. Browsers can therefore cache each file for a year, and a new build
//! is fetched at once.

use std::{collections::HashMap, sync::Arc};

use axum::{
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use plexus_app::{style::CSS, view_models::Assets as Places};
use plexus_domain::Digest;
use rust_embed::RustEmbed;

use crate::app_state::AppState;

#[derive(RustEmbed)]
#[folder = "../public"]
#[exclude = "*.LICENSE"]
struct Public;

/// The name of the style sheet: all of `style/` concatenated in order.
const STYLE: &str = "style.css";

pub struct Assets {
    version: String,
    files: HashMap<String, Asset>,
    places: Arc<Places>,
}

struct Asset {
    media_type: &'static str,
    plain: Bytes,
    /// The file compressed with Brotli by the release build; `None` in debug builds.
    brotli: Option<Bytes>,
}

impl Assets {
    pub fn load() -> Self {
        let mut names: Vec<_> = Public::iter().collect();
        names.sort_unstable();
        let bytes = |name: &str| Public::get(name).map(|file| Bytes::from(file.data.into_owned()));
        let mut files = HashMap::new();
        let mut all = Vec::new();
        for name in names.iter().filter(|name| !name.ends_with(".br")) {
            let Some(plain) = bytes(name) else { continue };
            all.extend_from_slice(name.as_bytes());
            all.extend_from_slice(Digest::of(&plain).as_bytes());
            let asset = Asset { media_type: media_type(name), plain, brotli: bytes(&format!("{name}.br")) };
            files.insert(name.to_string(), asset);
        }
        all.extend_from_slice(CSS.as_bytes());
        let css =
            Asset { media_type: media_type(STYLE), plain: Bytes::from_static(CSS.as_bytes()), brotli: None };
        files.insert(STYLE.to_owned(), css);
        let version = Digest::of(all).to_string()[..12].to_owned();
        let places = Arc::new(places(&version));
        Self { version, files, places }
    }

    /// Returns the URLs of the files, for use in pages.
    pub fn places(&self) -> Arc<Places> {
        Arc::clone(&self.places)
    }

    fn answer(&self, name: &str, headers: &HeaderMap) -> Option<Response> {
        let asset = self.files.get(name)?;
        let accepts =
            headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let brotli =
            asset.brotli.clone().filter(|_| accepts.split(',').any(|coding| coding.trim().starts_with("br")));
        let packed = brotli.is_some();
        let mut response = brotli.unwrap_or_else(|| asset.plain.clone()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.media_type));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if packed {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
        }
        Some(response)
    }
}

/// Handles `GET /static/{version}/{*name}`.
///
/// For another version, styles and images of this version are returned with `no-store`. Scripts are not: HTML
/// and scripts of different versions are incompatible. The page's loader treats their 404 as "this page is
/// outdated".
pub async fn get(
    State(site): State<AppState>,
    Path((version, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let is_current = version == site.assets.version;
    let is_script = name.ends_with(".js") || name.ends_with(".wasm");
    let keep = if is_current { "public, max-age=31536000, immutable" } else { "no-store" };
    let found = if is_current || !is_script { site.assets.answer(&name, &headers) } else { None };
    let mut response = found.unwrap_or_else(|| StatusCode::NOT_FOUND.into_response());
    let keep = if response.status().is_success() { keep } else { "no-store" };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    response
}

fn places(version: &str) -> Places {
    let under = |name: &str| format!("/static/{version}/{name}");
    Places {
        css: under(STYLE),
        site_js: under("site.js"),
        module_js: under("pkg/plexus.js"),
        module_wasm: under("pkg/plexus_bg.wasm"),
        events_js: under("events.js"),
        icons: under("icons.svg"),
        favicon: under("favicon.svg"),
    }
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("webmanifest") => "application/manifest+json",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
