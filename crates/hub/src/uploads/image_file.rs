//! Images of users: decoded and encoded again by a process with limits, or kept without metadata.
//!
//! A new file has nothing but pixels: no EXIF (place and device of a photo), and no other format behind or inside the
//! image (polyglot files).

use std::time::Duration;

use bytes::Bytes;
use plexus_domain::Error as Refusal;
use plexus_image_file::{
    Format, ImageFile, ImageFileError, MAX_DECODED_BYTES, MAX_FILE_BYTES, MAX_FRAMES, MAX_PIXELS, MAX_SCANS,
};

use crate::{Hub, Result, confined_process::ConfinedCommand, quotas::in_units};

/// Subcommand of the `plexus` program that reads an image from stdin, and writes a line of JSON and the new image to
/// stdout. The line is `Result<(), ImageFileError>`.
pub const REENCODE_IMAGE_COMMAND: &str = "reencode-image";
const DECODER: ConfinedCommand = ConfinedCommand {
    name: REENCODE_IMAGE_COMMAND,
    memory_bytes: 400 << 20,
    output_bytes: MAX_FILE_BYTES as u64 + 1_024,
    timeout: Duration::from_secs(30),
};
/// Wait for one of the slots, which are fair between callers.
const SLOT_TIMEOUT: Duration = Duration::from_secs(60);

/// An image that was encoded again, or kept without metadata.
pub(super) struct CleanImage {
    pub bytes: Bytes,
    pub media_type: &'static str,
    /// File name extension of the new format; `None` if the format is the same.
    pub extension: Option<&'static str>,
}

/// Decodes an image and encodes it again. WebP becomes JPEG, or PNG if it has transparency. AVIF and HEIC, for which
/// there is no decoder, only lose their metadata.
pub(super) async fn clean(
    hub: &Hub,
    caller: &str,
    name: &str,
    format: Format,
    bytes: Bytes,
) -> Result<CleanImage> {
    let file = ImageFile::read(&bytes).ok_or_else(|| invalid(name))?;
    // Before a slot is taken: refusing a large image costs nothing.
    file.check().map_err(|error| explain(name, error))?;
    if matches!(format, Format::Avif | Format::Heic) {
        return Ok(CleanImage { bytes: file.bytes.into(), media_type: format.media_type(), extension: None });
    }
    drop(file);
    let _slot = hub.slots().images.acquire(caller, SLOT_TIMEOUT).await?;
    let output = Bytes::from(DECODER.run(hub, &bytes).await?);
    let unreadable = || {
        let words = format!(
            "{name} cannot be read: it is damaged, or reading it takes too much time or memory. Save it again as \
             PNG or JPEG, then send it."
        );
        Refusal::invalid(super::FIELD, words)
    };
    let end = output.iter().position(|byte| *byte == b'\n').ok_or_else(unreadable)?;
    let outcome: Result<(), ImageFileError> =
        serde_json::from_slice(&output[..end]).map_err(|_| unreadable())?;
    outcome.map_err(|error| explain(name, error))?;
    let bytes = output.slice(end + 1..);
    let new = Format::detect(&bytes).ok_or_else(unreadable)?;
    let extension = (new != format).then(|| new.extension());
    Ok(CleanImage { bytes, media_type: new.media_type(), extension })
}

fn explain(name: &str, error: ImageFileError) -> Refusal {
    let words = match error {
        ImageFileError::Damaged => return invalid(name),
        ImageFileError::TooManyPixels => format!(
            "{name} has too many pixels. An image has at most {} million. Send a smaller version.",
            MAX_PIXELS / 1_000_000
        ),
        ImageFileError::TooMuchMemory => format!(
            "{name} needs more than {} of memory to be decoded. Send a smaller version, or save it again as JPEG.",
            in_units(MAX_DECODED_BYTES)
        ),
        ImageFileError::TooManyFrames => {
            format!(
                "{name} has too many frames. An animation has at most {MAX_FRAMES}. Send a shorter version."
            )
        }
        ImageFileError::TooManyScans => format!(
            "{name} is stored in too many scans. A JPEG image has at most {MAX_SCANS}. Save it again as PNG or \
             JPEG, then send it."
        ),
        ImageFileError::FrameOutside => {
            format!("{name} is not valid: a frame reaches beyond its canvas. Save it again, then send it.")
        }
        ImageFileError::TooLarge => {
            format!(
                "{name} is larger than {} when it is decoded and encoded again. Send a smaller version.",
                in_units(MAX_FILE_BYTES as u64)
            )
        }
    };
    Refusal::invalid(super::FIELD, words)
}

pub(super) fn invalid(name: &str) -> Refusal {
    let words = format!("{name} is not a valid image. Save it again as PNG or JPEG, then send it.");
    Refusal::invalid(super::FIELD, words)
}

/// Refuses a photo in a format whose metadata stays in it.
pub(super) fn keeps_metadata(name: &str, format: &str) -> Refusal {
    let words = format!(
        "This hub cannot remove the place where a photo was taken from {format} files. Save {name} as JPEG or PNG, \
         then send it."
    );
    Refusal::invalid(super::FIELD, words)
}
