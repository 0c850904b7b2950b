//! Converts tool descriptions and results of MCP servers to bounded, readable text.

use plexus_domain::sanitized_text::{ellipsize, is_invisible, multi_line};
use rmcp::model::{self, CallToolResult, ContentBlock};
use serde_json::Value;

use super::{McpTool, ToolResult};

const MAX_NAME: usize = 128;
const MAX_DESCRIPTION_CHARS: usize = 1_000;
const MAX_SCHEMA_BYTES: usize = 16 << 10;
/// Maximum characters of a tool result that a model receives.
const MAX_RESULT_CHARS: usize = 16_000;

/// Validates a tool description. Returns `None` for a tool that exceeds the limits, or whose name has
/// invisible characters: an approver could mistake it for another tool.
pub fn tool(told: model::Tool) -> Option<McpTool> {
    let schema = Value::Object((*told.input_schema).clone());
    let is_plain = !told.name.contains(|c: char| c.is_control() || is_invisible(c));
    let fits = (1..=MAX_NAME).contains(&told.name.len()) && schema.to_string().len() <= MAX_SCHEMA_BYTES;
    let description = multi_line(told.description.as_deref().unwrap_or_default());
    let description = ellipsize(&description, MAX_DESCRIPTION_CHARS);
    (is_plain && fits).then(|| McpTool { name: told.name.into_owned(), description, schema })
}

pub fn outcome(told: &CallToolResult) -> ToolResult {
    let said: Vec<String> = told.content.iter().map(words).collect();
    let text = match (&told.structured_content, said.is_empty()) {
        (Some(value), true) => value.to_string(),
        _ => said.join("\n\n"),
    };
    let text = ellipsize(&multi_line(&text), MAX_RESULT_CHARS);
    ToolResult { text, is_error: told.is_error == Some(true) }
}

/// Returns the text of a content block, or a placeholder if a model cannot read it.
fn words(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(_) => "[an image]".to_owned(),
        ContentBlock::Audio(_) => "[a recording]".to_owned(),
        ContentBlock::Resource(_) => "[a resource]".to_owned(),
        ContentBlock::ResourceLink(link) => format!("[link: {}]", link.uri),
        _ => "[something that is no text]".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_whose_name_shows_as_another_is_not_offered() {
        let told = |name: &str| {
            let told = json!({ "name": name, "inputSchema": { "type": "object" } });
            tool(serde_json::from_value(told).unwrap())
        };
        assert_eq!(told("forecast").unwrap().name, "forecast");
        for name in ["", "fore\u{202e}cast", "fore\u{200b}cast", "fore\ncast"] {
            assert_eq!(told(name), None, "{name:?}");
        }
        assert_eq!(told(&"f".repeat(MAX_NAME + 1)), None);
    }
}
