//! Tool sources: the MCP servers whose tools a model may call.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An MCP server attached to an agent by its owner.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSource {
    #[serde(flatten)]
    pub place: ToolServerLocation,
    /// True if each tool call requires the user's approval.
    #[serde(default)]
    pub asks: bool,
}

/// Where a tool server is found.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolServerLocation {
    /// URL of a remote MCP server (streamable HTTP transport).
    Url(String),
    /// Name of an operator-configured program.
    Program(String),
}

impl fmt::Display for ToolServerLocation {
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
                source(ToolServerLocation::Url("https://a.example/mcp".into()), true),
            ),
            (
                json!({ "program": "files", "asks": false }),
                source(ToolServerLocation::Program("files".into()), false),
            ),
        ] {
            assert_eq!(serde_json::from_value::<ToolSource>(json.clone()).unwrap(), source);
            assert_eq!(serde_json::to_value(source).unwrap(), json);
        }
        assert!(serde_json::from_value::<ToolSource>(json!({ "asks": true })).is_err());
    }
}
