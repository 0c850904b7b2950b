use std::sync::OnceLock;

use plexus_domain::{AgentId, Timestamp};
use plexus_search::{Index, IndexChange, Listing, Query, Sort};

/// Fuzzes search queries on a small index in several scripts.
pub fn search(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let choice = data.first().copied().unwrap_or_default();
    let query = Query {
        typing: choice & 1 == 0,
        count_facets: choice & 2 == 0,
        sort: Sort::ALL[usize::from(choice) % Sort::ALL.len()],
        ..Query::text(text.as_ref())
    };
    let hits = index().search(&query).expect("every text has a meaning");
    assert!(hits.rows.len() <= hits.total && hits.total <= NAMES.len());
    assert_eq!(index().search(&query).unwrap(), hits, "the same question, another answer");
    if let Some(better) = &hits.did_you_mean {
        let found = index().search(&Query { text: better.clone(), ..query }).unwrap();
        assert!(found.total > 0, "{better:?} is proposed and finds nothing");
    }
}

const NAMES: [(&str, &str); 8] = [
    ("Weather bot", "Forecasts for cities and mountains"),
    ("Übersetzer", "Übersetzt Texte aus Büchern, auch Straßennamen"),
    ("天気予報", "日本の天気を毎日お知らせします"),
    ("นักแปล", "แปลข้อความภาษาไทย"),
    ("مترجم", "يترجم النصوص إلى العربية"),
    ("Погода", "Прогноз погоды и ёлки"),
    ("C++ reviewer", "Reads code: C++, C#, F*, and a/b tests"),
    ("io.github.u1/calc", "Arithmetic with units; 5'6\" to cm"),
];

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let index = Index::in_memory().unwrap();
        let put = |(n, (name, summary))| IndexChange::Put(Box::new(listing(n, name, summary)));
        let changes: Vec<IndexChange> = (0_u8..).zip(NAMES).map(put).collect();
        index.apply(&changes, 1).unwrap();
        index
    })
}

fn listing(n: u8, name: &str, summary: &str) -> Listing {
    let at = Timestamp::from_millis(1_000 + i64::from(n));
    Listing {
        agent: AgentId::new(at, &[n; 10]),
        address: format!("@owner{n}/agent{n}"),
        name: name.to_owned(),
        owner: format!("owner{n}"),
        summary: summary.to_owned(),
        description: summary.repeat(3),
        tags: vec!["weather".to_owned(), format!("tag {n}")],
        skills: "translate, forecast, calculate".to_owned(),
        protocol: "a2a".to_owned(),
        kind: "a2a".to_owned(),
        here: true,
        verified: n.is_multiple_of(2),
        restricted: false,
        online_at: None,
        created: at,
        updated: at,
        uses: u64::from(n),
    }
}
