//! Input schemas of tools in the subset of JSON Schema that model servers accept.
//!
//! One schema that a model server refuses makes it refuse the whole request. So each schema is rebuilt from the
//! keywords that all of them know: references are inlined, variants of the root are merged, and restrictions that
//! only some know are told in the description.

use std::collections::BTreeSet;

use plexus_domain::sanitized_text::{ellipsize, multi_line};
use serde_json::{Map, Value, json};

const MAX_SCHEMA_BYTES: usize = 16 << 10;
/// Maximum bytes of a schema that is rebuilt. Definitions that are not used do not count in the result.
const MAX_RAW_BYTES: usize = 64 << 10;
/// Maximum nesting of a rebuilt schema. Deeper parts accept any value.
const MAX_DEPTH: usize = 12;
/// Maximum nodes that are visited, against references that multiply.
const MAX_NODES: usize = 1_000;
/// Maximum references that are followed for one node.
const MAX_REFERENCES: usize = 16;
const MAX_TEXT_CHARS: usize = 1_000;
/// Maximum characters of a restriction that is told in a description.
const MAX_RESTRICTION_CHARS: usize = 200;
const TYPES: [&str; 7] = ["object", "string", "number", "integer", "boolean", "array", "null"];
const NUMBER_BOUNDS: [&str; 2] = ["minimum", "maximum"];
const LENGTHS: [&str; 2] = ["minLength", "maxLength"];
const COUNTS: [&str; 2] = ["minItems", "maxItems"];

/// Returns the schema for models, or the rest of a sentence about the tool why there is none.
pub(super) fn for_models(schema: Option<&Value>) -> Result<Value, String> {
    let schema = match schema {
        None | Some(Value::Null) => return Err("it has no inputSchema".to_owned()),
        Some(schema) if schema.is_object() => schema,
        Some(_) => return Err("its inputSchema is not a JSON object".to_owned()),
    };
    let too_large = |limit: usize| Err(format!("its inputSchema is larger than {} KiB", limit >> 10));
    if schema.to_string().len() > MAX_RAW_BYTES {
        return too_large(MAX_RAW_BYTES);
    }
    let mut rebuild = Rebuild { root: schema, nodes: 0 };
    let merged = rebuild.merged_object(schema, 0).ok_or("its inputSchema does not describe an object")?;
    let rebuilt = rebuild.object(&merged, 0);
    if rebuild.nodes > MAX_NODES || rebuilt.to_string().len() > MAX_SCHEMA_BYTES {
        return too_large(MAX_SCHEMA_BYTES);
    }
    Ok(rebuilt)
}

/// State of rebuilding one schema.
struct Rebuild<'a> {
    root: &'a Value,
    nodes: usize,
}

impl Rebuild<'_> {
    /// Follows local references. `None` if they end nowhere or run in a circle.
    fn resolve(&self, schema: &Value) -> Option<Value> {
        let mut schema = schema.clone();
        for _ in 0..MAX_REFERENCES {
            let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return Some(schema) };
            let pointer = reference.strip_prefix('#')?;
            let mut target = self.root.pointer(pointer)?.clone();
            // Members beside a reference add to its target (2020-12).
            if let (Some(target), Some(own)) = (target.as_object_mut(), schema.as_object()) {
                let beside = own.iter().filter(|(name, _)| *name != "$ref");
                target.extend(beside.map(|(name, value)| (name.clone(), value.clone())));
            }
            schema = target;
        }
        None
    }

    /// Merges the variants of an object into one. `None` if it describes no object.
    fn merged_object(&mut self, schema: &Value, depth: usize) -> Option<Map<String, Value>> {
        self.nodes += 1;
        let schema = self.resolve(schema).filter(|_| depth <= MAX_DEPTH && self.nodes <= MAX_NODES)?;
        let mut merged = schema.as_object()?.clone();
        let allowed = types(&merged);
        if !allowed.is_empty() && !allowed.contains(&"object") {
            return None;
        }
        let mut describes_object =
            allowed.contains(&"object") || merged.get("properties").is_some_and(Value::is_object);
        for (keyword, requires_all) in [("allOf", true), ("anyOf", false), ("oneOf", false)] {
            let Some(Value::Array(variants)) = merged.remove(keyword) else { continue };
            let variants: Vec<_> =
                variants.iter().filter_map(|variant| self.merged_object(variant, depth + 1)).collect();
            if variants.is_empty() && !describes_object {
                return None;
            }
            describes_object |= !variants.is_empty();
            merge(&mut merged, &variants, requires_all);
        }
        let is_empty =
            merged.keys().all(|name| !matches!(name.as_str(), "not" | "enum" | "const" | "items" | "$ref"));
        (describes_object || is_empty).then_some(merged)
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let mut properties = Map::new();
        let mut required = BTreeSet::new();
        let listed: Vec<&str> = array(schema, "required").filter_map(Value::as_str).collect();
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            // `false` allows no value.
            if *property == Value::Bool(false) {
                continue;
            }
            let is_required = listed.contains(&name.as_str()) || property["required"] == Value::Bool(true);
            if is_required {
                required.insert(name.clone());
            }
            properties.insert(name.clone(), self.node(property, depth + 1, is_required));
        }
        let mut rebuilt = Map::from_iter([("type".to_owned(), json!("object"))]);
        rebuilt.insert("properties".to_owned(), properties.into());
        if !required.is_empty() {
            rebuilt.insert("required".to_owned(), json!(required));
        }
        match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => drop(rebuilt.insert("additionalProperties".to_owned(), false.into())),
            Some(values @ Value::Object(members)) if !members.is_empty() => {
                let values = self.node(values, depth + 1, false);
                rebuilt.insert("additionalProperties".to_owned(), values);
            }
            _ => {}
        }
        describe(&mut rebuilt, schema, &[]);
        rebuilt.into()
    }

    /// Rebuilds the schema of a property or an item. `may_be_null`: null is kept among its types.
    fn node(&mut self, schema: &Value, depth: usize, may_be_null: bool) -> Value {
        self.nodes += 1;
        // Some servers write the type where the schema belongs.
        let named = schema.as_str().and_then(known_type).map(|kind| json!({ "type": kind }));
        let schema = named.as_ref().unwrap_or(schema);
        let resolved = self.resolve(schema).filter(|_| depth <= MAX_DEPTH && self.nodes <= MAX_NODES);
        let Some(Value::Object(mut schema)) = resolved else { return json!({}) };
        if let Some(value) = schema.remove("const") {
            schema.insert("enum".to_owned(), json!([value]));
        }
        if schema.get("allOf").is_some_and(Value::is_array) {
            match self.merged_object(&Value::Object(schema.clone()), depth) {
                Some(merged) => schema = merged,
                None => self.merge_plain(&mut schema),
            }
        }
        let mut rebuilt: Vec<Value> = Vec::new();
        for variant in self.variants(schema.clone()) {
            let is_left_out = is_null(&variant) && !may_be_null;
            let variant = self.single(&variant, depth);
            if !is_left_out && !rebuilt.contains(&variant) {
                rebuilt.push(variant);
            }
        }
        match <[Value; 1]>::try_from(rebuilt) {
            Ok([one]) => one,
            Err(rebuilt) => {
                let mut several = Map::new();
                if !rebuilt.is_empty() {
                    several.insert("anyOf".to_owned(), rebuilt.into());
                }
                describe(&mut several, &schema, &[]);
                several.into()
            }
        }
    }

    /// Adds the members of plain `allOf` variants, as of a reference with a description beside it.
    fn merge_plain(&mut self, schema: &mut Map<String, Value>) {
        let Some(Value::Array(parts)) = schema.remove("allOf") else { return };
        for part in parts {
            let Some(Value::Object(part)) = self.resolve(&part) else { continue };
            for (name, value) in part {
                schema.entry(name).or_insert(value);
            }
        }
    }

    /// Returns one schema for each alternative of a node: its `anyOf`, `oneOf` or list of types.
    fn variants(&mut self, mut own: Map<String, Value>) -> Vec<Map<String, Value>> {
        self.nodes += 1;
        let alternatives = ["anyOf", "oneOf"].iter().find_map(|keyword| match own.remove(*keyword) {
            Some(Value::Array(variants)) if !variants.is_empty() => Some(variants),
            _ => None,
        });
        let alternatives =
            alternatives.into_iter().flatten().filter_map(|variant| match self.resolve(&variant) {
                Some(Value::Object(variant)) => Some(variant),
                _ => None,
            });
        let alternatives: Vec<_> = alternatives.collect();
        if alternatives.is_empty() || self.nodes > MAX_NODES {
            return by_type(own);
        }
        let is_union = alternatives.iter().filter(|variant| !is_null(variant)).count() > 1;
        let mut variants = Vec::new();
        for mut variant in alternatives {
            if !is_null(&variant) {
                add_shared(&mut variant, &own, is_union);
            }
            variants.extend(self.variants(variant));
        }
        variants
    }

    /// Rebuilds a schema of at most one type.
    fn single(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let kind = types(schema).first().copied().or_else(|| implied_type(schema));
        let mut told = Vec::new();
        let mut rebuilt = Map::new();
        match kind {
            Some("object") => {
                let merged = self.merged_object(&Value::Object(schema.clone()), depth);
                return self.object(&merged.unwrap_or_else(|| schema.clone()), depth);
            }
            Some("array") => {
                let items = self.items(schema, depth);
                rebuilt.insert("items".to_owned(), items);
                keep_numbers(&mut rebuilt, schema, &COUNTS);
            }
            Some("number" | "integer") => keep_numbers(&mut rebuilt, schema, &NUMBER_BOUNDS),
            Some("string") => {
                keep_numbers(&mut rebuilt, schema, &LENGTHS);
                match schema.get("format").and_then(Value::as_str) {
                    Some("date-time") => drop(rebuilt.insert("format".to_owned(), json!("date-time"))),
                    format => told.extend(format.map(|format| format!("Format: {format}."))),
                }
                let pattern = schema.get("pattern").and_then(Value::as_str);
                told.extend(pattern.map(|pattern| format!("Pattern: {pattern}")));
            }
            _ => {}
        }
        if let Some(kind) = kind {
            rebuilt.insert("type".to_owned(), kind.into());
        }
        // An enum with null has no single type, which some model servers require of its values.
        let is_allowed = |value: &&Value| kind.map_or(!value.is_null(), |kind| is_of_type(value, kind));
        let values: Vec<&Value> = array(schema, "enum").filter(is_allowed).collect();
        if !values.is_empty() && !matches!(kind, Some("array")) {
            rebuilt.insert("enum".to_owned(), json!(values));
        }
        describe(&mut rebuilt, schema, &told);
        rebuilt.into()
    }

    /// Rebuilds the schema of an array's items. Those of a tuple become alternatives.
    fn items(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let tuple = ["prefixItems", "items"].iter().find_map(|keyword| schema.get(*keyword)?.as_array());
        match (tuple, schema.get("items")) {
            (Some(tuple), _) => self.node(&json!({ "anyOf": tuple }), depth + 1, true),
            (None, Some(items)) => self.node(items, depth + 1, true),
            (None, None) => json!({}),
        }
    }
}

/// Adds the properties of variants to an object. If not all variants apply, only what all of them require stays
/// required, and a property with several schemas may have any of them.
fn merge(merged: &mut Map<String, Value>, variants: &[Map<String, Value>], requires_all: bool) {
    let own = merged.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut properties = own.clone();
    for (name, property) in
        variants.iter().flat_map(|variant| variant.get("properties")?.as_object()).flatten()
    {
        match properties.get_mut(name) {
            None => drop(properties.insert(name.clone(), property.clone())),
            Some(known) if known == property || own.contains_key(name) => {}
            Some(known) => match known.get_mut("anyOf").and_then(Value::as_array_mut) {
                Some(alternatives) if !alternatives.contains(property) => alternatives.push(property.clone()),
                Some(_) => {}
                None => *known = json!({ "anyOf": [known.take(), property] }),
            },
        }
    }
    let names = |variant: &Map<String, Value>| -> BTreeSet<String> {
        array(variant, "required").filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut required = names(merged);
    let lists = variants.iter().map(names);
    let added = if requires_all {
        lists.reduce(|all, list| all.union(&list).cloned().collect())
    } else {
        lists.reduce(|all, list| all.intersection(&list).cloned().collect())
    };
    required.extend(added.unwrap_or_default());
    if !properties.is_empty() {
        merged.insert("properties".to_owned(), properties.into());
    }
    merged.insert("required".to_owned(), json!(required));
}

/// Members that describe a node as a whole.
const ABOUT: [&str; 3] = ["description", "title", "default"];

/// Adds the members that a node has beside its alternatives to one of these. What describes the node is added
/// to its only alternative.
fn add_shared(variant: &mut Map<String, Value>, own: &Map<String, Value>, is_union: bool) {
    for (name, value) in own {
        if !ABOUT.contains(&name.as_str()) {
            variant.entry(name.clone()).or_insert_with(|| value.clone());
        } else if !is_union {
            variant.insert(name.clone(), value.clone());
        }
    }
}

fn is_null(schema: &Map<String, Value>) -> bool {
    types(schema) == ["null"]
}

fn array<'v>(schema: &'v Map<String, Value>, name: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    schema.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the known types that a schema names.
fn types(schema: &Map<String, Value>) -> Vec<&'static str> {
    match schema.get("type") {
        Some(Value::String(kind)) => known_type(kind).into_iter().collect(),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).filter_map(known_type).collect(),
        _ => Vec::new(),
    }
}

/// Returns a type of JSON Schema by its name, or by that of a similar type of a programming language.
fn known_type(name: &str) -> Option<&'static str> {
    let name = name.trim().to_ascii_lowercase();
    TYPES.into_iter().find(|known| *known == name).or(match name.as_str() {
        "str" | "text" | "date" | "datetime" | "uuid" | "uri" => Some("string"),
        "int" | "int32" | "int64" | "long" => Some("integer"),
        "float" | "double" | "decimal" => Some("number"),
        "bool" => Some("boolean"),
        "dict" | "map" => Some("object"),
        "list" | "tuple" | "set" => Some("array"),
        "none" => Some("null"),
        _ => None,
    })
}

fn implied_type(schema: &Map<String, Value>) -> Option<&'static str> {
    // Null is left out of an enum.
    let values: Vec<&Value> = array(schema, "enum").filter(|value| !value.is_null()).collect();
    match schema {
        _ if ["properties", "additionalProperties"]
            .iter()
            .any(|name| schema.get(*name).is_some_and(Value::is_object)) =>
        {
            Some("object")
        }
        _ if schema.contains_key("items") || schema.contains_key("prefixItems") => Some("array"),
        _ if values.is_empty() => None,
        _ => ["string", "integer", "number", "boolean"]
            .into_iter()
            .find(|kind| values.iter().all(|value| is_of_type(value, kind))),
    }
}

fn is_of_type(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        _ => false,
    }
}

/// Splits a schema with a list of types into one schema for each type.
fn by_type(mut schema: Map<String, Value>) -> Vec<Map<String, Value>> {
    let kinds = types(&schema);
    if kinds.len() < 2 {
        return vec![schema];
    }
    schema.remove("type");
    if kinds.iter().filter(|kind| **kind != "null").count() > 1 {
        schema.retain(|name, _| !ABOUT.contains(&name.as_str()));
    }
    let with = |kind: &str| {
        let mut one = if kind == "null" { Map::new() } else { schema.clone() };
        one.insert("type".to_owned(), kind.into());
        one
    };
    kinds.into_iter().map(with).collect()
}

fn keep_numbers(rebuilt: &mut Map<String, Value>, schema: &Map<String, Value>, names: &[&str]) {
    for name in names {
        if let Some(bound) = schema.get(*name).filter(|bound| bound.is_number()) {
            rebuilt.insert((*name).to_owned(), bound.clone());
        }
    }
}

/// Sets the description: the schema's own, or its title, and the restrictions `told`. Sets the default.
fn describe(rebuilt: &mut Map<String, Value>, schema: &Map<String, Value>, told: &[String]) {
    let own = ["description", "title"].iter().find_map(|name| schema.get(*name)?.as_str());
    let told = told.iter().map(|text| ellipsize(&multi_line(text), MAX_RESTRICTION_CHARS));
    let texts: Vec<String> =
        own.map(|own| ellipsize(&multi_line(own), MAX_TEXT_CHARS)).into_iter().chain(told).collect();
    if !texts.is_empty() {
        rebuilt.insert("description".to_owned(), ellipsize(&texts.join(" "), MAX_TEXT_CHARS).into());
    }
    let default =
        schema.get("default").filter(|value| value.is_string() || value.is_number() || value.is_boolean());
    if let Some(default) = default {
        rebuilt.insert("default".to_owned(), default.clone());
    }
}

#[cfg(test)]
mod tests;
