//! Bytes in text: base64 in every spelling that clients and agents send, and `data:` URLs (RFC 2397).

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

const LAX: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

/// Decodes base64 of the standard or the URL-safe alphabet, with or without padding and line breaks. A `data:`
/// URL yields its bytes. `None`: the text is neither.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    if let Some(url) = DataUrl::parse(text.trim_ascii()) {
        return Some(url.bytes);
    }
    let mut text: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    for byte in &mut text {
        *byte = match *byte {
            b'-' => b'+',
            b'_' => b'/',
            byte => byte,
        };
    }
    GeneralPurpose::new(&alphabet::STANDARD, LAX).decode(text).ok()
}

/// A decoded `data:` URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataUrl {
    /// The media type with its parameters; none if the URL names none.
    pub media_type: Option<String>,
    pub bytes: Vec<u8>,
}

impl DataUrl {
    /// Parses a `data:` URL with base64 or percent-encoded content. `None`: the text is no such URL.
    pub fn parse(url: &str) -> Option<Self> {
        let (head, content) = without_scheme(url)?.split_once(',')?;
        let (media_type, is_base64) = match head.rsplit_once(';') {
            Some((media_type, last)) if last.trim().eq_ignore_ascii_case("base64") => (media_type, true),
            _ => (head, false),
        };
        let bytes = percent_decoded(content);
        let bytes = if is_base64 { decode_base64(std::str::from_utf8(&bytes).ok()?)? } else { bytes };
        let media_type = media_type.trim();
        Some(Self { media_type: (!media_type.is_empty()).then(|| media_type.to_owned()), bytes })
    }
}

/// Returns true if the text has the scheme `data:`, in any case.
pub fn is_data_url(text: &str) -> bool {
    without_scheme(text).is_some()
}

fn without_scheme(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once(':')?;
    scheme.eq_ignore_ascii_case("data").then_some(rest)
}

/// Replaces `%41` by its byte. A `%` without two hexadecimal digits stands for itself.
fn percent_decoded(text: &str) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let text = text.as_bytes();
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let escaped = digit(text.get(at + 1)).zip(digit(text.get(at + 2))).filter(|_| *byte == b'%');
        let value = escaped.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        bytes.push(value.unwrap_or(*byte));
        at += if value.is_some() { 3 } else { 1 };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_base64_is_decoded() {
        for text in ["-_8", "-_8=", "+/8", "+/8=", "+_8", "-_\r\n8=\n", " + / 8 ", "data:;base64,-_8"] {
            assert_eq!(decode_base64(text), Some(vec![0xfb, 0xff]), "{text:?}");
        }
        assert_eq!(decode_base64(""), Some(Vec::new()));
        for bad in ["%", "a", "+/8=x", "é"] {
            assert_eq!(decode_base64(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn data_urls_are_decoded_with_their_media_type() {
        let of = |url: &str| DataUrl::parse(url).map(|url| (url.media_type.unwrap_or_default(), url.bytes));
        let csv = |bytes: &[u8]| Some(("text/csv".to_owned(), bytes.to_vec()));
        assert_eq!(of("data:text/csv,a%2Cb"), csv(b"a,b"));
        assert_eq!(of("DATA:text/csv;BASE64,YSxi"), csv(b"a,b"));
        assert_eq!(of("data:text/csv;base64,YS%78i%0A"), csv(b"a,b"));
        assert_eq!(of("data:,100%"), Some((String::new(), b"100%".to_vec())));
        let with_charset = Some(("text/plain;charset=utf-8".to_owned(), "é".into()));
        assert_eq!(of("data:text/plain;charset=utf-8,%C3%A9"), with_charset);
        for bad in ["data:text/csv", "data:;base64,%", "https://example.org/a,b", "text"] {
            assert_eq!(of(bad), None, "{bad:?}");
        }
    }

    // Slow: it reads long texts of each kind.
    #[test]
    fn time_is_linear_in_the_text() {
        plexus_testing::cost::assert_linear("base64", decode_base64);
        plexus_testing::cost::assert_linear("data URL", |text| is_data_url(&format!("data:{text}")));
    }
}
