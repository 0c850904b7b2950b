//! JavaScript that is inlined into every page. Scripts that can be separate files are in `public/site.js`.

use std::sync::LazyLock;

/// Module script: the drafts of text fields, then the loader of everything else.
///
/// Comments and indentation are removed, since each page repeats it.
pub static INLINE: LazyLock<String> =
    LazyLock::new(|| compact(concat!(include_str!("script/drafts.js"), include_str!("script/loader.js"))));

/// Removes indentation, empty lines, and lines that are entirely a comment.
fn compact(script: &str) -> String {
    let lines = script.lines().map(str::trim);
    let code = lines.filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("/**"));
    code.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_dropped_and_code_is_kept() {
        assert_eq!(
            compact("// why\nlet a = 1; // one\n\n  /** what */\n  let b = \"//\";\n"),
            "let a = 1; // one\nlet b = \"//\";"
        );
    }

    #[test]
    fn nothing_ends_the_script_element_early() {
        assert!(!INLINE.to_ascii_lowercase().contains("</script") && !INLINE.contains("<!--"));
        assert!(INLINE.len() < 5_000, "{} bytes on each page", INLINE.len());
    }
}
