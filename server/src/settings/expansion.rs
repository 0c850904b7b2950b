//! Expands `${NAME}` in configuration files to the value of an environment variable, and `$${` to `${`.
//!
//! Only files are expanded: shells and service managers expand variables and flags themselves. An unknown variable is an
//! error, because an empty key or address would be used silently.

use super::SettingErrors;

/// Expands all strings of a value. `path` is the setting, for errors; they name variables, but show no values.
pub fn expand(
    path: &str,
    value: toml::Value,
    variable: &impl Fn(&str) -> Option<String>,
    errors: &mut SettingErrors,
) -> toml::Value {
    match value {
        toml::Value::String(text) => toml::Value::String(text_of(path, &text, variable, errors)),
        toml::Value::Array(items) => {
            toml::Value::Array(items.into_iter().map(|item| expand(path, item, variable, errors)).collect())
        }
        toml::Value::Table(members) => {
            let member = |(key, value): (String, toml::Value)| {
                let value = expand(&format!("{path}.{key}"), value, variable, errors);
                (key, value)
            };
            toml::Value::Table(members.into_iter().map(member).collect())
        }
        other => other,
    }
}

fn text_of(
    path: &str,
    text: &str,
    variable: &impl Fn(&str) -> Option<String>,
    errors: &mut SettingErrors,
) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        if let Some(before) = before.strip_suffix('$') {
            expanded.extend([before, "${"]);
            rest = after;
            continue;
        }
        expanded.push_str(before);
        // Without the closing brace, there is no name: "${KEY" is a mistake, even if KEY is set.
        let (name, behind) = after.split_once('}').unwrap_or_default();
        match (is_name(name), variable(name)) {
            (true, Some(value)) => expanded.push_str(&value),
            (true, None) => errors.add(format!(
                "{path} refers to the environment variable {name}, which is not set; set it, or write $${{{name}}} for \
                 these characters themselves"
            )),
            (false, _) => errors.add(format!(
                "{path} has \"${{\" without the name of an environment variable, as in ${{NAME}}; write $${{ for these \
                 characters themselves"
            )),
        }
        rest = behind;
    }
    expanded.push_str(rest);
    expanded
}

fn is_name(text: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(is_start) && text.chars().all(|c| is_start(c) || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<String, String> {
        let variable = |name: &str| match name {
            "KEY" => Some("sk-1".to_owned()),
            "_EMPTY2" => Some(String::new()),
            "NESTED" => Some("${KEY}".to_owned()),
            _ => None,
        };
        let mut errors = SettingErrors::default();
        let text = text_of("llm_api_key", text, &variable, &mut errors);
        errors.finish().map(|()| text).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn variables_are_expanded_once_and_escapes_are_kept() {
        for (text, value) in [
            ("${KEY}", "sk-1"),
            ("Bearer ${KEY}, ${KEY}!", "Bearer sk-1, sk-1!"),
            ("a${_EMPTY2}b", "ab"),
            ("$${KEY} $$${KEY}", "${KEY} $${KEY}"),
            ("${NESTED}", "${KEY}"),
            ("$KEY $5 $(x) {KEY} 5$", "$KEY $5 $(x) {KEY} 5$"),
            ("日本${KEY}語", "日本sk-1語"),
            ("", ""),
        ] {
            assert_eq!(expanded(text).as_deref(), Ok(value), "{text}");
        }
    }

    #[test]
    fn mistakes_name_the_setting_and_the_variable() {
        let error = expanded("${KEY} and ${MISSING}").unwrap_err();
        assert!(
            error.contains("llm_api_key") && error.contains("MISSING") && !error.contains("sk-1"),
            "{error}"
        );
        for text in ["${", "${KEY", "${}", "${a b}", "${KEY:-x}", "${1A}"] {
            assert!(expanded(text).unwrap_err().contains("without the name"), "{text}");
        }
    }
}
