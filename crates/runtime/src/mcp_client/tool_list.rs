//! Tool list of a server, read tool by tool: a tool that cannot be used is left out and named.

use std::collections::HashSet;

use plexus_domain::sanitized_text::{ellipsize, is_invisible, multi_line, one_line};
use serde_json::Value;

use super::input_schema;

const MAX_NAME: usize = 128;
const MAX_DESCRIPTION_CHARS: usize = 1_000;
/// Maximum characters of the name of a tool that was left out, as shown to people.
const MAX_SHOWN_NAME: usize = 64;
/// Maximum tools of a server. Further ones are not offered.
pub(super) const MAX_TOOLS: usize = 64;
/// Maximum tools of a list that are read.
const MAX_READ: usize = 2_000;
/// Maximum tools that are named as left out. Further ones are left out without a word.
const MAX_NAMED: usize = 100;

/// Tool description from a server, within size limits.
#[derive(Clone, Debug, PartialEq)]
pub struct McpTool {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments, in the subset that model servers accept.
    pub schema: Value,
}

/// Tool of a server that is not offered to models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmittedTool {
    /// Name for people, or its place in the list if it has no usable name.
    pub name: String,
    /// Rest of a sentence about the tool.
    pub reason: String,
}

/// Tools of a server, and those that cannot be used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolList {
    pub tools: Vec<McpTool>,
    pub omitted: Vec<OmittedTool>,
    names: HashSet<String>,
    read: usize,
}

impl ToolList {
    /// Adds a page of the list. Returns false if no more of the list is read.
    pub(super) fn add_page(&mut self, page: &Value) -> bool {
        for tool in page["tools"].as_array().into_iter().flatten() {
            self.read += 1;
            if self.read > MAX_READ {
                return false;
            }
            match read_tool(tool).and_then(|tool| self.check_free(tool)) {
                Ok(tool) => self.tools.push(tool),
                Err(reason) => self.omit(tool, reason),
            }
        }
        true
    }

    fn check_free(&mut self, tool: McpTool) -> Result<McpTool, String> {
        if self.names.contains(&tool.name) {
            return Err("another tool of the server has the same name".to_owned());
        }
        if self.tools.len() == MAX_TOOLS {
            return Err(format!("only the first {MAX_TOOLS} tools of a server are offered"));
        }
        self.names.insert(tool.name.clone());
        Ok(tool)
    }

    /// Notes that further pages could not be read.
    pub(super) fn omit_rest(&mut self, failure: &str) {
        let reason = format!("it could not be read: {failure}");
        self.omitted.push(OmittedTool { name: "the rest of the list".to_owned(), reason });
    }

    fn omit(&mut self, tool: &Value, reason: String) {
        if self.omitted.len() < MAX_NAMED {
            let name = one_line(tool["name"].as_str().unwrap_or_default());
            let name = ellipsize(name.trim(), MAX_SHOWN_NAME);
            let name = if name.is_empty() { format!("number {}", self.read) } else { name };
            self.omitted.push(OmittedTool { name, reason });
        }
    }
}

/// Reads the description of one tool. Members that are not used may have any form.
///
/// A name with invisible characters is refused: an approver could mistake it for another tool.
pub fn read_tool(tool: &Value) -> Result<McpTool, String> {
    if !tool.is_object() {
        return Err("it is not a JSON object".to_owned());
    }
    let name = tool["name"].as_str().filter(|name| !name.trim().is_empty());
    let name = name.ok_or("it has no name")?.to_owned();
    if name.contains(|c: char| c.is_control() || is_invisible(c)) {
        return Err("its name has invisible characters".to_owned());
    }
    if name.len() > MAX_NAME {
        return Err(format!("its name is longer than {MAX_NAME} bytes"));
    }
    let schema = input_schema::for_models(tool.get("inputSchema"))?;
    let titled = [&tool["description"], &tool["title"], &tool["annotations"]["title"]];
    let description = titled.into_iter().find_map(Value::as_str).unwrap_or_default();
    let description = ellipsize(&multi_line(description), MAX_DESCRIPTION_CHARS);
    Ok(McpTool { name, description, schema })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_whose_name_shows_as_another_is_not_offered() {
        let read = |name: &str| read_tool(&json!({ "name": name, "inputSchema": { "type": "object" } }));
        assert_eq!(read("forecast").unwrap().name, "forecast");
        for name in ["", " ", "fore\u{202e}cast", "fore\u{200b}cast", "fore\ncast"] {
            assert!(read(name).is_err(), "{name:?}");
        }
        assert!(read(&"f".repeat(MAX_NAME)).is_ok());
        assert!(read(&"f".repeat(MAX_NAME + 1)).is_err());
    }

    #[test]
    fn each_bad_tool_is_named_and_the_others_are_kept() {
        let good = json!({ "name": "good", "inputSchema": { "type": "object" }, "description": 7,
            "outputSchema": "x", "annotations": [1], "icons": {}, "_meta": 3, "execution": null, "title": "Good" });
        let page = json!({ "tools": [
            good, good, 5, null, { "inputSchema": { "type": "object" } }, { "name": "no schema" },
            { "name": "null", "inputSchema": null }, { "name": "text", "inputSchema": { "type": "string" } },
            { "name": "list", "inputSchema": [] }, { "name": 8, "inputSchema": {} },
        ] });
        let mut list = ToolList::default();
        assert!(list.add_page(&page));
        let kept: Vec<_> = list.tools.iter().map(|tool| (&*tool.name, &*tool.description)).collect();
        assert_eq!(kept, [("good", "Good")]);
        let names: Vec<_> = list.omitted.iter().map(|tool| tool.name.as_str()).collect();
        let expected =
            ["good", "number 3", "number 4", "number 5", "no schema", "null", "text", "list", "number 10"];
        assert_eq!(names, expected);
        assert_eq!(list.omitted[0].reason, "another tool of the server has the same name");
    }

    #[test]
    fn a_list_ends() {
        let tool =
            |number: usize| json!({ "name": format!("t{number}"), "inputSchema": { "type": "object" } });
        let mut list = ToolList::default();
        let page = json!({ "tools": (0..MAX_READ + 1).map(tool).collect::<Vec<_>>() });
        assert!(!list.add_page(&page));
        assert_eq!((list.tools.len(), list.omitted.len()), (MAX_TOOLS, MAX_NAMED));
        assert!(list.omitted[0].reason.contains("first 64"));
    }
}
