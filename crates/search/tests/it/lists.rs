//! Tests of filters, sorting, pagination and facet counts.

use std::collections::BTreeMap;

use crate::common::{find, id, index, listing, names, put};
use plexus_domain::{AgentId, Timestamp, page::PageSize};
use plexus_search::{FacetCount, Index, IndexChange, Listing, PageStart, Query, RowCursor, SkillQuery, Sort};
use proptest::prelude::*;

fn some() -> Index {
    index((1_u16..=5).map(|n| Listing {
        owner: if n < 3 { "Ada".into() } else { "bob".into() },
        tags: vec![if n % 2 == 0 { "Even".into() } else { "odd".into() }, "Number".into()],
        protocol: if n == 1 { "1.0".into() } else { "0.3".into() },
        kind: if n == 5 { "llm".into() } else { "a2a".into() },
        verified: n == 2,
        online_at: (n > 3).then(|| Timestamp::from_millis(i64::from(n) * 1_000)),
        updated: Timestamp::from_millis(100 - i64::from(n)),
        uses: u64::from(n) % 3,
        summary: "agent".into(),
        ..listing(n, &format!("{} {n}", ["e", "D", "c", "B", "a"][usize::from(n) - 1]))
    }))
}

#[test]
fn filters_hold_together_and_operators_mean_the_same() {
    let index = some();
    let numbers = |query: &Query| -> String {
        let query = Query { sort: Sort::New, ..query.clone() };
        let hits = index.search(&query).unwrap();
        names(&hits).iter().map(|name| &name[2..]).collect()
    };
    for (query, text, expected) in [
        (Query { tags: vec!["even".into()], ..Query::default() }, "tag:EVEN", "42"),
        (
            Query { tags: vec!["odd".into(), "number".into()], ..Query::default() },
            "tag:odd tag:number",
            "531",
        ),
        (Query { owner: Some("@ada".into()), ..Query::default() }, "owner:ADA", "21"),
        (Query { protocol: Some("1.0".into()), ..Query::default() }, "protocol:1.0 agent", "1"),
        (Query { kind: Some("llm".into()), ..Query::default() }, "kind:llm", "5"),
        (Query { verified: Some(true), ..Query::default() }, "is:verified", "2"),
    ] {
        assert_eq!(numbers(&query), expected);
        assert_eq!(numbers(&Query::text(text)), expected, "{text}");
    }
    let since = |millis| Query { online_since: Some(Timestamp::from_millis(millis)), ..Query::default() };
    assert_eq!(numbers(&since(4_000)), "54");
    assert_eq!(numbers(&since(4_001)), "5");
    assert_eq!(numbers(&Query { verified: Some(false), ..Query::default() }), "5431");
    assert_eq!(numbers(&Query { tags: vec!["none".into()], ..Query::default() }), "");
}

#[test]
fn sorted_by_what_was_asked() {
    let index = some();
    for (sort, expected) in [
        (Sort::New, "54321"),
        (Sort::Updated, "12345"),
        (Sort::Name, "54321"),
        (Sort::Used, "52413"),
        (Sort::Relevance, "52413"),
    ] {
        let hits = index.search(&Query { sort, ..Query::default() }).unwrap();
        let numbers: String = names(&hits).iter().map(|name| &name[2..]).collect();
        let uses = |n: char| n.to_digit(10).map_or(0, |n| n % 3);
        if matches!(sort, Sort::Used | Sort::Relevance) {
            assert!(numbers.chars().map(uses).is_sorted_by(|a, b| a >= b), "{numbers}");
        } else {
            assert_eq!(numbers, expected);
        }
        assert_eq!(Sort::parse(sort.as_str()), Some(sort));
    }
}

#[test]
fn pages_cut_one_list() {
    let index = index((0..95).map(|n| Listing { summary: "agent".into(), ..listing(n, &format!("A{n}")) }));
    let mut seen = Vec::new();
    for page in 0..4 {
        let query =
            Query { start: PageStart::Page(page), size: PageSize::new(30).unwrap(), ..Query::text("agent") };
        let hits = index.search(&query).unwrap();
        assert_eq!(hits.total, 95);
        seen.extend(names(&hits).into_iter().map(str::to_owned));
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 95);
    for page in [4, 1_000, usize::MAX] {
        assert_eq!(
            index.search(&Query { start: PageStart::Page(page), ..Query::text("agent") }).unwrap().rows.len(),
            if page == 4 { 15 } else { 0 }
        );
    }
}

/// Returns the numbers of agents, newest first, and the cursor for the next page.
fn newest(index: &Index, start: PageStart) -> (Vec<u16>, Option<RowCursor>) {
    let query = Query { start, size: PageSize::new(10).unwrap(), sort: Sort::New, ..Query::default() };
    let hits = index.search(&query).unwrap();
    (names(&hits).iter().map(|name| name[1..].parse().unwrap()).collect(), hits.last)
}

#[test]
fn a_list_goes_on_behind_the_last_row_whatever_came_and_went() {
    let index = index((0..40).map(|n| listing(n, &format!("A{n}"))));
    let (first, last) = newest(&index, PageStart::Page(0));
    let last = last.unwrap();
    assert_eq!((first, last), ((30..40).rev().collect(), RowCursor { agent: id(30), row: 9 }));
    let next = |index: &Index| newest(index, PageStart::After(last)).0;
    let expected: Vec<u16> = (20..30).rev().collect();
    assert_eq!(next(&index), expected);
    let newer: Vec<IndexChange> = (100..105).map(|n| put(listing(n, &format!("A{n}")))).collect();
    index.apply(&newer, 2).unwrap();
    assert_eq!(next(&index), expected, "what came before it hides nothing and repeats nothing");
    index.apply(&(100..105).map(|n| IndexChange::Remove(id(n))).collect::<Vec<_>>(), 3).unwrap();
    index.apply(&[IndexChange::Remove(id(35))], 4).unwrap();
    assert_eq!(next(&index), expected, "nor does what went");
    index.apply(&[put(listing(35, "A35")), IndexChange::Remove(id(30))], 5).unwrap();
    assert_eq!(next(&index), expected, "and without the row itself the next takes its place");
}

#[test]
fn the_last_page_says_so() {
    let index = index((0..20).map(|n| listing(n, &format!("A{n}"))));
    let last = newest(&index, PageStart::Page(0)).1.unwrap();
    assert_eq!(newest(&index, PageStart::After(last)), ((0..10).rev().collect(), None));
    let nowhere = RowCursor { agent: id(500), row: usize::MAX };
    assert_eq!(newest(&index, PageStart::After(nowhere)), (Vec::new(), None));
}

#[test]
fn a_row_has_what_was_put() {
    let put = Listing { tags: vec!["Ünï Tag".into()], uses: 7, ..listing(1, "Name") };
    let index = index([put.clone()]);
    let hit = index.search(&Query::default()).unwrap().rows.remove(0);
    assert_eq!(hit, (&put).into());
    assert_eq!(find(&index, "tag:\"uni tag\""), ["Name"]);
}

fn drawn() -> impl Strategy<Value = Vec<Listing>> {
    let labels = prop::collection::btree_set(0_u16..60, 0..5);
    let one = (labels, 0_u16..40, 0_u16..3, 0_u16..2, prop::bool::ANY);
    prop::collection::vec(one, 1..60).prop_map(|drawn| {
        (0..)
            .zip(drawn)
            .map(|(n, (tags, owner, protocol, kind, common))| Listing {
                tags: tags.iter().map(|tag| format!("t{tag}")).collect(),
                owner: format!("o{owner}"),
                protocol: format!("p{protocol}"),
                kind: format!("k{kind}"),
                summary: if common { "common".into() } else { "rare".into() },
                ..listing(n, "x")
            })
            .collect()
    })
}

/// Returns the 20 most frequent values; ties are sorted by name.
fn counted<'l>(values: impl Iterator<Item = &'l String>) -> Vec<FacetCount> {
    let mut counts = BTreeMap::<&String, u64>::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let mut counts: Vec<_> =
        counts.into_iter().map(|(value, count)| FacetCount { value: value.clone(), count }).collect();
    counts.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    counts.truncate(20);
    counts
}

proptest! {
    #![proptest_config(plexus_testing::cases(24))]

    #[test]
    fn facets_are_what_counting_gives(listings in drawn(), parts in 1_usize..4) {
        let index = Index::in_memory().unwrap();
        for part in listings.chunks(listings.len().div_ceil(parts)) {
            let changes: Vec<_> = part.iter().cloned().map(put).collect();
            index.apply(&changes, 1).unwrap();
        }
        let found: Vec<&Listing> = listings.iter().filter(|listing| listing.summary == "common").collect();
        let query = Query { count_facets: true, ..Query::text("\"common\"") };
        let hits = index.search(&query).unwrap();
        let facets = hits.facets.unwrap();
        prop_assert_eq!(hits.total, found.len());
        prop_assert_eq!(facets.tags, counted(found.iter().flat_map(|listing| &listing.tags)));
        prop_assert_eq!(facets.owners, counted(found.iter().map(|listing| &listing.owner)));
        prop_assert_eq!(facets.protocols, counted(found.iter().map(|listing| &listing.protocol)));
        prop_assert_eq!(facets.kinds, counted(found.iter().map(|listing| &listing.kind)));
    }
}

#[test]
fn remote_hubs_are_a_facet_and_a_filter() {
    let at = |n, name: &str, hub: &str| Listing {
        address: format!("@ada/a{n}@{hub}"),
        here: false,
        ..listing(n, name)
    };
    let index = index([
        listing(1, "Own"),
        at(2, "Two", "hub.example"),
        at(3, "Three", "hub.example"),
        at(4, "Four", "12D3KooWAbC"),
    ]);
    let hubs = index.search(&Query { count_facets: true, ..Query::default() }).unwrap().facets.unwrap().hubs;
    let hubs: Vec<_> = hubs.iter().map(|counted| (counted.value.as_str(), counted.count)).collect();
    assert_eq!(hubs, [("hub.example", 2), ("12D3KooWAbC", 1)]);
    for (hub, count) in hubs {
        let query = Query { hub: Some(hub.to_owned()), ..Query::default() };
        assert_eq!(index.search(&query).unwrap().total as u64, count, "{hub}");
    }
}

#[test]
fn restricted_agents_are_found_by_those_they_name() {
    let index = index([
        listing(1, "Open tides"),
        Listing { restricted: true, tags: vec!["secret".into()], ..listing(2, "Hidden tides") },
        Listing { restricted: true, ..listing(3, "Other tides") },
    ]);
    let found = |granted: &[AgentId], text: &str| {
        let query = Query { granted: granted.to_vec(), count_facets: true, ..Query::text(text) };
        index.search(&query).unwrap()
    };
    for text in ["tides", "", "hidden tides", "Hiden tides"] {
        let hits = found(&[], text);
        assert_eq!(names(&hits), ["Open tides"], "{text}");
        assert!(hits.facets.unwrap().tags.is_empty());
    }
    assert_eq!(found(&[], "hiden").did_you_mean, None, "a hidden word is not suggested");
    let granted = found(&[id(2)], "tides");
    assert_eq!((granted.total, granted.facets.unwrap().tags.len()), (2, 1));
    assert_eq!(names(&found(&[id(2)], "hidden")), ["Hidden tides"]);
    let ranked = |granted: &[AgentId]| {
        let needs = SkillQuery { parts: &["tides"], most: 9, also: Some(id(3)), granted };
        index.rank_agents(&needs).unwrap()[0].len()
    };
    assert_eq!((ranked(&[]), ranked(&[id(2)]), ranked(&[id(2), id(3)])), (1, 2, 3));
}
