//! Options of one call: tools of the caller, and the format and the limits of the answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ForwardedAttributes;

/// Options that a program sets for one call. They are stored with its run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallOptions {
    /// Functions that the caller executes. A call of one ends the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<FunctionTool>,
    #[serde(skip_serializing_if = "ToolChoice::is_auto")]
    pub tool_choice: ToolChoice,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "AnswerFormat::is_text")]
    pub format: AnswerFormat,
    /// The answer ends before the first of these texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Instructions of the caller for this call, for models only. They follow those of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// System messages of the caller's conversation (roles `system` and `developer`), for models only. They follow the
    /// instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    #[serde(skip_serializing_if = "SamplingOptions::is_default")]
    pub sampling: SamplingOptions,
    /// What an A2A caller sends along for the agent; only A2A agents get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forwarded: Option<Box<ForwardedAttributes>>,
}

/// How a model chooses its words in one call. A value precedes that of the agent's owner; `None` leaves it to the owner
/// and the model's server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SamplingOptions {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// A word of the model's server, such as `low`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
}

impl SamplingOptions {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Function that a model may call and the caller executes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionTool {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the arguments; none for a function without arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strict: Option<bool>,
}

/// Whether the model has to call a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    #[default]
    Auto,
    /// The tools of the caller are not called.
    None,
    Required,
    /// The function of this name is called.
    Function(String),
}

/// Format of an answer's text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerFormat {
    #[default]
    Text,
    JsonObject,
    JsonSchema {
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        schema: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        strict: Option<bool>,
    },
}

impl CallOptions {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the tools of the caller that the model may call.
    pub fn callable_tools(&self) -> &[FunctionTool] {
        if self.tool_choice == ToolChoice::None { &[] } else { &self.tools }
    }
}

impl ToolChoice {
    pub fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

impl AnswerFormat {
    pub fn is_text(&self) -> bool {
        *self == Self::Text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_survive_the_store() {
        let schema = AnswerFormat::JsonSchema {
            name: "city".to_owned(),
            description: None,
            schema: json!({ "type": "object" }),
            strict: Some(true),
        };
        let tool =
            FunctionTool { name: "weather".to_owned(), description: None, parameters: None, strict: None };
        let options = CallOptions {
            tools: vec![tool],
            tool_choice: ToolChoice::Function("weather".to_owned()),
            parallel_tool_calls: Some(false),
            format: schema,
            stop: vec!["END".to_owned()],
            max_tokens: Some(5),
            instructions: Some("Be brief.".to_owned()),
            system: Some("Answer in German.".to_owned()),
            sampling: SamplingOptions {
                temperature: Some(0.25),
                seed: Some(-7),
                ..SamplingOptions::default()
            },
            forwarded: None,
        };
        let stored = serde_json::to_string(&options).unwrap();
        assert_eq!(serde_json::from_str::<CallOptions>(&stored).unwrap(), options);
        assert_eq!(serde_json::to_string(&CallOptions::default()).unwrap(), "{}");
    }

    #[test]
    fn tools_that_the_caller_forbids_are_not_callable() {
        let tool =
            FunctionTool { name: "weather".to_owned(), description: None, parameters: None, strict: None };
        let mut options = CallOptions { tools: vec![tool], ..CallOptions::default() };
        assert_eq!(options.callable_tools().len(), 1);
        options.tool_choice = ToolChoice::None;
        assert!(options.callable_tools().is_empty());
    }
}
