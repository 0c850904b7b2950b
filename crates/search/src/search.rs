//! Executes a query at the lowest match level with enough results.

use tantivy::{
    DocAddress, Order, Searcher, TantivyDocument,
    collector::{Count, DocSetCollector, TopDocs},
    query::{Query as Ask, TermQuery},
    schema::{IndexRecordOption, Value},
};

use crate::{
    error::Result,
    facet_columns::ValueCache,
    facets::FacetCollector,
    listing::{Hit, ScoredAgent},
    query::{Hits, PageStart, Query, RowCursor, Sort},
    query_plan::{MatchLevel, QueryPlan},
    schema::{SchemaFields, fast},
};

/// With fewer matches than this, the next match level is tried.
const FEW: usize = 3;
/// Maximum row number that pages reach. Each row before a page costs memory.
const MAX_ROWS: usize = 10_000;
/// How many rows a cursor row may have moved down and is still found.
const DRIFT: usize = 100;

pub fn search(
    searcher: &Searcher,
    fields: &SchemaFields,
    values: &ValueCache,
    query: &Query,
) -> Result<Hits> {
    let plan = QueryPlan::new(searcher, fields, query);
    let found = find(searcher, &plan)?;
    let mut hits = Hits { total: found.total, ..Hits::default() };
    if found.exact < FEW {
        hits.did_you_mean = did_you_mean(searcher, fields, query, &plan, found.exact)?;
    }
    if query.count_facets {
        hits.facets = Some(searcher.search(&*found.ask, &FacetCollector(values))?);
    }
    (hits.rows, hits.last) = rows(searcher, fields, query, &plan, &found)?;
    Ok(hits)
}

/// Matches of the chosen match level.
struct Matches {
    ask: Box<dyn Ask>,
    total: usize,
    /// Number of matches at the exact level.
    exact: usize,
}

/// Raises the match level until there are enough matches; uses the lowest level with the most matches.
fn find(searcher: &Searcher, plan: &QueryPlan<'_>) -> Result<Matches> {
    let ask = plan.query(MatchLevel::Exact)?;
    let exact = searcher.search(&*ask, &Count)?;
    let mut found = Matches { ask, total: exact, exact };
    for effort in MatchLevel::ALL.into_iter().skip(1).filter(|effort| plan.may_find_more(*effort)) {
        // Any word is the last resort: a few agents that match all words are better than many that match one.
        let enough = if effort == MatchLevel::Any { 1 } else { FEW };
        if found.total >= enough {
            break;
        }
        let ask = plan.query(effort)?;
        let total = searcher.search(&*ask, &Count)?;
        if total > found.total {
            found = Matches { ask, total, exact };
        }
    }
    Ok(found)
}

fn did_you_mean(
    searcher: &Searcher,
    fields: &SchemaFields,
    query: &Query,
    plan: &QueryPlan<'_>,
    exact: usize,
) -> Result<Option<String>> {
    let Some(pieces) = plan.corrected()? else { return Ok(None) };
    let text = pieces.iter().map(|piece| piece.raw.as_str()).collect::<Vec<_>>().join(" ");
    let corrected = QueryPlan::of_pieces(searcher, fields, query, pieces).query(MatchLevel::Exact)?;
    Ok((searcher.search(&*corrected, &Count)? > exact).then_some(text))
}

fn rows(
    searcher: &Searcher,
    fields: &SchemaFields,
    query: &Query,
    plan: &QueryPlan<'_>,
    found: &Matches,
) -> Result<(Vec<Hit>, Option<RowCursor>)> {
    let size = usize::from(query.size.rows());
    let order = if query.sort == Sort::Relevance && !plan.has_words() { Sort::Used } else { query.sort };
    let (places, first) = match query.start {
        PageStart::Page(page) => {
            let first = page.saturating_mul(size);
            (ranked(searcher, &*found.ask, order, first, size)?, first)
        }
        PageStart::After(last) => following(searcher, fields, &*found.ask, order, last, size)?,
    };
    let end = first.saturating_add(places.len());
    let rows = places.into_iter().map(|place| row(searcher, fields, place)).collect::<Result<Vec<Hit>>>()?;
    let more = end < found.total.min(MAX_ROWS);
    let last = rows.last().filter(|_| more).map(|last| RowCursor { agent: last.agent, row: end - 1 });
    Ok((rows, last))
}

/// Returns all matches up to the page limit, best first. Without words all have the same score.
pub fn matching(searcher: &Searcher, fields: &SchemaFields, query: &Query) -> Result<Vec<ScoredAgent>> {
    let plan = QueryPlan::new(searcher, fields, query);
    let ask = find(searcher, &plan)?.ask;
    let places: Vec<(f32, DocAddress)> = if query.sort == Sort::Relevance && plan.has_words() {
        searcher.search(&*ask, &TopDocs::with_limit(MAX_ROWS).order_by_score())?
    } else {
        let order = if query.sort == Sort::Relevance { Sort::Used } else { query.sort };
        ranked(searcher, &*ask, order, 0, MAX_ROWS)?.into_iter().map(|place| (1.0, place)).collect()
    };
    let scored = |(score, place)| Ok(ScoredAgent { agent: row(searcher, fields, place)?.agent, score });
    places.into_iter().map(scored).collect()
}

/// Returns the rows after `last` and the number of the first one.
///
/// The cursor row is searched up to `DRIFT` rows below its old position. If it is gone, the rows continue at
/// its old row number, to which the following rows have moved.
fn following(
    searcher: &Searcher,
    fields: &SchemaFields,
    ask: &dyn Ask,
    order: Sort,
    last: RowCursor,
    size: usize,
) -> Result<(Vec<DocAddress>, usize)> {
    let known = TermQuery::new(fields.agent_term(last.agent), IndexRecordOption::Basic);
    let known = searcher.search(&known, &DocSetCollector)?;
    let mut places = ranked(searcher, ask, order, 0, last.row.saturating_add(DRIFT + size).min(MAX_ROWS))?;
    let found = places.iter().position(|place| known.contains(place));
    let first = found.map_or(last.row, |at| at + 1).min(places.len());
    places.drain(..first);
    places.truncate(size);
    Ok((places, first))
}

fn ranked(
    searcher: &Searcher,
    ask: &dyn Ask,
    order: Sort,
    first: usize,
    size: usize,
) -> Result<Vec<DocAddress>> {
    if first.saturating_add(size) > MAX_ROWS {
        return Ok(Vec::new());
    }
    let top = TopDocs::with_limit(size).and_offset(first);
    Ok(match order {
        Sort::Relevance => addresses(searcher.search(ask, &top.order_by_score())?),
        Sort::New => newest(searcher, ask, top, fast::CREATED)?,
        Sort::Updated => newest(searcher, ask, top, fast::UPDATED)?,
        Sort::Used => {
            addresses(searcher.search(ask, &top.order_by_fast_field::<u64>(fast::USES, Order::Desc))?)
        }
        Sort::Name => {
            addresses(searcher.search(ask, &top.order_by_string_fast_field(fast::NAME, Order::Asc))?)
        }
    })
}

fn newest(searcher: &Searcher, ask: &dyn Ask, top: TopDocs, by: &str) -> Result<Vec<DocAddress>> {
    Ok(addresses(searcher.search(ask, &top.order_by_fast_field::<i64>(by, Order::Desc))?))
}

fn addresses<K>(found: Vec<(K, DocAddress)>) -> Vec<DocAddress> {
    found.into_iter().map(|(_, place)| place).collect()
}

pub fn row(searcher: &Searcher, fields: &SchemaFields, place: DocAddress) -> Result<Hit> {
    let document: TantivyDocument = searcher.doc(place)?;
    let bytes = document.get_first(fields.row).and_then(|value| value.as_bytes()).unwrap_or_default();
    Ok(serde_json::from_slice(bytes)?)
}
