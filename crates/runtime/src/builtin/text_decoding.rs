//! Decodes text files: Unicode with and without a byte order mark, and the encodings that spreadsheets save as "ANSI".

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, MACINTOSH, UTF_8, UTF_16BE, UTF_16LE};

/// Number of bytes by which UTF-16 without a byte order mark is known.
const SAMPLE: usize = 1_024;

/// Text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DecodedText {
    /// With line feeds as line ends.
    pub text: String,
    /// Name of the encoding if it was guessed.
    pub guessed: Option<&'static str>,
}

/// Formats of files that are no text, by their first bytes.
const FORMATS: [(&[u8], &str); 9] = [
    (b"PK\x03\x04", "a ZIP archive, such as an Excel workbook (.xlsx) or an OpenDocument file"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook of 97–2003 (.xls) or another Office file"),
    (b"%PDF-", "a PDF file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x1f\x8b", "a gzip file"),
    (b"PAR1", "a Parquet file"),
];

/// Decodes a file.
///
/// # Errors
/// If the file is no text; the error names its format if it is known.
pub(super) fn decode(bytes: &[u8]) -> Result<DecodedText, String> {
    if let Some((_, format)) = FORMATS.iter().find(|(start, _)| bytes.starts_with(start)) {
        return Err(format!("The file is {format}. Save it as CSV or text, and send that."));
    }
    let (encoding, guessed) = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => (encoding, None),
        None => encoding_of(bytes)?,
    };
    let (text, _) = encoding.decode_with_bom_removal(bytes);
    // Old systems end lines with carriage returns alone.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    Ok(DecodedText { text, guessed: guessed.map(|encoding: &'static Encoding| encoding.name()) })
}

/// Returns the encoding of bytes without a byte order mark, and again if it is a guess.
fn encoding_of(bytes: &[u8]) -> Result<(&'static Encoding, Option<&'static Encoding>), String> {
    if let Some(encoding) = utf_16(bytes) {
        return Ok((encoding, Some(encoding)));
    }
    if bytes.contains(&0) {
        return Err("The file is no text. Save it as CSV or text, and send that.".to_owned());
    }
    if str::from_utf8(bytes).is_ok() {
        return Ok((UTF_8, None));
    }
    // Excel's format "CSV (Macintosh)" has the encoding and the line ends of Mac OS 9.
    let encoding = if bytes.contains(&b'\r') && !bytes.contains(&b'\n') {
        MACINTOSH
    } else {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(bytes, true);
        detector.guess(None, Utf8Detection::Deny)
    };
    Ok((encoding, Some(encoding)))
}

/// Returns UTF-16 if most characters are of its first block, whose second bytes are zero.
fn utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    let pairs = || bytes.chunks_exact(2).take(SAMPLE / 2);
    let all = pairs().count();
    let has_zero = |at: usize| 2 * pairs().filter(|pair| pair[at] == 0).count() > all;
    match (has_zero(0), has_zero(1)) {
        (true, false) => Some(UTF_16BE),
        (false, true) => Some(UTF_16LE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf_16_bytes(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to_bytes).collect()
    }

    #[test]
    fn files_of_spreadsheets_are_decoded() {
        let text = "Größe;Straße\nä;1,5 €\n";
        let windows = |text: &str| encoding_rs::WINDOWS_1252.encode(text).0.into_owned();
        let bom = |bytes: Vec<u8>, mark: &[u8]| [mark, bytes.as_slice()].concat();
        let mac = MACINTOSH_BYTES.to_vec();
        for (bytes, guessed) in [
            (text.as_bytes().to_vec(), None),
            (bom(text.into(), b"\xef\xbb\xbf"), None),
            (text.replace('\n', "\r\n").into_bytes(), None),
            (bom(utf_16_bytes(text, u16::to_le_bytes), b"\xff\xfe"), None),
            (bom(utf_16_bytes(text, u16::to_be_bytes), b"\xfe\xff"), None),
            (utf_16_bytes(text, u16::to_le_bytes), Some("UTF-16LE")),
            (utf_16_bytes(text, u16::to_be_bytes), Some("UTF-16BE")),
            (windows(text), Some("windows-1252")),
            (mac, Some("macintosh")),
        ] {
            assert_eq!(decode(&bytes), Ok(DecodedText { text: text.to_owned(), guessed }), "{guessed:?}");
        }
        let russian = "Месяц;Выручка\nЯнварь;420\nФевраль;380\n";
        let bytes = encoding_rs::WINDOWS_1251.encode(russian).0.into_owned();
        assert_eq!(decode(&bytes).unwrap().text, russian);
        let japanese = "月;売上\n一月;420\n二月;380\n";
        let bytes = encoding_rs::SHIFT_JIS.encode(japanese).0.into_owned();
        assert_eq!(decode(&bytes).unwrap().text, japanese);
    }

    /// The text of the test in the encoding of Mac OS 9, which `encoding_rs` does not write.
    const MACINTOSH_BYTES: &[u8] = b"Gr\x9a\xa7e;Stra\xa7e\r\x8a;1,5 \xdb\r";

    #[test]
    fn other_files_are_named() {
        for (bytes, format) in [
            (b"PK\x03\x04rest".as_slice(), ".xlsx"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), ".xls"),
            (b"%PDF-1.7".as_slice(), "PDF"),
            (b"\x00\x01\x02\x03\x00".as_slice(), "no text"),
        ] {
            assert!(decode(bytes).unwrap_err().contains(format), "{format}");
        }
        assert_eq!(decode(b"").unwrap().text, "");
    }
}
