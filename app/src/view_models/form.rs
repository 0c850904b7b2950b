//! State of a submitted form: its values and validation errors.

use std::collections::BTreeMap;

use plexus_domain::Error;

/// Values and errors by field name. An error under "" belongs to the form as a whole.
///
/// Fields for passwords and secrets are never filled in again, even if their values are stored here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    values: BTreeMap<String, Vec<String>>,
    errors: Vec<(String, String)>,
}

impl Form {
    /// Creates a form from decoded pairs of an urlencoded body.
    pub fn filled<N: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (N, V)>) -> Self {
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, value) in pairs {
            values.entry(name.into()).or_default().push(value.into());
        }
        Self { values, errors: Vec::new() }
    }

    /// Adds an error. `field` is "" if the error belongs to no field.
    #[must_use]
    pub fn with_error(mut self, field: impl Into<String>, message: impl Into<String>) -> Self {
        self.errors.push((field.into(), message.into()));
        self
    }

    /// Adds the message of an error, at its field if it names one.
    #[must_use]
    pub fn refused(self, error: &Error) -> Self {
        let field = match error {
            Error::Invalid { field, .. } => field.as_str(),
            _ => "",
        };
        self.with_error(field, error.to_string())
    }

    pub fn value(&self, field: &str) -> &str {
        self.values.get(field).and_then(|values| values.last()).map_or("", String::as_str)
    }

    /// Returns the value, or `default` if the field was not sent.
    pub fn value_or<'a>(&'a self, field: &str, default: &'a str) -> &'a str {
        self.values.get(field).and_then(|values| values.last()).map_or(default, String::as_str)
    }

    /// True if `value` was sent under this name: a ticked box or a selected option.
    pub fn has(&self, field: &str, value: &str) -> bool {
        self.values.get(field).is_some_and(|values| values.iter().any(|sent| sent == value))
    }

    pub fn error(&self, field: &str) -> Option<&str> {
        self.errors.iter().find(|(name, _)| name == field).map(|(_, message)| message.as_str())
    }

    /// Returns all errors as (field, message), in the order they were added.
    pub fn errors(&self) -> &[(String, String)] {
        &self.errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_form_keeps_its_fields_and_names_the_one_to_blame() {
        let form = Form::filled([("name", "ada"), ("scope", "read"), ("scope", "chat")]);
        let form = form.refused(&Error::invalid("name", "This name is taken."));
        assert_eq!(form.value("name"), "ada");
        assert_eq!(form.error("name"), Some("This name is taken."));
        assert!(form.has("scope", "read") && form.has("scope", "chat") && !form.has("scope", "admin"));
        assert_eq!(form.value_or("days", "90"), "90");
        assert_eq!(form.error(""), None);
    }
}
