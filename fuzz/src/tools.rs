use plexus_domain::sanitized_text::{has_invisible, is_invisible};
use plexus_runtime::mcp_client::{self, McpTool, ToolResult};
use serde_json::{Value, json};

const MAX_NAME_BYTES: usize = 128;
const MAX_DESCRIPTION_CHARS: usize = 1_000;
const MAX_SCHEMA_BYTES: usize = 16 << 10;
const MAX_RESULT_CHARS: usize = 16_000;
const MAX_IMAGES: usize = 4;

/// Fuzzes responses of an MCP server, as a tool list and as the result of a call. Parsing is idempotent: a
/// parsed value that is serialized and parsed again stays the same.
pub fn tools(data: &[u8]) {
    let Some(told) = mcp_client::parse_message(data) else { return };
    let listed = told["tools"].as_array().into_iter().flatten();
    for tool in listed.filter_map(|told| mcp_client::read_tool(told).ok()) {
        assert_tool(&tool);
        let McpTool { name, description, schema } = &tool;
        let again = json!({ "name": name, "description": description, "inputSchema": schema });
        assert_eq!(mcp_client::read_tool(&again).as_ref(), Ok(&tool));
    }
    if let Some(outcome) = read_outcome(&told) {
        let ToolResult { text, images, is_error } = &outcome;
        assert_text(text, MAX_RESULT_CHARS);
        assert!(images.len() <= MAX_IMAGES);
        let again = json!({ "content": [{ "type": "text", "text": text }], "isError": is_error });
        let again = read_outcome(&again).map(|again| ToolResult { images: images.clone(), ..again });
        assert_eq!(again.as_ref(), Some(&outcome));
    }
}

/// Reads a result in the form in which a message contains it.
fn read_outcome(told: &Value) -> Option<ToolResult> {
    let message = serde_json::to_vec(&json!({ "id": 1, "result": told })).ok()?;
    let message = mcp_client::parse_message(&message)?;
    let result = serde_json::from_value(message["result"].clone()).ok()?;
    Some(mcp_client::outcome(&result))
}

fn assert_tool(tool: &McpTool) {
    assert!((1..=MAX_NAME_BYTES).contains(&tool.name.len()), "{} bytes", tool.name.len());
    assert!(!tool.name.contains(|c: char| c.is_control() || is_invisible(c)), "{:?}", tool.name);
    assert_text(&tool.description, MAX_DESCRIPTION_CHARS);
    assert_eq!(tool.schema["type"], "object");
    assert!(tool.schema["properties"].is_object() && tool.schema.to_string().len() <= MAX_SCHEMA_BYTES);
}

fn assert_text(text: &str, most: usize) {
    assert!(text.chars().count() <= most, "{} characters", text.chars().count());
    assert!(!has_invisible(text), "{text:?}");
}
