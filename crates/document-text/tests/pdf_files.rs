//! Tests of the text of PDF files.

use plexus_document_text::{ExtractionError, MAX_PAGES, MAX_TEXT_BYTES, extract_pdf};
use plexus_testing::pdf::{pdf, pdf_with_password, pdf_without_text};
use proptest::prelude::*;

#[test]
fn each_page_has_its_lines() {
    let pages =
        extract_pdf(&pdf(&["The harbour is open all day.\nA berth costs (ten) crowns.", "", "The end."]));
    let pages = pages.unwrap();
    assert_eq!(pages.len(), 3);
    let lines: Vec<&str> = pages[0].lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, ["The harbour is open all day.", "A berth costs (ten) crowns."]);
    assert_eq!((pages[1].as_str(), pages[2].as_str()), ("", "The end."));
}

#[test]
fn hyphenated_words_are_whole() {
    let pages = extract_pdf(&pdf(&[
        "The cli-\nmate is mild, a well-\nknown fact of this coast,\nwhich is long-term and long-\nterm again, as an inter-",
        "national treaty says.",
    ]));
    let pages: Vec<String> = pages.unwrap().iter().map(|page| page.replace("\n\n", "\n")).collect();
    for word in ["The climate", "a well-known", "long-term\nagain", "an international"] {
        assert!(pages[0].contains(word), "{word}: {}", pages[0]);
    }
    assert_eq!(pages[1], "treaty says.");
}

#[test]
fn files_without_usable_text_are_told_apart() {
    let file = pdf(&["text"]);
    let followed = [&file[..], &[b' '; 2_000]].concat();
    let preceded = [b"GIF89a", &file[..]].concat();
    let without_pages = String::from_utf8(pdf(&["text"])).unwrap().replace("/Kids", "/Sons");
    for (file, error) in [
        (&b""[..], ExtractionError::NotPdf),
        (b"PK\x03\x04", ExtractionError::NotPdf),
        (&preceded, ExtractionError::NotPdf),
        (&followed, ExtractionError::NoEnd),
        (&file[..file.len() / 2], ExtractionError::NoEnd),
        (b"%PDF-1.7\n%%EOF\n", ExtractionError::Damaged),
        (without_pages.as_bytes(), ExtractionError::Damaged),
        (&pdf_with_password("secret"), ExtractionError::Encrypted),
        (&pdf_without_text(), ExtractionError::NoText),
        (&pdf(&["", "-"]), ExtractionError::NoText),
    ] {
        assert_eq!(extract_pdf(file), Err(error), "{}", String::from_utf8_lossy(&file[..file.len().min(40)]));
    }
}

#[test]
fn pages_and_text_are_bounded() {
    assert_eq!(extract_pdf(&pdf(&vec!["a"; MAX_PAGES + 1])), Err(ExtractionError::TooManyPages));
    let long = "word ".repeat(MAX_TEXT_BYTES / 5 + 1);
    assert_eq!(extract_pdf(&pdf(&[&long])), Err(ExtractionError::TooMuchText));
}

#[test]
fn a_damaged_page_is_named() {
    let file = String::from_utf8(pdf(&["one", "two"])).unwrap();
    // The font of the second page is missing.
    let second = file.rfind("/F1 3 0 R").unwrap();
    let broken = format!("{}/F1 9 0 R{}", &file[..second], &file[second + 9..]);
    assert_eq!(extract_pdf(broken.as_bytes()), Err(ExtractionError::DamagedPage { page: 2 }));
}

proptest! {
    #![proptest_config(plexus_testing::cases(64))]

    #[test]
    fn changed_files_give_text_or_an_error(changes in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..20)) {
        let mut file = pdf(&["The harbour is open.", "A berth costs ten."]);
        for (position, byte) in changes {
            let length = file.len();
            file[usize::from(position) % length] = byte;
        }
        if let Ok(pages) = extract_pdf(&file) {
            prop_assert!(pages.iter().map(String::len).sum::<usize>() <= MAX_TEXT_BYTES);
        }
    }
}
