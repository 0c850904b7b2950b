//! Text of uploaded PDF files, extracted by a process of its own with limits, since its parser gets hostile files.

use std::time::Duration;

use plexus_document_text::{ExtractionError, MAX_PAGES, MAX_TEXT_BYTES};
use plexus_domain::{Error as Refusal, knowledge::PAGE_BREAK};

use crate::{Caller, Hub, Result, confined_process::ConfinedCommand, quotas::in_units};

/// Subcommand of the `plexus` program that reads a PDF file from stdin and writes its pages to stdout.
pub const EXTRACT_TEXT_COMMAND: &str = "extract-text";
const EXTRACTOR: ConfinedCommand = ConfinedCommand {
    name: EXTRACT_TEXT_COMMAND,
    memory_bytes: 1 << 30,
    // JSON may double the text, and each page adds a few bytes.
    output_bytes: (2 * MAX_TEXT_BYTES + 8 * MAX_PAGES + 1_024) as u64,
    timeout: Duration::from_secs(30),
};
/// Wait for one of the slots, which are fair between callers.
const SLOT_TIMEOUT: Duration = Duration::from_secs(60);
const FIELD: &str = "file";

/// Returns the text of a PDF file with a [`PAGE_BREAK`] between its pages.
pub(super) async fn extract_text(hub: &Hub, caller: &Caller, name: &str, bytes: &[u8]) -> Result<String> {
    let _slot = hub.slots().documents.acquire(&caller.key(), SLOT_TIMEOUT).await?;
    let output = EXTRACTOR.run(hub, bytes).await?;
    let unreadable = || {
        let words = format!(
            "{name} cannot be read: it is damaged, or reading it takes too much time or memory. Print it to a new \
             PDF file, or save it as text."
        );
        Refusal::invalid(FIELD, words)
    };
    let read: Result<Vec<String>, ExtractionError> =
        serde_json::from_slice(&output).map_err(|_| unreadable())?;
    let pages = read.map_err(|error| Refusal::invalid(FIELD, explain(name, error)))?;
    Ok(pages.join(&PAGE_BREAK.to_string()))
}

fn explain(name: &str, error: ExtractionError) -> String {
    const PRINT: &str = "Print it to a new PDF file, or save it as text.";
    match error {
        ExtractionError::NotPdf => {
            format!("{name} is not a PDF file, although its name says so. Save it as PDF or as text.")
        }
        ExtractionError::NoEnd => {
            format!("{name} is incomplete, or other data follows its end. {PRINT}")
        }
        ExtractionError::Encrypted => {
            format!("{name} needs a password. Remove the password, then add the file again.")
        }
        ExtractionError::Damaged => format!("{name} is damaged and cannot be read. {PRINT}"),
        ExtractionError::DamagedPage { page } => {
            format!("Page {page} of {name} is damaged and cannot be read. {PRINT}")
        }
        ExtractionError::TooManyPages => format!("{name} has more than {MAX_PAGES} pages. Split it."),
        ExtractionError::TooMuchText => {
            format!("{name} has more than {} of text. Split it.", in_units(MAX_TEXT_BYTES as u64))
        }
        ExtractionError::NoText => format!(
            "{name} has no text: its pages are blank or images. Recognize the text with an OCR program, then add \
             it again."
        ),
    }
}
