//! Resolves keys to terms (specification sections 4.1 and 5.3.1), with the base context and the bindings of a
//! query.

use std::collections::HashMap;

use serde_json::Value;

use super::error::ArdError;

const NAMESPACE: &str = "https://agenticresourcediscovery.org/ns#";
const MAX_PREFIXES: usize = 64;
const MAX_BYTES: usize = 2_048;

/// Bound prefixes and terms, each with its IRI.
#[derive(Default)]
pub struct Context(HashMap<String, String>);

/// A path to values of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Path {
    /// The publisher part of the identifier, which is not a term.
    Publisher,
    /// A term of the default namespace, followed by nested members.
    Term(Vec<String>),
    /// A term of a namespace that no entry here uses.
    Foreign,
}

impl Context {
    pub fn read(value: Option<&Value>) -> Result<Self, ArdError> {
        let mut context = Self::default();
        if let Some(value) = value {
            context.add(value)?;
        }
        Ok(context)
    }

    /// Adds bindings. Contexts given by URL are not fetched, so the terms that they bind stay unknown.
    fn add(&mut self, value: &Value) -> Result<(), ArdError> {
        match value {
            Value::String(_) | Value::Null => Ok(()),
            Value::Array(list) if list.iter().all(|one| !one.is_array()) => {
                list.iter().try_for_each(|one| self.add(one))
            }
            Value::Object(bound) => {
                for (name, iri) in bound {
                    let iri = iri.as_str().or_else(|| iri["@id"].as_str());
                    let fits = self.0.len() < MAX_PREFIXES && iri.is_some_and(|iri| iri.len() <= MAX_BYTES);
                    let iri = iri.filter(|_| fits).ok_or_else(unreadable)?;
                    self.0.insert(name.clone(), iri.to_owned());
                }
                Ok(())
            }
            _ => Err(unreadable()),
        }
    }

    pub fn resolve(&self, key: &str) -> Result<Path, ArdError> {
        if key.is_empty() || key.len() > MAX_BYTES {
            return Err(ArdError::invalid("A term path has 1 to 2048 bytes."));
        }
        if let Some((prefix, local)) = key.split_once(':') {
            return match self.0.get(prefix) {
                Some(iri) => Ok(of_iri(&format!("{iri}{local}"))),
                None if local.starts_with("//") => Ok(of_iri(key)),
                None => {
                    let prefix = plexus_domain::sanitized_text::ellipsize(prefix, 40);
                    Err(ArdError::invalid(format!(
                        "The prefix \"{prefix}\" of a term is not bound. Bind it in @context."
                    )))
                }
            };
        }
        let term = key.split('.').next().unwrap_or_default();
        match self.0.get(term) {
            Some(iri) if *iri != format!("{NAMESPACE}{term}") => Ok(Path::Foreign),
            _ => Ok(of_terms(key)),
        }
    }
}

fn of_iri(iri: &str) -> Path {
    iri.strip_prefix(NAMESPACE).map_or(Path::Foreign, of_terms)
}

fn of_terms(path: &str) -> Path {
    if path == "publisher" {
        Path::Publisher
    } else {
        Path::Term(path.split('.').map(str::to_owned).collect())
    }
}

fn unreadable() -> ArdError {
    ArdError::invalid("The @context binds up to 64 prefixes, each to the text of an IRI.")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn term(path: &[&str]) -> Path {
        Path::Term(path.iter().map(|step| (*step).to_owned()).collect())
    }

    #[test]
    fn keys_are_resolved_through_the_context() {
        let bound = json!([{ "ard": NAMESPACE, "okf": { "@id": "https://okf.example/ns#" }, "tags": "https://x.example/tags" }]);
        let context = Context::read(Some(&bound)).unwrap();
        for (key, path) in [
            ("type", term(&["type"])),
            ("metadata.owner", term(&["metadata", "owner"])),
            ("ard:type", term(&["type"])),
            ("https://agenticresourcediscovery.org/ns#type", term(&["type"])),
            ("publisher", Path::Publisher),
            ("okf:taxonomy", Path::Foreign),
            ("tags", Path::Foreign),
            ("https://okf.example/ns#taxonomy", Path::Foreign),
        ] {
            assert_eq!(context.resolve(key).unwrap(), path, "{key}");
        }
        assert!(context.resolve("nobody:x").is_err() && context.resolve("").is_err());
        for wrong in [json!(7), json!([[]]), json!({ "a": 7 })] {
            assert!(Context::read(Some(&wrong)).is_err(), "{wrong}");
        }
    }
}
