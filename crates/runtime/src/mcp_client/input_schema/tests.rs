use super::*;

/// Keywords that every model server accepts.
const ACCEPTED: [&str; 16] = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "anyOf",
    "additionalProperties",
    "description",
    "default",
    "format",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
];

/// Asserts that a schema is in the subset that model servers accept.
fn assert_accepted(schema: &Value) {
    let members = schema.as_object().unwrap_or_else(|| panic!("{schema}"));
    assert!(members.keys().all(|name| ACCEPTED.contains(&name.as_str())), "{schema}");
    assert!(!members.values().any(Value::is_null), "{schema}");
    assert!(schema.get("type").is_none_or(Value::is_string), "{schema}");
    if schema["type"] == "object" {
        let properties = schema["properties"].as_object().unwrap_or_else(|| panic!("{schema}"));
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        assert!(required.iter().all(|name| properties.contains_key(name.as_str().unwrap())), "{schema}");
        properties.values().for_each(assert_accepted);
    }
    assert!(schema["type"] != "array" || schema["items"].is_object(), "{schema}");
    schema.get("items").into_iter().for_each(assert_accepted);
    schema.get("additionalProperties").filter(|it| !it.is_boolean()).into_iter().for_each(assert_accepted);
    schema["anyOf"].as_array().into_iter().flatten().for_each(assert_accepted);
}

/// Returns the rebuilt schema, after the checks that hold for each.
fn rebuilt(schema: &Value) -> Value {
    let rebuilt = for_models(Some(schema)).unwrap_or_else(|reason| panic!("{reason}: {schema}"));
    assert_eq!(rebuilt["type"], "object", "{schema}");
    assert!(rebuilt.get("anyOf").is_none(), "{schema}");
    assert_accepted(&rebuilt);
    assert_eq!(for_models(Some(&rebuilt)).as_ref(), Ok(&rebuilt), "rebuilding is idempotent");
    rebuilt
}

#[test]
fn roots_become_plain_objects() {
    let text = json!({ "type": "string" });
    let object = |properties: Value, required: Value| {
        let mut object = json!({ "type": "object", "properties": properties });
        if required != json!([]) {
            object["required"] = required;
        }
        object
    };
    for (schema, expected) in [
        (json!({}), object(json!({}), json!([]))),
        (json!({ "type": "object" }), object(json!({}), json!([]))),
        (json!({ "type": ["object", "null"], "properties": null }), object(json!({}), json!([]))),
        (
            json!({ "$schema": "x", "$id": "y", "properties": { "a": text } }),
            object(json!({ "a": text }), json!([])),
        ),
        (
            json!({ "anyOf": [{ "properties": { "a": text }, "required": ["a"] },
                              { "type": "object", "properties": { "b": text }, "required": ["b"] }] }),
            object(json!({ "a": text, "b": text }), json!([])),
        ),
        (
            json!({ "type": "object", "properties": { "a": text, "b": text },
                    "oneOf": [{ "required": ["a"] }, { "required": ["b"] }], "not": {} }),
            object(json!({ "a": text, "b": text }), json!([])),
        ),
        (
            json!({ "allOf": [{ "$ref": "#/$defs/A" }, { "properties": { "b": text }, "required": ["b"] }],
                    "$defs": { "A": { "type": "object", "properties": { "a": text }, "required": ["a"] } } }),
            object(json!({ "a": text, "b": text }), json!(["a", "b"])),
        ),
        (
            json!({ "$ref": "#/definitions/A", "definitions": { "A": { "type": "object", "properties": { "a": text } } } }),
            object(json!({ "a": text }), json!([])),
        ),
        (
            json!({ "type": "object", "properties": { "a": text }, "required": ["a", "z", 7, "a"], "enum": [1] }),
            object(json!({ "a": text }), json!(["a"])),
        ),
        (json!({ "type": "object", "properties": ["a"], "required": "a" }), object(json!({}), json!([]))),
        (
            json!({ "type": "object", "properties": { "a": { "type": "string", "required": true } } }),
            object(json!({ "a": text }), json!(["a"])),
        ),
    ] {
        assert_eq!(rebuilt(&schema), expected, "{schema}");
    }
}

#[test]
fn properties_keep_what_model_servers_know() {
    let text = json!({ "type": "string" });
    for (property, expected) in [
        (json!(true), json!({})),
        (json!(5), json!({})),
        (json!("string"), text.clone()),
        (json!({ "type": "int" }), json!({ "type": "integer" })),
        (json!({ "type": "wrong" }), json!({})),
        (json!({ "type": 5, "default": null }), json!({})),
        (
            json!({ "type": ["string", "null"], "default": null, "description": "d" }),
            json!({ "type": "string", "description": "d" }),
        ),
        (
            json!({ "type": ["string", "number"], "title": "T" }),
            json!({ "anyOf": [text, { "type": "number" }], "description": "T" }),
        ),
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "default": null, "title": "T" }),
            json!({ "type": "string", "description": "T" }),
        ),
        (
            json!({ "anyOf": [{ "anyOf": [{ "type": "string" }, { "type": "integer" }] }, { "type": "null" }] }),
            json!({ "anyOf": [text, { "type": "integer" }] }),
        ),
        (json!({ "const": "x" }), json!({ "type": "string", "enum": ["x"] })),
        (json!({ "enum": ["a", "b", null] }), json!({ "type": "string", "enum": ["a", "b"] })),
        (json!({ "type": "string", "enum": [1, "a"] }), json!({ "type": "string", "enum": ["a"] })),
        (json!({ "type": "array" }), json!({ "type": "array", "items": {} })),
        (json!({ "items": true }), json!({ "type": "array", "items": {} })),
        (
            json!({ "type": "array", "prefixItems": [text, { "type": "number" }] }),
            json!({ "type": "array", "items": { "anyOf": [text, { "type": "number" }] } }),
        ),
        (
            json!({ "type": "string", "format": "uri", "pattern": "^a(?=b)" }),
            json!({ "type": "string", "description": "Format: uri. Pattern: ^a(?=b)" }),
        ),
        (
            json!({ "type": "string", "format": "date-time" }),
            json!({ "type": "string", "format": "date-time" }),
        ),
        (
            json!({ "type": "integer", "format": "int32", "minimum": 1, "exclusiveMaximum": true }),
            json!({ "type": "integer", "minimum": 1 }),
        ),
        (
            json!({ "type": "object", "additionalProperties": "false" }),
            json!({ "type": "object", "properties": {} }),
        ),
        (
            json!({ "additionalProperties": { "type": ["string", "null"] } }),
            json!({ "type": "object", "properties": {}, "additionalProperties": text }),
        ),
        (
            json!({ "allOf": [{ "$ref": "#/$defs/Colour" }], "description": "d" }),
            json!({ "type": "string", "enum": ["red"], "description": "d" }),
        ),
        (json!({ "$ref": "#/$defs/Node" }), Value::Null),
        (json!({ "$ref": "https://x.example/schema" }), json!({})),
        (json!({ "$ref": "#/$defs/Loop" }), json!({})),
    ] {
        let schema = json!({ "type": "object", "properties": { "p": property, "never": false }, "$defs": {
            "Colour": { "type": "string", "enum": ["red"] },
            "Loop": { "$ref": "#/$defs/Loop" },
            "Node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/Node" } } } } });
        let rebuilt = rebuilt(&schema);
        assert!(rebuilt["properties"].get("never").is_none());
        if !expected.is_null() {
            assert_eq!(rebuilt["properties"]["p"], expected, "{property}");
        }
    }
    let nullable =
        json!({ "type": "object", "required": ["p"], "properties": { "p": { "type": ["string", "null"] } } });
    assert_eq!(rebuilt(&nullable)["properties"]["p"], json!({ "anyOf": [text, { "type": "null" }] }));
}

#[test]
fn what_is_no_object_or_too_large_is_named() {
    let deep = (0..500).fold(json!({}), |inner, _| json!({ "type": "object", "properties": { "p": inner } }));
    assert_eq!(rebuilt(&deep)["type"], "object");
    // Each definition doubles the one before.
    let double = |level: usize| {
        json!({ "type": "object", "properties": {
        "a": { "$ref": format!("#/$defs/{level}") }, "b": { "$ref": format!("#/$defs/{level}") } } })
    };
    let definitions: Map<String, Value> =
        (0..40).map(|level| (level.to_string(), double(level + 1))).collect();
    let laughs =
        json!({ "type": "object", "properties": { "p": { "$ref": "#/$defs/0" } }, "$defs": definitions });
    let wide: Map<String, Value> =
        (0..900).map(|at| (format!("property_{at}"), json!({ "type": "string" }))).collect();
    for (schema, reason) in [
        (Value::Null, "it has no inputSchema"),
        (json!(true), "its inputSchema is not a JSON object"),
        (json!("x"), "its inputSchema is not a JSON object"),
        (json!({ "type": "string" }), "its inputSchema does not describe an object"),
        (json!({ "type": ["string", "null"] }), "its inputSchema does not describe an object"),
        (json!({ "enum": ["a"] }), "its inputSchema does not describe an object"),
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }),
            "its inputSchema does not describe an object",
        ),
        (json!({ "$ref": "#/$defs/none" }), "its inputSchema does not describe an object"),
        (laughs, "its inputSchema is larger than 16 KiB"),
        (json!({ "type": "object", "properties": wide }), "its inputSchema is larger than 16 KiB"),
        (json!({ "type": "object", "title": "x".repeat(70_000) }), "its inputSchema is larger than 64 KiB"),
    ] {
        assert_eq!(for_models(Some(&schema)), Err(reason.to_owned()), "{}", schema.to_string().len());
    }
    assert_eq!(for_models(None), Err("it has no inputSchema".to_owned()));
}
