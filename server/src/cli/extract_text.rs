//! `plexus extract-text`: reads a PDF file from stdin and writes its pages to stdout as JSON. The hub runs it as a
//! process of its own for each uploaded PDF file, since these are hostile.

use std::{
    io::{Read as _, Write as _, stdin, stdout},
    panic,
};

use clap::Command;
use plexus_document_text::{ExtractionError, MAX_PDF_BYTES, extract_pdf};
use plexus_hub::agents::knowledge::EXTRACT_TEXT_COMMAND;
use rlimit::{Resource, setrlimit};

/// Maximum memory in bytes, apart from the program itself (decompression bombs).
const MAX_DATA_BYTES: u64 = 512 << 20;
/// Maximum CPU time in seconds.
const MAX_CPU_SECONDS: u64 = 20;
/// The standard streams, and one that the standard library may open.
const MAX_OPEN_FILES: u64 = 4;

pub fn command() -> Command {
    Command::new(EXTRACT_TEXT_COMMAND).about("Extract the text of a PDF file from stdin").hide(true)
}

pub fn run() -> anyhow::Result<u8> {
    for (resource, limit) in [
        (Resource::DATA, MAX_DATA_BYTES),
        (Resource::CPU, MAX_CPU_SECONDS),
        (Resource::NOFILE, MAX_OPEN_FILES),
        (Resource::FSIZE, 0),
        (Resource::CORE, 0),
    ] {
        setrlimit(resource, limit, limit)?;
    }
    // A panic of the parser is an error of the file, and its message would quote the file.
    panic::set_hook(Box::new(|_| {}));
    let mut bytes = Vec::new();
    stdin().lock().take(MAX_PDF_BYTES as u64).read_to_end(&mut bytes)?;
    let pages: Result<Vec<String>, ExtractionError> = extract_pdf(&bytes);
    let output = serde_json::to_vec(&pages)?;
    let mut out = stdout().lock();
    out.write_all(&output)?;
    out.flush()?;
    Ok(0)
}
