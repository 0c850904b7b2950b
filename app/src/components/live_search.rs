//! Live search: results of remote hubs, or a button to query them.

use leptos::prelude::*;

use super::{agent_row::AgentList, button::Kind, format::short_hub};
use crate::{
    text,
    view_models::live_search::{LiveSearchView, QueriedHub, QueryOutcome, Sources},
};

pub fn others(others: LiveSearchView) -> AnyView {
    match others {
        LiveSearchView::Askable { page, stream, few } => askable(page, stream, few).into_any(),
        LiveSearchView::Asked { rows, sources } => view! {
            <section class="others" aria-labelledby="others">
                {heading()}
                {(!rows.is_empty()).then(|| view! { <AgentList rows /> })}
                <div class="sources">{sources_line(sources)}</div>
            </section>
        }
        .into_any(),
    }
}

/// Renders the button to query remote hubs.
///
/// `site.js` queries over the event stream `stream` and fills the list and the status. Without JavaScript the
/// link opens a page with all results.
fn askable(page: String, stream: String, few: bool) -> impl IntoView {
    view! {
        <section class="others" aria-labelledby="others" data-ask=stream data-few=few.then_some("")>
            {heading()}
            <p>{text!("live-more")}" "<a class=Kind::Plain.class() href=page rel="nofollow">{text!("live-search-hubs")}</a></p>
            <ul class="rows" role="list" hidden></ul>
            <div class="sources" role="status"></div>
        </section>
    }
}

fn heading() -> AnyView {
    view! { <h2 id="others">{text!("live-heading")}</h2> }.into_any()
}

/// Renders the sources of the results, and the outcome of each queried hub.
pub fn sources_line(sources: Sources) -> AnyView {
    let hubs = sources.queried_hubs.iter().map(|hub| view! { <li>{of_hub(hub)}</li> }).collect_view();
    let list = (!sources.queried_hubs.is_empty()).then(|| view! { <ul role="list">{hubs}</ul> });
    view! { <p>{summary(&sources)}</p>{list} }.into_any()
}

/// Returns a line such as "This hub 3, replicated 41, live search: 2 hubs answered, 1 timed out."
fn summary(sources: &Sources) -> String {
    let (local, replicated) = (sources.local, sources.replicated);
    if sources.queried_hubs.is_empty() {
        return text!("live-summary-replicated", local = local, replicated = replicated);
    }
    let silent = sources.queried_hubs.iter().filter(|hub| hub.came == QueryOutcome::Nothing).count();
    let answered = sources.queried_hubs.len() - silent;
    if silent == 0 {
        return text!("live-summary", local = local, replicated = replicated, answered = answered);
    }
    text!("live-summary-silent", local = local, replicated = replicated, answered = answered, silent = silent)
}

fn of_hub(hub: &QueriedHub) -> String {
    let name = short_hub(&hub.name);
    let came = match hub.came {
        QueryOutcome::Answer { found: 0, invalid_records: 0 } => text!("live-nothing-new"),
        QueryOutcome::Answer { found, invalid_records: 0 } => text!("live-results", found = found),
        QueryOutcome::Answer { found, invalid_records } => {
            text!("live-rejected", found = found, invalid = invalid_records)
        }
        QueryOutcome::Nothing => text!("live-no-answer"),
    };
    text!("live-hub", name = name, result = came)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_where_results_come_from() {
        let hub = |name: &str, came| QueriedHub { name: name.to_owned(), came };
        let mut sources = Sources { local: 3, replicated: 41, queried_hubs: Vec::new() };
        assert!(summary(&sources).starts_with("This hub 3, replicated 41. All known hubs"));
        sources.queried_hubs = vec![
            hub("far.example", QueryOutcome::Answer { found: 2, invalid_records: 0 }),
            hub("12D3KooWabcdefghijklmnop", QueryOutcome::Answer { found: 0, invalid_records: 7 }),
            hub("slow.example", QueryOutcome::Nothing),
        ];
        let said = "This hub 3, replicated 41, live search: 2 hubs answered, 1 timed out.";
        assert_eq!(summary(&sources), said);
        let hubs: Vec<String> = sources.queried_hubs.iter().map(of_hub).collect();
        assert_eq!(hubs[0], "far.example: 2 results");
        assert!(hubs[1].starts_with("12D3…ijklmnop: 0 results, 7 rejected"), "{}", hubs[1]);
        assert_eq!(hubs[2], "slow.example: no answer in time");
    }
}
