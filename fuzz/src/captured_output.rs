use plexus_domain::{
    Part, PartBody,
    run::{Failure, Usage},
    sanitized_text::has_invisible,
};
use plexus_runtime::{Output, RemoteConversation};
use url::Url;

/// Captured output of a connector, as the hub would store it.
#[derive(Debug, Default, PartialEq)]
pub struct Heard {
    pub text: String,
    pub artifacts: String,
    pub parts: Vec<Part>,
    pub remote: Option<RemoteConversation>,
    pub usage: Option<Usage>,
}

impl Output for Heard {
    fn text(&mut self, delta: &str) -> Result<(), Failure> {
        self.text.push_str(delta);
        Ok(())
    }

    fn part(&mut self, part: Part) -> Result<(), Failure> {
        if let PartBody::Link { url } = &part.content {
            let scheme = Url::parse(url).expect("a link is a URL").scheme().to_owned();
            assert!(matches!(scheme.as_str(), "http" | "https"), "a link to {url}");
        }
        self.parts.push(part);
        Ok(())
    }

    fn artifact_text(&mut self, _: &str, _: Option<&str>, delta: &str) -> Result<(), Failure> {
        self.artifacts.push_str(delta);
        Ok(())
    }

    fn remote(&mut self, remote: RemoteConversation) {
        self.remote = Some(remote);
    }

    fn usage(&mut self, usage: Usage) {
        self.usage = Some(usage);
    }

    fn status(&mut self, line: &str) {
        assert_shown(line);
    }
}

/// Asserts that a message that quotes untrusted text is short and contains only visible characters.
pub fn assert_shown(words: &str) {
    assert!(words.chars().count() <= 1_000, "{} characters are too many to show", words.chars().count());
    assert!(!has_invisible(words) && !words.contains('\n'), "{words:?}");
}
