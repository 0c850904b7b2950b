//! JSON-RPC errors of other programs in words.

use serde_json::Value;

use crate::outbound::quote_foreign_text;

/// Members of an error's data that hold its details.
const DETAILS: [&str; 5] = ["details", "detail", "message", "error", "reason"];

/// Returns the text of an error with the details in its data, without a full stop at the end.
pub(crate) fn error_text(message: &str, data: Option<&Value>) -> String {
    let message = quote_foreign_text(message);
    let details = data.and_then(details).map(|details| quote_foreign_text(&details));
    let details = details.filter(|details| !details.is_empty() && !message.contains(details.as_str()));
    let said = match (message.trim_end_matches(['.', ':', ' ']), details) {
        ("", None) => "no reason".to_owned(),
        ("", Some(details)) => details,
        (message, None) => message.to_owned(),
        (message, Some(details)) => format!("{message}: {details}"),
    };
    said.trim_end_matches('.').to_owned()
}

/// Returns the text in the data: itself, one of its members, or those of its items. Other data is shown as JSON.
fn details(data: &Value) -> Option<String> {
    match data {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Object(members) => {
            let told = DETAILS.iter().find_map(|name| details(members.get(*name)?));
            told.or_else(|| (!members.is_empty()).then(|| data.to_string()))
        }
        Value::Array(items) => {
            let told: Vec<String> = items.iter().filter_map(details).collect();
            (!told.is_empty()).then(|| told.join("; "))
        }
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn details_follow_the_message() {
        for (message, data, expected) in [
            ("Internal error", json!({ "details": "Exit code 1" }), "Internal error: Exit code 1"),
            ("Internal error.", json!("Exit code 1."), "Internal error: Exit code 1"),
            ("Internal error", json!({ "error": { "message": "No key" } }), "Internal error: No key"),
            ("Internal error", json!([{ "details": "a" }, "b"]), "Internal error: a; b"),
            ("Internal error", json!({ "code": 7 }), "Internal error: {\"code\":7}"),
            ("No key", json!({ "details": "No key" }), "No key"),
            ("No key", Value::Null, "No key"),
            ("", json!({}), "no reason"),
            ("", json!("why"), "why"),
            ("Bad\nline", json!("two\nlines"), "Bad line: two lines"),
        ] {
            assert_eq!(error_text(message, Some(&data)), expected, "{data}");
        }
        assert_eq!(error_text("No key", None), "No key");
    }
}
