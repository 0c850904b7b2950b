//! What may be handed to fend: it parses by recursion, without a limit on depth and without an interrupt, and
//! keeps whatever a name is given. So the shape of a line is checked before fend sees it.

/// Longer lines are prose, or an attempt on the stack.
const MAX_BYTES: usize = 400;
/// fend's parser doubles its work with each level of brackets after an operator: 12 levels cost it 10 ms.
const MAX_BRACKETS: usize = 12;
/// fend compares each way in which dice can fall with all others found so far, and does not look at its time meanwhile: for
/// `2d250` 15 million times.
const MAX_OUTCOMES: u32 = 500;
/// The same for all dice of a line together.
const MAX_COMBINED: u32 = 5_000;

/// A line that is safe to evaluate: `body`, and the name to keep its value under.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Expression<'a> {
    pub name: Option<&'a str>,
    pub body: &'a str,
}

impl<'a> Expression<'a> {
    /// Fails with what is wrong, as the end of a sentence.
    pub fn parse(line: &'a str) -> Result<Self, String> {
        let (name, body) = split_assignment(line);
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

/// Cuts at the first `=` that is not part of a comparison.
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

/// Functions could call themselves without end, a shift makes a number that fend then formats for minutes.
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
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | ',' | '#');
    let throws: Vec<u32> =
        body.split(|c| !is_word(c)).filter(|word| may_throw(word)).flat_map(throws).collect();
    let refuse = |most| Err(format!("its dice can fall in more than {most} ways"));
    if throws.iter().any(|&outcomes| outcomes > MAX_OUTCOMES) {
        return refuse(MAX_OUTCOMES);
    }
    if throws.into_iter().fold(1, u32::saturating_mul) > MAX_COMBINED {
        return refuse(MAX_COMBINED);
    }
    Ok(())
}

/// Names and numbers of a base above ten have no dice in them, whatever their letters.
fn may_throw(word: &str) -> bool {
    let base = word.split_once('#').and_then(|(base, _)| base.parse::<u32>().ok());
    let is_name = word.starts_with(char::is_alphabetic) && !word.starts_with('d');
    !is_name && !word.starts_with("0x") && base.is_none_or(|base| base <= 10)
}

/// How many ways there are for each throw in `word`, as 11 for `2d6`.
fn throws(word: &str) -> impl Iterator<Item = u32> {
    word.match_indices('d').filter_map(|(at, _)| {
        let faces = number(word[at + 1..].split(is_no_digit).next()?)?;
        let count = number(word[..at].rsplit(is_no_digit).next()?).unwrap_or(1);
        Some(count.saturating_mul(faces.saturating_sub(1)).saturating_add(1))
    })
}

fn is_no_digit(c: char) -> bool {
    !c.is_ascii_digit() && !matches!(c, '_' | ',')
}

/// None where there is no digit; what is too large counts as the largest.
fn number(digits: &str) -> Option<u32> {
    let digits = digits.replace(['_', ','], "");
    (!digits.is_empty()).then(|| digits.parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_apart_from_its_value() {
        let parse = |line| Expression::parse(line).unwrap();
        assert_eq!(parse("a = 2 m"), Expression { name: Some("a"), body: "2 m" });
        assert_eq!(parse("a == 2"), Expression { name: None, body: "a == 2" });
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
        for bad in [
            "d501",
            "1 1/2d611e-9",
            "d99_999",
            "9d99999999999",
            "51d11",
            "d20*d20*d20",
            "1d90d90",
            "9#d2_000",
        ] {
            assert!(Expression::parse(bad).is_err(), "{bad}");
        }
        for good in
            ["d500", "3d6 + 2", "d20 * d20", "mean 4d6", "0x1d6000", "16#ad999", "grad999", "2 dd", "d"]
        {
            assert!(Expression::parse(good).is_ok(), "{good}");
        }
        assert!(Expression::parse(&"(".repeat(13)).is_err());
        assert!(Expression::parse(&"1+".repeat(201)).is_err());
        assert!(Expression::parse(&"(1)+".repeat(20)).is_ok());
    }
}
