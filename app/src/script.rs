//! JavaScript that is part of every page's HTML. What can wait for a request of its own is in `public/site.js`.

/// A module script: the drafts of text fields, then the loader of everything else.
pub const INLINE: &str = concat!(include_str!("script/drafts.js"), include_str!("script/loader.js"),);

#[cfg(test)]
mod tests {
    use super::INLINE;

    #[test]
    fn nothing_ends_the_script_element_early() {
        assert!(!INLINE.to_ascii_lowercase().contains("</script") && !INLINE.contains("<!--"));
    }
}
