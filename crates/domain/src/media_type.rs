//! Media types of files, and the types that an agent's card lists.

/// Returns a media type without its parameters, in lower case.
pub fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns whether it is a type and a subtype of token characters (RFC 9110, section 8.3.1).
pub fn is_valid(essence: &str) -> bool {
    let is_token = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    essence.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

/// Returns whether a mode of a card covers a media type. `text/plain` covers every text type.
pub fn is_covered(mode: &str, given: &str) -> bool {
    let (mode, given) = (essence(mode), essence(given));
    let kind = match mode.as_str() {
        "*" | "*/*" => return true,
        "text" | "text/plain" => "text",
        mode => mode.strip_suffix("/*").unwrap_or_default(),
    };
    mode == given || given.split_once('/').is_some_and(|(given, _)| given == kind)
}

/// Types outside of `text/` whose content is text.
const TEXT: [&str; 5] = [
    "application/json",
    "application/xml",
    "application/javascript",
    "application/yaml",
    "application/x-yaml",
];

/// Returns whether files of this media type are text.
pub fn is_text(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence.starts_with("text/")
        || TEXT.contains(&essence.as_str())
        || essence.ends_with("+json")
        || essence.ends_with("+xml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_covers_what_it_names() {
        for (mode, given) in [
            ("text/plain", "text/plain; charset=utf-8"),
            ("text", "text/markdown"),
            ("text/plain", "text/csv"),
            ("image/*", "IMAGE/png"),
            ("*/*", "application/x-anything"),
            ("application/json", "application/json"),
        ] {
            assert!(is_covered(mode, given), "{mode} {given}");
        }
        for (mode, given) in [
            ("text/plain", "application/json"),
            ("image/png", "image/jpeg"),
            ("image/*", "imagery/png"),
            ("", "a"),
        ] {
            assert!(!is_covered(mode, given), "{mode} {given}");
        }
    }

    #[test]
    fn only_text_is_text() {
        for (media_type, expected) in
            [("Text/CSV; x=y", true), ("image/svg+xml", true), ("application/pdf", false), ("", false)]
        {
            assert_eq!(is_text(media_type), expected, "{media_type}");
        }
    }
}
