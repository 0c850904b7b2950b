//! Questions with a form, which the server of a tool asks the user during a call (MCP specification, "Elicitation").

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Error,
    sanitized_text::{ellipsize, is_invisible, multi_line, one_line},
};

const MAX_INPUTS: usize = 20;
const MAX_OPTIONS: usize = 100;
const MAX_NAME_BYTES: usize = 64;
/// Maximum characters of a title, and of an option.
const MAX_TITLE: usize = 100;
/// Maximum characters of the message, and of the description of an input.
const MAX_WORDS: usize = 1_000;
/// Maximum characters of a text that answers.
const MAX_TEXT: usize = 4_000;

/// A message with inputs for its answer.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormQuestion {
    pub message: String,
    /// Without inputs the question is whether the user agrees.
    pub inputs: Vec<FormInput>,
}

/// An input of a form.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormInput {
    /// Key of the value in the answer.
    pub name: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub kind: InputKind,
    pub is_required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

/// Type of the value of an input, with its bounds.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum InputKind {
    Text { min_chars: usize, max_chars: usize },
    Number { is_integer: bool, min: Option<f64>, max: Option<f64> },
    Switch,
    Choice { options: Vec<InputOption> },
}

/// An option of a choice.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputOption {
    pub value: String,
    pub title: String,
}

/// Outcome of a question.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum FormAnswer {
    Given {
        #[cfg_attr(feature = "schema", schema(value_type = Object))]
        values: Map<String, Value>,
    },
    Declined,
    /// Expired without an answer.
    Unanswered,
}

/// Why a schema is no form that a user can fill in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormSchemaError {
    #[error("the schema has more than {MAX_INPUTS} properties, or an option list of more than {MAX_OPTIONS}")]
    TooLarge,
    #[error("a property has a name that is too long or invisible")]
    Name,
    #[error("a property is not text, a number, a switch or one choice")]
    Kind,
}

/// The part of JSON Schema that the MCP specification allows for a property.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PropertySchema {
    #[serde(rename = "type")]
    kind: String,
    title: Option<String>,
    description: Option<String>,
    #[serde(rename = "enum")]
    options: Option<Vec<String>>,
    enum_names: Option<Vec<String>>,
    one_of: Option<Vec<TitledOption>>,
    min_length: Option<usize>,
    max_length: Option<usize>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    default: Option<Value>,
}

#[derive(Deserialize)]
struct TitledOption {
    r#const: String,
    title: Option<String>,
}

impl FormQuestion {
    /// Reads a message and the properties of its answer: names with JSON Schemas of primitive types, in the order of
    /// the form.
    pub fn parse(
        message: &str,
        properties: &[(String, Value)],
        required: &[String],
    ) -> Result<Self, FormSchemaError> {
        if properties.len() > MAX_INPUTS {
            return Err(FormSchemaError::TooLarge);
        }
        let inputs = properties
            .iter()
            .map(|(name, property)| FormInput::parse(name, property, required.contains(name)));
        Ok(Self {
            message: ellipsize(multi_line(message).trim(), MAX_WORDS),
            inputs: inputs.collect::<Result<_, _>>()?,
        })
    }

    /// Checks the values of an answer, and removes the empty ones.
    pub fn check(&self, mut values: Map<String, Value>) -> Result<Map<String, Value>, Error> {
        values.retain(|_, value| !value.is_null());
        if let Some(unknown) =
            values.keys().find(|name| !self.inputs.iter().any(|input| input.name == **name))
        {
            return Err(Error::invalid("answer", format!("The question has no input {unknown:?}.")));
        }
        for input in &self.inputs {
            match values.get(&input.name) {
                Some(value) => input.check(value)?,
                None if input.is_required => return Err(input.error("needs a value.")),
                None => {}
            }
        }
        Ok(values)
    }

    /// Reads the answer from the texts of an HTML form.
    pub fn read(&self, text: impl Fn(&str) -> Option<String>) -> Result<Map<String, Value>, Error> {
        let mut values = Map::new();
        for input in &self.inputs {
            if let Some(value) = input.read(text(&input.name))? {
                values.insert(input.name.clone(), value);
            }
        }
        self.check(values)
    }
}

impl FormInput {
    fn parse(name: &str, property: &Value, is_required: bool) -> Result<Self, FormSchemaError> {
        let is_plain = !name.contains(|c: char| c.is_control() || is_invisible(c));
        if !is_plain || !(1..=MAX_NAME_BYTES).contains(&name.len()) {
            return Err(FormSchemaError::Name);
        }
        let schema: PropertySchema =
            serde_json::from_value(property.clone()).map_err(|_| FormSchemaError::Kind)?;
        let kind = InputKind::parse(&schema)?;
        let title = schema.title.as_deref().map(one_line).filter(|title| !title.is_empty());
        let description = schema.description.as_deref().map(one_line).filter(|words| !words.is_empty());
        let mut input = Self {
            name: name.to_owned(),
            title: ellipsize(&title.unwrap_or_else(|| name.to_owned()), MAX_TITLE),
            description: description.map(|words| ellipsize(&words, MAX_WORDS)),
            kind,
            is_required,
            default: None,
        };
        input.default = schema.default.filter(|value| input.check(value).is_ok());
        Ok(input)
    }

    fn check(&self, value: &Value) -> Result<(), Error> {
        match &self.kind {
            InputKind::Text { min_chars, max_chars } => {
                let count = value.as_str().map(|text| text.chars().count());
                if !count.is_some_and(|count| (*min_chars..=*max_chars).contains(&count)) {
                    return Err(
                        self.error(&format!("must be a text of {min_chars} to {max_chars} characters."))
                    );
                }
            }
            InputKind::Number { is_integer, min, max } => {
                let number = value.as_f64().ok_or_else(|| self.error("must be a number."))?;
                if *is_integer && value.as_i64().is_none() {
                    return Err(self.error("must be a whole number."));
                }
                if min.is_some_and(|min| number < min) || max.is_some_and(|max| number > max) {
                    return Err(self.error(&out_of_range(*min, *max)));
                }
            }
            InputKind::Switch if !value.is_boolean() => return Err(self.error("must be true or false.")),
            InputKind::Switch => {}
            InputKind::Choice { options } => {
                if !options.iter().any(|option| value == option.value.as_str()) {
                    return Err(self.error("must be one of the options."));
                }
            }
        }
        Ok(())
    }

    fn read(&self, text: Option<String>) -> Result<Option<Value>, Error> {
        let text = text.unwrap_or_default();
        Ok(match &self.kind {
            InputKind::Switch => Some(Value::Bool(!text.is_empty())),
            _ if text.is_empty() => None,
            InputKind::Text { .. } | InputKind::Choice { .. } => Some(Value::String(text)),
            InputKind::Number { is_integer, .. } => {
                let number = match is_integer {
                    true => text.trim().parse::<i64>().ok().map(Value::from),
                    false => {
                        text.trim().parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from)
                    }
                };
                Some(number.ok_or_else(|| self.error("must be a number."))?)
            }
        })
    }

    fn error(&self, words: &str) -> Error {
        Error::invalid(self.name.clone(), format!("“{}” {words}", self.title))
    }
}

impl InputKind {
    fn parse(schema: &PropertySchema) -> Result<Self, FormSchemaError> {
        match schema.kind.as_str() {
            "string" => match choice(schema) {
                Some(options) if options.is_empty() || options.len() > MAX_OPTIONS => {
                    Err(FormSchemaError::TooLarge)
                }
                Some(options) => Ok(Self::Choice { options }),
                None => {
                    let max_chars = schema.max_length.unwrap_or(MAX_TEXT).min(MAX_TEXT);
                    let min_chars = schema.min_length.unwrap_or(0).min(max_chars);
                    Ok(Self::Text { min_chars, max_chars })
                }
            },
            kind @ ("number" | "integer") => {
                Ok(Self::Number { is_integer: kind == "integer", min: schema.minimum, max: schema.maximum })
            }
            "boolean" => Ok(Self::Switch),
            _ => Err(FormSchemaError::Kind),
        }
    }
}

/// Returns the options of a property that has some.
fn choice(schema: &PropertySchema) -> Option<Vec<InputOption>> {
    let option = |value: &str, title: Option<&str>| InputOption {
        value: value.to_owned(),
        title: ellipsize(&one_line(title.unwrap_or(value)), MAX_TITLE),
    };
    if let Some(titled) = &schema.one_of {
        return Some(titled.iter().map(|one| option(&one.r#const, one.title.as_deref())).collect());
    }
    let names = schema.enum_names.as_deref().unwrap_or_default();
    let values = schema.options.as_ref()?.iter().enumerate();
    Some(values.map(|(at, value)| option(value, names.get(at).map(String::as_str))).collect())
}

fn out_of_range(min: Option<f64>, max: Option<f64>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("must be between {min} and {max}."),
        (Some(min), None) => format!("must be at least {min}."),
        (None, Some(max)) => format!("must be at most {max}."),
        (None, None) => "must be a number.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(properties: &Value) -> Result<FormQuestion, FormSchemaError> {
        let properties = properties.as_object().unwrap().clone();
        let required = ["name", "nights"].map(str::to_owned);
        FormQuestion::parse("Which berth?\u{202e}", &properties.into_iter().collect::<Vec<_>>(), &required)
    }

    fn booking() -> FormQuestion {
        parse(&json!({
            "name": { "type": "string", "title": "Name of the boat", "maxLength": 20 },
            "nights": { "type": "integer", "minimum": 1, "maximum": 30, "default": 2 },
            "power": { "type": "boolean", "description": "Shore power" },
            "side": { "type": "string", "enum": ["p", "s"], "enumNames": ["Port", "Starboard"] },
            "flag": { "type": "string", "oneOf": [{ "const": "fr", "title": "France" }] } }))
        .unwrap()
    }

    #[test]
    fn a_schema_becomes_inputs() {
        let question = booking();
        assert_eq!(question.message, "Which berth?");
        let input = |name: &str| question.inputs.iter().find(|input| input.name == name).unwrap();
        assert_eq!(input("name").kind, InputKind::Text { min_chars: 0, max_chars: 20 });
        assert_eq!((input("nights").default.clone(), input("nights").is_required), (Some(json!(2)), true));
        let InputKind::Choice { options } = &input("side").kind else { panic!() };
        assert_eq!((options[1].value.as_str(), options[1].title.as_str()), ("s", "Starboard"));
        assert!(matches!(&input("flag").kind, InputKind::Choice { options } if options[0].title == "France"));
    }

    #[test]
    fn answers_are_checked() {
        let question = booking();
        let given = json!({ "name": "Hai", "nights": 3, "power": true, "side": "p" });
        let values = given.as_object().unwrap().clone();
        assert_eq!(question.check(values.clone()).unwrap(), values);
        for (name, wrong, words) in [
            ("name", json!(null), "needs a value"),
            ("name", json!("a boat with a name that is too long"), "0 to 20 characters"),
            ("nights", json!(1.5), "whole number"),
            ("nights", json!(31), "between 1 and 30"),
            ("power", json!("yes"), "true or false"),
            ("side", json!("Port"), "one of the options"),
            ("other", json!(1), "no input"),
        ] {
            let mut values = values.clone();
            values.insert(name.to_owned(), wrong);
            let error = question.check(values).unwrap_err().to_string();
            assert!(error.contains(words), "{name}: {error}");
        }
    }

    #[test]
    fn an_html_form_is_read() {
        let filled = |name: &str| {
            let text = match name {
                "name" => "Hai",
                "nights" => " 4 ",
                _ => "",
            };
            Some(text.to_owned())
        };
        let values = booking().read(filled).unwrap();
        assert_eq!(Value::Object(values), json!({ "name": "Hai", "nights": 4, "power": false }));
        assert!(
            booking().read(|_| Some("x".to_owned())).unwrap_err().to_string().contains("must be a number")
        );
    }

    #[test]
    fn schemas_that_are_no_form_are_refused() {
        assert_eq!(parse(&json!({})).unwrap().inputs, []);
        assert_eq!(parse(&json!({ "a": { "type": "object" } })), Err(FormSchemaError::Kind));
        assert_eq!(parse(&json!({ "a": { "type": "array", "items": {} } })), Err(FormSchemaError::Kind));
        assert_eq!(parse(&json!({ "a\u{200b}": { "type": "string" } })), Err(FormSchemaError::Name));
        let many: Map<String, Value> =
            (0..=MAX_INPUTS).map(|n| (n.to_string(), json!({ "type": "string" }))).collect();
        assert_eq!(parse(&Value::Object(many)), Err(FormSchemaError::TooLarge));
        assert_eq!(parse(&json!({ "a": { "type": "string", "enum": [] } })), Err(FormSchemaError::TooLarge));
    }
}
