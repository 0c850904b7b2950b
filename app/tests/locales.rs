//! Compares the message catalogues with each other and with the sources that use them.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use plexus_app::{
    locales::{MESSAGES, SCRIPTS, sources},
    view_models::Locale,
};

/// Variables and elements of a message.
#[derive(Debug, Default, PartialEq, Eq)]
struct Parts {
    variables: BTreeSet<String>,
    elements: BTreeSet<String>,
}

/// A message: its file, and its text with all variants.
struct Message {
    file: &'static str,
    text: String,
}

/// Returns the messages of a language by key.
fn messages(locale: Locale) -> BTreeMap<&'static str, Message> {
    let mut messages = BTreeMap::new();
    for &(file, source) in sources(locale) {
        let mut key = None;
        for line in source.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if line.starts_with(|c: char| c.is_whitespace() || c == '}') {
                let at = key.unwrap_or_else(|| panic!("{file}: {line}"));
                let message: &mut Message = messages.get_mut(at).unwrap();
                message.text = format!("{}\n{line}", message.text);
                continue;
            }
            let (name, text) = line.split_once(" = ").unwrap_or_else(|| panic!("{locale:?} {file}: {line}"));
            key = Some(name);
            let double = messages.insert(name, Message { file, text: text.to_owned() });
            assert!(double.is_none(), "{locale:?}: {name} is defined twice");
        }
    }
    messages
}

fn words_after(text: &str, mark: char) -> BTreeSet<String> {
    let rest = text.split(mark).skip(1);
    rest.map(|rest| rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect::<String>())
        .filter(|word| !word.is_empty())
        .collect()
}

fn parts(text: &str) -> Parts {
    Parts { variables: words_after(text, '$'), elements: words_after(text, '<') }
}

#[test]
fn every_language_has_the_same_messages_with_the_same_parts() {
    let english = messages(Locale::En);
    for locale in Locale::ALL {
        let catalogue = messages(locale);
        for (key, message) in &english {
            let other = catalogue.get(key).unwrap_or_else(|| panic!("{locale:?} has no {key}"));
            assert_eq!(other.file, message.file, "{locale:?} {key}");
            assert!(!other.text.trim().is_empty(), "{locale:?} {key} is empty");
            let (expected, found) = (parts(&message.text), parts(&other.text));
            assert_eq!(found.elements, expected.elements, "{locale:?} {key}");
            let unknown: Vec<_> = found.variables.difference(&expected.variables).collect();
            assert!(unknown.is_empty(), "{locale:?} {key}: {unknown:?} is never given");
            // A language without plural forms may not need the number.
            for missing in expected.variables.difference(&found.variables) {
                assert!(message.text.contains(&format!("${missing} ->")), "{locale:?} {key} lacks {missing}");
            }
        }
        let extra: Vec<_> = catalogue.keys().filter(|key| !english.contains_key(*key)).collect();
        assert!(extra.is_empty(), "{locale:?} only: {extra:?}");
    }
}

#[test]
fn every_catalogue_can_be_parsed() {
    for locale in Locale::ALL {
        for &(file, source) in sources(locale) {
            let parsed = fluent_bundle::FluentResource::try_new(source.to_owned());
            let errors = parsed.err().map(|(_, errors)| errors);
            assert_eq!(errors, None, "{locale:?} {file}");
        }
    }
}

/// Returns the source files below a folder, as text.
fn rust_files(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            files.push((path, text));
        }
    }
}

fn files_below(folders: &[&str]) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    folders.iter().for_each(|folder| rust_files(&root.join(folder), &mut files));
    files
}

/// Returns the arguments of the macro call that begins in `rest`, without those of nested calls.
fn arguments(rest: &str) -> String {
    let (mut depth, mut own, mut is_string, mut previous) = (0, String::new(), false, ' ');
    for c in rest.chars() {
        match c {
            '"' if previous != '\\' => is_string = !is_string,
            '(' | '{' | '[' if !is_string => depth += 1,
            ')' | '}' | ']' if !is_string && depth == 0 => break,
            ')' | '}' | ']' if !is_string => depth -= 1,
            _ if depth == 0 => own.push(c),
            _ => {}
        }
        previous = c;
    }
    own
}

/// Returns the names that are given values: `count = 3, name = name`.
fn given(arguments: &str) -> BTreeSet<String> {
    let pairs = arguments.split(',').filter_map(|argument| argument.split_once('='));
    pairs.map(|(name, _)| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// Returns each use of a message as (file, key, parts).
fn uses() -> Vec<(PathBuf, String, Parts)> {
    let mut uses = Vec::new();
    for (path, source) in files_below(&["app/src", "server/src"]) {
        if path.ends_with("locales/mod.rs") {
            continue;
        }
        for name in ["text!(", "rich!("] {
            for rest in source.split(name).skip(1) {
                // The language may come first: `text!(locale => "key")`.
                let start = rest.find('"').unwrap();
                let Some((key, rest)) = rest[start + 1..].split_once('"') else { continue };
                let own = arguments(rest);
                let (variables, elements) = own.split_once(';').unwrap_or((&own, ""));
                let parts = Parts { variables: given(variables), elements: given(elements) };
                uses.push((path.clone(), key.to_owned(), parts));
            }
        }
    }
    uses
}

#[test]
fn every_text_of_the_sources_exists_with_its_parts() {
    let english = messages(Locale::En);
    for (path, key, found) in uses() {
        let message =
            english.get(key.as_str()).unwrap_or_else(|| panic!("{}: no message {key}", path.display()));
        assert_eq!(found, parts(&message.text), "{}: {key}", path.display());
    }
}

#[test]
fn every_message_is_used() {
    let used: BTreeSet<String> = uses().into_iter().map(|(_, key, _)| key).collect();
    let unused: Vec<_> = messages(Locale::En)
        .into_iter()
        .filter(|(key, message)| ![MESSAGES, SCRIPTS].contains(&message.file) && !used.contains(*key))
        .map(|(key, _)| key)
        .collect();
    assert!(unused.is_empty(), "unused: {unused:?}");
}

/// Replaces values in a text by `{}`: those of a message, `{ $name }`, and those of a source, `{name}`.
fn without_names(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        plain.push_str(before);
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_.:?$ ".contains(c);
        match after.split_once('}').filter(|(name, _)| name.len() < 40 && name.chars().all(is_name)) {
            // Values side by side are one.
            Some((_, after)) => {
                if !plain.ends_with("{}") {
                    plain.push_str("{}");
                }
                rest = after;
            }
            None => {
                plain.push('{');
                rest = after;
            }
        }
    }
    plain + rest
}

/// Joins string literals that a backslash continues on the next line.
fn joined(source: &str) -> String {
    let mut pieces = source.split("\\\n");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    pieces.for_each(|piece| text.push_str(piece.trim_start()));
    text
}

/// The messages of other crates are found by their English text, so it must be the same there.
#[test]
fn texts_of_other_crates_are_those_of_their_sources() {
    let files = files_below(&["crates", "server/src"]);
    let sources: Vec<String> = files.iter().map(|(_, source)| without_names(&joined(source))).collect();
    for (key, message) in messages(Locale::En).into_iter().filter(|(_, message)| message.file == MESSAGES) {
        let literal = format!("\"{}\"", without_names(&message.text).replace('"', "\\\""));
        assert!(sources.iter().any(|source| source.contains(&literal)), "{key}: no source has {literal}");
    }
}

#[test]
fn texts_of_scripts_are_those_of_the_scripts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scripts = [
        "../public/site.js",
        "../public/attachments.js",
        "../public/pickers.js",
        "../public/shortcuts.js",
        "src/script/loader.js",
    ];
    let scripts: Vec<String> =
        scripts.iter().map(|path| fs::read_to_string(root.join(path)).unwrap()).collect();
    let english = messages(Locale::En);
    let texts = english.values().filter(|message| message.file == SCRIPTS);
    let texts: BTreeSet<String> =
        texts.map(|message| message.text.replace("{\"{\"}", "{").replace("{\"}\"}", "}")).collect();
    for text in &texts {
        assert!(
            scripts.iter().any(|script| script.contains(&format!("\"{text}\""))),
            "no script has {text:?}"
        );
    }
    for call in scripts.iter().flat_map(|script| script.split("textOf(\"").skip(1)) {
        let text = call.split('"').next().unwrap();
        assert!(texts.contains(text), "the catalogue has no {text:?}");
    }
}
