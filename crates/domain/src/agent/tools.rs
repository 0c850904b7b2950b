//! Tools that a model may use besides its words.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An MCP server that an owner attached to an agent.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSource {
    #[serde(flatten)]
    pub place: ToolPlace,
    /// Whether each call of its tools waits for the person's leave.
    #[serde(default)]
    pub asks: bool,
}

#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolPlace {
    /// The address of a server elsewhere, over streamable HTTP.
    Url(String),
    /// The name of one of the programs that the operator lists.
    Program(String),
}

impl fmt::Display for ToolPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(place) | Self::Program(place) => f.write_str(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_source_is_an_address_or_a_name() {
        let source = |place, asks| ToolSource { place, asks };
        for (json, source) in [
            (
                json!({ "url": "https://a.example/mcp", "asks": true }),
                source(ToolPlace::Url("https://a.example/mcp".into()), true),
            ),
            (json!({ "program": "files", "asks": false }), source(ToolPlace::Program("files".into()), false)),
        ] {
            assert_eq!(serde_json::from_value::<ToolSource>(json.clone()).unwrap(), source);
            assert_eq!(serde_json::to_value(source).unwrap(), json);
        }
        assert!(serde_json::from_value::<ToolSource>(json!({ "asks": true })).is_err());
    }
}
