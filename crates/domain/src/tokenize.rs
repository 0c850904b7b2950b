//! Tokenization and normalization of text in any script.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Maximum length of a word in characters. Longer ones are keys and hashes; they are truncated.
const MAX_WORD: usize = 64;

/// A term with its position in the text.
///
/// `alone` marks a single character of a script without
/// spaces. In a longer text it is only the start of a bigram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub position: usize,
    pub alone: bool,
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

fn tokens(text: &str, with_last: bool) -> Vec<Token> {
    let folded = fold(text);
    let mut tokens = Tokens { found: Vec::new(), position: 0, with_last };
    let mut run = String::new();
    let mut dense = false;
    for c in folded.chars() {
        let kind = kind(c);
        if kind == ScriptKind::Gap || (kind == ScriptKind::Dense) != dense {
            tokens.take(&run, dense);
            run.clear();
        }
        if kind != ScriptKind::Gap {
            dense = kind == ScriptKind::Dense;
            run.push(c);
        }
    }
    tokens.take(&run, dense);
    tokens.found
}

struct Tokens {
    found: Vec<Token>,
    position: usize,
    with_last: bool,
}

impl Tokens {
    fn take(&mut self, run: &str, dense: bool) {
        if run.is_empty() {
        } else if dense {
            self.take_pairs(run);
        } else {
            self.push(run.chars().take(MAX_WORD).collect(), false);
        }
    }

    fn take_pairs(&mut self, run: &str) {
        let chars: Vec<char> = run.chars().collect();
        for pair in chars.windows(2) {
            self.push(pair.iter().collect(), false);
        }
        match chars[..] {
            [only] => self.push(only.into(), true),
            [.., last] if self.with_last => self.push(last.into(), true),
            _ => self.position += 1,
        }
    }

    fn push(&mut self, text: String, alone: bool) {
        self.found.push(Token { text, position: self.position, alone });
        self.position += 1;
    }
}

/// Class of a character for tokenization.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptKind {
    Gap,
    Word,
    /// Written without spaces between words.
    Dense,
}

/// Returns true for characters of scripts without spaces between words.
pub fn is_unspaced(c: char) -> bool {
    kind(c) == ScriptKind::Dense
}

fn kind(c: char) -> ScriptKind {
    match c {
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

/// Returns true for marks that writers may omit: Latin, Greek and Cyrillic accents, Hebrew points, Arabic
/// vowels and tatweel, joiners.
///
/// Marks of Indic and Southeast Asian scripts are letters and are retained.
const fn is_accent(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{640}'
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
    fn pairs_of_a_query_stand_where_they_stand_in_the_text() {
        let places = |tokens: Vec<Token>| tokens.into_iter().map(|token| token.position).collect::<Vec<_>>();
        assert_eq!(places(query_tokens("天気 api")), [0, 2]);
        assert_eq!(places(index_tokens("天気 api")), [0, 1, 2]);
    }
}
