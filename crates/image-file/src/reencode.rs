//! Decodes an image and encodes it again: the result has nothing but pixels.

use std::{
    io::{self, Cursor, Write},
    panic::{AssertUnwindSafe, catch_unwind},
};

use image::{
    AnimationDecoder as _, DynamicImage, ExtendedColorType, ImageDecoder as _, ImageEncoder as _, ImageError,
    ImageFormat, ImageReader, Limits,
    codecs::{
        gif::{GifDecoder, GifEncoder, Repeat},
        jpeg::JpegEncoder,
        png::PngEncoder,
    },
};

use crate::{
    Format, ImageFile, ImageFileError, MAX_DECODED_BYTES, MAX_FILE_BYTES, MAX_SIDE, Orientation,
    turned::Turned,
};

const JPEG_QUALITY: u8 = 90;
/// From 1 to 30; larger is faster and has worse colours.
const GIF_SPEED: i32 = 15;

/// An image that was encoded again.
pub struct Reencoded {
    pub format: Format,
    pub bytes: Vec<u8>,
}

/// Decodes a PNG, JPEG, GIF or WebP image and encodes it again. WebP becomes JPEG, or PNG if it has transparency. Of an
/// animation only a GIF keeps all frames.
///
/// Metadata is removed before anything is decoded, since decoders inflate it (colour profiles).
pub fn reencode(bytes: &[u8]) -> Result<Reencoded, ImageFileError> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err(ImageFileError::TooLarge);
    }
    let file = ImageFile::read(bytes).ok_or(ImageFileError::Damaged)?;
    file.check()?;
    let decode = || match file.format {
        Format::Gif => reencode_animation(&file),
        Format::Png => reencode_still(&file, ImageFormat::Png),
        Format::Jpeg => reencode_still(&file, ImageFormat::Jpeg),
        Format::WebP => reencode_still(&file, ImageFormat::WebP),
        Format::Avif | Format::Heic => Err(ImageFileError::Damaged),
    };
    // A decoder may panic on a damaged file.
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or(Err(ImageFileError::Damaged))
}

fn reencode_still(file: &ImageFile, format: ImageFormat) -> Result<Reencoded, ImageFileError> {
    let mut reader = ImageReader::with_format(Cursor::new(&file.bytes[..]), format);
    reader.limits(limits());
    let image =
        reader.into_decoder().and_then(DynamicImage::from_decoder).map_err(|error| refusal(&error))?;
    let is_png = format == ImageFormat::Png || (format == ImageFormat::WebP && image.color().has_alpha());
    let mut written = BoundedFile::default();
    let (format, outcome) = match is_png {
        true => (Format::Png, write_png(image, file.orientation, &mut written)),
        false => (Format::Jpeg, write_jpeg(image, file.orientation, &mut written)),
    };
    outcome.map_err(|error| written.refusal(&error))?;
    Ok(Reencoded { format, bytes: written.bytes })
}

fn write_png(
    mut image: DynamicImage,
    orientation: Orientation,
    written: &mut BoundedFile,
) -> Result<(), ImageError> {
    image.apply_orientation(orientation);
    let color = ExtendedColorType::from(image.color());
    PngEncoder::new(written).write_image(image.as_bytes(), image.width(), image.height(), color)
}

fn write_jpeg(
    image: DynamicImage,
    orientation: Orientation,
    written: &mut BoundedFile,
) -> Result<(), ImageError> {
    let mut encoder = JpegEncoder::new_with_quality(written, JPEG_QUALITY);
    if image.color().has_color() {
        encoder.encode_image(&Turned::new(&image.into_rgb8(), orientation))
    } else {
        encoder.encode_image(&Turned::new(&image.into_luma8(), orientation))
    }
}

/// Encodes all frames of a GIF again. An animation repeats for ever.
fn reencode_animation(file: &ImageFile) -> Result<Reencoded, ImageFileError> {
    let mut decoder = GifDecoder::new(Cursor::new(&file.bytes[..])).map_err(|error| refusal(&error))?;
    decoder.set_limits(limits()).map_err(|error| refusal(&error))?;
    let mut written = BoundedFile::default();
    let outcome = (|| {
        let mut encoder = GifEncoder::new_with_speed(&mut written, GIF_SPEED);
        encoder.set_repeat(Repeat::Infinite)?;
        for frame in decoder.into_frames() {
            encoder.encode_frame(frame?)?;
        }
        Ok(())
    })();
    outcome.map_err(|error| written.refusal(&error))?;
    Ok(Reencoded { format: Format::Gif, bytes: written.bytes })
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(MAX_SIDE), Some(MAX_SIDE));
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    limits
}

fn refusal(error: &ImageError) -> ImageFileError {
    match error {
        ImageError::Limits(_) => ImageFileError::TooMuchMemory,
        _ => ImageFileError::Damaged,
    }
}

/// File in memory that does not grow beyond [`MAX_FILE_BYTES`].
#[derive(Default)]
struct BoundedFile {
    bytes: Vec<u8>,
    is_full: bool,
}

impl BoundedFile {
    fn refusal(&self, error: &ImageError) -> ImageFileError {
        if self.is_full { ImageFileError::TooLarge } else { refusal(error) }
    }
}

impl Write for BoundedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > MAX_FILE_BYTES {
            self.is_full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
