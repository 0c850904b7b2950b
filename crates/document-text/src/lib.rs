//! Text of PDF files, page by page.
//!
//! The parser may panic, loop, or allocate without bounds on a hostile file. Therefore [`extract_pdf`] belongs into a
//! process with limits of memory and CPU time; a panic is returned as an error only if it unwinds.

mod line_words;

use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::{Document, Error as PdfError, OutputError, PlainTextOutput, output_doc_page};
use serde::{Deserialize, Serialize};

/// Maximum size of a PDF file in bytes.
pub const MAX_PDF_BYTES: usize = 16 << 20;
/// Maximum number of pages of a PDF file.
pub const MAX_PAGES: usize = 2_000;
/// Maximum size of the text of a PDF file in bytes.
pub const MAX_TEXT_BYTES: usize = 2 << 20;
/// Length of the end of a file that must have the end marker, as in Acrobat (ISO 32000-1 annex H.3).
const END_BYTES: usize = 1_024;

/// Why a file has no text that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "error", rename_all = "snake_case")]
pub enum ExtractionError {
    #[error("no PDF header at the start")]
    NotPdf,
    #[error("no end marker at the end: truncated, or other data follows")]
    NoEnd,
    #[error("a password is needed")]
    Encrypted,
    #[error("damaged structure")]
    Damaged,
    #[error("page {page} is damaged")]
    DamagedPage { page: usize },
    #[error("more than {MAX_PAGES} pages")]
    TooManyPages,
    #[error("more than {MAX_TEXT_BYTES} bytes of text")]
    TooMuchText,
    #[error("no text: blank pages or images only")]
    NoText,
}

/// Returns the text of each page. A page without text is empty. A word that is hyphenated at the end of a line is whole,
/// and ligatures are letters.
///
/// A file with other data before its header or after its end is refused: other programs may read it as another format
/// (polyglot).
pub fn extract_pdf(bytes: &[u8]) -> Result<Vec<String>, ExtractionError> {
    check_ends(bytes)?;
    let document = load(bytes)?;
    let numbers: Vec<u32> = document.get_pages().into_keys().take(MAX_PAGES + 1).collect();
    if numbers.is_empty() {
        return Err(ExtractionError::Damaged);
    }
    if numbers.len() > MAX_PAGES {
        return Err(ExtractionError::TooManyPages);
    }
    let mut pages = Vec::with_capacity(numbers.len());
    let mut length = 0;
    for (index, number) in numbers.into_iter().enumerate() {
        let page = page_text(&document, number).ok_or(ExtractionError::DamagedPage { page: index + 1 })?;
        length += page.len() + 1;
        if length > MAX_TEXT_BYTES {
            return Err(ExtractionError::TooMuchText);
        }
        pages.push(page);
    }
    let pages = line_words::join_words(pages);
    let has_text = pages.iter().any(|page| page.contains(char::is_alphanumeric));
    has_text.then_some(pages).ok_or(ExtractionError::NoText)
}

fn check_ends(bytes: &[u8]) -> Result<(), ExtractionError> {
    if !bytes.starts_with(b"%PDF-") {
        return Err(ExtractionError::NotPdf);
    }
    let end = &bytes[bytes.len().saturating_sub(END_BYTES)..];
    let has_end = end.windows(5).any(|window| window == b"%%EOF");
    has_end.then_some(()).ok_or(ExtractionError::NoEnd)
}

/// Parses the file. A file that opens without a password may still be encrypted, and is decrypted.
fn load(bytes: &[u8]) -> Result<Document, ExtractionError> {
    let parse = || {
        let mut document = Document::load_mem(bytes)?;
        if document.is_encrypted() {
            document.decrypt("")?;
        }
        Ok(document)
    };
    match catch_unwind(AssertUnwindSafe(parse)) {
        Ok(Ok(document)) => Ok(document),
        Ok(Err(
            PdfError::Decryption(_) | PdfError::InvalidPassword | PdfError::UnsupportedSecurityHandler(_),
        )) => Err(ExtractionError::Encrypted),
        Ok(Err(_)) | Err(_) => Err(ExtractionError::Damaged),
    }
}

/// Returns `None` if the page is damaged.
fn page_text(document: &Document, number: u32) -> Option<String> {
    let extract = || {
        let mut text = String::new();
        output_doc_page(document, &mut PlainTextOutput::new(&mut text), number)?;
        Ok::<_, OutputError>(text)
    };
    let text = catch_unwind(AssertUnwindSafe(extract)).ok()?.ok()?;
    Some(clean(&line_words::without_ligatures(&text)))
}

/// Replaces control characters by spaces, and removes spaces and blank lines around lines.
fn clean(text: &str) -> String {
    let printable: String = text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
    let mut cleaned = String::with_capacity(printable.len());
    let mut blank_lines = 0;
    for line in printable.lines() {
        let line = line.trim();
        if line.is_empty() {
            blank_lines += 1;
            continue;
        }
        if !cleaned.is_empty() {
            cleaned.push_str(if blank_lines > 0 { "\n\n" } else { "\n" });
        }
        blank_lines = 0;
        cleaned.push_str(line);
    }
    cleaned
}
