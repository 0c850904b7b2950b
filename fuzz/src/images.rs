use plexus_image_file::{ImageFile, reencode};

/// Images that are decoded, so that a run takes no minutes.
const MAX_PIXELS: u32 = 10_000;

/// Fuzzes image files: their headers, their metadata, and the decoders.
pub fn images(data: &[u8]) {
    let Some(file) = ImageFile::read(data) else { return };
    // An orientation may be written in a segment of its own.
    assert!(file.bytes.len() <= data.len() + 40);
    let again = ImageFile::read(&file.bytes).expect("it is still an image");
    assert_eq!(again.bytes, file.bytes, "reading it again changes nothing");
    if file.check().is_ok() && file.width.saturating_mul(file.height) <= MAX_PIXELS {
        let _ = reencode(data);
    }
}
