//! Language of a page: the choice of the reader, or else the best match for `Accept-Language` (RFC 9110 section 12.5.4).

use axum::http::{HeaderMap, header};
use plexus_app::view_models::Locale;

use super::auth::cookie;

/// Cookie with the choice of the reader: a language tag.
pub const COOKIE: &str = "language";
/// Maximum number of bytes of `Accept-Language` that are read; the rest is ignored.
const MAX_BYTES: usize = 512;
/// Maximum number of languages that are read.
const MAX_RANGES: usize = 24;

/// Returns the language that the reader chose.
pub fn chosen(headers: &HeaderMap) -> Option<Locale> {
    cookie(headers, COOKIE).and_then(Locale::parse)
}

/// Returns the language of the page for a request.
pub fn locale(headers: &HeaderMap) -> Locale {
    let accepted = || headers.get(header::ACCEPT_LANGUAGE).map(|value| negotiate(value.as_bytes()));
    chosen(headers).or_else(accepted).unwrap_or_default()
}

/// Returns the language of what the API returns to a page: HTML, and messages of errors. Programs send a token, and get
/// English.
pub fn of_request(headers: &HeaderMap) -> Locale {
    if headers.contains_key(header::AUTHORIZATION) { Locale::En } else { locale(headers) }
}

/// Returns the best match for a value of `Accept-Language`, or English.
fn negotiate(accepted: &[u8]) -> Locale {
    let accepted = &accepted[..accepted.len().min(MAX_BYTES)];
    let ranges = accepted.split(|byte| *byte == b',').take(MAX_RANGES);
    let ranges = ranges.filter_map(|range| std::str::from_utf8(range).ok()).filter_map(weighted);
    // The first of equal weight wins.
    let best = ranges.fold(None, |best: Option<(Locale, u16)>, (locale, weight)| match best {
        Some((_, best_weight)) if best_weight >= weight => best,
        _ => Some((locale, weight)),
    });
    best.map_or(Locale::En, |(locale, _)| locale)
}

/// Parses a language range with its weight in thousandths. Unsupported and excluded languages are `None`.
fn weighted(range: &str) -> Option<(Locale, u16)> {
    let (tag, parameters) = range.split_once(';').unwrap_or((range, ""));
    let locale = locale_of(tag.trim())?;
    let weight = match parameters.trim().strip_prefix(['q', 'Q']) {
        None => 1_000,
        Some(value) => weight(value.trim_start().strip_prefix('=')?.trim())?,
    };
    (weight > 0).then_some((locale, weight))
}

/// Parses a weight from 0 to 1 with at most three decimals (RFC 9110 section 12.4.2).
fn weight(value: &str) -> Option<u16> {
    let (whole, decimals) = value.split_once('.').unwrap_or((value, ""));
    if decimals.len() > 3 || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let thousandths: u16 = format!("{decimals:0<3}").parse().ok()?;
    match whole {
        "0" => Some(thousandths),
        "1" if thousandths == 0 => Some(1_000),
        _ => None,
    }
}

/// Returns the language for a tag. Chinese in traditional characters is another script, so the next language counts.
fn locale_of(tag: &str) -> Option<Locale> {
    let tag = tag.to_ascii_lowercase();
    let mut parts = tag.split('-');
    match parts.next()? {
        // Any language: the hub's default.
        "*" | "en" => Some(Locale::En),
        "de" => Some(Locale::De),
        "ar" => Some(Locale::Ar),
        "zh" => {
            let is_simplified = tag.contains("hans");
            let is_traditional = parts.any(|part| matches!(part, "hant" | "tw" | "hk" | "mo"));
            (is_simplified || !is_traditional).then_some(Locale::ZhHans)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn best(accepted: &str) -> &'static str {
        negotiate(accepted.as_bytes()).as_str()
    }

    #[test]
    fn the_best_supported_language_wins() {
        for (accepted, locale) in [
            ("", "en"),
            ("de", "de"),
            ("de-AT, en;q=0.5", "de"),
            ("fr, de;q=0.8, ar;q=0.9", "ar"),
            ("en;q=0.2, DE;Q=0.3", "de"),
            ("de;q=0, en", "en"),
            ("zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"),
            ("zh-Hans-HK", "zh-Hans"),
            ("zh-TW, zh-Hant;q=0.9, ar;q=0.5", "ar"),
            ("de, ar", "de"),
            ("*", "en"),
            ("fr, nl", "en"),
            ("ar;q=1.5, de;q=0.1", "de"),
            ("ar;q=0.1234, de;q=x, ;;,,=", "en"),
            ("deutsch", "en"),
        ] {
            assert_eq!(best(accepted), locale, "{accepted}");
        }
    }

    #[test]
    fn a_huge_or_broken_header_is_read_up_to_a_bound() {
        let huge = format!("{}de", "fr,".repeat(100_000));
        assert_eq!(best(&huge), "en");
        let many = format!("{}de", "a,".repeat(MAX_RANGES));
        assert_eq!(best(&many), "en");
        assert_eq!(negotiate(b"\xff\xfe, de").as_str(), "de");
    }

    #[test]
    fn the_choice_of_the_reader_comes_before_the_browser() {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_LANGUAGE, HeaderValue::from_static("de"));
        assert_eq!(locale(&headers), Locale::De);
        headers.insert(header::COOKIE, HeaderValue::from_static("language=ar"));
        assert_eq!((chosen(&headers), locale(&headers)), (Some(Locale::Ar), Locale::Ar));
        headers.insert(header::COOKIE, HeaderValue::from_static("language=tlh"));
        assert_eq!((chosen(&headers), locale(&headers)), (None, Locale::De));
        assert_eq!(of_request(&headers), Locale::De);
        headers.insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer x"));
        assert_eq!(of_request(&headers), Locale::En);
    }
}
