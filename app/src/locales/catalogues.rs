//! Message catalogues: one folder for each language, with the same files.

use crate::view_models::Locale;

/// File of the texts that other crates write in English: errors and notices, found by their English text.
pub const MESSAGES: &str = "messages.ftl";

/// File of the texts that `public/*.js` and the loader show. The scripts find them by their English text.
pub const SCRIPTS: &str = "scripts.ftl";

macro_rules! catalogue {
    ($language:literal) => {
        &[
            ("account.ftl", include_str!(concat!("../../locales/", $language, "/account.ftl"))),
            ("agent.ftl", include_str!(concat!("../../locales/", $language, "/agent.ftl"))),
            ("agents.ftl", include_str!(concat!("../../locales/", $language, "/agents.ftl"))),
            ("components.ftl", include_str!(concat!("../../locales/", $language, "/components.ftl"))),
            ("errors.ftl", include_str!(concat!("../../locales/", $language, "/errors.ftl"))),
            ("frame.ftl", include_str!(concat!("../../locales/", $language, "/frame.ftl"))),
            ("messages.ftl", include_str!(concat!("../../locales/", $language, "/messages.ftl"))),
            ("scripts.ftl", include_str!(concat!("../../locales/", $language, "/scripts.ftl"))),
            ("settings.ftl", include_str!(concat!("../../locales/", $language, "/settings.ftl"))),
            ("tool_questions.ftl", include_str!(concat!("../../locales/", $language, "/tool_questions.ftl"))),
        ]
    };
}

/// Returns the files of a language as (name, text).
pub const fn sources(locale: Locale) -> &'static [(&'static str, &'static str)] {
    match locale {
        Locale::En => catalogue!("en"),
        Locale::ZhHans => catalogue!("zh-Hans"),
        Locale::De => catalogue!("de"),
        Locale::Ar => catalogue!("ar"),
    }
}

/// Returns the keys of a file.
pub fn keys(file: &str) -> impl Iterator<Item = &'static str> {
    let source = sources(Locale::En).iter().find(|(name, _)| *name == file).map_or("", |(_, source)| source);
    source.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase())).filter_map(key_of)
}

fn key_of(line: &'static str) -> Option<&'static str> {
    line.split_once(" =").map(|(key, _)| key)
}
