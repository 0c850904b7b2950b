//! Numbers as spreadsheets of many countries write them.

use super::decimal::{Decimal, DecimalMark};

/// Maximum number of characters of a cell that is read as a number, and of its unit.
const MAX_CHARS: usize = 64;
const MAX_UNIT_CHARS: usize = 12;
/// Cells without a value, in lower case. Those that begin with `#` are errors of a spreadsheet.
const MISSING: &[&str] = &[
    "", "-", "--", "---", ".", "..", "...", "…", "?", "n/a", "n.a.", "na", "n.a", "nan", "null", "nil",
    "none", "(null)", "missing", "k.a.", "k. a.", "s.o.", "n.v.", "nd", "n/d", "s/d", "无", "—",
];
/// Currencies before a number. Those of three capital letters are read as well.
const CURRENCIES: &[&str] = &[
    "kr", "kr.", "fr", "fr.", "sfr.", "rs", "rs.", "r", "r$", "a$", "us$", "c$", "ca$", "nz$", "hk$", "nt$",
    "s$", "mx$", "zł", "kč", "ft", "lei", "лв", "руб", "руб.", "rp", "rm", "b/.", "s/", "s/.",
];
/// Currencies of ISO 4217 that are often written before amounts.
const CODES: &[&str] = &[
    "aed", "ars", "aud", "bgn", "brl", "cad", "chf", "clp", "cny", "cop", "czk", "dkk", "egp", "eur", "gbp",
    "hkd", "huf", "idr", "ils", "inr", "isk", "jpy", "krw", "mad", "mxn", "myr", "nok", "nzd", "php", "pln",
    "qar", "rmb", "ron", "rub", "sar", "sek", "sgd", "thb", "try", "twd", "uah", "usd", "vnd", "zar",
];
/// Letters after a number that make it a date, a time or a place in an order.
const NO_UNITS: &[&str] = &[
    "st",
    "nd",
    "rd",
    "th",
    "am",
    "pm",
    "a.m.",
    "p.m.",
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "mär",
    "mai",
    "okt",
    "dez",
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "januar",
    "februar",
    "märz",
    "juni",
    "juli",
    "oktober",
    "dezember",
    "月",
    "年",
    "日",
    "bc",
    "ad",
    "v. chr.",
];

/// What a cell is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// No value, or an error of the spreadsheet.
    Missing,
    Number(WrittenNumber),
    Text,
}

/// A number whose decimal mark is not decided yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenNumber {
    is_negative: bool,
    /// Digits with marks, such as `1.234,5`.
    digits: String,
    /// Power of ten (`E+11`).
    exponent: i32,
    /// Currency, unit or percent sign; empty if there is none.
    pub unit: String,
}

impl Cell {
    pub fn read(cell: &str) -> Self {
        let text = plain(cell);
        let text = text.trim();
        let lower = text.to_lowercase();
        if MISSING.contains(&lower.as_str()) || (text.starts_with('#') && text.len() > 1) {
            return Self::Missing;
        }
        WrittenNumber::read(text).map_or(Self::Text, Self::Number)
    }
}

impl WrittenNumber {
    fn read(text: &str) -> Option<Self> {
        if text.chars().nth(MAX_CHARS).is_some() {
            return None;
        }
        let is_start = |(at, c): &(usize, char)| {
            c.is_ascii_digit()
                || (matches!(c, '.' | ',') && text[at + 1..].starts_with(|c: char| c.is_ascii_digit()))
        };
        let (start, _) = text.char_indices().find(is_start)?;
        let end = text.rfind(|c: char| c.is_ascii_digit())? + 1;
        let before = Affix::read(&text[..start], true)?;
        let after = Affix::read(without_zero_mark(&text[end..]), false)?;
        // Accounting writes negative numbers in brackets.
        let in_brackets = before.opens && after.closes;
        let is_unpaired = before.opens != after.closes;
        let signs = before.minuses + after.minuses + usize::from(in_brackets);
        if is_unpaired || signs > 1 && !(in_brackets && signs == 2) {
            return None;
        }
        let (digits, exponent) = match text[start..end].split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse().ok().filter(|of: &i32| of.abs() <= 30)?),
            None => (&text[start..end], 0),
        };
        let is_mark = |c: char| matches!(c, '.' | ',' | '\'' | ' ' | '_');
        let is_plain = digits.chars().all(|c| c.is_ascii_digit() || is_mark(c));
        let unit = [before.unit, after.unit]
            .into_iter()
            .filter(|unit| !unit.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        is_plain.then(|| Self { is_negative: signs > 0, digits: digits.to_owned(), exponent, unit })
    }

    /// Returns the value if the number is written with this mark before its decimals.
    pub fn value(&self, mark: DecimalMark) -> Option<Decimal> {
        let (point, other) = match mark {
            DecimalMark::Point => ('.', ','),
            DecimalMark::Comma => (',', '.'),
        };
        let (whole, fraction) = self.digits.split_once(point).unwrap_or((&self.digits, ""));
        if !fraction.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
        Decimal::of_digits(self.is_negative, &without_groups(whole, other)?, fraction, self.exponent)
    }

    /// Returns whether four or more digits stand side by side before a mark, so that marks do not group.
    pub fn is_ungrouped(&self) -> bool {
        self.digits.split(|c: char| !c.is_ascii_digit()).next().is_some_and(|digits| digits.len() > 3)
    }
}

/// Signs, brackets and unit on one side of a number.
#[derive(Default)]
struct Affix {
    minuses: usize,
    opens: bool,
    closes: bool,
    unit: String,
}

impl Affix {
    fn read(text: &str, is_before: bool) -> Option<Self> {
        let mut affix = Self::default();
        for c in text.chars() {
            match c {
                '-' if affix.unit.is_empty()
                    || affix.unit.ends_with(|c: char| !c.is_alphabetic())
                    || is_before =>
                {
                    affix.minuses += 1;
                }
                '-' => return None,
                '(' if is_before && !affix.opens => affix.opens = true,
                ')' if !is_before && !affix.closes => affix.closes = true,
                '+' => {}
                ' ' if affix.unit.is_empty() => {}
                c => affix.unit.push(c),
            }
        }
        affix.unit = affix.unit.trim().to_owned();
        let lower = affix.unit.to_lowercase();
        let is_sign = |c: char| is_currency(c) || matches!(c, '%' | '‰');
        let is_unit = match is_before {
            _ if lower.is_empty() => true,
            true => {
                lower.chars().all(is_sign)
                    || CURRENCIES.contains(&lower.as_str())
                    || CODES.contains(&lower.as_str())
            }
            false => {
                let is_part = |c: char| c.is_alphabetic() || is_sign(c) || "./²³°µ· $".contains(c);
                lower.chars().all(is_part)
                    && lower.contains(|c: char| c.is_alphabetic() || is_sign(c) || c == '°')
                    && lower.chars().count() <= MAX_UNIT_CHARS
                    && !NO_UNITS.contains(&lower.trim_end_matches('.'))
            }
        };
        is_unit.then_some(affix)
    }
}

/// Removes the sign for no decimals, as in "5,-" and "5.--".
fn without_zero_mark(after: &str) -> &str {
    let rest = after.strip_prefix([',', '.']).map(|rest| rest.trim_start_matches('-'));
    rest.filter(|rest| rest.len() + 1 < after.len()).unwrap_or(after)
}

/// Removes the marks that group digits: all of one kind, by three, or as in India by two before the last three. `None` if they
/// group otherwise.
fn without_groups(whole: &str, mark: char) -> Option<String> {
    let is_group = |c: char| c == mark || matches!(c, '\'' | ' ' | '_');
    let Some(first_mark) = whole.chars().find(|c| is_group(*c)) else {
        return whole.chars().all(|c| c.is_ascii_digit()).then(|| whole.to_owned());
    };
    let groups: Vec<&str> = whole.split(first_mark).collect();
    let (first, rest) = groups.split_first()?;
    let (last, middle) = rest.split_last()?;
    let are_digits = groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_digit()));
    let by_three = middle.iter().all(|group| group.len() == 3) && matches!(first.len(), 1..=3);
    let by_two = middle.iter().all(|group| group.len() == 2) && matches!(first.len(), 1 | 2);
    // "0,500" is no group of thousands.
    let is_grouped = are_digits && last.len() == 3 && !first.starts_with('0') && (by_three || by_two);
    is_grouped.then(|| groups.concat())
}

/// Returns whether a character is a sign of a currency (Unicode's category Sc).
const fn is_currency(c: char) -> bool {
    matches!(c, '$' | '¢'..='¥' | '֏' | '؋' | '৲' | '৳' | '฿' | '៛' | '\u{20a0}'..='\u{20c1}' | '﷼' | '元' | '円' | '원')
}

/// Replaces digits, spaces and signs of other scripts, and removes marks of direction.
fn plain(cell: &str) -> String {
    // Spreadsheets write `="0012"` for a number that is to stay as it is.
    let formula = cell.trim().strip_prefix("=\"").and_then(|cell| cell.strip_suffix('"'));
    let cell = formula.unwrap_or(cell);
    let plain = |c: char| match c {
        '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}'
        | '\u{61c}' => None,
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\t' => Some(' '),
        '\u{660}'..='\u{669}' => shifted(c, 0x660 - 0x30),
        '\u{6f0}'..='\u{6f9}' => shifted(c, 0x6f0 - 0x30),
        '\u{966}'..='\u{96f}' => shifted(c, 0x966 - 0x30),
        '\u{ff01}'..='\u{ff5e}' => shifted(c, 0xfee0),
        '٫' => Some('.'),
        '٬' => Some(','),
        '٪' => Some('%'),
        '−' | '‐' | '‑' | '‒' | '–' | '﹣' => Some('-'),
        '’' | 'ʼ' | '‘' | '´' | '`' => Some('\''),
        c => Some(c),
    };
    cell.chars().filter_map(plain).collect()
}

fn shifted(c: char, distance: u32) -> Option<char> {
    char::from_u32(u32::from(c) - distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(cell: &str, mark: DecimalMark) -> Option<String> {
        match Cell::read(cell) {
            Cell::Number(number) => number.value(mark).map(|value| value.to_string()),
            Cell::Missing | Cell::Text => None,
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for (cell, shown) in [
            ("12", "12"),
            (" -1,234.50 ", "-1234.50"),
            ("+0.05", "0.05"),
            (".5", "0.5"),
            ("$1,000", "1000"),
            ("12.5 %", "12.5"),
            ("($987.65)", "-987.65"),
            ("$(987.65)", "-987.65"),
            ("€(63.12)", "-63.12"),
            ("(12)", "-12"),
            ("-$5.20", "-5.20"),
            ("$-5.20", "-5.20"),
            ("$+1500", "1500"),
            ("12.50-", "-12.50"),
            ("−7", "-7"),
            ("1'234.5", "1234.5"),
            ("1’234’567", "1234567"),
            ("12,34,567.5", "1234567.5"),
            ("1 234.5", "1234.5"),
            ("CHF 1'200.–", "1200"),
            ("1200 kr", "1200"),
            ("USD 5", "5"),
            ("¥1,200", "1200"),
            ("3.5 kg", "3.5"),
            ("20 °C", "20"),
            ("1.5E+3", "1500"),
            ("2e-2", "0.02"),
            ("\u{202b}12\u{202c}", "12"),
            ("１２", "12"),
            ("١٢٣", "123"),
            ("=\"0012\"", "12"),
        ] {
            assert_eq!(value(cell, DecimalMark::Point).as_deref(), Some(shown), "{cell}");
        }
        for (cell, shown) in [
            ("1.234,5", "1234.5"),
            ("1\u{a0}234,5", "1234.5"),
            ("1\u{202f}234\u{202f}567,25 €", "1234567.25"),
            ("€ 2,75", "2.75"),
            ("5,-", "5"),
            ("0,500", "0.500"),
            ("(1.000,50 €)", "-1000.50"),
        ] {
            assert_eq!(value(cell, DecimalMark::Comma).as_deref(), Some(shown), "{cell}");
        }
    }

    #[test]
    fn other_cells_are_missing_or_text() {
        for cell in ["", "-", "–", "—", "n/a", "NA", "null", "#N/A", "#DIV/0!", "NaN", " ", "\u{a0}"] {
            assert_eq!(Cell::read(cell), Cell::Missing, "{cell}");
        }
        for cell in [
            "x",
            "May 3",
            "3 May",
            "2024-01-31",
            "10:30",
            "1st",
            "Q1",
            "1/2",
            "(5",
            "1-2",
            "3.5.",
            "31.12.2024 10:00",
        ] {
            assert_eq!(value(cell, DecimalMark::Point), None, "{cell}: {:?}", Cell::read(cell));
        }
        for cell in ["1,23", ",123", "1.2.3", "1234567890123456", "1,2345", "0,500"] {
            assert_eq!(value(cell, DecimalMark::Point), None, "{cell}");
        }
    }
}
