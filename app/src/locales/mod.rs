//! Texts of pages in several languages: Fluent message catalogues that are compiled in, and the macros that read them.
//!
//! `text!("key", count = 3)` returns a text in the language of the page. `rich!("key"; link = |inner| view! { … })` does the
//! same for a text with elements. `tests/locales.rs` compares the keys and variables of the sources with the catalogues.

use std::{collections::HashMap, sync::LazyLock};

use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};
use leptos::prelude::*;
use unic_langid::LanguageIdentifier;

use crate::{components::context, view_models::Locale};

mod catalogues;
mod markup;
mod templates;

pub use catalogues::{MESSAGES, SCRIPTS, sources};
pub use markup::{Element, element};
use templates::Template;

type Bundle = FluentBundle<FluentResource>;

/// Returns the text of a message in the language of the page: `text!("agents-found", count = 3)`.
///
/// `text!(locale => "key")` names the language, for texts that are made outside of the rendering of a page.
#[macro_export]
macro_rules! text {
    ($key:literal $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::text!($crate::components::context::locale() => $key $(, $name = $value)*)
    };
    ($locale:expr => $key:literal $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::locales::format($locale, $key, &[$((stringify!($name), $value.into())),*])
    };
}

/// Returns the view of a message with elements. `<link>…</link>` in its text becomes the view of the closure `link`.
#[macro_export]
macro_rules! rich {
    ($key:literal $(, $name:ident = $value:expr)* ; $($element:ident = $view:expr),+ $(,)?) => {
        $crate::locales::format_rich(
            $key,
            &[$((stringify!($name), $value.into())),*],
            vec![$($crate::locales::element(stringify!($element), $view)),+],
        )
    };
}

/// Formats a message. A missing one, which the tests exclude, is shown in English or as its key.
pub fn format(locale: Locale, key: &str, args: &[(&str, FluentValue<'_>)]) -> String {
    let args: FluentArgs<'_> = args.iter().map(|(name, value)| (*name, value.clone())).collect();
    let find = |locale| message(bundle(locale), key, &args);
    find(locale).or_else(|| find(Locale::En)).unwrap_or_else(|| key.to_owned())
}

fn message(bundle: &Bundle, key: &str, args: &FluentArgs<'_>) -> Option<String> {
    let pattern = bundle.get_message(key)?.value()?;
    // Variables without a value are written as their name; the tests compare them with the sources.
    Some(bundle.format_pattern(pattern, Some(args), &mut Vec::new()).into_owned())
}

/// Formats a message and replaces the tags in its text by elements. Values of variables contain no tags.
pub fn format_rich(key: &str, args: &[(&str, FluentValue<'_>)], elements: Vec<Element<'_>>) -> AnyView {
    let args: Vec<_> = args.iter().map(|(name, value)| (*name, markup::escape(value))).collect();
    markup::view(&format(context::locale(), key, &args), elements)
}

/// Returns the translation of a text that another crate wrote in English, such as an error; `None` if there is none.
pub fn translate(locale: Locale, english: &str) -> Option<String> {
    static KEYS: LazyLock<HashMap<&'static str, &'static str>> =
        LazyLock::new(|| catalogues::messages(catalogues::MESSAGES).map(|(key, text)| (text, key)).collect());
    match KEYS.get(english) {
        Some(key) => Some(format(locale, key, &[])),
        None => with_values(locale, english).or_else(|| rate_limit(locale, english)),
    }
}

/// Translates a text that contains values, by the message that has most of its words.
fn with_values(locale: Locale, english: &str) -> Option<String> {
    static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| {
        let messages = catalogues::messages(catalogues::MESSAGES);
        let mut templates: Vec<_> = messages.filter_map(|(key, text)| Template::parse(key, text)).collect();
        templates.sort_by_key(|template| std::cmp::Reverse(template.fixed_bytes()));
        templates
    });
    let (key, values) = TEMPLATES.iter().find_map(|it| it.values(english).map(|values| (it.key, values)))?;
    let args: Vec<_> = values.into_iter().map(|(name, value)| (name, value.into())).collect();
    Some(format(locale, key, &args))
}

/// Translates the message of a rate limit, "Too many … from here. Try again in 5 minutes."
fn rate_limit(locale: Locale, english: &str) -> Option<String> {
    let (_, wait) = english.strip_prefix("Too many ")?.split_once(" from here. Try again in ")?;
    let (count, unit) = wait.strip_suffix('.')?.split_once(' ')?;
    let count: u64 = count.parse().ok()?;
    let time = match unit.trim_end_matches('s') {
        "second" => text!(locale => "count-seconds", count = count),
        "minute" => text!(locale => "count-minutes", count = count),
        "hour" => text!(locale => "count-hours", count = count),
        _ => return None,
    };
    Some(format!("{} {}", text!(locale => "error-429-what"), text!(locale => "error-wait", time = time)))
}

/// Returns the view of a text that another crate wrote in English: translated, or else marked as English.
pub fn translated(english: String) -> AnyView {
    match context::locale() {
        Locale::En => english.into_any(),
        locale => match translate(locale, &english) {
            Some(text) => text.into_any(),
            None => view! { <span lang="en" dir="ltr">{english}</span> }.into_any(),
        },
    }
}

/// Returns a text that another crate wrote in English, translated if possible, for attributes.
pub fn translated_text(english: String) -> String {
    translated_in(context::locale(), english)
}

/// Returns a text that another crate wrote in English in this language, if it can be translated.
pub fn translated_in(locale: Locale, english: String) -> String {
    match locale {
        Locale::En => english,
        locale => translate(locale, &english).unwrap_or(english),
    }
}

/// Returns the keys of the texts that scripts show.
pub fn keys_of_scripts() -> impl Iterator<Item = &'static str> {
    catalogues::keys(SCRIPTS)
}

fn bundle(locale: Locale) -> &'static Bundle {
    static BUNDLES: LazyLock<[Bundle; Locale::ALL.len()]> = LazyLock::new(|| Locale::ALL.map(load));
    &BUNDLES[locale as usize]
}

/// Parses the catalogue of a language. A message that cannot be parsed is missing; the tests find it.
fn load(locale: Locale) -> Bundle {
    let language: LanguageIdentifier = locale.as_str().parse().unwrap_or_default();
    let mut bundle = Bundle::new_concurrent(vec![language]);
    // Marks around variables (Unicode FSI and PDI) keep the order of words when directions mix.
    bundle.set_use_isolating(locale.is_rtl());
    bundle.set_formatter(Some(match locale {
        Locale::De => |value, _| number(value, '.'),
        Locale::En | Locale::ZhHans | Locale::Ar => |value, _| number(value, ','),
    }));
    for &(_, source) in sources(locale) {
        let (Ok(resource) | Err((resource, _))) = FluentResource::try_new(source.to_owned());
        bundle.add_resource_overriding(resource);
    }
    bundle
}

/// Formats a whole number with the separator of its language between groups of digits (CLDR). Digits are Latin in every
/// language, as in addresses, versions and code.
fn number(value: &FluentValue<'_>, separator: char) -> Option<String> {
    let FluentValue::Number(number) = value else { return None };
    (number.value.fract() == 0.0).then(|| group(&format!("{:.0}", number.value), separator))
}

fn group(digits: &str, separator: char) -> String {
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && !digits[..at].ends_with('-') {
            grouped.push(separator);
        }
        grouped.push(digit);
    }
    grouped
}

/// Formats a whole number in the language of the page.
pub fn grouped(value: u64) -> String {
    group(&value.to_string(), if context::locale() == Locale::De { '.' } else { ',' })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_plurals_follow_the_language() {
        let agents = |locale, count: u64| format(locale, "count-agents", &[("count", count.into())]);
        assert_eq!([agents(Locale::En, 1), agents(Locale::En, 12_345)], ["1 agent", "12,345 agents"]);
        assert_eq!([agents(Locale::De, 1), agents(Locale::De, 12_345)], ["1 Agent", "12.345 Agenten"]);
        assert_eq!(agents(Locale::ZhHans, 2), "2 个智能体");
        let arabic: Vec<_> = [0_u64, 1, 2, 3, 11, 100].map(|count| agents(Locale::Ar, count)).into();
        let distinct = arabic
            .iter()
            .map(|text| text.replace(char::is_numeric, ""))
            .collect::<std::collections::BTreeSet<_>>();
        assert_eq!(distinct.len(), 6, "{arabic:?}");
    }

    #[test]
    fn errors_of_other_crates_are_translated_by_their_english_text() {
        let english = "Incorrect name or password.";
        assert_eq!(translate(Locale::En, english).as_deref(), Some(english));
        assert_ne!(translate(Locale::De, english), translate(Locale::En, english));
        assert_eq!(translate(Locale::De, "This text is in no catalogue."), None);
        let unusable = "The model provider <b> cannot be used now.";
        assert_eq!(translate(Locale::En, unusable).as_deref(), Some(unusable));
        let german = translate(Locale::De, unusable).unwrap();
        assert_eq!(german, "Der Modellanbieter <b> kann derzeit nicht verwendet werden.");
        let limited =
            translate(Locale::De, "Too many sign-in attempts from here. Try again in 1 minute.").unwrap();
        assert!(limited.ends_with("in 1 Minute noch einmal."), "{limited}");
    }

    #[test]
    fn a_missing_message_does_not_break_a_page() {
        assert_eq!(format(Locale::Ar, "no-such-key", &[]), "no-such-key");
        assert_eq!(group("-1234", ','), "-1,234");
        assert_eq!(group("-123", ','), "-123");
    }
}
