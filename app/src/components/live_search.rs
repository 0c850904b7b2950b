//! Live search: results of remote hubs, or a button to query them.

use leptos::prelude::*;

use super::{agent_row::AgentList, button::Kind, format::short_hub};
use crate::view_models::live_search::{LiveSearchView, QueriedHub, QueryOutcome, Sources};

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
            <p>"More agents may exist on other hubs." " "<a class=Kind::Plain.class() href=page rel="nofollow">"Search other hubs"</a></p>
            <ul class="rows" role="list" hidden></ul>
            <div class="sources" role="status"></div>
        </section>
    }
}

fn heading() -> AnyView {
    view! { <h2 id="others">"From other hubs"</h2> }.into_any()
}

/// Renders the sources of the results, and the outcome of each queried hub.
pub fn sources_line(sources: Sources) -> AnyView {
    let hubs = sources.queried_hubs.iter().map(|hub| view! { <li>{of_hub(hub)}</li> }).collect_view();
    let list = (!sources.queried_hubs.is_empty()).then(|| view! { <ul role="list">{hubs}</ul> });
    view! { <p>{summary(&sources)}</p>{list} }.into_any()
}

/// Returns a line such as "This hub 3, replicated 41, live search: 2 hubs answered, 1 timed out."
fn summary(sources: &Sources) -> String {
    let here = format!("This hub {}, replicated {}", sources.local, sources.replicated);
    if sources.queried_hubs.is_empty() {
        return format!("{here}. All known hubs are fully replicated.");
    }
    let silent = sources.queried_hubs.iter().filter(|hub| hub.came == QueryOutcome::Nothing).count();
    let answered = sources.queried_hubs.len() - silent;
    let hubs = if answered == 1 { "hub" } else { "hubs" };
    let rest = if silent == 0 { String::new() } else { format!(", {silent} timed out") };
    format!("{here}, live search: {answered} {hubs} answered{rest}.")
}

fn of_hub(hub: &QueriedHub) -> String {
    let name = short_hub(&hub.name);
    let came = match hub.came {
        QueryOutcome::Answer { found: 0, invalid_records: 0 } => "nothing new".to_owned(),
        QueryOutcome::Answer { found, invalid_records: 0 } => format!("{found} results"),
        QueryOutcome::Answer { found, invalid_records } => {
            format!("{found} results, {invalid_records} rejected (invalid signature)")
        }
        QueryOutcome::Nothing => "no answer in time".to_owned(),
    };
    format!("{name}: {came}")
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
