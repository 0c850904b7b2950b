//! Converts the input schema of a skill to the form that every MCP client accepts: a plain object at the top,
//! with `properties`. Clients pass schemas on to model APIs, which refuse combinators at the top.

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

/// Keywords that model APIs refuse at the top of a schema.
const COMBINATORS: [&str; 11] =
    ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "const", "dependentSchemas"];
/// Maximum depth of references and combinators that are followed. References may be cyclic.
const MAX_DEPTH: usize = 8;

/// Returns the plain form of a schema. It accepts at least what the schema accepts: combinators at the top
/// become optional properties, and nested ones stay.
pub fn plain(schema: &Value) -> JsonObject {
    let mut fields = Fields::default();
    fields.collect(schema, schema, MAX_DEPTH);
    let mut plain = schema.as_object().cloned().unwrap_or_default();
    for combinator in COMBINATORS {
        plain.remove(combinator);
    }
    plain.insert("type".to_owned(), json!("object"));
    fields.required.retain(|name| fields.properties.contains_key(name));
    plain.insert("properties".to_owned(), Value::Object(fields.properties));
    plain.remove("required");
    if !fields.required.is_empty() {
        plain.insert("required".to_owned(), json!(fields.required));
    }
    plain
}

/// Returns whether a schema can describe an object.
pub fn describes_object(schema: &Value) -> bool {
    match schema.get("type") {
        None => schema.is_object(),
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.contains(&json!("object")),
        Some(_) => false,
    }
}

/// The properties of a schema and the names of those that it always requires.
#[derive(Default)]
struct Fields {
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl Fields {
    fn collect(&mut self, root: &Value, schema: &Value, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            self.add(properties.clone());
        }
        let required = schema.get("required").and_then(Value::as_array);
        self.require(required.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect());
        let pointer = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        if let Some(target) = pointer.and_then(|pointer| root.pointer(pointer)) {
            self.collect(root, target, depth);
        }
        for part in branches(schema, "allOf") {
            self.collect(root, part, depth);
        }
        for combinator in ["anyOf", "oneOf"] {
            self.alternatives(root, branches(schema, combinator), depth);
        }
    }

    /// Adds the properties of all alternatives, and requires what each of them requires.
    fn alternatives(&mut self, root: &Value, schemas: &[Value], depth: usize) {
        let mut common: Option<Vec<String>> = None;
        for schema in schemas {
            let mut fields = Self::default();
            fields.collect(root, schema, depth);
            common = Some(match common {
                None => fields.required,
                Some(known) => known.into_iter().filter(|name| fields.required.contains(name)).collect(),
            });
            self.add(fields.properties);
        }
        self.require(common.unwrap_or_default());
    }

    /// Adds properties. A name with different schemas accepts any of them.
    fn add(&mut self, properties: Map<String, Value>) {
        for (name, schema) in properties {
            match self.properties.get_mut(&name) {
                Some(known) if *known != schema => *known = json!({ "anyOf": [known.take(), schema] }),
                Some(_) => {}
                None => {
                    self.properties.insert(name, schema);
                }
            }
        }
    }

    fn require(&mut self, names: Vec<String>) {
        for name in names {
            if !self.required.contains(&name) {
                self.required.push(name);
            }
        }
    }
}

fn branches<'a>(schema: &'a Value, combinator: &str) -> &'a [Value] {
    schema.get(combinator).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_of_a_schema_becomes_a_plain_object() {
        let (a, b) = (json!({ "type": "string" }), json!({ "type": "integer" }));
        let one = json!({ "properties": { "a": a, "c": b }, "required": ["a", "c"] });
        let two = json!({ "properties": { "b": b, "c": b }, "required": ["b", "c"] });
        let all = json!({ "a": a, "b": b, "c": b });
        for (given, properties, required) in [
            (json!({}), json!({}), json!(null)),
            (json!({ "type": ["object", "null"], "required": ["x", 1] }), json!({}), json!(null)),
            (json!({ "type": "object", "oneOf": [one, two] }), all.clone(), json!(["c"])),
            (json!({ "type": "object", "anyOf": [one, two], "not": {} }), all.clone(), json!(["c"])),
            (json!({ "type": "object", "allOf": [one, two] }), all, json!(["a", "c", "b"])),
            (
                json!({ "$ref": "#/$defs/one", "$defs": { "one": one } }),
                one["properties"].clone(),
                json!(["a", "c"]),
            ),
            (json!({ "type": "object", "$ref": "#" }), json!({}), json!(null)),
            (json!({ "type": "object", "enum": [{}], "properties": "x" }), json!({}), json!(null)),
            (
                json!({ "anyOf": [{ "properties": { "a": a } }, { "properties": { "a": b } }] }),
                json!({ "a": { "anyOf": [a, b] } }),
                json!(null),
            ),
        ] {
            let plain = plain(&given);
            assert!(COMBINATORS.iter().all(|combinator| !plain.contains_key(*combinator)), "{given}");
            assert_eq!(plain["type"], json!("object"), "{given}");
            assert_eq!(plain["properties"], properties, "{given}");
            assert_eq!(plain.get("required").cloned().unwrap_or_default(), required, "{given}");
        }
        let nested = json!({ "type": "object", "properties": { "x": { "oneOf": [{ "type": "string" }] } } });
        assert_eq!(Value::Object(plain(&nested)), nested, "a plain schema is unchanged");
    }

    #[test]
    fn only_objects_are_inputs() {
        for good in [json!({}), json!({ "type": "object" }), json!({ "type": ["null", "object"] })] {
            assert!(describes_object(&good), "{good}");
        }
        for wrong in [
            json!({ "type": "array" }),
            json!({ "type": ["string"] }),
            json!([]),
            json!(true),
            json!({ "type": 1 }),
        ] {
            assert!(!describes_object(&wrong), "{wrong}");
        }
    }
}
