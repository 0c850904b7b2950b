//! Structured filters (specification section 5.3.1): an entry matches if, for each key, one of the listed
//! values occurs.

use serde_json::Value;

use super::{
    context::{Context, Path},
    entry::ArdEntry,
    error::ArdError,
};

const MAX_KEYS: usize = 32;
const MAX_VALUES: usize = 100;

#[derive(Default)]
pub struct Filter(Vec<(Path, Vec<String>)>);

impl Filter {
    pub fn read(filter: Option<&Value>, context: &Context) -> Result<Self, ArdError> {
        let wanted = match filter {
            None => return Ok(Self::default()),
            Some(Value::Object(wanted)) if wanted.len() <= MAX_KEYS => wanted,
            Some(_) => return Err(ArdError::invalid("A filter is an object of at most 32 keys.")),
        };
        let constraint = |(key, values): (&String, &Value)| Ok((context.resolve(key)?, texts(key, values)?));
        Ok(Self(wanted.iter().map(constraint).collect::<Result<_, ArdError>>()?))
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn matches(&self, entry: &ArdEntry) -> bool {
        self.0.iter().all(|(path, wanted)| values(path, entry).iter().any(|value| wanted.contains(value)))
    }
}

/// Reads the accepted values of a key. A single scalar counts as an array of one.
fn texts(key: &str, values: &Value) -> Result<Vec<String>, ArdError> {
    let list = match values {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    let texts: Option<Vec<String>> = list.iter().map(scalar).collect();
    texts.filter(|texts| texts.len() <= MAX_VALUES).ok_or_else(|| {
        let key = plexus_domain::sanitized_text::ellipsize(&plexus_domain::sanitized_text::one_line(key), 40);
        ArdError::invalid(format!("The values of the filter \"{key}\" are up to 100 texts."))
    })
}

/// Returns the distinct values of an entry at a path. Arrays contribute each of their elements.
pub fn values(path: &Path, entry: &ArdEntry) -> Vec<String> {
    let mut found = Vec::new();
    match path {
        Path::Publisher => found.push(entry.publisher.clone()),
        Path::Foreign => {}
        Path::Term(steps) => collect(&entry.terms, steps, &mut found),
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn collect(value: &Value, steps: &[String], found: &mut Vec<String>) {
    match (value, steps) {
        (Value::Array(list), _) => list.iter().for_each(|one| collect(one, steps, found)),
        (Value::Object(members), [step, rest @ ..]) => {
            if let Some(value) = members.get(step) {
                collect(value, rest, found);
            }
        }
        (value, []) => found.extend(scalar(value)),
        _ => {}
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use plexus_domain::Timestamp;
    use serde_json::json;

    use super::*;

    fn matches(filter: &Value) -> bool {
        let terms = json!({ "type": "a", "tags": ["x", "y"], "metadata": { "verified": true, "n": 7 } });
        let at = Timestamp::from_millis(0);
        let entry = ArdEntry { terms, publisher: "hub.example".to_owned(), created: at, updated: at };
        Filter::read(Some(filter), &Context::default()).unwrap().matches(&entry)
    }

    #[test]
    fn any_value_of_a_key_and_all_keys() {
        assert!(
            matches(&json!({}))
                && matches(&json!({ "type": "a" }))
                && matches(&json!({ "type": ["b", "a"] }))
        );
        assert!(matches(&json!({ "tags": ["z", "y"], "publisher": "hub.example" })));
        assert!(matches(&json!({ "metadata.verified": true, "metadata.n": ["7"] })));
        assert!(!matches(&json!({ "type": "a", "tags": "z" })));
        assert!(!matches(&json!({ "nothing": "a" })) && !matches(&json!({ "type.deeper": "a" })));
        assert!(!matches(&json!({ "type": [] })), "none of no values");
    }

    #[test]
    fn other_shapes_are_refused() {
        for wrong in [json!([]), json!("type"), json!({ "type": {} }), json!({ "type": [["a"]] })] {
            assert!(Filter::read(Some(&wrong), &Context::default()).is_err(), "{wrong}");
        }
    }
}
