use plexus_domain::sanitized_text::{has_invisible, is_invisible};
use plexus_runtime::mcp_client::{self, McpTool, ToolResult};
use serde_json::{Value, json};

const MAX_NAME_BYTES: usize = 128;
const MAX_DESCRIPTION_CHARS: usize = 1_000;
const MAX_SCHEMA_BYTES: usize = 16 << 10;
const MAX_RESULT_CHARS: usize = 16_000;

/// Fuzzes responses of an MCP server, as a tool list and as the result of a call. Parsing is idempotent: a
/// parsed value that is serialized and parsed again stays the same.
pub fn tools(data: &[u8]) {
    let Ok(told) = serde_json::from_slice::<Value>(data) else { return };
    let listed = told["tools"].as_array().into_iter().flatten();
    for tool in listed.filter_map(|told| read_tool(told.clone())) {
        assert_tool(&tool);
        let McpTool { name, description, schema } = &tool;
        let again = json!({ "name": name, "description": description, "inputSchema": schema });
        assert_eq!(read_tool(again).as_ref(), Some(&tool));
    }
    if let Some(outcome) = read_outcome(told) {
        let ToolResult { text, is_error } = &outcome;
        assert_text(text, MAX_RESULT_CHARS);
        let again = json!({ "content": [{ "type": "text", "text": text }], "isError": is_error });
        assert_eq!(read_outcome(again).as_ref(), Some(&outcome));
    }
}

fn read_tool(told: Value) -> Option<McpTool> {
    mcp_client::tool(serde_json::from_value(told).ok()?)
}

fn read_outcome(told: Value) -> Option<ToolResult> {
    let result = serde_json::from_value(told).ok()?;
    Some(mcp_client::outcome(&result))
}

fn assert_tool(tool: &McpTool) {
    assert!((1..=MAX_NAME_BYTES).contains(&tool.name.len()), "{} bytes", tool.name.len());
    assert!(!tool.name.contains(|c: char| c.is_control() || is_invisible(c)), "{:?}", tool.name);
    assert_text(&tool.description, MAX_DESCRIPTION_CHARS);
    assert!(tool.schema.is_object() && tool.schema.to_string().len() <= MAX_SCHEMA_BYTES, "{}", tool.schema);
}

fn assert_text(text: &str, most: usize) {
    assert!(text.chars().count() <= most, "{} characters", text.chars().count());
    assert!(!has_invisible(text), "{text:?}");
}
