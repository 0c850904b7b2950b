//! Tools that the caller runs and names by their type, without a schema: models of this API know them. The hub describes
//! them for other models.

use plexus_domain::call_options::FunctionTool;
use serde_json::{Value, json};

/// Returns the function for a tool of a known type, or `None` for a tool that runs elsewhere. Types end with the date of
/// their version.
pub fn client_tool(kind: &str, name: &Value) -> Option<FunctionTool> {
    let (kind, _version) = kind.rsplit_once('_')?;
    let (description, parameters) = match kind {
        "bash" => (
            "Runs a command in a shell that keeps its state between calls. Set restart to begin with a new shell.",
            json!({ "type": "object", "properties": {
                "command": { "type": "string" }, "restart": { "type": "boolean" } } }),
        ),
        "text_editor" => (
            "Views and edits files. view shows a file or folder; create writes file_text as a whole file; str_replace \
             replaces old_str, which occurs once, by new_str; insert adds insert_text after line insert_line.",
            json!({ "type": "object", "required": ["command", "path"], "properties": {
                "command": { "type": "string", "enum": ["view", "create", "str_replace", "insert"] },
                "path": { "type": "string" }, "file_text": { "type": "string" }, "old_str": { "type": "string" },
                "new_str": { "type": "string" }, "insert_line": { "type": "integer" },
                "insert_text": { "type": "string" },
                "view_range": { "type": "array", "items": { "type": "integer" } } } }),
        ),
        "memory" => (
            "Keeps notes as files below /memories. view shows a file or folder; create writes file_text; str_replace \
             replaces old_str by new_str; insert adds insert_text at line insert_line; delete removes path; rename \
             moves old_path to new_path.",
            json!({ "type": "object", "required": ["command"], "properties": {
                "command": { "type": "string",
                             "enum": ["view", "create", "str_replace", "insert", "delete", "rename"] },
                "path": { "type": "string" }, "file_text": { "type": "string" }, "old_str": { "type": "string" },
                "new_str": { "type": "string" }, "insert_line": { "type": "integer" },
                "insert_text": { "type": "string" }, "old_path": { "type": "string" },
                "new_path": { "type": "string" },
                "view_range": { "type": "array", "items": { "type": "integer" } } } }),
        ),
        _ => return None,
    };
    Some(FunctionTool {
        name: name.as_str()?.to_owned(),
        description: Some(description.to_owned()),
        parameters: Some(parameters),
        strict: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_of_the_caller_are_known_by_their_type_in_any_version() {
        for (kind, is_known) in [
            ("bash_20241022", true),
            ("bash_20250124", true),
            ("text_editor_20250728", true),
            ("memory_20250818", true),
            ("web_search_20250305", false),
            ("computer_20250124", false),
            ("code_execution_20250825", false),
            ("mcp_toolset", false),
            ("bash", false),
        ] {
            assert_eq!(client_tool(kind, &json!("tool")).is_some(), is_known, "{kind}");
        }
        assert!(client_tool("bash_20250124", &Value::Null).is_none());
    }
}
