//! Parts of a goal by rules: its clauses, in the order in which one builds on the other.

use std::{collections::BTreeSet, ops::Range};

use super::{
    Skill,
    vocabulary::{ENGLISH, Vocabulary, vocabulary_of},
    work_kinds::{WorkKind, takes_subject, work_kind},
};
use crate::embedded_block::{BlockKind, EmbeddedBlock, embedded_blocks, without_long_blocks};

/// Maximum number of characters of a goal that are read, besides those of its embedded blocks.
const MAX_CHARS: usize = 2_000;
/// Maximum number of characters of a goal with its embedded blocks.
const MAX_GOAL_CHARS: usize = 8_000;
const MAX_PARTS: usize = 8;

/// A part of a goal, for one member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalPart {
    /// Its words without stop words, and without the subject that an earlier part has: the query for the index.
    pub skill: Skill,
    /// Its words as they stand in the goal, with numbers and names, and without long embedded blocks.
    pub words: String,
    /// Its words with the embedded blocks that stand in it.
    pub full_text: String,
    /// The subject of later parts, such as the numbers for a chart. It is left out if no agent has it.
    pub is_subject: bool,
}

/// Returns the parts of a goal by rules, at most eight.
pub fn goal_parts(goal: &str) -> Vec<GoalPart> {
    let text: String = goal.chars().take(MAX_GOAL_CHARS).collect();
    let mut parts: Vec<GoalPart> = Vec::new();
    for draft in in_order(clauses(&text).iter().flat_map(drafts).collect()) {
        if let Some(part) = finish(&text, &draft, &parts) {
            parts.push(part);
        }
    }
    parts.truncate(MAX_PARTS);
    parts
}

/// Moves subjects before the products, and charts before reports, which show them, unless the goal says that a chart
/// comes later.
fn in_order(drafts: Vec<PartDraft>) -> Vec<PartDraft> {
    let mut ordered: Vec<PartDraft> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let at = match draft.kind() {
            _ if draft.is_subject => {
                ordered.iter().position(|other| !other.is_subject && other.kind().is_some())
            }
            Some(WorkKind::Chart) if !draft.is_later => {
                ordered.iter().position(|other| other.kind() == Some(WorkKind::Report))
            }
            _ => None,
        };
        ordered.insert(at.unwrap_or(ordered.len()), draft);
    }
    ordered
}

/// Returns the required skills of a goal: those of its parts.
pub fn required_skills(goal: &str) -> Vec<Skill> {
    goal_parts(goal).into_iter().map(|part| part.skill).collect()
}

/// Returns true if a goal asks for concurrent work on its parts. Otherwise they are worked on in order, each with
/// the results of those before: a wrong order costs time, whereas a step without the results it builds on yields
/// nothing of use.
pub fn is_concurrent(goal: &str) -> bool {
    let text: String = goal.chars().take(MAX_GOAL_CHARS).collect();
    !concurrent_phrases(&words(&text)).is_empty()
}

/// A word of the goal.
#[derive(Clone)]
struct Word {
    /// In lower case.
    text: String,
    at: Range<usize>,
    /// End of the embedded block that follows the word.
    block_end: Option<usize>,
    /// True if a punctuation mark that ends a clause stands before the word.
    after_mark: bool,
    /// True if a word that says "later" stands before the word.
    is_later: bool,
    /// That of the goal's language.
    vocabulary: &'static Vocabulary,
}

impl Word {
    fn is_content_word(&self) -> bool {
        self.text.chars().any(char::is_alphabetic) && !self.is_in(|words| words.fillers)
    }

    fn is_weak(&self) -> bool {
        self.is_in(|words| words.weak)
    }

    fn kind(&self) -> Option<WorkKind> {
        work_kind(&self.text)
    }

    fn is_in(&self, list: impl FnOnce(&'static Vocabulary) -> &'static [&'static str]) -> bool {
        list(self.vocabulary).contains(&self.text.as_str())
    }
}

/// Splits a text into words, without those of embedded blocks. A table or code ends a clause.
fn words(text: &str) -> Vec<Word> {
    let (mut found, mut from, mut after_mark, mut left) = (Vec::new(), 0, false, MAX_CHARS);
    for EmbeddedBlock { kind, range, .. } in embedded_blocks(text) {
        after_mark = add_words(text, from..range.start, &mut found, after_mark, &mut left);
        after_mark |= kind != BlockKind::Quoted;
        from = range.end;
        found.last_mut().into_iter().for_each(|word: &mut Word| word.block_end = Some(range.end));
    }
    add_words(text, from..text.len(), &mut found, after_mark, &mut left);
    for word in &mut found {
        word.text = text[word.at.clone()].to_lowercase();
    }
    let vocabulary = vocabulary_of(&found.iter().map(|word| word.text.as_str()).collect::<Vec<_>>());
    found.into_iter().map(|word| Word { vocabulary, ..word }).collect()
}

/// Adds the words of a range, at most of `left` characters. A mark between two digits belongs to a number, and a point
/// between two letters to a name. Returns whether a mark stands at the end.
fn add_words(
    text: &str,
    range: Range<usize>,
    found: &mut Vec<Word>,
    mut after_mark: bool,
    left: &mut usize,
) -> bool {
    let mut before = None;
    let mut chars = text[range.clone()].char_indices().take(*left).peekable();
    while let Some((offset, c)) = chars.next() {
        *left -= 1;
        let at = range.start + offset;
        let next = chars.peek().map(|(_, next)| *next);
        let both = |is: fn(&char) -> bool| before.as_ref().is_some_and(is) && next.as_ref().is_some_and(is);
        let joins = match c {
            ',' | ':' => both(char::is_ascii_digit),
            '.' => both(|c| c.is_alphanumeric()),
            _ => false,
        };
        if c.is_alphanumeric() || c == '-' || joins {
            let end = at + c.len_utf8();
            match found.last_mut().filter(|word| word.at.end == at && !after_mark) {
                Some(word) => word.at.end = end,
                None => found.push(Word {
                    text: String::new(),
                    at: at..end,
                    block_end: None,
                    after_mark,
                    is_later: false,
                    vocabulary: &ENGLISH,
                }),
            }
            after_mark = false;
        } else {
            after_mark |= matches!(
                c,
                ',' | ';' | ':' | '.' | '!' | '?' | '\n' | '，' | '、' | '；' | '：' | '。' | '！' | '？'
            );
        }
        before = Some(c);
    }
    after_mark
}

/// Returns where the phrases that ask for concurrent work stand.
fn concurrent_phrases(words: &[Word]) -> Vec<Range<usize>> {
    let vocabulary = words.first().map_or(&ENGLISH, |word| word.vocabulary);
    let phrases = vocabulary.concurrent.iter().map(|phrase| phrase.split(' ').collect::<Vec<_>>());
    let places = |phrase: Vec<&str>| -> Vec<Range<usize>> {
        let all = words.windows(phrase.len()).enumerate();
        let same = |window: &[Word]| window.iter().zip(&phrase).all(|(word, part)| word.text == *part);
        all.filter(|(_, window)| same(window)).map(|(at, window)| at..at + window.len()).collect()
    };
    phrases.flat_map(places).collect()
}

/// Returns the clauses of a goal, without the phrases that ask for concurrent work.
fn clauses(text: &str) -> Vec<Vec<Word>> {
    let words = words(text);
    let left_out: BTreeSet<usize> = concurrent_phrases(&words).into_iter().flatten().collect();
    let mut clauses: Vec<Vec<Word>> = vec![Vec::new()];
    let mut after_later = false;
    for (number, mut word) in words.into_iter().enumerate() {
        let ends = word.is_in(|words| words.breaks);
        word.is_later = after_later;
        after_later = word.is_in(|words| words.later);
        if ends || word.after_mark || left_out.contains(&number) {
            clauses.push(Vec::new());
        }
        if !ends && !left_out.contains(&number) {
            clauses.last_mut().into_iter().for_each(|clause| clause.push(word.clone()));
        }
    }
    clauses.retain(|clause| !clause.is_empty());
    let mut whole: Vec<Vec<Word>> = Vec::new();
    for clause in clauses {
        match whole.last_mut().filter(|_| belongs_to_previous(&clause)) {
            Some(previous) => previous.extend(clause),
            None => whole.push(clause),
        }
    }
    whole.retain(|clause| clause.iter().any(Word::is_content_word));
    whole
}

/// Returns whether a clause only adds to the one before: numbers, also with a noun ("number 3"), what a product contains,
/// or looking up something that was named ("find them").
fn belongs_to_previous(clause: &[Word]) -> bool {
    let has_content_word = clause.iter().any(Word::is_content_word);
    let is_number = |word: &Word| word.text.chars().any(|c| c.is_ascii_digit());
    let continues = clause
        .first()
        .is_some_and(|first| first.is_in(|words| words.contains) && !first.is_in(|words| words.sources));
    let looks_up = clause.iter().filter(|word| word.is_content_word()).all(Word::is_weak)
        && clause.iter().any(|word| word.is_in(|words| words.pronouns));
    let is_label = matches!(clause, [noun, number] if noun.kind().is_none() && !noun.is_weak() && is_number(number))
        && !is_number(&clause[0]);
    continues || looks_up || is_label || (!has_content_word && clause.iter().any(is_number))
}

/// Part before words that it shares with earlier parts are removed.
struct PartDraft {
    words: Vec<Word>,
    is_subject: bool,
    /// The goal says that it comes after what stands before.
    is_later: bool,
}

impl PartDraft {
    fn kind(&self) -> Option<WorkKind> {
        self.words.iter().find_map(Word::kind)
    }
}

/// Divides a clause into the subjects of its products and the products, those that others contain first.
fn drafts(clause: &Vec<Word>) -> Vec<PartDraft> {
    let mut products: Vec<Vec<Word>> = Vec::new();
    let mut rest = clause.as_slice();
    while let Some(cut) = next_product(rest) {
        products.push(rest[..cut].to_vec());
        rest = &rest[cut..];
    }
    products.push(rest.to_vec());
    let contains =
        |product: &Vec<Word>| product.first().is_some_and(|first| first.is_in(|words| words.contains));
    if products.iter().skip(1).any(contains) {
        products.reverse();
    }
    let is_later = clause.first().is_some_and(|first| first.is_later || first.is_in(|words| words.later));
    let draft = |words: &[Word], is_subject| PartDraft { words: words.to_vec(), is_subject, is_later };
    let divided: Vec<_> = products.iter().map(|product| split_subject(product)).collect();
    let subjects = divided.iter().filter_map(|(_, subject)| Some(draft((*subject)?, true)));
    subjects.chain(divided.iter().map(|(own, _)| draft(own, false))).collect()
}

/// Returns where the second product of a clause begins: at the connecting word, if there is one.
fn next_product(clause: &[Word]) -> Option<usize> {
    let (first, kind) = clause.iter().enumerate().find_map(|(at, word)| Some((at, word.kind()?)))?;
    let is_other = |word: &Word| word.kind().is_some_and(|other| other != kind);
    let second = first + clause[first..].iter().position(is_other)?;
    let connects = |word: &Word| word.is_in(|words| words.contains) || word.is_in(|words| words.connectors);
    let between = &clause[first + 1..second];
    // Two kinds side by side are one product: "an analysis report", "a summary chart".
    let last = between.iter().rposition(connects)?;
    let begins = between[..last].iter().rposition(|word| !connects(word)).map_or(0, |at| at + 1);
    Some(first + 1 + begins)
}

/// Divides a product into its own words and those of its subject.
fn split_subject(product: &[Word]) -> (&[Word], Option<&[Word]>) {
    let Some(first) = product.iter().position(|word| word.kind().is_some()) else { return (product, None) };
    // "As a chart" comes after its subject.
    let before_as = product[..first].iter().rposition(|word| word.text == word.vocabulary.form);
    if let Some(end) = before_as.filter(|&end| has_enough_content(&product[..end])) {
        return (&product[end..], Some(&product[..end]));
    }
    let at = first + product[first..].iter().take_while(|word| word.kind().is_some()).count() - 1;
    let rest = &product[at + 1..];
    let is_noun = |word: &Word| word.is_content_word() || word.is_in(|words| words.articles);
    let is_verb = !product[..first].iter().any(is_noun) && takes_subject(&product[at].text);
    let begins = match rest.iter().position(|word| word.is_in(|words| words.subjects)) {
        _ if is_verb => Some(at + 1),
        Some(of) => Some(at + 1 + of),
        None => None,
    };
    match begins.map(|begins| product.split_at(begins)).filter(|(_, subject)| has_enough_content(subject)) {
        Some((own, subject)) => (own, Some(subject)),
        None => (product, None),
    }
}

/// Returns whether words can name a subject: a single word is too little to look for.
fn has_enough_content(words: &[Word]) -> bool {
    words.iter().filter(|word| word.is_content_word() && !word.is_weak()).count() > 1
}

/// Returns the words of a part for titles of assignments, which separate parts by semicolons.
pub(crate) fn title_of(full_text: &str) -> String {
    without_long_blocks(full_text).replace(';', ",")
}

/// Returns the part with the words of the goal. `None` for a part that tells nothing new.
fn finish(text: &str, draft: &PartDraft, earlier: &[GoalPart]) -> Option<GoalPart> {
    let content_words: Vec<&Word> = draft.words.iter().filter(|word| word.is_content_word()).collect();
    let strong: Vec<&Word> = content_words.iter().copied().filter(|word| !word.is_weak()).collect();
    let content_words = if strong.is_empty() { content_words } else { strong };
    let content_words: Vec<&str> = content_words.into_iter().map(|word| word.text.as_str()).collect();
    let known: BTreeSet<&str> = earlier.iter().flat_map(|part| part.skill.as_str().split(' ')).collect();
    let fresh: Vec<&str> = content_words.iter().copied().filter(|word| !known.contains(word)).collect();
    if draft.is_subject && 2 * fresh.len() <= content_words.len() {
        return None;
    }
    let skill = Skill::truncate(&if fresh.is_empty() { content_words } else { fresh }.join(" "))?;
    if earlier.iter().any(|part| part.skill == skill) {
        return None;
    }
    let is_connector = |word: &&Word| {
        word.is_in(|words| words.contains)
            || word.is_in(|words| words.subjects)
            || word.is_in(|words| words.connectors)
    };
    let begins = draft.words.iter().find(|word| !is_connector(word)).or(draft.words.first())?;
    let last = draft.words.last()?;
    let full_text = text[begins.at.start..last.block_end.unwrap_or(last.at.end)].trim().to_owned();
    let words = title_of(&full_text);
    Some(GoalPart { skill, words, full_text, is_subject: draft.is_subject })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skills(goal: &str) -> Vec<String> {
        required_skills(goal).into_iter().map(String::from).collect()
    }

    fn told(goal: &str) -> Vec<String> {
        goal_parts(goal).into_iter().map(|part| part.words).collect()
    }

    #[test]
    fn a_goal_is_cut_into_what_it_needs() {
        for (goal, expected) in [
            (
                "The annual revenue figures from 2014 to 2020: find them, plot them and then write a report.",
                vec!["annual revenue figures", "plot", "write report"],
            ),
            ("Translate this letter", vec!["translate letter"]),
            ("Count boats and sort nets at the same time.", vec!["count boats", "sort nets"]),
            ("In parallel: count boats, sort nets", vec!["count boats", "sort nets"]),
            ("Convert 3.5 m to feet at 10:30, 1,000 times", vec!["convert m feet", "times"]),
            ("Sum up sales.csv, please", vec!["sum sales.csv"]),
            ("Audit the accounts of Microsoft for 2020, number 3", vec!["audit accounts microsoft number"]),
            ("to the; 42", vec![]),
        ] {
            assert_eq!(skills(goal), expected);
        }
        assert_eq!(required_skills(&"sing a song number x, ".repeat(1_000)).len(), 1);
    }

    #[test]
    fn the_words_of_a_part_keep_numbers_and_names() {
        assert_eq!(
            told(
                "Fetch Microsoft's annual revenue from 2014 to 2020, plot it, and write a report of 1,000 words."
            ),
            [
                "Fetch Microsoft's annual revenue from 2014 to 2020",
                "plot it",
                "write a report of 1,000 words"
            ]
        );
        assert_eq!(
            told("First find the revenue, 2014 to 2020. Get the rest between 2021 and 2024, then look it up"),
            ["First find the revenue, 2014 to 2020", "Get the rest between 2021 and 2024, then look it up"]
        );
        assert_eq!(told("Übersetze den Brief."), ["Übersetze den Brief"]);
    }

    #[test]
    fn embedded_blocks_are_data_and_no_skills() {
        let tides = "The tide comes in twice a day, and twice a day it goes out, every day of each year.";
        let goal = format!("Convert 2 m to feet, and count the words of “{tides}” Then chart them");
        assert_eq!(skills(&goal), ["convert m feet", "count words", "chart"]);
        let parts = goal_parts(&goal);
        assert_eq!(parts[1].words, "count the words of “…”");
        assert_eq!(parts[1].full_text, format!("count the words of “{tides}”"));
        let table = "Make a table and a chart of these:\nmonth,boats\nMay,3\nJune,5\nThen write a memo";
        assert_eq!(skills(table), ["table", "chart these", "write memo"]);
        assert_eq!(goal_parts(table)[1].full_text, "a chart of these:\nmonth,boats\nMay,3\nJune,5");
        let long = format!("Count the words of “{}” and draw a chart", "Sea, ".repeat(1_000));
        assert_eq!(skills(&long), ["count words", "draw chart"]);
    }

    #[test]
    fn what_a_product_is_made_of_comes_first() {
        for (goal, expected) in [
            (
                "Write a report with a chart of Microsoft's annual revenue from 2014 to 2020.",
                vec!["microsoft annual revenue", "chart", "write report"],
            ),
            (
                "Analyze Microsoft's revenue trends from 2014 to 2020",
                vec!["microsoft revenue trends", "analyze"],
            ),
            ("Plot the monthly sales of Husum for a report", vec!["monthly sales husum", "plot", "report"]),
            ("Give me an analysis report", vec!["analysis report"]),
            ("Summarize the report", vec!["summarize report"]),
            ("Draw a diagram", vec!["draw diagram"]),
            ("Show Husum's monthly sales as a chart", vec!["husum monthly sales", "chart"]),
            ("A report and a chart of Husum's monthly sales", vec!["husum monthly sales", "chart", "report"]),
            ("Write a report, then draw a chart", vec!["write report", "draw chart"]),
            ("Explain it in a report", vec!["explain report"]),
            (
                "Prepare a report on Microsoft's annual revenue from 2014 to 2020, including a diagram.",
                vec!["microsoft annual revenue", "including diagram", "report"],
            ),
        ] {
            assert_eq!(skills(goal), expected, "{goal}");
        }
    }

    #[test]
    fn goals_in_other_languages_are_cut_alike() {
        for (goal, expected) in [
            (
                "Hole Microsofts Jahresumsatz von 2014 bis 2020, zeichne ein Diagramm davon und schreibe einen Bericht.",
                vec!["microsofts jahresumsatz", "zeichne diagramm", "schreibe bericht"],
            ),
            (
                "Schreibe einen Bericht mit einem Diagramm über den Jahresumsatz von Microsoft",
                vec!["jahresumsatz microsoft", "diagramm", "schreibe bericht"],
            ),
            (
                "Trouve le chiffre d'affaires de Microsoft de 2014 à 2020, trace un graphique et rédige un rapport.",
                vec!["chiffre affaires microsoft", "trace graphique", "rédige rapport"],
            ),
            (
                "Busca los ingresos anuales de Microsoft, dibuja un gráfico y escribe un informe.",
                vec!["ingresos anuales microsoft", "dibuja gráfico", "escribe informe"],
            ),
            ("获取微软的年收入，绘制图表，撰写报告。", vec!["获取微软的年收入", "绘制图表", "撰写报告"]),
        ] {
            assert_eq!(skills(goal), expected, "{goal}");
        }
        assert!(is_concurrent("Übersetze den Brief und zähle gleichzeitig die Boote"));
        assert!(is_concurrent("Traduis la lettre et compte les bateaux en même temps"));
    }

    #[test]
    fn a_subject_is_looked_up_once() {
        assert_eq!(
            skills(
                "I want to know the annual revenue of Microsoft from 2014 to 2020. Please generate a figure in text \
                 format showing the trend of the annual revenue, and give me an analysis report."
            ),
            ["annual revenue microsoft", "figure text format showing trend", "analysis report"]
        );
    }

    #[test]
    fn parts_are_in_order_unless_the_goal_says_otherwise() {
        for goal in [
            "The annual revenue figures from 2014 to 2020: find them, plot them, write a report.",
            "Gather the tide times, and convert 3 m to feet",
            "Gather the figures.\nSum up the results.",
            "",
        ] {
            assert!(!is_concurrent(goal), "{goal}");
        }
        for goal in [
            "Gather the tide times and convert 3 m to feet at the same time.",
            "In parallel: translate the letter, count the boats",
            "Independently, plot the figures and write a report",
        ] {
            assert!(is_concurrent(goal), "{goal}");
        }
    }
}
