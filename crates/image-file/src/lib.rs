//! Image files: size, frames and metadata, read without decoding pixels, and [`reencode()`], which decodes them.
//!
//! [`ImageFile::read`] is linear in the length of the file and never inflates anything, so that it may run on any thread.
//! A decoder needs time and memory that the file chooses. Therefore [`reencode()`] belongs into a process with limits of
//! memory and CPU time.

mod byte_reader;
mod exif;
mod format;
mod gif;
mod isobmff;
mod jpeg;
mod png;
mod reencode;
mod turned;
mod webp;

use serde::{Deserialize, Serialize};

pub use self::{
    exif::Orientation,
    format::{Format, photo_format_with_metadata},
    reencode::{Reencoded, reencode},
};

/// Maximum size of an image file that is decoded, and of the file that is written, in bytes.
pub const MAX_FILE_BYTES: usize = 64 << 20;
/// Maximum pixels of an image, and of all frames of an animation together.
pub const MAX_PIXELS: u64 = 50_000_000;
/// Maximum width and height in pixels.
pub const MAX_SIDE: u32 = 20_000;
/// Maximum memory of the pixels while an image is decoded, in bytes. Counts the bytes of a pixel (16-bit channels,
/// transparency) and the copies that a decoder of the format makes.
pub const MAX_DECODED_BYTES: u64 = 200 << 20;
/// Maximum number of frames of an animation.
pub const MAX_FRAMES: u64 = 2_000;
/// Maximum number of passes over the pixels of a progressive JPEG. Encoders write about ten.
pub const MAX_SCANS: u64 = 64;

/// Why an image is not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum ImageFileError {
    #[error("damaged, or no image of a known format")]
    Damaged,
    #[error("more than {MAX_PIXELS} pixels, or a side longer than {MAX_SIDE}")]
    TooManyPixels,
    #[error("its pixels need more than {MAX_DECODED_BYTES} bytes while they are decoded")]
    TooMuchMemory,
    #[error("more than {MAX_FRAMES} frames")]
    TooManyFrames,
    #[error("more than {MAX_SCANS} scans")]
    TooManyScans,
    #[error("a frame outside of its canvas")]
    FrameOutside,
    #[error("larger than {MAX_FILE_BYTES} bytes")]
    TooLarge,
}

/// An image file as its headers describe it, without metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageFile {
    pub format: Format,
    pub width: u32,
    pub height: u32,
    /// How the pixels are turned when they are shown.
    pub orientation: Orientation,
    pub frames: u64,
    /// Passes over the pixels.
    scans: u64,
    /// Memory of the pixels while the image is decoded, as its header promises.
    decoded_bytes: u64,
    /// A frame reaches beyond the canvas.
    has_frame_outside: bool,
    /// The file without metadata, colour profiles, other images, and data after its end. Cut at the first part that is
    /// malformed.
    pub bytes: Vec<u8>,
}

impl ImageFile {
    /// Reads an image of a known format, which its first bytes tell. `None` if its header is not valid.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        match Format::detect(bytes)? {
            Format::Png => png::read(bytes),
            Format::Jpeg => jpeg::read(bytes),
            Format::Gif => gif::read(bytes),
            Format::WebP => webp::read(bytes),
            format @ (Format::Avif | Format::Heic) => isobmff::read(bytes, format),
        }
    }

    const fn new(format: Format, width: u32, height: u32, bytes: Vec<u8>) -> Self {
        Self {
            format,
            width,
            height,
            orientation: Orientation::NoTransforms,
            frames: 1,
            scans: 1,
            decoded_bytes: 0,
            has_frame_outside: false,
            bytes,
        }
    }

    /// Returns width and height as the image is shown.
    pub const fn shown_size(&self) -> (u32, u32) {
        match self.orientation {
            Orientation::NoTransforms
            | Orientation::Rotate180
            | Orientation::FlipHorizontal
            | Orientation::FlipVertical => (self.width, self.height),
            _ => (self.height, self.width),
        }
    }

    /// Checks what the pixels cost before they are decoded.
    pub fn check(&self) -> Result<(), ImageFileError> {
        if self.width == 0 || self.height == 0 || self.frames == 0 {
            return Err(ImageFileError::Damaged);
        }
        let pixels = area(self.width, self.height).saturating_mul(self.frames);
        if pixels > MAX_PIXELS || self.width.max(self.height) > MAX_SIDE {
            return Err(ImageFileError::TooManyPixels);
        }
        let limits = [
            (self.has_frame_outside, ImageFileError::FrameOutside),
            (self.frames > MAX_FRAMES, ImageFileError::TooManyFrames),
            (self.scans > MAX_SCANS, ImageFileError::TooManyScans),
            (self.decoded_bytes > MAX_DECODED_BYTES, ImageFileError::TooMuchMemory),
        ];
        limits.into_iter().find(|(is_exceeded, _)| *is_exceeded).map_or(Ok(()), |(_, error)| Err(error))
    }
}

fn area(width: u32, height: u32) -> u64 {
    u64::from(width) * u64::from(height)
}
