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
    // The alias is the name in agent versions and drafts stored before 0.1.
    #[serde(default, alias = "asks")]
    pub require_approval: bool,
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
        let source = |place, require_approval| ToolSource { place, require_approval };
        for (json, source) in [
            (
                json!({ "url": "https://a.example/mcp", "require_approval": true }),
                source(ToolServerLocation::Url("https://a.example/mcp".into()), true),
            ),
            (
                json!({ "program": "files", "require_approval": false }),
                source(ToolServerLocation::Program("files".into()), false),
            ),
        ] {
            assert_eq!(serde_json::from_value::<ToolSource>(json.clone()).unwrap(), source);
            assert_eq!(serde_json::to_value(source).unwrap(), json);
        }
        assert!(serde_json::from_value::<ToolSource>(json!({ "require_approval": true })).is_err());
        let stored = json!({ "program": "files", "asks": true });
        let read: ToolSource = serde_json::from_value(stored).unwrap();
        assert_eq!(read, source(ToolServerLocation::Program("files".into()), true), "stored before 0.1");
    }
}
