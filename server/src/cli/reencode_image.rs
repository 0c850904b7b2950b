//! `plexus reencode-image`: reads an image from stdin, and writes a line of JSON and the image without anything but its
//! pixels to stdout. The hub runs it as a process of its own for each uploaded image, since these are hostile.

use std::io::{Read as _, Write as _, stdin, stdout};

use clap::Command;
use plexus_hub::uploads::REENCODE_IMAGE_COMMAND;
use plexus_image_file::{ImageFileError, MAX_FILE_BYTES, reencode};

use super::confinement::ProcessLimits;

pub const LIMITS: ProcessLimits = ProcessLimits { memory_bytes: 320 << 20, cpu_seconds: 15 };

pub fn command() -> Command {
    Command::new(REENCODE_IMAGE_COMMAND).about("Decode an image from stdin and encode it again").hide(true)
}

/// Runs in a confined process.
pub fn run() -> anyhow::Result<u8> {
    let mut bytes = Vec::new();
    stdin().lock().take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    let reencoded = reencode(&bytes);
    let outcome: Result<(), ImageFileError> = reencoded.as_ref().map(|_| ()).map_err(|error| *error);
    let mut out = stdout().lock();
    serde_json::to_writer(&mut out, &outcome)?;
    out.write_all(b"\n")?;
    if let Ok(image) = reencoded {
        out.write_all(&image.bytes)?;
    }
    out.flush()?;
    Ok(0)
}
