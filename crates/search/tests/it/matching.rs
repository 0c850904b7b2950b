//! Tests of word matching and result order.

use crate::common::{find, index, listing};
use plexus_search::{Index, Listing, Query};

#[test]
fn an_agent_is_found_by_a_word_of_its_description_in_any_language() {
    let texts = [
        ("Weather reports and forecasts for any city", "forecasts"),
        ("Übersetzer für große Geschäftsbriefe", "grosse"),
        ("Проверяет орфографию в русских текстах", "ОРФОГРАФИЮ"),
        ("为任何城市提供天气预报和空气质量", "天气预报"),
        ("東京の美味しいレストランを探します", "レストラン"),
        ("한국어 문서를 영어로 번역합니다", "번역"),
        ("แปลเอกสารภาษาไทยเป็นภาษาอังกฤษ", "เอกสาร"),
        ("يترجم الرسائل القصيرة إلى العربية", "الرسائل"),
        ("हिन्दी समाचारों का सारांश बनाता है", "सारांश"),
        ("Đặt phòng khách sạn ở Việt Nam", "khach san"),
        ("İstanbul'da ucuz uçak bileti bulur", "istanbul"),
        ("Συνοψίζει μεγάλα νομικά έγγραφα", "εγγραφα"),
        ("מסכם מאמרים ארוכים בעברית", "מאמרים"),
        ("ប្រែឯកសារជាភាសាខ្មែរ", "ឯកសារ"),
    ];
    let index = index((0_u16..).zip(texts).map(|(n, (description, _))| Listing {
        description: description.to_owned(),
        ..listing(n, &format!("Agent {n}"))
    }));
    for (n, (description, word)) in texts.iter().enumerate() {
        assert_eq!(find(&index, word), [format!("Agent {n}")], "{word} in {description}");
    }
    assert_eq!(find(&index, "京"), ["Agent 4"]);
    assert_eq!(find(&index, "質"), [""; 0]);
    assert_eq!(find(&index, "量"), ["Agent 3"]);
    assert_eq!(find(&index, "ＦＯＲＥＣＡＳＴＳ"), ["Agent 0"]);
}

fn with(n: u16, name: &str, edit: impl FnOnce(&mut Listing)) -> Listing {
    let mut listing = listing(n, name);
    edit(&mut listing);
    listing
}

#[test]
fn a_name_weighs_more_than_a_tag_and_a_tag_more_than_prose() {
    let filler = "helps people every day with many small things around their work and home";
    let index = index([
        with(1, "Description", |it| {
            it.description = format!("weather {filler} weather weather weather weather");
        }),
        with(2, "Summary", |it| {
            it.summary = "weather for all".into();
            it.description = filler.into();
        }),
        with(3, "Tag", |it| {
            it.tags = vec!["weather".into()];
            it.description = filler.into();
        }),
        with(4, "The Weather Pro", |it| it.description = filler.into()),
        with(5, "Weather", |it| it.description = format!("{filler} {filler} {filler}")),
        with(6, "Nothing", |it| it.description = filler.into()),
    ]);
    assert_eq!(find(&index, "weather"), ["Weather", "The Weather Pro", "Tag", "Summary", "Description"]);
}

#[test]
fn an_address_finds_its_agent_first() {
    let index = index([
        with(1, "Ask me", |it| it.address = "@plexus/calc".into()),
        with(2, "Calc helper for plexus calc", |it| it.description = "plexus calc plexus calc".into()),
    ]);
    for text in ["@plexus/calc", "plexus/calc", "calc", "Ask me"] {
        assert_eq!(find(&index, text)[0], "Ask me", "{text}");
    }
}

#[test]
fn all_words_must_occur_unless_none_has_them_all() {
    let index = index([
        with(1, "One", |it| it.description = "books flights to paris".into()),
        with(2, "Two", |it| it.description = "books hotels".into()),
        with(3, "Three", |it| it.description = "reads books".into()),
    ]);
    assert_eq!(find(&index, "books paris"), ["One"]);
    assert_eq!(find(&index, "hotels paris")[..], ["Two", "One"]);
    assert_eq!(find(&index, "find me something that books flights"), ["One", "Two", "Three"]);
}

fn travel() -> Index {
    index([
        with(1, "One", |it| it.description = "translates documents".into()),
        with(2, "Two", |it| it.description = "a translator of letters".into()),
        with(3, "Three", |it| it.description = "weather".into()),
        with(4, "Four", |it| it.description = "summarises newspapers, with weather".into()),
    ])
}

#[test]
fn the_last_word_may_be_a_beginning() {
    let index = travel();
    let mut found = find(&index, "transl");
    found.sort();
    assert_eq!(found, ["One", "Two"]);
    assert_eq!(find(&index, "letters transl"), ["Two"]);
    let typing = Query { typing: true, ..Query::text("weather") };
    assert_eq!(index.search(&typing).unwrap().total, 2);
    assert_eq!(index.search(&Query { typing: true, ..Query::text("w") }).unwrap().total, 0);
    assert_eq!(index.search(&Query { typing: true, ..Query::text("we") }).unwrap().total, 2);
}

#[test]
fn slips_are_forgiven_and_a_correction_offered() {
    let index = travel();
    for (slip, found, meant) in [
        ("wether", ["Four", "Three"].as_slice(), "weather"),
        ("waether", &["Four", "Three"], "weather"),
        ("newpsapars", &["Four"], "newspapers"),
        ("documints", &["One"], "documents"),
        ("tag:x -y wether", &[], ""),
        ("teh", &[], ""),
    ] {
        let hits = index.search(&Query::text(slip)).unwrap();
        let mut names = crate::common::names(&hits);
        names.sort_unstable();
        assert_eq!(names, found, "{slip}");
        assert_eq!(hits.did_you_mean.unwrap_or_default(), meant, "{slip}");
    }
    let hits = index.search(&Query::text("\"of letters\" transletor")).unwrap();
    assert_eq!(hits.did_you_mean.as_deref(), Some("\"of letters\" translator"));
    assert_eq!(index.search(&Query::text("weather")).unwrap().did_you_mean, None);
}

#[test]
fn phrases_and_exclusions() {
    let index = index([
        with(1, "One", |it| it.description = "machine learning for all".into()),
        with(2, "Two", |it| it.description = "learning a machine language, 東京の天気".into()),
        with(3, "Machine", |it| it.tags = vec!["learning".into()]),
    ]);
    assert_eq!(find(&index, "\"machine learning\""), ["One"]);
    assert_eq!(find(&index, "\"の天気\""), ["Two"]);
    assert_eq!(find(&index, "machine -language -\"machine learning\""), ["Machine"]);
    let mut rest = find(&index, "-language");
    rest.sort();
    assert_eq!(rest, ["Machine", "One"]);
}

#[test]
fn a_phrase_is_left_out_wherever_it_stands_first() {
    let index =
        index([listing(1, "Red house"), listing(2, "Blue green house"), listing(3, "Green blue house")]);
    let mut found = find(&index, "house -\"blue green\"");
    found.sort();
    assert_eq!(found, ["Green blue house", "Red house"]);
    assert_eq!(find(&index, "house -\"red house\" -\"blue green\""), ["Green blue house"]);
}

#[test]
fn no_text_is_an_error() {
    let index = travel();
    for odd in [
        "",
        " ",
        "\"",
        "-",
        "--",
        "-\"\"",
        ":",
        "is:",
        "tag:",
        "a:b:c",
        "(((",
        "*",
        "?",
        "[a TO b]",
        "\u{0}",
        "~",
        "^2",
        "AND",
        "+-",
        "\u{202e}",
        "\u{300}",
        "e\u{301}\u{301}",
        &"x".repeat(10_000),
        &"天".repeat(1_000),
        &"a ".repeat(1_000),
    ] {
        assert!(index.search(&Query::text(odd)).is_ok(), "{odd}");
    }
}

#[test]
fn symbols_are_part_of_words_and_rank_first() {
    let prose = "helps people every day with many small things around their work and home";
    let texts = [
        ("C tutor", "teaches the language C, and nothing else"),
        ("Compiler", "explains errors of C++ compilers"),
        ("Sharp", "writes C# and F# programs for .NET"),
        ("Net fisher", "mends a net at the port"),
        ("Server", "reviews node.js services"),
        ("Joints", "a node of js in another sense: js, then node"),
        ("Grades", "reaches an A+ in class A"),
        ("Compare", "runs a/b tests"),
        ("Alphabet", "the letters b and a, a test"),
        ("Mathematics", "sums ∑ and integrals ∫, x ≠ y, costs $5"),
        ("Cheers", "celebrates with 🎉 and 👍🏽 and 👩\u{200d}🔬"),
        ("Thumbs", "only 👍 here"),
        ("Mail", "writes an @ sign"),
        ("Other", prose),
    ];
    let index = index((0_u16..).zip(texts).map(|(n, (name, description))| {
        with(n, name, |it| it.description = format!("{description}. {prose}"))
    }));
    for (query, first) in [
        ("c++", "Compiler"),
        ("C++ errors", "Compiler"),
        ("C#", "Sharp"),
        ("f#", "Sharp"),
        (".net", "Sharp"),
        (".NET programs", "Sharp"),
        ("node.js", "Server"),
        ("A+", "Grades"),
        ("a/b", "Compare"),
        ("∑", "Mathematics"),
        ("x ≠ y", "Mathematics"),
        ("$", "Mathematics"),
        ("$5", "Mathematics"),
        ("🎉", "Cheers"),
        ("👍🏽", "Cheers"),
        ("👩\u{200d}🔬", "Cheers"),
        ("@", "Mail"),
        ("\"C# and F#\"", "Sharp"),
        ("\"of C++ compilers\"", "Compiler"),
    ] {
        let found = find(&index, query);
        assert_eq!(found.first().map(String::as_str), Some(first), "{query}: {found:?}");
    }
    let thumbs = find(&index, "👍");
    assert!(thumbs.contains(&"Thumbs".to_owned()) && thumbs.contains(&"Cheers".to_owned()), "{thumbs:?}");
    assert!(!find(&index, "\"C and F\"").contains(&"Compiler".to_owned()));
}

#[test]
fn only_punctuation_finds_nothing() {
    let index = index([listing(1, "Weather"), listing(2, "Tides")]);
    for query in ["???", "...", "!", "\"", "\"?\"", "-", "—", "()", "-???", "? !", "…", "“”"] {
        assert_eq!(find(&index, query), [""; 0], "{query}");
    }
    assert_eq!(find(&index, "").len(), 2, "no words list all");
    assert_eq!(find(&index, "weather ???"), ["Weather"]);
    assert_eq!(find(&index, "-weather"), ["Tides"]);
}
