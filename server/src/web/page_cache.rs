//! Cache of rendered pages for users who are not signed in, invalidated when the listings change.

use std::{collections::HashMap, future::Future, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use parking_lot::Mutex;
use plexus_app::{pages::Page, view_models::Locale};
use plexus_domain::Timestamp;
use plexus_hub::Error;

use super::page::{PageContext, set_language};
use crate::app_state::AppState;

/// TTL of a page: relative times ("3 min ago") stay accurate enough for this long.
const FRESH: Duration = Duration::from_secs(30);
/// Maximum number of cached pages. Only crawlers exceed it; the whole cache is then cleared.
const PAGES: usize = 1_000;

/// Cache of rendered pages. Pages are split where the CSP nonce occurs, since the nonce differs per request.
pub struct PageCache {
    /// Replaces the nonce during rendering. It is unguessable, so that no untrusted text contains it.
    placeholder: String,
    pages: Mutex<HashMap<Key, Arc<CachedPage>>>,
}

/// Cache key: path with query, language, theme, density, and whether single keys are shortcuts.
type Key = (String, Locale, &'static str, &'static str, bool);

struct CachedPage {
    change: u64,
    made: Timestamp,
    pieces: Vec<String>,
}

impl PageCache {
    pub fn new(site_word: String) -> Self {
        Self { placeholder: site_word, pages: Mutex::default() }
    }

    fn find(&self, key: &Key, change: u64, now: Timestamp) -> Option<Arc<CachedPage>> {
        let page = self.pages.lock().get(key).cloned()?;
        (page.change == change && now.since(page.made) < FRESH).then_some(page)
    }

    fn keep(&self, key: Key, page: &Arc<CachedPage>) {
        let mut pages = self.pages.lock();
        if pages.len() >= PAGES {
            pages.clear();
        }
        pages.insert(key, Arc::clone(page));
    }
}

/// Returns the page built by `make`, or a cached copy. The cache is bypassed for signed-in users, for pages
/// with a notice, and until the hub has loaded all agents.
pub async fn cached_page<P: Page>(
    site: &AppState,
    visit: PageContext,
    make: impl Future<Output = Result<P, Error>>,
) -> Response {
    let whole = plexus_hub::listings::is_index_ready(&site.hub);
    if !whole || visit.caller.person.is_some() || visit.frame().notice.is_some() {
        return visit.show_or_refuse(make.await);
    }
    let frame = visit.frame();
    let nonce = frame.nonce.clone();
    let locale = frame.locale;
    let key = (frame.path.clone(), locale, frame.theme.as_str(), frame.density.as_str(), frame.single_keys);
    let (change, now) = (plexus_hub::listings::last_change(&site.hub), frame.now);
    let page = match site.kept.find(&key, change, now) {
        Some(page) => page,
        None => match make.await {
            Ok(page) => {
                let html = visit.with_nonce(&site.kept.placeholder).text(page);
                let pieces = html.split(&site.kept.placeholder).map(str::to_owned).collect();
                let page = Arc::new(CachedPage { change, made: now, pieces });
                site.kept.keep(key, &page);
                page
            }
            Err(error) => return visit.refuse(error),
        },
    };
    answer(&page, &nonce, locale)
}

fn answer(page: &CachedPage, nonce: &str, locale: Locale) -> Response {
    let mut response = Body::from(page.pieces.join(nonce)).into_response();
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, html);
    set_language(response.headers_mut(), locale);
    response
}
