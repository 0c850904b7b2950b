//! Words that a page shows in pieces: hyphenated at the ends of lines, columns and pages, or with ligatures.
//!
//! A hyphen at the end of a line may separate syllables (`cli-mate`) or belong to the word (`well-known`). The words of the
//! document itself decide which; without evidence it is a separator.

use std::collections::HashSet;

/// First parts of words that have a hyphen more often than not.
const COMPOUND_STARTS: [&str; 4] = ["half", "non", "self", "well"];
/// Words after a hyphen that stands for the rest of a word, as in `pre- and post-war`.
const CONJUNCTIONS: [&str; 14] =
    ["and", "or", "nor", "to", "und", "oder", "bzw", "bis", "sowie", "et", "ou", "y", "e", "en"];
const SOFT_HYPHEN: char = '\u{ad}';

/// Returns the pages with each word that was hyphenated at the end of a line on the line, and page, where it begins.
pub fn join_words(pages: Vec<String>) -> Vec<String> {
    let is_broken = |page: &String| page.lines().any(|line| broken_end(line).is_some());
    if !pages.iter().any(is_broken) {
        return pages.into_iter().map(without_soft_hyphens).collect();
    }
    let known = KnownWords::of(&pages);
    let mut joined: Vec<Vec<String>> = Vec::with_capacity(pages.len());
    for page in &pages {
        let mut lines: Vec<String> = Vec::new();
        for line in page.lines() {
            let was_blank = line.is_empty();
            let mut line = line.to_owned();
            let before = match lines.iter().rposition(|line| !line.is_empty()) {
                Some(at) => lines.get_mut(at),
                // The first line of a page goes on with the last one of the page before.
                None => joined.iter_mut().rev().find_map(|page| last_of_text(page)),
            };
            if let Some(before) = before {
                known.join(before, &mut line);
            }
            // A line whose only word belongs to the one before is no blank line.
            if !line.is_empty() || (was_blank && lines.last().is_some_and(|last| !last.is_empty())) {
                lines.push(line);
            }
        }
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        joined.push(lines);
    }
    joined.into_iter().map(|lines| without_soft_hyphens(lines.join("\n"))).collect()
}

/// Replaces ligatures by their letters (Unicode, Alphabetic Presentation Forms).
pub fn without_ligatures(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{fb00}' => plain.push_str("ff"),
            '\u{fb01}' => plain.push_str("fi"),
            '\u{fb02}' => plain.push_str("fl"),
            '\u{fb03}' => plain.push_str("ffi"),
            '\u{fb04}' => plain.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => plain.push_str("st"),
            c => plain.push(c),
        }
    }
    plain
}

/// Returns the last line of a page that is not its number.
fn last_of_text(page: &mut [String]) -> Option<&mut String> {
    page.iter_mut().rev().find(|line| line.contains(char::is_alphabetic))
}

fn without_soft_hyphens(text: String) -> String {
    if text.contains(SOFT_HYPHEN) { text.replace(SOFT_HYPHEN, "") } else { text }
}

const fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | SOFT_HYPHEN)
}

/// Returns the word before the hyphen at the end of a line, and the hyphen.
fn broken_end(line: &str) -> Option<(&str, char)> {
    let hyphen = line.chars().next_back().filter(|c| is_hyphen(*c))?;
    let rest = &line[..line.len() - hyphen.len_utf8()];
    let word = rest.rsplit(char::is_whitespace).next().unwrap_or(rest);
    word.ends_with(char::is_alphabetic).then_some((word, hyphen))
}

/// Returns the letters at the beginning of a text.
fn first_letters(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    &text[..end]
}

/// Returns the letters at the end of a text.
fn last_letters(text: &str) -> &str {
    let start = text.rfind(|c: char| !c.is_alphabetic());
    start.map_or(text, |at| &text[at + text[at..].chars().next().map_or(0, char::len_utf8)..])
}

/// The words of a document, in lower case, without those at the ends of lines with a hyphen.
struct KnownWords {
    words: HashSet<String>,
    /// Words with a hyphen in the middle of a line.
    compounds: HashSet<String>,
}

impl KnownWords {
    fn of(pages: &[String]) -> Self {
        let mut known = Self { words: HashSet::new(), compounds: HashSet::new() };
        let mut is_rest = false;
        for line in pages.iter().flat_map(|page| page.lines()).filter(|line| !line.is_empty()) {
            let mut tokens: Vec<&str> = line.split_whitespace().collect();
            if std::mem::replace(&mut is_rest, broken_end(line).is_some()) && !tokens.is_empty() {
                tokens.remove(0);
            }
            if is_rest {
                tokens.pop();
            }
            tokens.into_iter().for_each(|token| known.add(token));
        }
        known
    }

    fn add(&mut self, token: &str) {
        let word = token.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
        if word.contains(is_hyphen) {
            self.compounds.insert(word.replace('\u{2010}', "-"));
        } else if !word.is_empty() {
            self.words.insert(word);
        }
    }

    /// Moves the rest of a word that the line `before` begins from the line `after`.
    fn join(&self, before: &mut String, after: &mut String) {
        let Some((start, hyphen)) = broken_end(before) else { return };
        let rest = first_letters(after);
        if rest.is_empty() {
            return;
        }
        let is_conjunction = hyphen != SOFT_HYPHEN && CONJUNCTIONS.contains(&rest.to_lowercase().as_str());
        let keeps_hyphen = is_conjunction || (hyphen != SOFT_HYPHEN && self.is_compound(start, rest));
        let token_end = after.find(char::is_whitespace).unwrap_or(after.len());
        let moved = after[..token_end].to_owned();
        if !keeps_hyphen {
            before.truncate(before.len() - hyphen.len_utf8());
        } else if is_conjunction {
            return;
        }
        before.push_str(&moved);
        *after = after[token_end..].trim_start().to_owned();
    }

    /// Returns whether the hyphen between the parts belongs to the word.
    fn is_compound(&self, start: &str, rest: &str) -> bool {
        if start.contains(is_hyphen) {
            return true;
        }
        let letters = last_letters(start);
        let has_lower = |text: &str| text.contains(char::is_lowercase);
        let is_capital = rest.starts_with(char::is_uppercase);
        if is_capital && (has_lower(letters) || has_lower(rest)) {
            return true;
        }
        let (first, second) = (letters.to_lowercase(), rest.to_lowercase());
        if self.words.contains(&format!("{first}{second}")) {
            return false;
        }
        self.compounds.contains(&format!("{first}-{second}"))
            || COMPOUND_STARTS.contains(&first.as_str())
            || (self.words.contains(&first) && self.words.contains(&second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(pages: &[&str]) -> Vec<String> {
        join_words(pages.iter().map(|page| (*page).to_owned()).collect())
    }

    #[test]
    fn words_are_whole_on_the_line_where_they_begin() {
        for (page, expected) in [
            ("The cli-\nmate is warm.", "The climate\nis warm."),
            ("The cli\u{ad}\nmate, warm", "The climate,\nwarm"),
            ("The cli\u{2010}\nmate", "The climate"),
            ("The cli-\n\nmate of a column", "The climate\n\nof a column"),
            ("inter-\nnational-\nisation now", "internationalisation\nnow"),
            ("a well-\nknown fact", "a well-known\nfact"),
            ("long-term plans\nare long-\nterm too", "long-term plans\nare long-term\ntoo"),
            ("The ice cold sea is ice-\ncold", "The ice cold sea is ice-cold"),
            ("a climate\nthe cli-\nmate", "a climate\nthe climate"),
            ("Anglo-\nSaxon", "Anglo-Saxon"),
            ("state-of-the-\nart work", "state-of-the-art\nwork"),
            ("THE CLI-\nMATE", "THE CLIMATE"),
            ("pre-\nand post-war", "pre-\nand post-war"),
            ("Vor-\nund Nachteile", "Vor-\nund Nachteile"),
            ("pages 10-\n20 -\nlast -", "pages 10-\n20 -\nlast -"),
            ("soft\u{ad}ly", "softly"),
            ("Übergangs-\nzeit", "Übergangszeit"),
            ("ends-", "ends-"),
            ("", ""),
        ] {
            assert_eq!(joined(&[page]), [expected], "{page}");
        }
    }

    #[test]
    fn words_go_on_on_the_next_page() {
        let pages = joined(&["The cli-\n\n12", "mate is warm", "and dry"]);
        assert_eq!(pages, ["The climate\n\n12", "is warm", "and dry"]);
        assert_eq!(joined(&["a cli-", "mate"]), ["a climate", ""]);
    }

    #[test]
    fn ligatures_become_letters() {
        assert_eq!(
            without_ligatures("e\u{fb03}cient \u{fb01}sh \u{fb02}ow o\u{fb00} ba\u{fb04}e \u{fb06}"),
            "efficient fish flow off baffle st"
        );
    }
}
