//! Page `/shortcuts`: the list of keyboard shortcuts.

use axum::response::Response;
use plexus_app::view_models::shortcuts::ShortcutsPage;

use crate::web::page::PageContext;

pub async fn show(visit: PageContext) -> Response {
    let single_keys = visit.frame().single_keys;
    visit.show(ShortcutsPage { single_keys })
}
