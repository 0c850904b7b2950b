//! Images that a model answers with.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use plexus_domain::{Part, PartBody};

use crate::OutputFile;

/// Decoder that accepts base64 with padding and without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// Maximum characters of a media type.
const MAX_MEDIA_TYPE: usize = 60;

/// Image of an answer, as it is shown.
#[derive(Debug, PartialEq)]
pub(super) enum AnswerImage {
    File(OutputFile),
    /// Link to the image. The hub does not fetch it.
    Link(Part),
    Unreadable,
}

/// Reads the URL of an image.
pub(super) fn read(url: &str) -> AnswerImage {
    if let Some(data) = strip_scheme(url) {
        return decode(data).map_or(AnswerImage::Unreadable, AnswerImage::File);
    }
    match url.starts_with("https://") || url.starts_with("http://") {
        true => AnswerImage::Link(PartBody::Link { url: url.to_owned() }.into()),
        false => AnswerImage::Unreadable,
    }
}

fn strip_scheme(url: &str) -> Option<&str> {
    let scheme = url.get(..5)?;
    scheme.eq_ignore_ascii_case("data:").then(|| &url[5..])
}

/// Decodes a `data:` URL behind its scheme (RFC 2397).
fn decode(data: &str) -> Option<OutputFile> {
    let (head, content) = data.split_once(',')?;
    let media_type = head.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let kind = media_type.strip_prefix("image/").filter(|_| media_type.len() <= MAX_MEDIA_TYPE)?;
    let name = format!("image.{}", kind.split(['+', '-']).next().unwrap_or("image"));
    let is_base64 = head.split(';').skip(1).any(|parameter| parameter.trim().eq_ignore_ascii_case("base64"));
    let bytes = is_base64.then(|| BASE64.decode(content.trim()).ok())??;
    Some(OutputFile {
        artifact: None,
        name: Some(name),
        media_type: Some(media_type),
        metadata: None,
        bytes: bytes.into(),
        continues: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_become_files_or_links() {
        for url in ["data:image/png;base64,iVBORw==", "DATA:image/png;charset=x;base64,iVBORw"] {
            let AnswerImage::File(file) = read(url) else { panic!("{url}") };
            assert_eq!((&*file.bytes, file.name.as_deref()), (&b"\x89PNG"[..], Some("image.png")));
        }
        let link = PartBody::Link { url: "https://x.example/a.png".to_owned() };
        assert_eq!(read("https://x.example/a.png"), AnswerImage::Link(link.into()));
        for url in [
            "",
            "javascript:alert(1)",
            "data:text/html;base64,aGk=",
            "data:image/png,x",
            "data:image/png;base64,?",
            "ü",
        ] {
            assert_eq!(read(url), AnswerImage::Unreadable, "{url}");
        }
    }
}
