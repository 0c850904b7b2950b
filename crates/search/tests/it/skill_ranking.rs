//! Tests of ranking agents per part of a goal.

use plexus_domain::team::formation::required_skills;
use plexus_search::{Index, Listing, SkillQuery};

use crate::common::{id, index, listing};

fn fitting(index: &Index, parts: &[&str]) -> Vec<Vec<String>> {
    let found = index.rank_agents(&SkillQuery { parts, most: 32, also: None, granted: &[] }).unwrap();
    found.into_iter().map(|fits| fits.into_iter().map(|(hit, _)| hit.name).collect()).collect()
}

fn found(index: &Index, part: &str) -> Vec<String> {
    fitting(index, &[part]).remove(0)
}

/// Returns the related terms of a word.
fn alike(index: &Index, word: &str) -> Vec<String> {
    index.related_terms(word).unwrap().remove(0).into_iter().map(|(other, _)| other).collect()
}

/// Returns 200 unrelated agents.
fn crowd(first: u16) -> impl Iterator<Item = Listing> {
    (first..first + 200).map(|n| listing(n, &format!("Does number {n}")))
}

fn saying(n: u16, name: &str, example: &str) -> Listing {
    Listing { skills: example.to_owned(), ..listing(n, name) }
}

#[test]
fn any_word_counts_in_any_form_and_other_parts_a_little() {
    let said = [
        "Translates patents for banks",
        "Translation of patents for hospitals",
        "Forecasts for hospitals",
        "天気予報",
    ];
    let index = index((0..).zip(said).map(|(n, name)| listing(n, name)));
    assert_eq!(found(&index, "translate a patent").len(), 2);
    let parts = fitting(&index, &["translate a patent", "hospitals"]);
    assert_eq!(parts[0], [said[1], said[0]], "nobody for the other part alone");
    assert_eq!(found(&index, "天気"), [said[3]]);
    assert!(fitting(&index, &["", "hospitals"])[0].is_empty());
    assert!(found(&index, "sing 12").is_empty());
}

/// A chart has many names, and words around it say what it shows, not who draws it.
#[test]
fn a_chart_by_any_name_is_for_the_agent_that_draws() {
    let painter = "Draws charts and plots from data";
    let index = index([
        listing(1, "Writes analysis reports in text format on trends and changes"),
        listing(2, painter),
        listing(3, "Annual revenue figures of companies"),
        listing(4, "Formats text and shows it"),
        listing(5, "Übersetzt Texte"),
    ]);
    for goal in [
        "Please generate a figure in text format showing the trend of the annual revenue",
        "Show me a diagram of it",
        "Make a graph that shows the trend",
        "Visualize it",
        "Erstelle ein Diagramm, das den Trend zeigt",
        "Zeichne ein Schaubild davon",
        "请生成一张显示年收入趋势的图",
        "绘制图表",
    ] {
        let skills = required_skills(goal);
        let parts: Vec<&str> = skills.iter().map(|skill| skill.as_str()).collect();
        let fits = fitting(&index, &parts);
        assert_eq!(
            fits.last().and_then(|fits| fits.first()).map(String::as_str),
            Some(painter),
            "{goal}: {parts:?}"
        );
    }
}

#[test]
fn nothing_in_a_part_is_an_operator() {
    let index = index([listing(1, "Finds tides"), listing(2, "Finds trails")]);
    assert_eq!(found(&index, "-tides"), ["Finds tides"]);
    assert_eq!(found(&index, "tag:nobody \"tides"), ["Finds tides"]);
}

#[test]
fn somebody_is_told_of_where_others_fit_better() {
    let all =
        [listing(1, "Finds tides"), listing(2, "Finds trails near the tides of the north"), listing(3, "x")];
    let index = index(all);
    let fits = |also| {
        let found = index
            .rank_agents(&SkillQuery { parts: &["tides"], most: 1, also: Some(id(also)), granted: &[] })
            .unwrap()
            .remove(0);
        found.into_iter().map(|(hit, _)| hit.agent).collect::<Vec<_>>()
    };
    assert_eq!(fits(2), [id(1), id(2)]);
    assert_eq!(fits(1), [id(1)], "once");
    assert_eq!(fits(3), [id(1)], "not who does not fit at all");
}

#[test]
fn what_agents_say_besides_tells_what_may_be_said_instead() {
    let teachers = (0..6).map(|n| saying(n, "Tide tables", "when is high water"));
    let index = index(teachers.chain([listing(10, "Tables of tide")]).chain(crowd(100)));
    assert!(alike(&index, "water").contains(&"tide".to_owned()));
    let found = found(&index, "high water");
    assert!(found.len() == 7 && found.contains(&"Tables of tide".to_owned()), "{found:?}");
    assert!(!alike(&index, "number").contains(&"does".to_owned()), "what nearly all say teaches nothing");
}

#[test]
fn an_owner_teaches_no_words_by_publishing_more() {
    let honest = (0..4).map(|n| saying(n, "Tide tables", "when is high water"));
    let alone = (20..60).map(|n| Listing { owner: "evil".to_owned(), ..saying(n, "Tide tables", "zzz") });
    let index = index(honest.chain(alone).chain([listing(70, "zzz")]).chain(crowd(100)).chain(crowd(400)));
    let said = alike(&index, "tide");
    assert!(said.contains(&"water".to_owned()) && !said.contains(&"zzz".to_owned()), "{said:?}");
    assert!(!found(&index, "tide tables").contains(&"zzz".to_owned()));
}

/// One publisher cannot suppress related terms, whatever its number of cards. A remote hub is one publisher.
#[test]
fn a_publisher_unteaches_no_words_and_a_hub_is_one() {
    let honest = || (0..6).map(|n| saying(n, "Tide tables", "when is high water"));
    let many = (2_000..2_600).map(|n| Listing { owner: "evil".to_owned(), ..listing(n, "Tide tables") });
    let crowds = (0..30).flat_map(|n| crowd(3_000 + 200 * n));
    let said = alike(&index(honest().chain(many).chain(crowds)), "tide");
    assert!(said.contains(&"water".to_owned()), "{said:?}");
    let hub = (20..60).map(|n| Listing {
        address: format!("@owner{n}/agent{n}@evil.example"),
        here: false,
        ..saying(n, "Tide tables", "zzz")
    });
    let said = alike(&index(honest().chain(hub).chain(crowd(100)).chain(crowd(400))), "tide");
    assert!(said.contains(&"water".to_owned()) && !said.contains(&"zzz".to_owned()), "{said:?}");
}

#[test]
fn whoever_says_everything_fits_nothing_best() {
    let works =
        ["tides", "trails", "taxes", "birds", "patents", "menus", "meters", "soil", "music", "passports"];
    let honest = (0..).zip(works).map(|(n, work)| saying(n, &format!("Knows {work}"), work));
    let all = (0..40).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
    let stuffed = (20..40).map(|n| {
        let words = format!("{} {all} ", works.join(" "));
        Listing { summary: words.repeat(8), description: words.repeat(8), ..saying(n, &words, &words) }
    });
    let index = index(honest.chain(stuffed));
    for work in works {
        assert_eq!(found(&index, work)[0], format!("Knows {work}"));
        assert_eq!(fitting(&index, &[work, "birds"])[0][0], format!("Knows {work}"));
    }
}
