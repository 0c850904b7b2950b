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
            ("admin.ftl", include_str!(concat!("../../locales/", $language, "/admin.ftl"))),
            ("agent.ftl", include_str!(concat!("../../locales/", $language, "/agent.ftl"))),
            ("agents.ftl", include_str!(concat!("../../locales/", $language, "/agents.ftl"))),
            ("chat.ftl", include_str!(concat!("../../locales/", $language, "/chat.ftl"))),
            ("chat_pages.ftl", include_str!(concat!("../../locales/", $language, "/chat_pages.ftl"))),
            ("chat_room.ftl", include_str!(concat!("../../locales/", $language, "/chat_room.ftl"))),
            ("chat_tools.ftl", include_str!(concat!("../../locales/", $language, "/chat_tools.ftl"))),
            ("components.ftl", include_str!(concat!("../../locales/", $language, "/components.ftl"))),
            ("errors.ftl", include_str!(concat!("../../locales/", $language, "/errors.ftl"))),
            ("frame.ftl", include_str!(concat!("../../locales/", $language, "/frame.ftl"))),
            ("manage.ftl", include_str!(concat!("../../locales/", $language, "/manage.ftl"))),
            ("messages.ftl", include_str!(concat!("../../locales/", $language, "/messages.ftl"))),
            ("network.ftl", include_str!(concat!("../../locales/", $language, "/network.ftl"))),
            ("register.ftl", include_str!(concat!("../../locales/", $language, "/register.ftl"))),
            ("rooms.ftl", include_str!(concat!("../../locales/", $language, "/rooms.ftl"))),
            ("scripts.ftl", include_str!(concat!("../../locales/", $language, "/scripts.ftl"))),
            ("settings.ftl", include_str!(concat!("../../locales/", $language, "/settings.ftl"))),
            ("teams.ftl", include_str!(concat!("../../locales/", $language, "/teams.ftl"))),
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
    messages(file).map(|(key, _)| key)
}

/// Returns the messages of a file of one-line texts in English, as (key, text).
pub fn messages(file: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let source = sources(Locale::En).iter().find(|(name, _)| *name == file).map_or("", |(_, source)| source);
    let lines = source.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    lines.filter_map(|line| line.split_once(" = "))
}
