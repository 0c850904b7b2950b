//! Page `/agents?starred=true`: the agents that the viewer starred.

use axum::response::Response;
use plexus_app::view_models::agents::StarredPage;
use plexus_domain::page::PageSize;
use plexus_hub::{Error, agents::stars};

use super::agents::row;
use crate::{
    api::stars::{read, token},
    app_state::AppState,
    web::page::PageContext,
};

/// Query of the page.
pub struct StarredPageQuery {
    after: Option<String>,
}

impl StarredPageQuery {
    /// Returns `None` if the query string is that of a search.
    pub fn read(raw: &str) -> Option<Self> {
        let value = |name| {
            let mut pairs = url::form_urlencoded::parse(raw.as_bytes());
            pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
        };
        value("starred").map(|_| Self { after: value("after") })
    }
}

pub async fn show(site: &AppState, visit: PageContext, asked: StarredPageQuery) -> Response {
    let page = page(site, &visit, &asked).await;
    visit.show_or_refuse(page)
}

/// Builds the page. An invalid cursor means the first page.
async fn page(site: &AppState, visit: &PageContext, asked: &StarredPageQuery) -> Result<StarredPage, Error> {
    let after = asked.after.as_deref().and_then(read);
    let (rows, next) = stars::starred(&site.hub, &visit.caller, after, PageSize::DEFAULT).await?;
    Ok(StarredPage {
        rows: rows.into_iter().map(row).collect(),
        next: next.map(|next| format!("/agents?starred=true&after={}", token(next))),
    })
}
