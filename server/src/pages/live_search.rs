//! Live search of remote hubs on `/agents`: in the page, or as an event stream while the page is open.

use std::convert::Infallible;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    response::Response,
};
use bytes::Bytes;
use futures::{Stream, stream};
use plexus_app::{
    render,
    view_models::{
        Badge, Locale,
        agent_query::AgentsQuery,
        agents::AgentRow,
        live_search::{LiveSearchView, QueriedHub, QueryOutcome, Sources},
    },
};
use plexus_hub::{
    Caller, Error,
    federation::{self, LiveSearchHandle, Provenance, RemoteSearchHit},
    listings::Query,
};

use super::agents::{row, wanted};
use crate::{
    api::sse_encoder::sse,
    app_state::AppState,
    web::{event_stream::event_stream, page::PageContext},
};

/// Returns whether the query string requests a live search.
pub fn is_federated(raw: &str) -> bool {
    url::form_urlencoded::parse(raw.as_bytes()).any(|(name, value)| name == "federated" && value == "true")
}

/// Returns the live search section of the page, or `None` if remote hubs cannot contribute to the query.
/// `few`: there are few local results.
pub async fn on_page(
    site: &AppState,
    caller: &Caller,
    query: &AgentsQuery,
    wanted: Query,
    federated: bool,
    few: bool,
) -> Result<Option<LiveSearchView>, Error> {
    if !federation::supports_live_search(&site.hub, &wanted) {
        return Ok(None);
    }
    if !federated {
        // A query that can be sent to remote hubs has words or a tag, so the URL has a query string.
        let page = format!("{}&federated=true", query.href());
        let stream = query.href().replacen("/agents?", "/agents/live?", 1);
        return Ok(Some(LiveSearchView::Askable { page, stream, few }));
    }
    let (found, provenance) =
        federation::start_live_search(&site.hub, caller, wanted, true).await?.all().await?;
    Ok(Some(LiveSearchView::Asked {
        rows: found.into_iter().map(found_row).collect(),
        sources: sources(provenance),
    }))
}

/// Handles `/agents/live`: queries remote hubs and streams the results of each as it answers.
pub async fn follow(State(site): State<AppState>, visit: PageContext, RawQuery(raw): RawQuery) -> Response {
    let raw = raw.unwrap_or_default();
    let query = AgentsQuery::from_pairs(url::form_urlencoded::parse(raw.as_bytes()));
    let query = Query { typing: true, ..wanted(&site, &query) };
    match federation::start_live_search(&site.hub, &visit.caller, query, true).await {
        Ok(asking) => event_stream(Body::from_stream(events(site, visit.frame().locale, asking))),
        Err(error) => visit.refuse(error),
    }
}

fn events(
    site: AppState,
    locale: Locale,
    asking: LiveSearchHandle,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    stream::unfold(Some(asking), move |asking| {
        let site = site.clone();
        async move {
            let mut asking = asking?;
            let (event, is_last) = event(&site, locale, &mut asking).await?;
            Some((Ok(event), Some(asking).filter(|_| !is_last)))
        }
    })
}

/// Returns the next event, and whether it is the last. `None` ends the stream early, after an error.
async fn event(site: &AppState, locale: Locale, asking: &mut LiveSearchHandle) -> Option<(Bytes, bool)> {
    let assets = site.assets.places();
    let event = async {
        Ok::<_, Error>(match asking.next().await? {
            Some(found) => {
                let rows = found.into_iter().map(found_row).collect();
                (sse("found", &render::agent_rows(&assets, locale, rows)), false)
            }
            None => {
                let sources = sources(asking.provenance().await?);
                (sse("done", &render::sources(&assets, locale, sources)), true)
            }
        })
    };
    event.await.inspect_err(|error| tracing::warn!(%error, "other hubs could not be asked")).ok()
}

fn found_row(found: RemoteSearchHit) -> AgentRow {
    let has_page = found.has_page;
    let mut row = row(found.into());
    if !has_page {
        row.badges.push(Badge::NotCarried);
    }
    row
}

fn sources(provenance: Provenance) -> Sources {
    let hub = |hub: federation::QueriedHub| QueriedHub {
        name: hub.domain.unwrap_or(hub.id),
        came: match hub.came {
            federation::QueryOutcome::Answer { found, invalid_records } => {
                QueryOutcome::Answer { found, invalid_records }
            }
            federation::QueryOutcome::Nothing => QueryOutcome::Nothing,
        },
    };
    let Provenance { local, replicated, queried_hubs } = provenance;
    Sources { local, replicated, queried_hubs: queried_hubs.into_iter().map(hub).collect() }
}
