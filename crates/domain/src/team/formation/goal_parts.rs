//! Parts of a goal by rules: its clauses, in the order in which one builds on the other.

use std::{collections::BTreeSet, ops::Range};

use super::{
    Skill,
    vocabulary::{ENGLISH, Vocabulary, vocabulary_of},
    work_kinds::{WorkKind, takes_subject, unspaced_kind_word, work_kind},
};
use crate::{
    embedded_block::{BlockKind, EmbeddedBlock, blocks_and_terms, without_long_blocks},
    text_request::text_requests,
};

/// Maximum number of characters of a goal that are read, besides those of its embedded blocks.
const MAX_CHARS: usize = 2_000;
/// Maximum number of characters of a goal with its embedded blocks.
const MAX_GOAL_CHARS: usize = 8_000;
const MAX_PARTS: usize = 8;
/// Maximum number of words from a verb to the product that is its object: "draw a simple line chart".
const MAX_OBJECT_WORDS: usize = 4;

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
    let drafts = in_order(clauses(&text).iter().flat_map(drafts).collect());
    // Tables and figures are for charts and reports, wherever they stand.
    let has_product = drafts.iter().any(|draft| draft.kind().is_some());
    for draft in drafts {
        let takes_data = !has_product || draft.kind().is_some();
        if let Some(part) = finish(&text, &draft, takes_data, &parts) {
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
    /// The embedded block that follows the word, with its end.
    block: Option<(BlockKind, usize)>,
    /// The quoted term in which the word stands.
    term: Option<Range<usize>>,
    /// True if a punctuation mark that ends a clause stands before the word.
    after_mark: bool,
    /// True if a word that says "later" stands before the word.
    is_later: bool,
    /// That of the goal's language.
    vocabulary: &'static Vocabulary,
}

impl Word {
    const fn new(at: Range<usize>, after_mark: bool) -> Self {
        Self {
            text: String::new(),
            at,
            block: None,
            term: None,
            after_mark,
            is_later: false,
            vocabulary: &ENGLISH,
        }
    }

    fn is_content_word(&self) -> bool {
        self.text.chars().any(char::is_alphabetic) && !self.is_in(|words| words.fillers)
    }

    fn is_weak(&self) -> bool {
        self.is_in(|words| words.weak)
    }

    fn is_number(&self) -> bool {
        self.text.chars().any(|c| c.is_ascii_digit())
    }

    fn kind(&self) -> Option<WorkKind> {
        if self.term.is_some() { None } else { work_kind(&self.text) }
    }

    /// Returns whether the word is in a list of function words. Quoted words have no function.
    fn is_in(&self, list: impl FnOnce(&'static Vocabulary) -> &'static [&'static str]) -> bool {
        self.term.is_none() && list(self.vocabulary).contains(&self.text.as_str())
    }
}

/// Returns the embedded blocks and quoted terms of a goal, and the texts without marks that it asks to count.
fn blocks(text: &str) -> Vec<EmbeddedBlock> {
    let mut blocks = blocks_and_terms(text);
    for request in text_requests(text).into_iter().filter(|request| !request.is_marked) {
        let Some(range) = request.text else { continue };
        blocks.retain(|block| block.range.end <= range.start || range.end <= block.range.start);
        blocks.push(EmbeddedBlock { kind: BlockKind::Quoted, content: range.clone(), range });
    }
    blocks.sort_by_key(|block| block.range.start);
    blocks
}

/// Splits a text into words, without those of embedded blocks. A table or code ends a clause.
fn words(text: &str) -> Vec<Word> {
    let (mut found, mut from, mut after_mark, mut left): (Vec<Word>, usize, bool, usize) =
        (Vec::new(), 0, false, MAX_CHARS);
    for EmbeddedBlock { kind, range, content } in blocks(text) {
        after_mark = add_words(text, from..range.start, &mut found, after_mark, &mut left);
        from = range.end;
        if kind == BlockKind::Term {
            let first = found.len();
            after_mark = add_words(text, content, &mut found, after_mark, &mut left);
            found[first..].iter_mut().for_each(|word| word.term = Some(range.clone()));
        } else {
            after_mark |= matches!(kind, BlockKind::Fenced | BlockKind::Table);
            found.last_mut().into_iter().for_each(|word| word.block = Some((kind, range.end)));
        }
    }
    add_words(text, from..text.len(), &mut found, after_mark, &mut left);
    for word in &mut found {
        word.text = text[word.at.clone()].to_lowercase();
    }
    let vocabulary = vocabulary_of(&found.iter().map(|word| word.text.as_str()).collect::<Vec<_>>());
    found.into_iter().map(|word| Word { vocabulary, ..word }).collect()
}

/// Words between clauses in scripts without spaces.
const UNSPACED_BREAKS: [&str; 8] = ["然后", "然後", "接着", "接著", "最后", "最後", "并且", "並且"];

/// Adds the words of a range, at most of `left` characters. A mark between two digits belongs to a number, and a point
/// between two letters to a name. Returns whether a mark stands at the end.
fn add_words(
    text: &str,
    range: Range<usize>,
    found: &mut Vec<Word>,
    mut after_mark: bool,
    left: &mut usize,
) -> bool {
    let (mut before, mut is_divided) = (None, true);
    let mut chars = text[range.clone()].char_indices().take(*left).peekable();
    while let Some((offset, c)) = chars.next() {
        *left -= 1;
        let at = range.start + offset;
        let rest = &text[at..range.end];
        if let Some(connective) = UNSPACED_BREAKS.iter().find(|connective| rest.starts_with(**connective)) {
            found.push(Word::new(at..at + connective.len(), after_mark));
            let skipped = connective.chars().skip(1).filter(|_| chars.next().is_some()).count();
            (*left, after_mark, before, is_divided) = (left.saturating_sub(skipped), false, None, true);
            continue;
        }
        let next = chars.peek().map(|(_, next)| *next);
        if is_word_char(c, before, next) {
            let end = at + c.len_utf8();
            match found.last_mut().filter(|word| word.at.end == at && !after_mark && !is_divided) {
                Some(word) => word.at.end = end,
                None => found.push(Word::new(at..end, after_mark)),
            }
            (after_mark, is_divided) = (false, false);
        } else {
            after_mark |= is_clause_mark(c) || is_clause_dash(rest);
        }
        before = Some(c);
    }
    after_mark
}

fn is_word_char(c: char, before: Option<char>, next: Option<char>) -> bool {
    let both = |is: fn(&char) -> bool| before.as_ref().is_some_and(is) && next.as_ref().is_some_and(is);
    match c {
        ',' | ':' => both(char::is_ascii_digit),
        '.' => both(|c| c.is_alphanumeric()),
        // It joins two words, or is the sign of a number.
        '-' => both(|c| c.is_alphanumeric()) || next.is_some_and(|next| next.is_ascii_digit()),
        _ => c.is_alphanumeric(),
    }
}

const fn is_clause_mark(c: char) -> bool {
    matches!(
        c,
        ',' | ';'
            | ':'
            | '.'
            | '!'
            | '?'
            | '\n'
            | '，'
            | '、'
            | '；'
            | '：'
            | '。'
            | '！'
            | '？'
            | '،'
            | '؛'
            | '؟'
    )
}

/// Returns whether a text begins with a dash between two clauses. Before a number it is a range or a minus.
fn is_clause_dash(text: &str) -> bool {
    let after = ["– ", "— "].iter().find_map(|dash| text.strip_prefix(dash));
    after.is_some_and(|rest| !rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
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

/// A clause of a goal.
struct Clause {
    words: Vec<Word>,
    /// The verb of the clause before, if this one has none: "convert 5 miles to km and 70 kg to pounds".
    verb: Option<Word>,
}

impl Clause {
    fn has_content_word(&self) -> bool {
        self.words.iter().any(Word::is_content_word)
    }

    /// Returns the verb that stands before the number with which the clause begins, if it does.
    fn verb_before_number(&self) -> Option<&Word> {
        let verb = || {
            let at = self.words.iter().position(Word::is_content_word)?;
            self.words.get(at + 1).filter(|next| next.is_number())?;
            self.words.get(at).filter(|word| !word.is_number() && !word.is_weak())
        };
        self.verb.as_ref().or_else(verb)
    }
}

/// Returns the clauses of a goal, without the phrases that ask for concurrent work.
fn clauses(text: &str) -> Vec<Clause> {
    let words = words(text);
    let left_out: BTreeSet<usize> = concurrent_phrases(&words).into_iter().flatten().collect();
    let mut clauses: Vec<Vec<Word>> = vec![Vec::new()];
    let mut after_later = false;
    for (number, mut word) in words.into_iter().enumerate() {
        let is_unspaced_break = UNSPACED_BREAKS.contains(&word.text.as_str());
        let ends = word.is_in(|words| words.breaks) || is_unspaced_break;
        word.is_later = after_later;
        after_later = word.is_in(|words| words.later) || is_unspaced_break;
        if ends || word.after_mark || left_out.contains(&number) {
            clauses.push(Vec::new());
        }
        if !ends && !left_out.contains(&number) {
            clauses.last_mut().into_iter().for_each(|clause| clause.push(word.clone()));
        }
    }
    clauses.retain(|clause| !clause.is_empty());
    let mut whole: Vec<Clause> = Vec::new();
    for words in clauses {
        match whole.last_mut().filter(|previous| belongs_to_previous(text, previous, &words)) {
            Some(previous) => previous.words.extend(words),
            None => {
                let begins_with_number = words.first().is_some_and(Word::is_number);
                let verb = whole.last().filter(|_| begins_with_number).and_then(Clause::verb_before_number);
                whole.push(Clause { verb: verb.cloned(), words });
            }
        }
    }
    whole.retain(|clause| clause.has_content_word() || is_calculation(text, &clause.words));
    whole
}

/// Returns whether a clause only adds to the one before: numbers, also with a noun ("number 3"), what a product contains,
/// or looking up something that was named ("find them").
fn belongs_to_previous(text: &str, previous: &Clause, clause: &[Word]) -> bool {
    let has_content_word = clause.iter().any(Word::is_content_word);
    let continues = clause
        .first()
        .is_some_and(|first| first.is_in(|words| words.contains) && !first.is_in(|words| words.sources));
    let looks_up = clause.iter().filter(|word| word.is_content_word()).all(Word::is_weak)
        && clause.iter().any(|word| word.is_in(|words| words.pronouns));
    let is_label = matches!(clause, [noun, number] if noun.kind().is_none() && !noun.is_weak() && number.is_number())
        && !clause[0].is_number();
    let is_relative = clause.first().is_some_and(|first| first.is_in(|words| words.relatives))
        && clause
            .iter()
            .skip(1)
            .any(|word| word.is_in(|words| words.contains) && !word.is_in(|words| words.sources));
    let is_own_calculation = is_calculation(text, clause)
        && (previous.verb_before_number().is_some() || !previous.has_content_word());
    let is_number = !has_content_word && clause.iter().any(Word::is_number) && !is_own_calculation;
    continues || is_relative || looks_up || is_label || is_number
}

/// Returns whether words are numbers with operators between them, or a share of a number.
fn is_calculation(text: &str, clause: &[Word]) -> bool {
    let (Some(first), Some(last)) = (clause.first(), clause.last()) else { return false };
    let operators = ['*', '×', '·', '÷', '/', '^', '+', '−', '%', '√', '='];
    let extent = extent(text, first, last);
    clause.iter().any(Word::is_number)
        && (text[extent.clone()].contains(operators) || text[extent].contains(" - "))
}

/// Part before words that it shares with earlier parts are removed.
struct PartDraft {
    words: Vec<Word>,
    verb: Option<Word>,
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
fn drafts(clause: &Clause) -> Vec<PartDraft> {
    let mut products: Vec<Vec<Word>> = Vec::new();
    let Clause { words: clause, verb } = clause;
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
    let draft = |words: &[Word], is_subject: bool| PartDraft {
        words: words.to_vec(),
        verb: verb.clone().filter(|_| !is_subject),
        is_subject,
        is_later,
    };
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
    // The object of "draw a line chart of the sales" is the product itself.
    let object = product[at + 1..].iter().take_while(|word| !word.is_in(|words| words.subjects));
    let noun = object.take(MAX_OBJECT_WORDS).position(|word| word.kind() == product[first].kind());
    let (at, has_noun) = noun.map_or((at, false), |noun| (at + 1 + noun, true));
    let rest = &product[at + 1..];
    let is_noun = |word: &Word| word.is_content_word() || word.is_in(|words| words.articles);
    let is_verb = !has_noun && !product[..first].iter().any(is_noun) && takes_subject(&product[at].text);
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
fn finish(text: &str, draft: &PartDraft, takes_data: bool, earlier: &[GoalPart]) -> Option<GoalPart> {
    let own = skill_words(draft);
    let known: BTreeSet<&str> = earlier.iter().flat_map(|part| part.skill.as_str().split(' ')).collect();
    let fresh: Vec<&str> = own.iter().copied().filter(|word| !known.contains(word)).collect();
    if draft.is_subject && 2 * fresh.len() <= own.len() {
        return None;
    }
    // A product need not repeat its subject, while clauses of one kind repeat their verb.
    let is_shortened = (draft.is_subject || draft.kind().is_some()) && !fresh.is_empty();
    let skill = Skill::truncate(&if is_shortened { fresh } else { own }.join(" "))?;
    let full_text = full_text(text, draft, takes_data)?;
    let words = title_of(&full_text);
    let is_same = |part: &GoalPart| {
        let has_product = draft.is_subject || draft.kind().is_some();
        part.skill == skill && (has_product || part.words.eq_ignore_ascii_case(&words))
    };
    let is_new = !earlier.iter().any(is_same);
    is_new.then_some(GoalPart { skill, words, full_text, is_subject: draft.is_subject })
}

/// Returns the words by which an agent is searched. Of a product only those up to its kind: "draw chart". Of a clause
/// without other words its numbers.
fn skill_words(draft: &PartDraft) -> Vec<&str> {
    let content = || draft.verb.iter().chain(&draft.words).filter(|word| word.is_content_word());
    let strong: Vec<&Word> = content().filter(|word| !word.is_weak()).collect();
    let numbers: Vec<&Word> = draft.words.iter().filter(|word| word.is_number()).collect();
    let words = match () {
        () if !strong.is_empty() => strong,
        () if !numbers.is_empty() => numbers,
        () => content().collect(),
    };
    let last = words.iter().rposition(|word| word.kind().is_some() && !draft.is_subject);
    let words = &words[..last.map_or(words.len(), |last| last + 1)];
    words.iter().map(|word| unspaced_kind_word(&word.text).unwrap_or(&word.text)).collect()
}

/// Returns the words of a part as they stand in the goal, with the embedded blocks in it. `takes_data` is false if tables
/// and figures are for other parts.
fn full_text(text: &str, draft: &PartDraft, takes_data: bool) -> Option<String> {
    let is_connector = |word: &&Word| {
        word.is_in(|words| words.contains)
            || word.is_in(|words| words.subjects)
            || word.is_in(|words| words.connectors)
    };
    let first = draft.words.iter().find(|word| !is_connector(word)).or(draft.words.first())?;
    let last = draft.words.last()?;
    let Range { start, end } = extent(text, first, last);
    let is_taken = |kind: BlockKind| takes_data || !matches!(kind, BlockKind::Table | BlockKind::Figures);
    let end = last.block.filter(|(kind, _)| is_taken(*kind)).map_or(end, |(_, block_end)| block_end.max(end));
    let own = text[start..end].trim();
    Some(
        draft
            .verb
            .as_ref()
            .map_or_else(|| own.to_owned(), |verb| format!("{} {own}", &text[verb.at.clone()])),
    )
}

/// Returns the position of words with the marks that belong to them, such as brackets, signs and units.
fn extent(text: &str, first: &Word, last: &Word) -> Range<usize> {
    let start = first.term.as_ref().map_or(first.at.start, |term| term.start);
    let end = last.term.as_ref().map_or(last.at.end, |term| term.end);
    let opens =
        |c: char| matches!(c, '(' | '[' | '-' | '−' | '+' | '.' | '√' | '@' | '#' | '$' | '€' | '£' | '¥');
    let closes =
        |c: char| matches!(c, ')' | ']' | '%' | '‰' | '°' | '²' | '³' | '+' | '#' | '$' | '€' | '£' | '¥');
    let is_inch = last.text.ends_with(|c: char| c.is_ascii_digit());
    let start = text[..start].trim_end_matches(opens).len();
    let end = text.len()
        - text[end..].trim_start_matches(|c| closes(c) || (is_inch && matches!(c, '\'' | '"'))).len();
    start..end
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
            ("Convert 3.5 m to feet at 10:30, 1,000 times", vec!["convert m feet", "convert times"]),
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
        assert_eq!(skills(&goal), ["convert m feet", "count words", "chart"], "{goal}");
        let parts = goal_parts(&goal);
        assert_eq!(parts[1].words, "count the words of “…”");
        assert_eq!(parts[1].full_text, format!("count the words of “{tides}”"));
        let table = "Make a table and a chart of these:\nmonth,boats\nMay,3\nJune,5\nThen write a memo";
        assert_eq!(skills(table), ["table", "chart", "write memo"]);
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
            ("获取微软的年收入，绘制图表，撰写报告。", vec!["获取微软的年收入", "图表", "报告"]),
            (
                "我想知道微软2014年到2020年的年收入。请生成一张显示年收入趋势的图，然后写一份分析报告。",
                vec!["我想知道微软2014年到2020年的年收入", "图表", "报告"],
            ),
        ] {
            assert_eq!(skills(goal), expected, "{goal}");
        }
        assert!(is_concurrent("Übersetze den Brief und zähle gleichzeitig die Boote"));
        assert!(is_concurrent("Traduis la lettre et compte les bateaux en même temps"));
    }

    /// Returns the whole texts of the parts.
    fn full_texts(goal: &str) -> Vec<String> {
        goal_parts(goal).into_iter().map(|part| part.full_text).collect()
    }

    #[test]
    fn a_quotation_stays_whole_in_any_marks_and_clause() {
        let others = ["convert 5 miles to km", "Calculate 15% of 240"];
        for (open, close) in [
            ("\"", "\""),
            ("“", "”"),
            ("‘", "’"),
            ("'", "'"),
            ("«", "»"),
            ("„", "“"),
            ("»", "«"),
            ("「", "」"),
            ("”", "”"),
        ] {
            for words in [
                "to be or not to be",
                "To be, or not to be.",
                "it's to be and not",
                "be",
                "The sea is calm. Then it rains",
            ] {
                let count = format!("count the words in {open}{words}{close}");
                for goal in [
                    format!("{} and {count}", others[0]),
                    format!("{}, {count}, and {}", others[0], others[1]),
                    format!("{count} and {}", others[0]),
                    format!("{count}. {}", others[0]),
                    format!("{}; {count}.", others[0]),
                    format!("{} and {count}:", others[0]),
                ] {
                    let texts = full_texts(&goal);
                    assert!(texts.contains(&count), "{goal}: {texts:?}");
                    assert!(texts.contains(&others[0].to_owned()), "{goal}: {texts:?}");
                    assert_eq!(texts.len(), goal.matches(&others[1][1..]).count() + 2, "{goal}: {texts:?}");
                }
            }
        }
    }

    #[test]
    fn calculations_and_lists_with_a_shared_verb_are_parts() {
        for (goal, expected) in [
            ("15% of 240", vec!["15% of 240"]),
            ("What is 15% of 240?", vec!["What is 15% of 240"]),
            ("17 * 23", vec!["17 * 23"]),
            ("2^10", vec!["2^10"]),
            ("(2 + 3) * 4, and 17 * 23", vec!["(2 + 3) * 4", "17 * 23"]),
            ("sum of 3, 4 and 5", vec!["sum of 3, 4 and 5"]),
            ("square root of 2", vec!["square root of 2"]),
            (
                "Calculate 15% of 240, and convert 5 miles to km",
                vec!["Calculate 15% of 240", "convert 5 miles to km"],
            ),
            (
                "Convert 5 miles to km and convert 70 kg to pounds",
                vec!["Convert 5 miles to km", "convert 70 kg to pounds"],
            ),
            (
                "Convert 5 miles to km and convert 8 miles to km",
                vec!["Convert 5 miles to km", "convert 8 miles to km"],
            ),
            (
                "convert 5 miles to km and 70 kg to pounds",
                vec!["convert 5 miles to km", "convert 70 kg to pounds"],
            ),
            (
                "Convert 5 miles to km, 70 kg to pounds and 3 m to feet.",
                vec!["Convert 5 miles to km", "Convert 70 kg to pounds", "Convert 3 m to feet"],
            ),
            ("Calculate 15% of 240 and 17 * 23", vec!["Calculate 15% of 240", "Calculate 17 * 23"]),
            ("What is 15% of 240 and what is 17 * 23?", vec!["What is 15% of 240", "what is 17 * 23"]),
            (
                "Convert 5 miles to km — count the words of it",
                vec!["Convert 5 miles to km", "count the words of it"],
            ),
            ("Convert 5 miles to km;", vec!["Convert 5 miles to km"]),
            ("احسب 15% من 240، ثم 17 * 23", vec!["احسب 15% من 240", "ثم 17 * 23"]),
        ] {
            assert_eq!(full_texts(goal), expected, "{goal}");
        }
    }

    #[test]
    fn data_belongs_to_the_part_that_takes_it() {
        let table = "month,boats\nMay,3\nJune,5";
        let goal =
            format!("Draw a chart of the table, then tell me how many minutes are in a week:\n{table}");
        assert_eq!(
            full_texts(&goal),
            ["Draw a chart of the table", "tell me how many minutes are in a week"]
        );
        assert_eq!(
            full_texts(
                "Draw a chart of Jan 420, Feb 380 and Mar 510, then count the words in to be or not to be"
            ),
            ["Draw a chart of Jan 420, Feb 380 and Mar 510", "count the words in to be or not to be"]
        );
        for text in ["How many words are in: to be or not to be", "count the words:\nto be, or\nnot to be"] {
            assert_eq!(full_texts(text), [text]);
        }
    }

    #[test]
    fn a_subject_is_looked_up_once() {
        assert_eq!(
            skills(
                "I want to know the annual revenue of Microsoft from 2014 to 2020. Please generate a figure in text \
                 format showing the trend of the annual revenue, and give me an analysis report."
            ),
            ["annual revenue microsoft", "figure", "analysis report"]
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
