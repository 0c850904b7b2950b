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
    model::{
        Badge,
        agents::AgentRow,
        others::{AskedHub, Came, Others, Sources},
        query::AgentsQuery,
    },
    render,
};
use plexus_hub::{
    Caller, Error,
    federation::{self, Asking, Elsewhere, Provenance},
    listings::Query,
};

use super::agents::{row, wanted};
use crate::{
    api::wire::sse,
    state::Site,
    web::{event_stream::event_stream, page::Visit},
};

/// Returns whether the query string requests a live search.
pub fn is_live(raw: &str) -> bool {
    url::form_urlencoded::parse(raw.as_bytes()).any(|(name, value)| name == "live" && value == "1")
}

/// Returns the live search section of the page, or `None` if remote hubs cannot contribute to the query.
/// `few`: there are few local results.
pub async fn on_page(
    site: &Site,
    caller: &Caller,
    query: &AgentsQuery,
    wanted: Query,
    live: bool,
    few: bool,
) -> Result<Option<Others>, Error> {
    if !federation::is_askable(&site.hub, &wanted) {
        return Ok(None);
    }
    if !live {
        // A query that can be sent to remote hubs has words or a tag, so the URL has a query string.
        let page = format!("{}&live=1", query.href());
        let stream = query.href().replacen("/agents?", "/agents/live?", 1);
        return Ok(Some(Others::Askable { page, stream, few }));
    }
    let (found, provenance) = federation::ask_others(&site.hub, caller, wanted, true).await?.all().await?;
    Ok(Some(Others::Asked { rows: found.into_iter().map(found_row).collect(), sources: sources(provenance) }))
}

/// Handles `/agents/live`: queries remote hubs and streams the results of each as it answers.
pub async fn follow(State(site): State<Site>, visit: Visit, RawQuery(raw): RawQuery) -> Response {
    let raw = raw.unwrap_or_default();
    let query = AgentsQuery::from_pairs(url::form_urlencoded::parse(raw.as_bytes()));
    let query = Query { typing: true, ..wanted(&site, &query) };
    match federation::ask_others(&site.hub, &visit.caller, query, true).await {
        Ok(asking) => event_stream(Body::from_stream(events(site, asking))),
        Err(error) => visit.refuse(error),
    }
}

fn events(site: Site, asking: Asking) -> impl Stream<Item = Result<Bytes, Infallible>> {
    stream::unfold(Some(asking), move |asking| {
        let site = site.clone();
        async move {
            let mut asking = asking?;
            let (event, is_last) = event(&site, &mut asking).await?;
            Some((Ok(event), Some(asking).filter(|_| !is_last)))
        }
    })
}

/// Returns the next event, and whether it is the last. `None` ends the stream early, after an error.
async fn event(site: &Site, asking: &mut Asking) -> Option<(Bytes, bool)> {
    let assets = site.assets.places();
    let event = async {
        Ok::<_, Error>(match asking.next().await? {
            Some(found) => {
                let rows = found.into_iter().map(found_row).collect();
                (sse("found", &render::agent_rows(&assets, rows)), false)
            }
            None => {
                let sources = sources(asking.provenance().await?);
                (sse("done", &render::sources(&assets, sources)), true)
            }
        })
    };
    event.await.inspect_err(|error| tracing::warn!(%error, "other hubs could not be asked")).ok()
}

fn found_row(found: Elsewhere) -> AgentRow {
    let kept = found.kept;
    let mut row = row(found.into());
    if !kept {
        row.badges.push(Badge::NotCarried);
    }
    row
}

fn sources(provenance: Provenance) -> Sources {
    let hub = |hub: federation::AskedHub| AskedHub {
        name: hub.domain.unwrap_or(hub.id),
        came: match hub.came {
            federation::Came::Answer { found, wrong } => Came::Answer { found, wrong },
            federation::Came::Nothing => Came::Nothing,
        },
    };
    let Provenance { own, carried, asked } = provenance;
    Sources { own, carried, asked: asked.into_iter().map(hub).collect() }
}
