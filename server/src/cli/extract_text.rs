//! `plexus extract-text`: reads a PDF file from stdin and writes its pages to stdout as JSON. The hub runs it as a
//! process of its own for each uploaded PDF file, since these are hostile.

use std::io::{Read as _, Write as _, stdin, stdout};

use clap::Command;
use plexus_document_text::{ExtractionError, MAX_PDF_BYTES, extract_pdf};
use plexus_hub::agents::knowledge::EXTRACT_TEXT_COMMAND;

use super::confinement::ProcessLimits;

pub const LIMITS: ProcessLimits = ProcessLimits { memory_bytes: 512 << 20, cpu_seconds: 20 };

pub fn command() -> Command {
    Command::new(EXTRACT_TEXT_COMMAND).about("Extract the text of a PDF file from stdin").hide(true)
}

/// Runs in a confined process.
pub fn run() -> anyhow::Result<u8> {
    let mut bytes = Vec::new();
    stdin().lock().take(MAX_PDF_BYTES as u64).read_to_end(&mut bytes)?;
    let pages: Result<Vec<String>, ExtractionError> = extract_pdf(&bytes);
    let output = serde_json::to_vec(&pages)?;
    let mut out = stdout().lock();
    out.write_all(&output)?;
    out.flush()?;
    Ok(0)
}
