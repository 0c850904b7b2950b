//! Tokenization and normalization of text in any script.
//!
//! Words are what is between characters that are neither letters nor digits. Symbols are terms as well: with the word they
//! belong to (`c++`, `c#`, `.net`), or by themselves (emoji, currencies, mathematical symbols, a `+` between spaces). A
//! symbol takes no position of its own, so that phrases match across it.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Maximum length of a word in characters. Longer ones are keys and hashes; they are truncated.
const MAX_WORD: usize = 64;
/// Maximum length of a run of ASCII symbols that is a term. Longer ones are lines and ornaments.
const MAX_SYMBOLS: usize = 3;
/// Maximum number of `+` at the end of a word.
const MAX_PLUSES: usize = 3;

/// A term with its position in the text.
///
/// `alone` marks a single character of a script without
/// spaces. In a longer text it is only the start of a bigram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub position: usize,
    pub alone: bool,
    /// Of a query: the less specific term that the text has as well, as `c` for `c++`.
    pub base: Option<String>,
}

/// Normalizes text: compatibility forms (NFKD), case, width and accents.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|&c| !is_accent(c)) {
        for lower in c.to_lowercase() {
            match respell(lower) {
                Some(letters) => folded.push_str(letters),
                None => folded.push(lower),
            }
        }
    }
    folded.nfc().collect()
}

/// Returns the terms to index. Scripts without spaces give bigrams and the last character.
pub fn index_tokens(text: &str) -> Vec<Token> {
    tokens(text, true)
}

/// Returns the terms of a query. Scripts without spaces give only bigrams, or a character that stands alone.
pub fn query_tokens(text: &str) -> Vec<Token> {
    tokens(text, false)
}

fn tokens(text: &str, is_index: bool) -> Vec<Token> {
    let folded = fold(text);
    let mut tokens = Tokens { found: Vec::new(), position: 0, is_index };
    let mut rest = folded.as_str();
    let mut before = Before::default();
    while let Some(c) = rest.chars().next() {
        let length = match kind(c) {
            ScriptKind::Word => {
                let word = &rest[..run_length(rest, ScriptKind::Word)];
                let prefix = if before.dot && word.starts_with(char::is_alphabetic) { "." } else { "" };
                let suffix = suffix(&rest[word.len()..]);
                tokens.word(word, prefix, suffix);
                word.len() + suffix.len()
            }
            ScriptKind::Dense => {
                let run = &rest[..run_length(rest, ScriptKind::Dense)];
                tokens.pairs(run);
                run.len()
            }
            ScriptKind::Symbol => {
                let length = symbol_length(rest);
                tokens.symbol(&rest[..c.len_utf8()], &rest[..length]);
                length
            }
            ScriptKind::Gap => {
                let run = rest.bytes().take_while(|byte| is_ascii_symbol(*byte)).count();
                if before.space && (1..=MAX_SYMBOLS).contains(&run) && ends_word(&rest[run..]) {
                    tokens.symbol(&rest[..run], &rest[..run]);
                }
                run.max(c.len_utf8())
            }
        };
        before.take(&rest[..length]);
        rest = &rest[length..];
    }
    tokens.found
}

/// What stands before the rest of a text.
struct Before {
    space: bool,
    /// A dot that no letter, digit or dot precedes.
    dot: bool,
    is_word: bool,
}

impl Default for Before {
    fn default() -> Self {
        Self { space: true, dot: false, is_word: false }
    }
}

impl Before {
    fn take(&mut self, piece: &str) {
        let last = piece.chars().next_back();
        self.dot = piece == "." && !self.is_word;
        self.is_word =
            last.is_some_and(|c| c == '.' || matches!(kind(c), ScriptKind::Word | ScriptKind::Dense));
        self.space = last.is_some_and(char::is_whitespace);
    }
}

fn run_length(text: &str, of: ScriptKind) -> usize {
    text.find(|c| kind(c) != of).unwrap_or(text.len())
}

fn ends_word(rest: &str) -> bool {
    rest.chars().next().is_none_or(char::is_whitespace)
}

/// Symbols of ASCII that are terms where they stand between spaces.
const fn is_ascii_symbol(byte: u8) -> bool {
    matches!(
        byte,
        b'+' | b'#' | b'@' | b'%' | b'&' | b'=' | b'<' | b'>' | b'^' | b'~' | b'/' | b'\\' | b'|' | b'*'
    )
}

/// Returns the symbols at the start of `rest` that belong to the word before: `++` in `c++`, but not the `+` of `a+b`.
fn suffix(rest: &str) -> &str {
    let pluses = rest.bytes().take_while(|byte| *byte == b'+').count();
    let length = match rest.as_bytes().first() {
        Some(b'+') => pluses,
        Some(b'#' | b'%') => 1,
        _ => 0,
    };
    let is_followed = rest[length..].starts_with(|c| kind(c) == ScriptKind::Word);
    let is_suffix = length <= MAX_PLUSES && (length >= 2 || !is_followed);
    if is_suffix { &rest[..length] } else { "" }
}

/// Returns the length of the symbol at the start of `text`, with the skin tone of an emoji, or with the second letter of a
/// flag.
fn symbol_length(text: &str) -> usize {
    let mut chars = text.chars();
    let (first, second) = (chars.next(), chars.next());
    let is_letter = |c: Option<char>| c.is_some_and(|c| ('\u{1f1e6}'..='\u{1f1ff}').contains(&c));
    let is_tone = second.is_some_and(|c| ('\u{1f3fb}'..='\u{1f3ff}').contains(&c));
    let is_pair = is_tone || (is_letter(first) && is_letter(second));
    let second = second.filter(|_| is_pair).map_or(0, char::len_utf8);
    first.map_or(0, char::len_utf8) + second
}

struct Tokens {
    found: Vec<Token>,
    position: usize,
    /// Whether the terms are for the index, which has the less specific ones as well.
    is_index: bool,
}

impl Tokens {
    fn word(&mut self, word: &str, prefix: &str, suffix: &str) {
        let word: String = word.chars().take(MAX_WORD).collect();
        let specific = format!("{prefix}{word}{suffix}");
        self.specific(specific, word);
        self.position += 1;
    }

    /// A symbol has the position of the word after it.
    fn symbol(&mut self, base: &str, symbol: &str) {
        self.specific(symbol.to_owned(), base.to_owned());
    }

    fn specific(&mut self, text: String, base: String) {
        let is_same = text == base;
        if self.is_index {
            self.push(base, false, None);
            if !is_same {
                self.push(text, false, None);
            }
        } else {
            self.push(text, false, (!is_same).then_some(base));
        }
    }

    fn pairs(&mut self, run: &str) {
        let chars: Vec<char> = run.chars().collect();
        for pair in chars.windows(2) {
            self.push(pair.iter().collect(), false, None);
            self.position += 1;
        }
        match chars[..] {
            [only] => self.push(only.into(), true, None),
            [.., last] if self.is_index => self.push(last.into(), true, None),
            _ => {}
        }
        self.position += 1;
    }

    fn push(&mut self, text: String, alone: bool, base: Option<String>) {
        self.found.push(Token { text, position: self.position, alone, base });
    }
}

/// Class of a character for tokenization.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptKind {
    Gap,
    Word,
    /// Written without spaces between words.
    Dense,
    /// Emoji, currencies, arrows, mathematical and technical symbols.
    Symbol,
}

/// Returns true for characters of scripts without spaces between words.
pub fn is_unspaced(c: char) -> bool {
    kind(c) == ScriptKind::Dense
}

fn kind(c: char) -> ScriptKind {
    match c {
        _ if !c.is_alphanumeric() && is_symbol(c) => ScriptKind::Symbol,
        _ if !c.is_alphanumeric() && !is_combining_mark(c) => ScriptKind::Gap,
        // Thai and Lao, Myanmar, Khmer, kana, Han, Hangul (its particles are attached to the word).
        '\u{e00}'..='\u{eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => ScriptKind::Dense,
        _ => ScriptKind::Word,
    }
}

const fn is_symbol(c: char) -> bool {
    matches!(c,
        '$' | '\u{a2}'..='\u{a9}' | '\u{ac}' | '\u{ae}' | '\u{b0}' | '\u{b1}' | '\u{d7}' | '\u{f7}' | '\u{20a0}'..='\u{20cf}'
        | '\u{2100}'..='\u{214f}' | '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Returns true for marks that writers may omit: Latin, Greek and Cyrillic accents, Hebrew points, Arabic
/// vowels and tatweel, joiners, variation selectors and the keycap of emoji. The stroke of `≠` is none.
///
/// Marks of Indic and Southeast Asian scripts are letters and are retained.
const fn is_accent(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{337}' | '\u{339}'..='\u{36f}' | '\u{20e3}' | '\u{fe00}'..='\u{fe0f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{640}'
        | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{200c}' | '\u{200d}' | '\u{ad}')
}

/// Maps letters that do not decompose but have two spellings.
const fn respell(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ı' => "i",
        'ς' => "σ",
        'ى' | 'ی' => "ي",
        'ة' => "ه",
        'ک' => "ك",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(tokens: Vec<Token>) -> Vec<String> {
        tokens.into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn what_people_call_the_same_letters_is_the_same() {
        for (written, folded) in [
            ("Straße", "strasse"),
            ("ÜBERSETZER", "ubersetzer"),
            ("İSTANBUL ısı", "istanbul isi"),
            ("Đặt phòng", "dat phong"),
            ("ＷＩＤＥ", "wide"),
            ("ﾃﾞｰﾀ", "データ"),
            ("ПОГОДА ёлка", "погода елка"),
            ("ΟΔΟΣ", "οδοσ"),
            ("مُتَرْجِم أحمد", "مترجم احمد"),
            ("한국어", "한국어"),
            ("हिन्दी", "हिन्दी"),
            ("ﬁne", "fine"),
        ] {
            assert_eq!(fold(written), folded);
            assert_eq!(fold(&fold(written)), fold(written));
        }
    }

    #[test]
    fn words_are_cut_at_what_is_not_a_letter_and_runs_into_pairs() {
        assert_eq!(
            terms(index_tokens("io.github.u1/Weather-bot_2")),
            ["io", "github", "u1", "weather", "bot", "2"]
        );
        assert_eq!(terms(index_tokens("天気API予報")), ["天気", "気", "api", "予報", "報"]);
        assert_eq!(terms(query_tokens("天気予報")), ["天気", "気予", "予報"]);
        assert_eq!(terms(query_tokens("猫")), ["猫"]);
        assert_eq!(terms(index_tokens("हिन्दी अनुवाद")), ["हिन्दी", "अनुवाद"]);
        assert_eq!(terms(index_tokens("...")), [""; 0]);
        assert_eq!(index_tokens(&"x".repeat(100))[0].text.len(), MAX_WORD);
    }

    #[test]
    fn symbols_are_terms_with_their_word_or_alone() {
        for (text, index, query) in [
            ("C++, C#.", vec!["c", "c++", "c", "c#"], vec!["c++", "c#"]),
            ("(.NET) and F#!", vec!["net", ".net", "and", "f", "f#"], vec![".net", "and", "f#"]),
            ("node.js a/b", vec!["node", "js", "a", "b"], vec!["node", "js", "a", "b"]),
            ("A+ 50% c++17", vec!["a", "a+", "50", "50%", "c", "c++", "17"], vec!["a+", "50%", "c++", "17"]),
            ("C++语言", vec!["c", "c++", "语言", "言"], vec!["c++", "语言"]),
            (
                "a+b x.y 1.5 end.",
                vec!["a", "b", "x", "y", "1", "5", "end"],
                vec!["a", "b", "x", "y", "1", "5", "end"],
            ),
            ("@ + <= ==== a@b", vec!["@", "+", "<=", "a", "b"], vec!["@", "+", "<=", "a", "b"]),
            (
                "$5 5€ x→y π≠3",
                vec!["$", "5", "5", "€", "x", "→", "y", "π", "≠", "3"],
                vec!["$", "5", "5", "€", "x", "→", "y", "π", "≠", "3"],
            ),
            ("👍🏽 ❤️ 🇩🇪🇫🇷", vec!["👍", "👍🏽", "❤", "🇩", "🇩🇪", "🇫", "🇫🇷"], vec!["👍🏽", "❤", "🇩🇪", "🇫🇷"]),
            ("👩‍🔬", vec!["👩", "🔬"], vec!["👩", "🔬"]),
            ("??? … -- () !", vec![], vec![]),
        ] {
            assert_eq!(terms(index_tokens(text)), index, "{text}");
            assert_eq!(terms(query_tokens(text)), query, "{text}");
        }
        let base = |text: &str| query_tokens(text).remove(0).base;
        assert_eq!(base("c++").as_deref(), Some("c"));
        assert_eq!(base("👍🏽").as_deref(), Some("👍"));
        assert_eq!(base("word"), None);
    }

    #[test]
    fn symbols_take_no_position() {
        let place =
            |tokens: Vec<Token>, text: &str| tokens.iter().find(|token| token.text == text).unwrap().position;
        for (text, word, position) in [
            ("hi 👋 all", "all", 1),
            ("hi 👋 all", "👋", 1),
            ("use c++ now", "c++", 1),
            ("use c++ now", "now", 2),
        ] {
            assert_eq!(place(index_tokens(text), word), position, "{text}");
            assert_eq!(place(query_tokens(text), word), position, "{text}");
        }
    }

    #[test]
    fn pairs_of_a_query_stand_where_they_stand_in_the_text() {
        let places = |tokens: Vec<Token>| tokens.into_iter().map(|token| token.position).collect::<Vec<_>>();
        assert_eq!(places(query_tokens("天気 api")), [0, 2]);
        assert_eq!(places(index_tokens("天気 api")), [0, 1, 2]);
    }
}
