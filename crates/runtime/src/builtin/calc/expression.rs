//! Validates lines before fend evaluates them. fend parses recursively without a depth limit or interrupts,
//! and stores any value that is given a name.

/// Maximum bytes of a line. A longer one is prose, or an attempt to overflow the stack.
const MAX_BYTES: usize = 400;
/// Maximum nesting of brackets. The time of fend's parser doubles with each level after an operator: 12
/// levels take 10 ms.
const MAX_BRACKETS: usize = 12;
/// Maximum number of outcomes of one dice throw. fend compares each outcome with all others without checking
/// for interrupts, so lines with dice need these bounds.
const MAX_OUTCOMES: u32 = 200;
/// Maximum number of combined outcomes of all dice in a line.
const MAX_COMBINED: u32 = 1_000;
/// Maximum number of dice and numbers in a line with dice, and maximum digits of each number.
const MAX_THROWN: usize = 8;
const MAX_DIGITS: usize = 3;

/// Words of a request before its expression. Phrases have more of them.
const REQUESTS: [&str; 7] =
    ["calculate", "compute", "convert", "evaluate", "how much is", "what is", "work out"];

/// A line that is safe to evaluate: an expression, and the name for its value if it is an assignment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Expression<'a> {
    pub name: Option<&'a str>,
    pub body: &'a str,
}

impl<'a> Expression<'a> {
    /// Parses and validates a line. An error states the problem as the end of a sentence.
    pub fn parse(line: &'a str) -> Result<Self, String> {
        let (name, body) = split_assignment(line);
        let body = if name.is_none() { without_request(body) } else { body };
        check_size(body)?;
        check_characters(body)?;
        check_dice(body)?;
        match name {
            Some(name) if !is_name(name) => {
                Err(format!("'{name}' cannot be a name: use letters, digits and _"))
            }
            _ if split_assignment(body).0.is_some() => Err("one line gives a value to one name".to_owned()),
            _ => Ok(Self { name, body }),
        }
    }
}

/// Splits at the first `=` that is not part of a comparison.
fn split_assignment(line: &str) -> (Option<&str>, &str) {
    let bytes = line.as_bytes();
    let is_assignment = |&at: &usize| {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let after = bytes.get(at + 1);
        !matches!(before, Some(b'=' | b'!' | b'<' | b'>')) && !matches!(after, Some(b'=' | b'>'))
    };
    match line.match_indices('=').map(|(at, _)| at).find(is_assignment) {
        Some(at) => (Some(line[..at].trim()), line[at + 1..].trim()),
        None => (None, line),
    }
}

/// Returns the expression of a request: "3 m to feet" of "Convert 3 m to feet".
fn without_request(line: &str) -> &str {
    let rest = |request: &&str| {
        let (words, rest) = line.trim_start().split_at_checked(request.len())?;
        let is_request = words.eq_ignore_ascii_case(request) && rest.starts_with(char::is_whitespace);
        is_request.then(|| rest.trim()).filter(|rest| !rest.is_empty())
    };
    REQUESTS.iter().find_map(rest).unwrap_or(line)
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|first| first.is_alphabetic())
        && chars.all(|c| c.is_alphanumeric() || c == '_')
        && text.len() <= 64
}

fn check_size(body: &str) -> Result<(), String> {
    if body.is_empty() {
        return Err("there is nothing to work out".to_owned());
    }
    if body.len() > MAX_BYTES {
        return Err(format!("it is longer than {MAX_BYTES} bytes"));
    }
    if deepest(body) > MAX_BRACKETS {
        return Err(format!("more than {MAX_BRACKETS} brackets are nested"));
    }
    Ok(())
}

fn deepest(body: &str) -> usize {
    let mut open = 0_usize;
    let mut deepest = 0;
    for byte in body.bytes() {
        match byte {
            b'(' => open += 1,
            b')' => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    deepest
}

/// Rejects unsafe syntax. Functions could recurse without bound. A shift can create a number that takes fend
/// minutes to format.
fn check_characters(body: &str) -> Result<(), String> {
    for (symbol, what) in [
        (":", "functions cannot be defined here"),
        ("\\", "functions cannot be defined here"),
        ("λ", "functions cannot be defined here"),
        ("=>", "functions cannot be defined here"),
        (";", "use one line for each expression"),
        ("<<", "shifts are not offered: multiply by a power of 2"),
        (">>", "shifts are not offered: divide by a power of 2"),
    ] {
        if body.contains(symbol) {
            return Err(format!("'{symbol}' is not understood: {what}"));
        }
    }
    let is_date = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    if body.split('@').skip(1).all(is_date) {
        Ok(())
    } else {
        Err("'@' begins a date, as in @2026-01-31".to_owned())
    }
}

fn check_dice(body: &str) -> Result<(), String> {
    if !words(body).any(|(before, word)| throws_dice(before, word)) {
        return Ok(());
    }
    let is_plain = |c: char| is_part(c) || matches!(c, ' ' | '+' | '-' | '*' | '/' | '(' | ')');
    let values = words(body).map(|(_, word)| word).filter(|word| !matches!(*word, "roll" | "mean"));
    let outcomes: Option<Vec<u32>> = values.map(outcomes).collect();
    let Some(outcomes) = outcomes.filter(|_| body.chars().all(is_plain) && !body.contains("**")) else {
        return Err("with dice, a line takes whole numbers below 1000, + - * / and brackets".to_owned());
    };
    if outcomes.len() > MAX_THROWN {
        return Err(format!("with dice, a line takes at most {MAX_THROWN} numbers"));
    }
    let together = outcomes.iter().copied().fold(1, u32::saturating_mul);
    if together > MAX_COMBINED || outcomes.into_iter().any(|outcomes| outcomes > MAX_OUTCOMES) {
        return Err("its dice can fall in too many ways".to_owned());
    }
    Ok(())
}

/// Splits into words of letters, digits and `_`. Yields each with the character before it.
fn words(body: &str) -> impl Iterator<Item = (Option<char>, &str)> {
    let ends = |c: char| !is_part(c);
    let pieces = body.split_inclusive(ends).scan(None, move |last, piece| {
        let before = last.replace(piece).and_then(|piece: &str| piece.chars().next_back());
        Some((before, piece.trim_end_matches(ends)))
    });
    pieces.filter(|(_, word)| !word.is_empty())
}

const fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns true if fend may parse dice in a word: a `d` and a digit that are not part of a name or
/// hexadecimal number. The digits after `#` can be of any base. Text after `π` does not belong to that name.
fn throws_dice(before: Option<char>, word: &str) -> bool {
    let is_dice = |pair: &[u8]| pair[0] == b'd' && pair[1].is_ascii_digit();
    let begins_anew = before.is_none_or(|c| c.is_ascii() && c != '#');
    let begins_with_dice = word.as_bytes().get(..2).is_some_and(is_dice);
    let is_name = word.starts_with(|c: char| c.is_ascii_alphabetic()) && !begins_with_dice;
    let is_known = begins_anew && (is_name || word.starts_with("0x"));
    !is_known && word.as_bytes().windows(2).any(is_dice)
}

/// Returns the number of outcomes of a number or throw: 11 for `2d6`.
fn outcomes(word: &str) -> Option<u32> {
    let Some((count, faces)) = word.split_once('d') else { return number(word).map(|_| 1) };
    let (count, faces) = (if count.is_empty() { 1 } else { number(count)? }, number(faces)?);
    Some(count.max(1) * faces.saturating_sub(1) + 1)
}

fn number(digits: &str) -> Option<u32> {
    let is_short = digits.len() <= MAX_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_apart_from_its_value() {
        let parse = |line| Expression::parse(line).unwrap();
        assert_eq!(parse("a = 2 m"), Expression { name: Some("a"), body: "2 m" });
        assert_eq!(parse("a == 2"), Expression { name: None, body: "a == 2" });
        assert_eq!(parse("Convert 3 m to feet"), Expression { name: None, body: "3 m to feet" });
        assert_eq!(parse("convert = 2"), Expression { name: Some("convert"), body: "2" });
        assert_eq!(parse("1 <= 2"), Expression { name: None, body: "1 <= 2" });
        assert_eq!(parse("größe_1 = 3"), Expression { name: Some("größe_1"), body: "3" });
    }

    #[test]
    fn what_fend_cannot_bound_is_refused() {
        for bad in [
            "",
            "a =",
            "2a = 3",
            "a b = 3",
            "a = b = 3",
            "f = x: x",
            "\\x.x",
            "f = x => x",
            "1; 2",
            "1 << 9",
            "@debug 1",
            "@noapprox 1",
        ] {
            assert!(Expression::parse(bad).is_err(), "{bad}");
        }
        assert!(Expression::parse(&"(".repeat(13)).is_err());
        assert!(Expression::parse(&"1+".repeat(201)).is_err());
        assert!(Expression::parse(&"(1)+".repeat(20)).is_ok());
    }
    #[test]
    fn dice_are_held_to_little() {
        for good in ["d6", "roll 3d6 + 2", "mean(4d6)", "d20 * d20", "2d100", "10d20", "(d100 + 5) / 2"] {
            assert!(Expression::parse(good).is_ok(), "{good}");
        }
        for none in ["0x1d6000", "0xad99", "grad999", "2 grad99", "x2d", "2 dd", "d", "1 d", "16 d"] {
            assert!(Expression::parse(none).is_ok(), "{none}");
        }
        for bad in [
            "d999",
            "3d100",
            "d1000",
            "0d99999",
            "d20*d20*d20",
            "1d20d20",
            "d6 ** 9",
            "d6 ^ 9",
            "d6 + x",
            "d6 + 0.5",
            "1.0d99999/1",
            "1e0d99999/1",
            "1,000d6",
            "d99_999",
            "9#d2000",
            "11#5d99999",
            "13#cd600",
            "π2d9999",
            "0x1πd99999",
            "½d600",
            "d6+1+1+1+1+1+1+1+1",
        ] {
            assert!(Expression::parse(bad).is_err(), "{bad}");
        }
    }
}
