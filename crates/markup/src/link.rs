//! Allow-list of link targets.

/// Prefix of all generated ids, so that text cannot refer to elements of the page.
pub const ID_PREFIX: &str = "user-content-";

const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// Maximum length in bytes; browsers and servers reject longer URLs, too.
const MAX_URL: usize = 4_000;

/// Returns true for allowed targets: web, mail, a page of this hub, or a footnote of the same text.
pub fn is_allowed(url: &str) -> bool {
    let clean = url.len() <= MAX_URL && !url.chars().any(|c| c.is_control() || c == '\\');
    clean && (has_scheme(url) || is_own_path(url) || is_own_fragment(url))
}

fn has_scheme(url: &str) -> bool {
    SCHEMES.iter().any(|scheme| url.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme)))
}

/// Returns true for a path on this hub. `//host` is excluded: it is a URL of another host.
fn is_own_path(url: &str) -> bool {
    url.starts_with('/') && !url.starts_with("//")
}

fn is_own_fragment(url: &str) -> bool {
    url.strip_prefix('#').is_some_and(|id| id.starts_with(ID_PREFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_mail_and_own_pages_are_linked() {
        for good in ["https://a.example/", "HTTP://a", "mailto:a@b.c", "/@plexus/calc", "#user-content-fn-1"]
        {
            assert!(is_allowed(good), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "java\nscript:x",
            "data:text/html,x",
            "//evil.example",
            "/\\evil.example",
            "vbscript:x",
            "#m-1",
            "relative",
            "",
            "ftp://a",
            "http:\u{0}//a",
        ] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }
}
