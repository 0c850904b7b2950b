//! API reference in Markdown, generated from the OpenAPI document and appended to `docs/api.md`.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::{Map, Value};

use super::slug;
use crate::api::openapi::DOCUMENT;

const PAGE: &str = "/docs/api";
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

pub fn markdown() -> String {
    let document = serde_json::to_value(&*DOCUMENT).unwrap_or_default();
    Reference { schemas: &document["components"]["schemas"] }.write(&document["paths"])
}

struct Reference<'a> {
    schemas: &'a Value,
}

impl Reference<'_> {
    fn write(&self, paths: &Value) -> String {
        let mut out = String::from(INTRODUCTION);
        let requests = requests(paths);
        out.push_str("| request | what it does |\n|---|---|\n");
        for request in requests.values().flatten() {
            let summary = words(&request.operation["summary"]);
            let _ = writeln!(out, "| [`{}`]({PAGE}#{}) | {summary} |", request.title, slug(&request.title));
        }
        for request in requests.values().flatten() {
            self.write_request(&mut out, request);
        }
        out.push_str("\n## Every shape\n");
        for (name, schema) in members(self.schemas) {
            if !self.is_simple(schema) {
                let _ = writeln!(out, "\n### {}\n\n{}\n", shape(name), words(&schema["description"]));
                self.write_fields(&mut out, schema);
            }
        }
        out
    }

    fn write_request(&self, out: &mut String, Request { title, operation }: &Request<'_>) {
        let _ = writeln!(out, "\n### {title}\n\n{}", words(&operation["summary"]));
        if let Some(more) = operation["description"].as_str() {
            let _ = writeln!(out, "{}", one_line(more));
        }
        let scopes: Vec<String> = list(&operation["security"][0]["token"]).map(code).collect();
        if !scopes.is_empty() {
            let _ = writeln!(out, "\nTakes a token with {}.", scopes.join(" and "));
        }
        let parameters: Vec<&Value> = operation["parameters"].as_array().into_iter().flatten().collect();
        if !parameters.is_empty() {
            out.push_str("\n| parameter | in | type | about |\n|---|---|---|---|\n");
        }
        for one in parameters {
            let place = if one["in"] == "path" { "in the path" } else { "in the query" };
            let about = words(&one["description"]);
            let _ = writeln!(
                out,
                "| {} | {place} | {} | {about} |",
                code(&one["name"]),
                self.kind(&one["schema"])
            );
        }
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        if !body.is_null() {
            let _ = writeln!(out, "\nThe body is {}.", self.kind(body));
        }
        out.push_str("\n| answer | body | about |\n|---|---|---|\n");
        for (status, answer) in members(&operation["responses"]).filter(|(status, _)| status.starts_with('2'))
        {
            let shape =
                members(&answer["content"]).next().map(|(media_type, content)| match media_type.as_str() {
                    "application/json" => self.kind(&content["schema"]),
                    other => format!("`{other}`"),
                });
            let _ = writeln!(
                out,
                "| {status} | {} | {} |",
                shape.unwrap_or_default(),
                words(&answer["description"])
            );
        }
    }

    fn write_fields(&self, out: &mut String, schema: &Value) {
        for part in ["allOf", "oneOf"].into_iter().flat_map(|way| schema[way].as_array()).flatten() {
            match target(part) {
                Some(name) => {
                    let _ = writeln!(out, "- as {}", self.link(name));
                }
                None => self.write_fields(out, part),
            }
        }
        let required: Vec<&str> = list(&schema["required"]).filter_map(Value::as_str).collect();
        let mut fields = members(&schema["properties"]).peekable();
        if fields.peek().is_none() {
            return;
        }
        let about = words(&schema["description"]);
        let is_part = schema["properties"]["kind"]["enum"].is_array();
        if is_part && !about.is_empty() {
            let _ = writeln!(out, "\n{about}");
        }
        out.push_str("\n| field | type | about |\n|---|---|---|\n");
        for (name, field) in fields {
            let optional = if required.contains(&name.as_str()) { "" } else { "?" };
            let about = words(&field["description"]);
            let _ = writeln!(out, "| `{name}`{optional} | {} | {about} |", self.kind(field));
        }
        out.push('\n');
    }

    /// Returns the type of a schema: a word, or a link to its description.
    fn kind(&self, schema: &Value) -> String {
        if let Some(name) = target(schema) {
            let named = &self.schemas[name];
            return if self.is_simple(named) { self.kind(named) } else { self.link(name) };
        }
        if let Some(values) = schema["enum"].as_array() {
            return values.iter().map(code).collect::<Vec<_>>().join(" ");
        }
        if let Some(ways) = schema["oneOf"].as_array().or_else(|| schema["allOf"].as_array()) {
            return ways.iter().map(|way| self.kind(way)).collect::<Vec<_>>().join(" or ");
        }
        if schema["type"] == "array" {
            return format!("list: {}", self.kind(&schema["items"]));
        }
        let format = schema["format"].as_str().filter(|format| *format == "uuid");
        match &schema["type"] {
            Value::String(kind) => plain(format.unwrap_or(kind)),
            Value::Array(kinds) => {
                let kinds = kinds.iter().filter_map(Value::as_str).map(|kind| match (kind, format) {
                    ("string", Some(format)) => plain(format),
                    _ => plain(kind),
                });
                kinds.collect::<Vec<_>>().join(" or ")
            }
            _ => "any JSON".to_owned(),
        }
    }

    /// Returns whether a single word describes the type.
    fn is_simple(&self, schema: &Value) -> bool {
        let is_listed = |way: &str| schema[way].is_array();
        schema["properties"].is_null() && !is_listed("oneOf") && !is_listed("allOf")
    }

    fn link(&self, name: &str) -> String {
        format!("[{name}]({PAGE}#{})", slug(&shape(name)))
    }
}

const INTRODUCTION: &str = "
## Every request
What follows is made from the code that answers. The same as an OpenAPI document is at `/api/v1/openapi.json`. Paths are below
`/api/v1`; a question mark stands behind what may be missing.

";

struct Request<'a> {
    title: String,
    operation: &'a Value,
}

/// Groups the operations by path; those of one path are ordered by method.
fn requests(paths: &Value) -> BTreeMap<&String, Vec<Request<'_>>> {
    let of = |path: &str, item: &'_ Value| -> Vec<(&'static str, String)> {
        let known = METHODS.into_iter().filter(|method| item[*method].is_object());
        known.map(|method| (method, format!("{} {path}", method.to_uppercase()))).collect()
    };
    let requests = members(paths).map(|(path, item)| {
        let named = of(path, item).into_iter();
        (path, named.map(|(method, title)| Request { title, operation: &item[method] }).collect())
    });
    requests.collect()
}

fn shape(name: &str) -> String {
    format!("The shape {name}")
}

fn target(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

fn plain(kind: &str) -> String {
    match kind {
        "string" => "text",
        "integer" => "number",
        "boolean" => "true or false",
        "uuid" => "UUID",
        other => other,
    }
    .to_owned()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn code(value: &Value) -> String {
    format!("`{}`", value.as_str().unwrap_or_default())
}

fn words(value: &Value) -> String {
    one_line(value.as_str().unwrap_or_default()).replace('|', "\\|")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
