//! Requests for the statistics of a text: "count the words in to be or not to be".

use std::ops::Range;

use crate::embedded_block::{BlockKind, blocks_and_terms};

/// What is counted in a text. Lower case.
const UNITS: &[&str] = &[
    "character",
    "characters",
    "letter",
    "letters",
    "sentence",
    "sentences",
    "term",
    "terms",
    "word",
    "words", // German
    "buchstaben",
    "satz",
    "sätze",
    "wort",
    "worte",
    "wörter",
    "wörtern",
    "zeichen", // French
    "caractères",
    "lettres",
    "mot",
    "mots",
    "phrases", // Spanish
    "caracteres",
    "frases",
    "letras",
    "palabra",
    "palabras", // Arabic
    "الحروف",
    "الكلمات",
    "الجمل",
    "كلمات",
    "كلمة",
    "حرفا",
];
/// Words that ask for a number or for the most frequent ones.
const ASKS: &[&str] = &[
    "analyse",
    "analyze",
    "common",
    "count",
    "counts",
    "frequency",
    "frequent",
    "many",
    "number",
    "statistics", // German
    "anzahl",
    "häufigste",
    "häufigsten",
    "viele",
    "wieviele",
    "zähl",
    "zähle",
    "zählen", // French
    "combien",
    "compte",
    "comptez",
    "fréquents",
    "nombre", // Spanish
    "cuenta",
    "cuántas",
    "cuántos",
    "frecuentes",
    "número", // Arabic
    "احسب",
    "عد",
    "كم",
];
/// Parts of words of scripts without spaces that name what is counted, and that ask for its number.
const UNSPACED_UNITS: &[&str] = &["词", "詞", "字", "句子", "句数", "单语", "単語", "文字", "단어", "글자"];
const UNSPACED_ASKS: &[&str] = &[
    "数一数",
    "數一數",
    "统计",
    "統計",
    "多少",
    "几个",
    "幾個",
    "字数",
    "字數",
    "词数",
    "常见",
    "数え",
    "세어",
];
/// Words between what is counted and its text, besides a colon.
const PREPOSITIONS: &[&str] =
    &["dans", "de", "des", "du", "en", "from", "im", "in", "of", "von", "within", "vom", "من", "في"];
/// Words that can stand before a preposition: "how many words and sentences are there in".
const BETWEEN: &[&str] = &[
    "and", "appear", "are", "do", "does", "hat", "have", "is", "occur", "or", "sind", "stehen", "there",
    "und", "was", "were", "y", "a-t-il", "et", "hay", "ist", "used",
];
/// Nouns and articles by which a text is introduced: "in the following sentence".
const INTRODUCTIONS: &[&str] = &[
    "das",
    "dem",
    "den",
    "der",
    "diesem",
    "dieser",
    "die",
    "folgenden",
    "folgendem",
    "following",
    "la",
    "le",
    "line",
    "el",
    "phrase",
    "satz",
    "sentence",
    "string",
    "text",
    "texte",
    "texto",
    "the",
    "this",
    "these",
];
/// A reference to a text, such as "the second report", has at most so many words.
const MAX_REFERENCE_WORDS: usize = 3;
/// First words of references.
const REFERENCES: &[&str] = &[
    "all", "attached", "both", "dem", "den", "der", "die", "das", "diesem", "dieser", "each", "every", "el",
    "her", "his", "it", "its", "la", "le", "les", "los", "my", "our", "that", "the", "their", "them",
    "these", "this", "those", "your", "davon", "mein", "meinem",
];
/// Words with which a clause of its own begins after a text.
const COMMANDS: &[&str] = &[
    "calculate",
    "chart",
    "compute",
    "convert",
    "count",
    "draw",
    "find",
    "finally",
    "how",
    "make",
    "plot",
    "show",
    "tell",
    "then",
    "translate",
    "what",
    "write",
    "anschließend",
    "berechne",
    "dann",
    "rechne",
    "wandle",
    "zähle",
    "zeichne",
    "puis",
    "luego",
];
/// Maximum number of words between those that ask and what is counted.
const MAX_BETWEEN: usize = 5;

/// A request, and the text that it names, in bytes of the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRequest {
    /// End of the words of the request.
    pub end: usize,
    /// `None` if the text stands elsewhere, such as in a file or in an earlier result.
    pub text: Option<Range<usize>>,
    /// Whether the text has marks of its own, such as quotation marks.
    pub is_marked: bool,
}

/// Returns the requests in a message, in order. A text is never searched for requests.
pub fn text_requests(message: &str) -> Vec<TextRequest> {
    let words = words(message);
    let (mut found, mut at): (Vec<TextRequest>, usize) = (Vec::new(), 0);
    while at < words.len() {
        let is_this =
            at > 0 && words[at - 1].text == "count" && matches!(words[at].text.as_str(), "this" | "these");
        let is_unit = UNITS.contains(&words[at].text.as_str()) || is_this;
        let first = at.saturating_sub(MAX_BETWEEN);
        let asks = |word: &Word| ASKS.contains(&word.text.as_str());
        // "Word count of" has the unit first.
        let is_asked =
            words[first..at].iter().any(asks) || words.get(at + 1).is_some_and(|next| next.text == "count");
        let is_unspaced = UNSPACED_UNITS.iter().any(|unit| words[at].text.contains(unit))
            && UNSPACED_ASKS.iter().any(|asks| words[at].text.contains(asks));
        if !(is_unit && is_asked || is_unspaced) {
            at += 1;
            continue;
        }
        let request = request(message, &words, at);
        let end = request.text.as_ref().map_or(request.end, |text| text.end);
        at = (at + 1).max(words.iter().position(|word| word.at.start >= end).unwrap_or(words.len()));
        found.push(request);
    }
    found
}

/// A word of the message that stands in no embedded block.
struct Word {
    /// In lower case.
    text: String,
    at: Range<usize>,
    /// The embedded block or quoted term after the word.
    block: Option<(Range<usize>, BlockKind)>,
}

fn words(message: &str) -> Vec<Word> {
    let (mut words, mut from): (Vec<Word>, usize) = (Vec::new(), 0);
    let blocks = blocks_and_terms(message).into_iter().filter(|block| block.kind != BlockKind::Figures);
    for block in blocks {
        add_words(message, from..block.range.start, &mut words);
        from = block.range.end;
        if let Some(last) = words.last_mut().filter(|last| last.block.is_none()) {
            last.block = Some((block.content, block.kind));
        }
    }
    add_words(message, from..message.len(), &mut words);
    words
}

fn add_words(message: &str, within: Range<usize>, words: &mut Vec<Word>) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-');
    let piece = &message[within];
    let found = piece.split(|c| !is_part(c)).filter(|word| !word.is_empty());
    words.extend(found.map(|word| {
        let start = word.as_ptr() as usize - message.as_ptr() as usize;
        Word { text: word.to_lowercase(), at: start..start + word.len(), block: None }
    }));
}

/// Returns the request whose counted unit is the word `unit`, with its text.
fn request(message: &str, words: &[Word], unit: usize) -> TextRequest {
    let mut at = unit;
    let without_text = |at: usize| TextRequest { end: words[at].at.end, text: None, is_marked: false };
    loop {
        let word = &words[at];
        if let Some((content, _)) = &word.block {
            return TextRequest { end: word.at.end, text: Some(content.clone()), is_marked: true };
        }
        let next = words.get(at + 1).map_or(message.len(), |next| next.at.start);
        let gap = &message[word.at.end..next];
        if let Some(mark) = gap.find([':', '：', '\n']) {
            return TextRequest { text: after_mark(message, word.at.end + mark), ..without_text(at) };
        }
        let Some(following) = words.get(at + 1).filter(|_| !gap.contains(['.', '!', '?', ';', ','])) else {
            return without_text(at);
        };
        let following = following.text.as_str();
        let is_known =
            UNITS.contains(&following) || BETWEEN.contains(&following) || ASKS.contains(&following);
        if PREPOSITIONS.contains(&following) {
            return after_preposition(message, words, at + 1);
        }
        if !is_known {
            return without_text(at);
        }
        at += 1;
    }
}

/// Returns the text after a colon or at the following lines.
fn after_mark(message: &str, mark: usize) -> Option<Range<usize>> {
    let rest = &message[mark..];
    let text = rest.trim_start_matches([':', '：', ' ', '\t']);
    // A text on lines of its own ends with the message.
    let is_below = text.starts_with(['\n', '\r']);
    let start = message.len() - text.trim_start().len();
    let first = message[start..].split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if COMMANDS.contains(&first.to_lowercase().as_str()) {
        return None;
    }
    let end = if is_below { message.len() } else { end_of_text(message, start) };
    trimmed(message, start..end)
}

/// Returns the request with the text after a preposition, which may be introduced: "in the sentence".
fn after_preposition(message: &str, words: &[Word], preposition: usize) -> TextRequest {
    let end = words[preposition].at.end;
    let mut last = preposition;
    while let Some(word) = words.get(last + 1).filter(|word| INTRODUCTIONS.contains(&word.text.as_str())) {
        let gap = &message[words[last].at.end..word.at.start];
        if words[last].block.is_some() || gap.contains([':', '：', '\n', ',', '.', ';']) {
            break;
        }
        last += 1;
        if word.block.is_some() {
            break;
        }
    }
    let introduced = &words[last];
    if let Some((content, _)) = &introduced.block {
        return TextRequest { end: introduced.at.end, text: Some(content.clone()), is_marked: true };
    }
    let next = words.get(last + 1).map_or(message.len(), |next| next.at.start);
    if let Some(mark) = message[introduced.at.end..next].find([':', '：', '\n']) {
        let text = after_mark(message, introduced.at.end + mark);
        return TextRequest { end: introduced.at.end, text, is_marked: false };
    }
    let start = words.get(preposition + 1).map_or(message.len(), |word| word.at.start);
    let whole = trimmed(message, start..end_of_text(message, start));
    let text = whole.filter(|text| !is_reference(&message[text.clone()]));
    // "In the sentence to be or not to be": the introduction is no part of the text.
    let noun = ["sentence", "phrase", "text", "string", "following", "satz", "texte", "texto"];
    let is_introduced = last > preposition && noun.contains(&introduced.text.as_str());
    let text = match text {
        Some(text) if is_introduced => trimmed(message, next.min(text.end)..text.end),
        text => text,
    };
    TextRequest { end, text, is_marked: false }
}

/// Returns where a text that begins at `start` ends: with its line, or before a clause with a command.
fn end_of_text(message: &str, start: usize) -> usize {
    let line = message[start..].find('\n').map_or(message.len(), |at| start + at);
    let text = &message[start..line];
    for (at, mark) in text.match_indices([',', ';', '.', '!', '?']) {
        let rest = text[at + mark.len()..].trim_start();
        let mut words = rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let first = words.next().unwrap_or_default().to_lowercase();
        let command = match first.as_str() {
            "and" | "und" | "et" | "y" => words.next().unwrap_or_default().to_lowercase(),
            _ => first,
        };
        if COMMANDS.contains(&command.as_str()) {
            return start + at;
        }
    }
    for word in [" and then ", " and convert ", " and calculate ", " and draw ", " und dann ", ", then "] {
        if let Some(at) = text.find(word) {
            return start + at;
        }
    }
    line
}

/// Returns whether words refer to a text instead of being one: "it", "the second report".
fn is_reference(words: &str) -> bool {
    let mut words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default().to_lowercase();
    let rest = words.count();
    REFERENCES.contains(&first.as_str()) && rest < MAX_REFERENCE_WORDS
}

/// Returns the range without white space at its ends, and without the question mark of the request.
fn trimmed(message: &str, range: Range<usize>) -> Option<Range<usize>> {
    let text = &message[range.clone()];
    let start = range.end - text.trim_start().len();
    let end = range.start + text.trim_end().trim_end_matches('?').trim_end().len();
    (start < end && message[start..end].contains(char::is_alphanumeric)).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HAMLET: &str = "to be or not to be";

    fn texts(message: &str) -> Vec<Option<&str>> {
        let found = text_requests(message).into_iter();
        found.map(|request| request.text.map(|text| &message[text])).collect()
    }

    #[test]
    fn the_text_of_a_request_is_found() {
        for message in [
            "count the words in to be or not to be",
            "Count the words in to be or not to be, then convert 5 miles to km",
            "Convert 5 miles to km and count the words in to be or not to be",
            "How many words are in: to be or not to be",
            "How many words are there in to be or not to be?",
            "How many words and sentences are in the following sentence: to be or not to be",
            "count the words: to be or not to be",
            "Count the words of \"to be or not to be\"",
            "Count the words in the text “to be or not to be”, and chart them",
            "Count the words in the sentence to be or not to be",
            "count the words of this text:\nto be or not to be",
            "Count the words\n\nto be or not to be\n",
            "Word count of: to be or not to be",
            "Count this: to be or not to be",
            "Find the most frequent words of ‘to be or not to be’",
            "Zähle die Wörter in: to be or not to be",
            "Wie viele Wörter hat „to be or not to be“?",
            "Combien de mots dans « to be or not to be » ?",
            "数一数这些词：「to be or not to be」",
            "كم كلمة في «to be or not to be»؟",
        ] {
            let found: Vec<Option<&str>> =
                texts(message).into_iter().map(|text| text.map(str::trim)).collect();
            assert_eq!(found, [Some(HAMLET)], "{message}");
        }
    }

    #[test]
    fn a_text_elsewhere_is_none() {
        for message in [
            "Count the words of the report",
            "count the words in it",
            "How many words are in the attached file?",
            "Count the words, then draw a chart",
        ] {
            assert_eq!(texts(message), [None], "{message}");
        }
        for message in [
            "Count the boats",
            "Write a report of 1,000 words",
            "15% of 240",
            "Write a poem about the sea",
            "Say it in other words",
            "",
        ] {
            assert!(texts(message).is_empty(), "{message}");
        }
    }
}
