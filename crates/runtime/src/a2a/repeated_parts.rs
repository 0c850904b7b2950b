//! Parts of a message that repeat artifacts: some agents send their answer as an artifact and as the final message.

use plexus_a2a::wire::v1::{Message, Part};

/// Parts of the artifacts of an answer, by artifact.
pub struct ArtifactParts<'a>(Vec<&'a [Part]>);

impl<'a> ArtifactParts<'a> {
    pub const fn new(artifacts: Vec<&'a [Part]>) -> Self {
        Self(artifacts)
    }

    /// Returns the parts of a message that are not empty and not in the artifacts.
    pub fn not_repeated(&self, message: &Message) -> Vec<Part> {
        let is_text_repeated = self.repeats_text(&message.parts);
        let is_new = |part: &&Part| match part.as_text() {
            Some("") => false,
            Some(_) => !is_text_repeated,
            None => !self.0.iter().copied().flatten().any(|known| known.content == part.content),
        };
        message.parts.iter().filter(is_new).cloned().collect()
    }

    /// Returns whether the text of these parts is that of one artifact, or of all of them in order. White space does
    /// not count: agents join texts differently.
    fn repeats_text(&self, parts: &[Part]) -> bool {
        if letters(parts).next().is_none() {
            return false;
        }
        self.0.iter().any(|artifact| letters(artifact).eq(letters(parts)))
            || self.0.iter().flat_map(|artifact| letters(artifact)).eq(letters(parts))
    }
}

fn letters(parts: &[Part]) -> impl Iterator<Item = char> {
    parts.iter().filter_map(Part::as_text).flat_map(str::chars).filter(|letter| !letter.is_whitespace())
}

#[cfg(test)]
mod tests {
    use plexus_a2a::wire::v1::{PartContent, Role};

    use super::*;

    #[test]
    fn a_message_that_repeats_artifacts_says_only_what_is_new() {
        let file = Part::from(PartContent::Url("https://a.example/f".to_owned()));
        let (high, low) = (
            [Part::text("High water"), Part::text(" at 6:12.\n")],
            [Part::text("Low at 12:30."), file.clone()],
        );
        let known = ArtifactParts::new(vec![&high, &low]);
        let new = |parts: Vec<Part>| {
            let parts = known.not_repeated(&Message::new("m", Role::Agent, parts));
            parts.iter().map(|part| part.as_text().unwrap_or("file").to_owned()).collect::<Vec<_>>()
        };
        let text = |text: &str| vec![Part::text(text)];
        for (parts, expected) in [
            (text("High water at 6:12."), vec![]),
            (text(" Low  at\r\n12:30."), vec![]),
            (text("High water at 6:12.\n\nLow at 12:30."), vec![]),
            (text("Low at 12:30.\nHigh water at 6:12."), vec!["Low at 12:30.\nHigh water at 6:12."]),
            (text("Done."), vec!["Done."]),
            (text("High water"), vec!["High water"]),
            (text(" "), vec![" "]),
            (vec![Part::text("See:"), file.clone(), Part::text("")], vec!["See:"]),
            (vec![Part::text("Low at 12:30."), file], vec![]),
        ] {
            assert_eq!(new(parts.clone()), expected, "{parts:?}");
        }
        let nothing = ArtifactParts::new(Vec::new());
        assert_eq!(nothing.not_repeated(&Message::new("m", Role::Agent, text("Hi"))), text("Hi"));
    }
}
