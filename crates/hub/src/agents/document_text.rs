//! Text of uploaded PDF files, extracted by a process of its own with limits, since its parser gets hostile files.

use std::{process::Command, time::Duration};

use plexus_document_text::{ExtractionError, MAX_PAGES, MAX_TEXT_BYTES};
use plexus_domain::{Error as Refusal, knowledge::PAGE_BREAK};
use plexus_runtime::child_process::{ChildProcess, ProcessSpec};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    sync::Semaphore,
    time::timeout,
};

use crate::{Hub, Result, quotas::in_units};

/// Subcommand of the `plexus` program that reads a PDF file from stdin and writes its pages to stdout.
pub const EXTRACT_TEXT_COMMAND: &str = "extract-text";
/// Files that are read concurrently; others wait for [`SLOT_TIMEOUT`].
static EXTRACTORS: Semaphore = Semaphore::const_new(2);
const SLOT_TIMEOUT: Duration = Duration::from_secs(30);
const EXTRACTION_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum memory of the process. The program limits itself to less; this holds if it cannot.
const MAX_MEMORY_BYTES: u64 = 1 << 30;
/// Maximum size of the output: JSON may double the text, and each page adds a few bytes.
const MAX_OUTPUT_BYTES: u64 = (2 * MAX_TEXT_BYTES + 8 * MAX_PAGES + 1_024) as u64;
const FIELD: &str = "file";

/// Returns the text of a PDF file with a [`PAGE_BREAK`] between its pages.
pub(super) async fn extract_text(hub: &Hub, name: &str, bytes: &[u8]) -> Result<String> {
    let Ok(slot) = timeout(SLOT_TIMEOUT, EXTRACTORS.acquire()).await else {
        let words = "The hub is reading too many PDF files at once. Try again in a minute.";
        return Err(Refusal::unavailable(words).into());
    };
    let _slot = slot.map_err(anyhow::Error::new)?;
    let output = timeout(EXTRACTION_TIMEOUT, run_extractor(hub, bytes)).await;
    let unreadable = || {
        let words = format!(
            "{name} cannot be read: it is damaged, or reading it takes too much time or memory. Print it to a new \
             PDF file, or save it as text."
        );
        Refusal::invalid(FIELD, words)
    };
    let output = match output {
        Ok(output) => output?,
        Err(_) => {
            tracing::warn!("text extraction: timed out");
            return Err(unreadable().into());
        }
    };
    let read: Result<Vec<String>, ExtractionError> =
        serde_json::from_slice(&output).map_err(|_| unreadable())?;
    let pages = read.map_err(|error| Refusal::invalid(FIELD, explain(name, error)))?;
    Ok(pages.join(&PAGE_BREAK.to_string()))
}

/// Returns the output of the process, which is not JSON if the process was killed.
async fn run_extractor(hub: &Hub, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut command = Command::new(&hub.config().extractor_program);
    // The process needs nothing of the hub's environment, which may hold secrets.
    command.arg(EXTRACT_TEXT_COMMAND).env_clear().current_dir("/");
    let started = ProcessSpec::new(command, "/").within(MAX_MEMORY_BYTES).start();
    let ChildProcess { mut stdin, stdout, mut process } =
        started.map_err(|failure| anyhow::anyhow!("text extraction: {failure:?}"))?;
    let write = async move {
        // A process that was killed does not read its input: its output tells.
        let _ = stdin.write_all(bytes).await;
        drop(stdin);
    };
    let read = async move {
        let mut output = Vec::new();
        stdout.take(MAX_OUTPUT_BYTES).read_to_end(&mut output).await.map(|_| output)
    };
    let ((), output) = tokio::join!(write, read);
    let output = output.map_err(anyhow::Error::new)?;
    if output.is_empty() {
        let ending = process.ending().await;
        tracing::warn!(ending, stderr = process.complaints(), "text extraction: no output");
    }
    Ok(output)
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
