//! Calculations in words: "half of 90", "how many minutes are in a week", "Was sind 15 % von 240?", "5英里等于多少公里".
//!
//! A phrase is rewritten as an expression. What is no phrase stays as it is, and fend refuses it.

/// Words before a calculation that ask for it. Lower case; longer ones first where one begins with another.
const REQUESTS: &[&str] = &[
    "please",
    "can you",
    "could you",
    "tell me",
    "give me",
    "show me",
    "i want to know",
    "find out",
    "calculate",
    "compute",
    "convert",
    "evaluate",
    "solve",
    "work out",
    "find",
    "how much is",
    "how much are",
    "how much does",
    "what's",
    "what is",
    "what are",
    "the result of",
    "the value of",
    "the", // German
    "bitte",
    "berechne",
    "berechnen sie",
    "rechne aus",
    "rechne",
    "was ist",
    "was sind",
    "was ergibt",
    "wie viel ist",
    "wie viel sind",
    "wie viel ergibt",
    "wieviel ist",
    "wieviel sind",
    "wandle",
    "konvertiere", // French, Spanish
    "calcule",
    "combien font",
    "combien fait",
    "quel est",
    "convertis",
    "calcula",
    "cuánto es",
    "cuánto son",
    "convierte", // Chinese
    "请问",
    "請問",
    "请",
    "計算",
    "计算",
    "算一下",
    "把",
    "将", // Arabic
    "احسب",
    "حول",
    "حوّل",
    "كم يساوي",
    "ما ناتج",
    "ما هو",
    "ما هي",
];
/// What may stand after a calculation.
const ENDS: &[&str] = &[
    "?",
    "？",
    "؟",
    "=",
    "。",
    ".",
    ":",
    "：",
    ";",
    "；",
    ",",
    "—",
    "–",
    " -",
    " please",
    " bitte",
    " um",
    " umrechnen",
    "等于多少",
    "等於多少",
    "是多少",
    "等于几",
    "is what",
    " equals",
    " ist",
];
/// Words for operators between two numbers, each with its symbol.
const OPERATORS: &[(&str, &str)] = &[
    (" to the power of ", "^"),
    (" multiplied by ", "*"),
    (" divided by ", "/"),
    (" plus ", "+"),
    (" minus ", "-"),
    (" times ", "*"),
    (" over ", "/"),
    (" percent", "%"),
    (" per cent", "%"),
    ("% off ", "%off"), // German
    (" geteilt durch ", "/"),
    (" mal ", "*"),
    (" durch ", "/"),
    (" hoch ", "^"),
    (" prozent", "%"), // French, Spanish
    (" pour cent", "%"),
    (" por ciento", "%"),
    (" fois ", "*"),
    (" por ", "*"), // Chinese
    ("加上", "+"),
    ("加", "+"),
    ("减去", "-"),
    ("减", "-"),
    ("乘以", "*"),
    ("乘", "*"),
    ("除以", "/"), // Arabic
    (" زائد ", "+"),
    (" ناقص ", "-"),
    (" ضرب ", "*"),
    (" في المئة", "%"),
    (" بالمئة", "%"),
];
/// Names of operations before what they are applied to.
const FUNCTIONS: &[(&str, Function)] = &[
    ("sum of ", Function::Sum),
    ("total of ", Function::Sum),
    ("add up ", Function::Sum),
    ("add ", Function::Sum),
    ("product of ", Function::Product),
    ("multiply ", Function::Product),
    ("average of ", Function::Mean),
    ("mean of ", Function::Mean),
    ("difference between ", Function::Difference),
    ("difference of ", Function::Difference),
    ("divide ", Function::Quotient),
    ("quotient of ", Function::Quotient),
    ("square root of ", Function::Root),
    ("root of ", Function::Root),
    ("cube root of ", Function::CubeRoot),
    ("square of ", Function::Power(2)),
    ("cube of ", Function::Power(3)),
    ("factorial of ", Function::Factorial),
    ("one half of ", Function::Share(2)),
    ("a half of ", Function::Share(2)),
    ("half of ", Function::Share(2)),
    ("half ", Function::Share(2)),
    ("a third of ", Function::Share(3)),
    ("one third of ", Function::Share(3)),
    ("a quarter of ", Function::Share(4)),
    ("one quarter of ", Function::Share(4)),
    ("a tenth of ", Function::Share(10)),
    ("double ", Function::Multiple(2)),
    ("twice ", Function::Multiple(2)),
    ("triple ", Function::Multiple(3)), // German
    ("die summe von ", Function::Sum),
    ("die summe aus ", Function::Sum),
    ("summe von ", Function::Sum),
    ("summe aus ", Function::Sum),
    ("das produkt von ", Function::Product),
    ("produkt aus ", Function::Product),
    ("durchschnitt von ", Function::Mean),
    ("den durchschnitt von ", Function::Mean),
    ("die differenz zwischen ", Function::Difference),
    ("quadratwurzel von ", Function::Root),
    ("quadratwurzel aus ", Function::Root),
    ("wurzel aus ", Function::Root),
    ("wurzel von ", Function::Root),
    ("hälfte von ", Function::Share(2)),
    ("das doppelte von ", Function::Multiple(2)), // Arabic
    ("مجموع ", Function::Sum),
    ("نصف ", Function::Share(2)),
    ("الجذر التربيعي ل", Function::Root),
];
/// Names of operations after what they are applied to.
const AFTER: &[(&str, Function)] = &[
    (" squared", Function::Power(2)),
    (" cubed", Function::Power(3)),
    (" factorial", Function::Factorial),
    (" zum quadrat", Function::Power(2)),
    ("的一半", Function::Share(2)),
    ("的平方根", Function::Root),
    ("的平方", Function::Power(2)),
    ("的和", Function::Sum),
];
/// Questions for the number of units in a quantity, and what may stand between the unit and the quantity.
const HOW_MANY: &[&str] = &[
    "how many ",
    "wie viele ",
    "wieviele ",
    "wie viel ",
    "combien de ",
    "cuántos ",
    "cuántas ",
    "كم ",
    "多少",
];
const HOW_MANY_LINKS: &[&str] = &[
    " are there in ",
    " there are in ",
    " are in ",
    " is in ",
    " in ",
    " are ",
    " is ",
    " make up ",
    " equal ",
    " does ",
    " sind in ",
    " hat ",
    " haben ",
    " sind ",
    " ist ",
    " il y a dans ",
    " dans ",
    " hay en ",
    " en ",
    " في ",
];
/// Words before the unit of a conversion.
const CONVERSIONS: &[&str] = &[
    " into ",
    " nach ",
    " zu ",
    " en ",
    " a ",
    " à ",
    " إلى ",
    "换算成",
    "转换为",
    "转换成",
    "有多少",
    "等于多少",
    "是多少",
    "转为",
];
/// Number words and articles before a unit.
const ONES: &[&str] =
    &["a ", "an ", "one ", "the ", "ein ", "eine ", "einem ", "einer ", "un ", "une ", "una ", "一"];
/// Units in other languages, each as fend calls it.
const UNITS: &[(&str, &str)] = &[
    ("meilen", "miles"),
    ("meile", "mile"),
    ("kilometern", "km"),
    ("kilometer", "km"),
    ("metern", "m"),
    ("meter", "m"),
    ("zentimeter", "cm"),
    ("fuß", "feet"),
    ("zoll", "inches"),
    ("kilogramm", "kg"),
    ("gramm", "g"),
    ("pfund", "pounds"),
    ("stunden", "hours"),
    ("stunde", "hour"),
    ("minuten", "minutes"),
    ("minute", "minute"),
    ("sekunden", "seconds"),
    ("sekunde", "second"),
    ("tagen", "days"),
    ("tage", "days"),
    ("tag", "day"),
    ("wochen", "weeks"),
    ("woche", "week"),
    ("jahren", "years"),
    ("jahre", "years"),
    ("jahr", "year"),
    ("liter", "liters"), // Chinese
    ("英里", "miles"),
    ("公里", "km"),
    ("千米", "km"),
    ("厘米", "cm"),
    ("米", "m"),
    ("英尺", "feet"),
    ("英寸", "inches"),
    ("公斤", "kg"),
    ("千克", "kg"),
    ("克", "g"),
    ("磅", "pounds"),
    ("小时", "hours"),
    ("分钟", "minutes"),
    ("秒", "seconds"),
    ("天", "days"),
    ("星期", "weeks"),
    ("周", "weeks"),
    ("年", "years"),
    ("升", "liters"), // Arabic
    ("كيلومترات", "km"),
    ("كيلومتر", "km"),
    ("أميال", "miles"),
    ("ميل", "mile"),
    ("متر", "m"),
    ("دقيقة", "minutes"),
    ("ساعة", "hours"),
    ("يوم", "days"),
    ("أسبوع", "week"),
];
/// Words between the last two numbers of a list.
const LIST_WORDS: &[&str] = &[" and ", " und ", " et ", " y ", " by ", " from ", " و ", "和"];

/// Operation that words name.
#[derive(Clone, Copy)]
enum Function {
    Sum,
    Product,
    Mean,
    Difference,
    Quotient,
    Root,
    CubeRoot,
    Power(u32),
    Factorial,
    Share(u32),
    Multiple(u32),
}

/// Returns the expression that a phrase stands for.
pub(super) fn rewrite(line: &str) -> String {
    let plain = plain_signs(line);
    let line = without_request(&plain);
    let lower = line.to_lowercase();
    // Lengths may differ in rare scripts, in which case the phrase stays as it is.
    let line = if lower.len() == line.len() { line } else { lower.as_str() };
    quantity(line).or_else(|| converted(line)).unwrap_or_else(|| operation(line))
}

/// Replaces digits and signs of other scripts and of typography.
fn plain_signs(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\u{660}'..='\u{669}' => plain.push(shifted(c, 0x660 - 0x30)),
            '\u{6f0}'..='\u{6f9}' => plain.push(shifted(c, 0x6f0 - 0x30)),
            '\u{966}'..='\u{96f}' => plain.push(shifted(c, 0x966 - 0x30)),
            '\u{ff01}'..='\u{ff5e}' => plain.push(shifted(c, 0xfee0)),
            '×' | '·' | '⋅' => plain.push('*'),
            '÷' => plain.push('/'),
            '−' => plain.push('-'),
            '٪' => plain.push('%'),
            '٫' => plain.push('.'),
            '√' => plain.push_str("sqrt "),
            '\u{a0}' | '\u{202f}' | '\u{2009}' => plain.push(' '),
            c => plain.push(c),
        }
    }
    with_decimal_points(&plain)
}

fn shifted(c: char, distance: u32) -> char {
    char::from_u32(u32::from(c) - distance).unwrap_or(c)
}

/// Replaces commas before decimals. A comma before three digits groups them.
fn with_decimal_points(line: &str) -> String {
    let bytes = line.as_bytes();
    let digits_after = |at: usize| bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digits_before = |at: usize| bytes[..at].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let is_decimal = |at: usize| {
        let (before, after) = (digits_before(at), digits_after(at));
        let is_list = bytes[..at - before].last() == Some(&b',') || bytes.get(at + 1 + after) == Some(&b',');
        before > 0 && !matches!(after, 0 | 3) && !is_list
    };
    let plain = line.char_indices().map(|(at, c)| if c == ',' && is_decimal(at) { '.' } else { c });
    plain.collect()
}

/// Returns the calculation without the words that ask for it.
fn without_request(line: &str) -> &str {
    let mut line = line.trim();
    loop {
        let before = line;
        for request in REQUESTS {
            line = without_prefix(line, request).unwrap_or(line);
        }
        for end in ENDS {
            let cut = line.len().checked_sub(end.len()).filter(|&at| line.is_char_boundary(at));
            let is_end = cut.is_some_and(|at| line[at..].eq_ignore_ascii_case(end));
            // The end of a conversion asks for its unit.
            line = cut.filter(|_| is_end).map_or(line, |at| line[..at].trim_end());
        }
        if line == before {
            return line;
        }
    }
}

/// Returns what follows a word. Words of scripts without spaces need no space after them.
fn without_prefix<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = line.split_at_checked(prefix.len())?;
    let is_prefix = start.eq_ignore_ascii_case(prefix) || start.to_lowercase() == prefix;
    let is_whole =
        rest.starts_with(char::is_whitespace) || prefix.starts_with(plexus_domain::tokenize::is_unspaced);
    (is_prefix && is_whole).then(|| rest.trim_start()).filter(|rest| !rest.is_empty())
}

/// Rewrites a question for the number of units in a quantity: "how many minutes are in a week".
fn quantity(line: &str) -> Option<String> {
    let lower = line.to_lowercase();
    let rest = HOW_MANY.iter().find_map(|question| lower.strip_prefix(question))?;
    let (unit, quantity) = HOW_MANY_LINKS.iter().find_map(|link| rest.split_once(link))?;
    let quantity = quantity.trim().trim_end_matches(" have").trim_end_matches(" make");
    let quantity = match ONES.iter().find_map(|one| quantity.strip_prefix(one)) {
        Some(unit) => format!("1 {unit}"),
        None if quantity.contains(|c: char| c.is_ascii_digit()) => quantity.to_owned(),
        None => format!("1 {quantity}"),
    };
    Some(format!("{} to {}", with_units(&quantity), with_units(unit.trim())))
}

/// Rewrites a conversion whose words are not fend's.
fn converted(line: &str) -> Option<String> {
    let (quantity, unit) = CONVERSIONS.iter().find_map(|word| line.split_once(word))?;
    let (quantity, unit) = (quantity.trim().replace('一', "1"), unit.trim());
    let is_quantity = quantity.contains(|c: char| c.is_ascii_digit()) && !unit.is_empty();
    let is_unit = !unit.contains(|c: char| c.is_ascii_digit() || matches!(c, ',' | '+' | '*'));
    (is_quantity && is_unit).then(|| format!("{} to {}", with_units(&quantity), with_units(unit)))
}

fn with_units(quantity: &str) -> String {
    let trimmed = quantity.trim();
    let unit_at = trimmed.find(|c: char| c.is_alphabetic()).unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(unit_at);
    let lower = unit.trim().to_lowercase();
    let known = UNITS.iter().find(|(other, _)| *other == lower).map(|(_, fend)| *fend);
    let number = number.trim_end();
    let space = if number.is_empty() { "" } else { " " };
    format!("{number}{space}{}", known.unwrap_or(unit))
}

/// Rewrites the operations of a line.
fn operation(line: &str) -> String {
    let lower = line.to_lowercase();
    if let Some((list, function)) = named(&lower) {
        return function.apply(&list);
    }
    if let Some((number, share)) = share_after(&lower) {
        return format!("{share} of {number}");
    }
    let mut text = lower;
    for (word, symbol) in OPERATORS {
        text = text.replace(word, &format!(" {symbol} "));
    }
    text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" %", "%");
    for of in ["% von ", "% der ", "% de ", "% من "] {
        text = text.replace(of, "% of ");
    }
    if let Some((share, price)) = text.split_once("%off ") {
        return format!("({}) * (1 - {}%)", price.trim(), share.trim());
    }
    // "To" and "in" are fend's words for conversions, with its names of units.
    match text.split_once(" in ").or_else(|| text.split_once(" to ")) {
        Some((quantity, unit)) => format!("{} to {}", with_units(quantity), with_units(unit)),
        None => text,
    }
}

/// Returns the numbers to which a named operation applies.
fn named(line: &str) -> Option<(String, Function)> {
    let before = FUNCTIONS.iter().find_map(|(name, function)| Some((line.strip_prefix(name)?, *function)));
    let after = || AFTER.iter().find_map(|(name, function)| Some((line.strip_suffix(name)?, *function)));
    let (list, function) = before.or_else(after)?;
    list.contains(|c: char| c.is_ascii_digit()).then(|| (list.trim().to_owned(), function))
}

/// Divides "240的15%" into the number and its share.
fn share_after(line: &str) -> Option<(&str, &str)> {
    let (number, share) = line.split_once('的')?;
    share.ends_with('%').then_some((number.trim(), share.trim()))
}

/// Divides a list of numbers. A comma between two digits belongs to a number if there are other marks.
fn numbers(list: &str) -> Vec<String> {
    let mut list = list.replace("、", ", ").replace("，", ", ");
    for word in LIST_WORDS {
        list = list.replace(word, ", ");
    }
    let mark = if list.contains(", ") { ", " } else { "," };
    let parts = list.split(mark).map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| format!("({part})")).collect()
}

impl Function {
    fn apply(self, list: &str) -> String {
        let list_of = || numbers(list);
        match self {
            Self::Sum => list_of().join(" + "),
            Self::Product => list_of().join(" * "),
            Self::Mean => {
                let numbers = list_of();
                format!("({}) / {}", numbers.join(" + "), numbers.len().max(1))
            }
            Self::Difference => list_of().join(" - "),
            Self::Quotient => list_of().join(" / "),
            Self::Root => format!("sqrt ({list})"),
            Self::CubeRoot => format!("cbrt ({list})"),
            Self::Power(exponent) => format!("({list})^{exponent}"),
            Self::Factorial => format!("({list})!"),
            Self::Share(share) => format!("({list}) / {share}"),
            Self::Multiple(factor) => format!("({list}) * {factor}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_expressions() {
        for (phrase, expression) in [
            ("What is half of 90?", "(90) / 2"),
            ("Sum of 3, 4 and 5", "(3) + (4) + (5)"),
            ("the sum of 1,000 and 2,000", "(1,000) + (2,000)"),
            ("sum of 3,4,5", "(3) + (4) + (5)"),
            ("average of 2, 4, 9", "((2) + (4) + (9)) / 3"),
            ("square root of 2", "sqrt (2)"),
            ("5 squared", "(5)^2"),
            ("divide 10 by 4", "(10) / (4)"),
            ("17 times 23", "17 * 23"),
            ("15 percent of 240", "15% of 240"),
            ("20% off 50", "(50) * (1 - 20%)"),
            ("tell me how many minutes are in a week:", "1 week to minutes"),
            ("how many km are 5 miles?", "5 miles to km"),
            ("How many seconds are there in 3 hours 20 minutes", "3 hours 20 minutes to seconds"),
            ("Was sind 15 Prozent von 240?", "15% of 240"),
            ("Wandle 3,5 Meilen in Kilometer um", "3.5 miles to km"),
            ("Wie viele Minuten hat eine Woche?", "1 week to minutes"),
            ("5英里等于多少公里？", "5 miles to km"),
            ("240的15%是多少", "15% of 240"),
            ("一周有多少分钟", "1 weeks to minutes"),
            ("احسب ١٥٪ من ٢٤٠", "15% of 240"),
            ("حول 5 أميال إلى كيلومتر", "5 miles to km"),
            ("17 × 23", "17 * 23"),
        ] {
            assert_eq!(rewrite(phrase), expression, "{phrase}");
        }
    }
}
