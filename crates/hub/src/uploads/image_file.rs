//! Images of users: decoded within bounds and encoded again.
//!
//! A new file has nothing but pixels: no EXIF (place and device of a photo), and no other format behind or inside the
//! image (polyglot files).

use std::io::Cursor;

use bytes::Bytes;
use image::{
    AnimationDecoder as _, DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits,
    codecs::{
        gif::{GifDecoder, GifEncoder, Repeat},
        jpeg::JpegEncoder,
    },
};
use plexus_domain::{Error as Refusal, ImageSize};
use tokio::sync::Semaphore;

use crate::{Error, Result, blobs::inline_type};

/// Maximum pixels of an image, and of all frames of an animation together. Checked before pixels are decoded
/// (decompression bomb).
const MAX_PIXELS: u64 = 50_000_000;
/// Maximum width and height in pixels.
const MAX_SIDE: u32 = 20_000;
/// Maximum bytes that one decoder allocates.
const MAX_DECODER_BYTES: u64 = 512 << 20;
const JPEG_QUALITY: u8 = 90;
/// From 1 to 30; larger is faster and has worse colours.
const GIF_SPEED: i32 = 15;
/// Images that are decoded at the same time; further ones wait. Bounds memory, not only CPU time.
static DECODERS: Semaphore = Semaphore::const_new(2);

/// An image that was encoded again.
pub(super) struct CleanImage {
    pub bytes: Bytes,
    pub media_type: &'static str,
    /// File name extension of the new format; `None` if the format is the same.
    pub extension: Option<&'static str>,
}

/// Returns the format of a file that is an image of a known format, by its first bytes.
pub(super) fn format_of(bytes: &[u8]) -> Option<ImageFormat> {
    image::guess_format(bytes).ok()
}

/// Returns the size of an image of a type that browsers show. Reads its headers only. None if they are not valid.
pub(crate) fn image_size(media_type: Option<&str>, bytes: &[u8]) -> Option<ImageSize> {
    let format = ImageFormat::from_mime_type(inline_type(media_type?)?)?;
    let (width, height) = ImageReader::with_format(Cursor::new(bytes), format).into_dimensions().ok()?;
    Some(ImageSize { width, height })
}

/// Decodes an image and encodes it again. WebP becomes JPEG, or PNG if it has transparency.
pub(super) async fn reencode(name: &str, format: ImageFormat, bytes: Bytes) -> Result<CleanImage> {
    // Before a turn is taken: refusing a large image costs nothing.
    check_size(name, format, &bytes)?;
    let turn = DECODERS.acquire().await.map_err(Error::fault)?;
    let name = name.to_owned();
    let done = tokio::task::spawn_blocking(move || match format {
        ImageFormat::Gif => reencode_animation(&name, &bytes),
        _ => reencode_still(&name, format, &bytes),
    })
    .await;
    drop(turn);
    Ok(done.map_err(Error::fault)??)
}

fn check_size(name: &str, format: ImageFormat, bytes: &[u8]) -> Result<(), Refusal> {
    let reader = ImageReader::with_format(Cursor::new(bytes), format);
    let (width, height) = reader.into_dimensions().map_err(|error| unreadable(name, &error))?;
    if width == 0 || height == 0 {
        return Err(invalid(name));
    }
    check_pixels(name, width, height, 1)
}

fn check_pixels(name: &str, width: u32, height: u32, frames: u64) -> Result<(), Refusal> {
    let pixels = u64::from(width).saturating_mul(u64::from(height)).saturating_mul(frames);
    if pixels > MAX_PIXELS || width.max(height) > MAX_SIDE {
        let words = format!(
            "{name} has too many pixels. An image has at most {} million. Send a smaller version.",
            MAX_PIXELS / 1_000_000
        );
        return Err(Refusal::invalid(super::FIELD, words));
    }
    Ok(())
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(MAX_SIDE), Some(MAX_SIDE));
    limits.max_alloc = Some(MAX_DECODER_BYTES);
    limits
}

fn reencode_still(name: &str, format: ImageFormat, bytes: &[u8]) -> Result<CleanImage, Refusal> {
    let decoded = || -> Result<DynamicImage, ImageError> {
        let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
        reader.limits(limits());
        let mut decoder = reader.into_decoder()?;
        let orientation = decoder.orientation()?;
        let mut image = DynamicImage::from_decoder(decoder)?;
        image.apply_orientation(orientation);
        Ok(image)
    };
    let image = decoded().map_err(|error| unreadable(name, &error))?;
    let (format, extension) = match format {
        ImageFormat::WebP if image.color().has_alpha() => (ImageFormat::Png, Some("png")),
        ImageFormat::WebP => (ImageFormat::Jpeg, Some("jpg")),
        same => (same, None),
    };
    let mut written = Cursor::new(Vec::new());
    let outcome = match format {
        ImageFormat::Jpeg => {
            let image = if image.color().has_color() {
                DynamicImage::ImageRgb8(image.into_rgb8())
            } else {
                DynamicImage::ImageLuma8(image.into_luma8())
            };
            image.write_with_encoder(JpegEncoder::new_with_quality(&mut written, JPEG_QUALITY))
        }
        format => image.write_to(&mut written, format),
    };
    outcome.map_err(|error| unreadable(name, &error))?;
    Ok(CleanImage { bytes: written.into_inner().into(), media_type: format.to_mime_type(), extension })
}

/// Encodes all frames of a GIF again. An animation repeats for ever.
fn reencode_animation(name: &str, bytes: &[u8]) -> Result<CleanImage, Refusal> {
    let unreadable = |error: ImageError| unreadable(name, &error);
    let mut decoder = GifDecoder::new(Cursor::new(bytes)).map_err(unreadable)?;
    decoder.set_limits(limits()).map_err(unreadable)?;
    let (width, height) = decoder.dimensions();
    let mut written = Vec::new();
    {
        let mut encoder = GifEncoder::new_with_speed(&mut written, GIF_SPEED);
        encoder.set_repeat(Repeat::Infinite).map_err(unreadable)?;
        for (number, frame) in (1..).zip(decoder.into_frames()) {
            check_pixels(name, width, height, number)?;
            encoder.encode_frame(frame.map_err(unreadable)?).map_err(unreadable)?;
        }
    }
    if written.is_empty() {
        return Err(invalid(name));
    }
    Ok(CleanImage { bytes: written.into(), media_type: ImageFormat::Gif.to_mime_type(), extension: None })
}

fn unreadable(name: &str, error: &ImageError) -> Refusal {
    match error {
        ImageError::Limits(_) => {
            check_pixels(name, u32::MAX, u32::MAX, 1).err().unwrap_or_else(|| invalid(name))
        }
        _ => invalid(name),
    }
}

pub(super) fn invalid(name: &str) -> Refusal {
    let words = format!("{name} is not a valid image. Save it again as PNG or JPEG, then send it.");
    Refusal::invalid(super::FIELD, words)
}
