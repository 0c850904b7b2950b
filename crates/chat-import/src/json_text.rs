//! Operations on JSON text that is known to be well-formed. They are linear and do not recurse.

/// Replaces escapes of surrogates without their counterpart by U+FFFD. Returns `None` if there are none.
pub fn without_lone_surrogates(json: &str) -> Option<String> {
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return None;
    }
    let mut repaired = String::with_capacity(json.len());
    let mut rest = json;
    let mut is_changed = false;
    while let Some(at) = rest.find('\\') {
        repaired.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (surrogate(rest), rest.get(6..).and_then(surrogate)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(_), _) => {
                is_changed = true;
                repaired.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            // The escaped character may be a backslash or a quote, and is skipped with it.
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        repaired.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    repaired.push_str(rest);
    is_changed.then_some(repaired)
}

/// Returns the surrogate whose escape begins the text.
fn surrogate(text: &str) -> Option<u16> {
    let hex = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(hex, 16).ok().filter(|unit| (0xd800..=0xdfff).contains(unit))
}

/// A JSON object of nested ones, without its field of children.
#[derive(Debug, PartialEq, Eq)]
pub struct FlatObject {
    /// Position of the object among whose children it is.
    pub parent: Option<usize>,
    pub json: String,
}

/// Flattens an array of objects that have further ones in the array `field`, parents before children. Returns `None`
/// if there are more than `max`.
///
/// Parsers of nested JSON recurse, and a chat of some hundred messages is nested as deeply.
pub fn flatten_nested(json: &str, field: &str, max: usize) -> Option<Vec<FlatObject>> {
    let mut found: Vec<FlatObject> = Vec::new();
    // Objects that are open, with the number of brackets that are open inside of each.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let tokens = Tokens { rest: json.trim_start().strip_prefix('[').unwrap_or_default() };
    let mut last_string = "";
    for token in tokens {
        let top = open.last_mut();
        match (token, top) {
            ("{", None) => begin_object(&mut found, &mut open, None, max)?,
            // Inside of an array of children, where only objects are of interest.
            ("{", Some((parent, usize::MAX))) => {
                let parent = *parent;
                begin_object(&mut found, &mut open, Some(parent), max)?;
            }
            ("]", Some((at, depth @ usize::MAX))) => {
                *depth = 0;
                found[*at].json.push_str("null");
            }
            (_, None | Some((_, usize::MAX))) => {}
            ("[", Some((_, depth @ 0))) if last_string == field => *depth = usize::MAX,
            ("}", Some((at, 0))) => {
                found[*at].json.push('}');
                open.pop();
            }
            (token, Some((at, depth))) => {
                match token {
                    "{" | "[" => *depth += 1,
                    // Saturates: an array directly among the children is no message.
                    "}" | "]" => *depth = depth.saturating_sub(1),
                    _ => {}
                }
                found[*at].json.push_str(token);
            }
        }
        if !matches!(token, ":") && !token.trim().is_empty() {
            last_string = token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default();
        }
    }
    Some(found)
}

fn begin_object(
    found: &mut Vec<FlatObject>,
    open: &mut Vec<(usize, usize)>,
    parent: Option<usize>,
    max: usize,
) -> Option<()> {
    if found.len() == max {
        return None;
    }
    open.push((found.len(), 0));
    found.push(FlatObject { parent, json: "{".to_owned() });
    Some(())
}

/// Splits JSON text into strings, brackets, colons, and what is between them.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let length = match self.rest.bytes().next()? {
            b'"' => string_length(self.rest),
            b'{' | b'}' | b'[' | b']' | b':' => 1,
            _ => self.rest.find(['"', '{', '}', '[', ']', ':']).unwrap_or(self.rest.len()),
        };
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(token)
    }
}

/// Returns the length of the string that begins the text, with its quotes.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogates_are_replaced_only_if_they_are_alone() {
        assert_eq!(without_lone_surrogates(r#""a\\ud83d \ud83d\ude00 \u00e9""#), None);
        assert_eq!(without_lone_surrogates(r#""\ud83d x \ude00""#).unwrap(), r#""\ufffd x \ufffd""#);
        assert_eq!(without_lone_surrogates(r#""\ud83d\ud83d\ude00""#).unwrap(), r#""\ufffd\ud83d\ude00""#);
    }

    #[test]
    fn nested_objects_are_flattened_with_their_parents() {
        let json = r#"[{"t":"a \"children\":[{","o":{"children":[1]},"children": [ {"t":"b","children":[]},
            {"children":[{"t":"d"}],"t":"c"}],"z":1},{"t":"e"}]"#;
        let flat = flatten_nested(json, "children", 9).unwrap();
        let read: Vec<(Option<usize>, serde_json::Value)> =
            flat.iter().map(|flat| (flat.parent, serde_json::from_str(&flat.json).unwrap())).collect();
        let texts: Vec<_> =
            read.iter().map(|(parent, value)| (*parent, value["t"].as_str().unwrap())).collect();
        assert_eq!(
            texts,
            [(None, "a \"children\":[{"), (Some(0), "b"), (Some(0), "c"), (Some(2), "d"), (None, "e")]
        );
        assert_eq!(read[0].1["o"]["children"][0], 1);
        assert_eq!(read[0].1["z"], 1);
        assert_eq!(flatten_nested(json, "children", 4), None);
    }

    #[test]
    fn deep_nesting_needs_no_stack() {
        let depth = 100_000;
        let json = format!("[{}{}]", r#"{"children":["#.repeat(depth), "]}".repeat(depth));
        assert_eq!(flatten_nested(&json, "children", depth).unwrap().len(), depth);
    }

    // Slow: it reads long texts of each kind.
    #[test]
    fn time_is_linear_in_the_text() {
        use plexus_testing::cost::assert_linear;
        let string = |text: &str| serde_json::to_string(text).unwrap();
        assert_linear("surrogates", |text| without_lone_surrogates(&string(text)));
        assert_linear("escapes", |text| without_lone_surrogates(&string(text).replace('a', "\\ud800")));
        assert_linear("children", |text| {
            flatten_nested(&format!("[{{\"t\":{},\"children\":[]}}]", string(text)), "children", 100)
        });
        assert_linear("nested children", |text| {
            let depth = text.len() / 16;
            let json = format!("[{}{}]", "{\"children\":[".repeat(depth), "]}".repeat(depth));
            flatten_nested(&json, "children", depth)
        });
    }
}
