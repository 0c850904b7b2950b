//! Syntax highlighting: wraps tokens in `span`s with classes. The page's style sheet defines the colours.

use std::{
    fmt::{self, Write},
    sync::LazyLock,
};

use comrak::html::escape;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// Maximum size of a code block in bytes; longer blocks are not highlighted.
const MAX_CODE: usize = 64 * 1024;
/// Maximum length of a highlighted line in bytes.
///
/// Longer lines are generated text (minified scripts, base64). The parser cannot be interrupted within a line
/// and takes quadratic time for some of them.
const MAX_LINE: usize = 500;

/// Maximum number of open scopes at the start of a line: each one adds cost to every token.
const MAX_SCOPES: usize = 200;

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);
static RULES: LazyLock<Vec<(Scope, Option<&'static str>)>> = LazyLock::new(rules);

/// Rules by scope prefix; the first match decides and `None` means no colour. Scopes without a rule inherit.
const SCOPES: [(&str, Option<&str>); 33] = [
    ("meta.interpolation", None),
    ("meta.template.expression", None),
    ("meta.embedded", None),
    ("source.embedded", None),
    ("comment", Some("hl-c")),
    ("meta.diff.header", Some("hl-c")),
    ("constant", Some("hl-n")),
    ("string", Some("hl-s")),
    ("keyword.operator.word", Some("hl-k")),
    ("keyword.operator.logical.python", Some("hl-k")),
    ("keyword.operator", None),
    ("keyword", Some("hl-k")),
    ("storage.type.numeric", Some("hl-n")),
    ("storage", Some("hl-k")),
    ("variable.language", Some("hl-k")),
    ("variable.function", Some("hl-f")),
    ("variable.parameter", Some("hl-v")),
    ("variable.other.constant", Some("hl-n")),
    ("variable.other.member", Some("hl-v")),
    ("variable.other.readwrite.assignment", Some("hl-v")),
    ("support.function", Some("hl-f")),
    ("support.macro", Some("hl-f")),
    ("support.constant", Some("hl-n")),
    ("support", Some("hl-t")),
    ("entity.name.function", Some("hl-f")),
    ("entity.name.macro", Some("hl-f")),
    ("entity.other.attribute-name", Some("hl-v")),
    ("entity.other.inherited-class", Some("hl-t")),
    ("entity.name", Some("hl-t")),
    ("markup.heading", Some("hl-k")),
    ("markup.raw", Some("hl-s")),
    ("markup.inserted", Some("hl-i")),
    ("markup.deleted", Some("hl-d")),
];

/// Loads the syntaxes. Slow on the first call.
pub fn prepare() {
    LazyLock::force(&SYNTAXES);
    LazyLock::force(&RULES);
}

/// Writes `code` escaped, with `span`s if the language is known and the code is not too large.
///
/// `is_up` is polled before each line. Once it returns true, the rest is written without `span`s.
pub fn write(out: &mut dyn Write, language: &str, code: &str, is_up: &dyn Fn() -> bool) -> fmt::Result {
    match syntax(language, code) {
        Some(syntax) => write_marked(out, syntax, code, is_up),
        None => escape(out, code),
    }
}

fn syntax(language: &str, code: &str) -> Option<&'static SyntaxReference> {
    let named = code.len() <= MAX_CODE && !language.is_empty();
    named.then(|| SYNTAXES.find_syntax_by_token(alias(language))).flatten()
}

/// Maps common language names that the syntax set does not know.
fn alias(language: &str) -> &str {
    match language {
        "shell" | "console" | "shell-session" | "zsh" => "bash",
        "jsonc" | "json5" | "jsonl" => "json",
        "golang" => "go",
        "c#" | "csharp" => "cs",
        "jsx" => "js",
        "mjs" | "cjs" => "js",
        other => other,
    }
}

fn write_marked(
    out: &mut dyn Write,
    syntax: &SyntaxReference,
    code: &str,
    is_up: &dyn Fn() -> bool,
) -> fmt::Result {
    let mut state = ParseState::new(syntax);
    let mut marks = SpanWriter { out, stack: ScopeStack::new(), class: None };
    let mut rest = code;
    while !rest.is_empty() {
        if is_up() || marks.stack.len() > MAX_SCOPES {
            marks.turn_to(None)?;
            return escape(marks.out, rest);
        }
        let line;
        (line, rest) = rest.split_at(rest.find('\n').map_or(rest.len(), |at| at + 1));
        let steps = (line.len() <= MAX_LINE).then(|| state.parse_line(line, &SYNTAXES));
        let Some(Ok(steps)) = steps else {
            marks.turn_to(None)?;
            escape(marks.out, line)?;
            continue;
        };
        let mut at = 0;
        for (next, step) in steps {
            marks.text(&line[at..next])?;
            at = next;
            // A syntax that pops more than it pushed loses colours, not text.
            if marks.stack.apply(&step).is_err() {
                marks.stack = ScopeStack::new();
            }
        }
        marks.text(&line[at..])?;
    }
    marks.turn_to(None)
}

/// Writes text, opening and closing spans when the class changes.
struct SpanWriter<'o> {
    out: &'o mut dyn Write,
    stack: ScopeStack,
    class: Option<&'static str>,
}

impl SpanWriter<'_> {
    fn text(&mut self, text: &str) -> fmt::Result {
        if text.is_empty() {
            return Ok(());
        }
        if !text.trim().is_empty() {
            self.turn_to(class_of(&self.stack))?;
        }
        escape(self.out, text)
    }

    fn turn_to(&mut self, class: Option<&'static str>) -> fmt::Result {
        if class == self.class {
            return Ok(());
        }
        if self.class.is_some() {
            self.out.write_str("</span>")?;
        }
        self.class = class;
        class.map_or(Ok(()), |class| write!(self.out, "<span class=\"{class}\">"))
    }
}

fn class_of(stack: &ScopeStack) -> Option<&'static str> {
    let rule = |scope: &Scope| RULES.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
    stack.as_slice().iter().rev().find_map(rule).and_then(|(_, class)| *class)
}

fn rules() -> Vec<(Scope, Option<&'static str>)> {
    SCOPES.into_iter().filter_map(|(name, class)| Some((Scope::new(name).ok()?, class))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(language: &str, code: &str) -> String {
        let mut html = String::new();
        write(&mut html, language, code, &|| false).unwrap();
        html
    }

    #[test]
    fn words_are_marked_by_what_they_are() {
        let html = marked("rust", "/// Adds.\npub fn add(a: u32) -> u32 { a + 1 } // \"x\"\n");
        for part in [
            "<span class=\"hl-c\">/// Adds.",
            "<span class=\"hl-k\">pub",
            "<span class=\"hl-f\">add</span>",
            "<span class=\"hl-n\">1",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(marked("python", "s = 'a<b'").contains("<span class=\"hl-s\">'a&lt;b'</span>"));
        assert!(marked("diff", "-a\n+b\n").contains("hl-d"));
        assert!(marked("html", "<p class=x>").contains("<span class=\"hl-t\">p"));
    }

    #[test]
    fn the_common_languages_are_known() {
        for name in [
            "rust",
            "rs",
            "python",
            "py",
            "js",
            "javascript",
            "ts",
            "typescript",
            "tsx",
            "jsx",
            "json",
            "yaml",
            "toml",
            "bash",
            "sh",
            "shell",
            "console",
            "sql",
            "go",
            "java",
            "kotlin",
            "swift",
            "c",
            "cpp",
            "c++",
            "csharp",
            "c#",
            "ruby",
            "php",
            "html",
            "css",
            "scss",
            "xml",
            "diff",
            "dockerfile",
            "makefile",
            "markdown",
            "lua",
            "r",
            "haskell",
            "elixir",
            "zig",
            "nix",
            "terraform",
            "graphql",
            "proto",
            "ini",
        ] {
            assert!(syntax(name, "").is_some(), "{name}");
        }
    }

    #[test]
    fn what_is_unknown_or_too_large_is_only_escaped() {
        assert_eq!(marked("no-such-language", "a < b"), "a &lt; b");
        assert_eq!(marked("", "a < b"), "a &lt; b");
        let long = "1+".repeat(MAX_LINE);
        assert_eq!(marked("python", &long), long);
        let large = "x = 1\n".repeat(MAX_CODE / 6 + 1);
        assert_eq!(marked("python", &large), large);
    }
    #[test]
    fn what_is_left_when_time_is_up_has_no_colours() {
        let lines = std::cell::Cell::new(0);
        let is_up = || lines.replace(lines.get() + 1) == 1;
        let mut html = String::new();
        write(&mut html, "json", "1\n2<\n3\n", &is_up).unwrap();
        assert_eq!(html, "<span class=\"hl-n\">1\n</span>2&lt;\n3\n");
    }
}
