//! The orientation of a photo, the only part of its EXIF data that is kept.

pub use image::metadata::Orientation;

/// Reads the orientation from the EXIF data (a TIFF file).
pub fn orientation(exif: &[u8]) -> Orientation {
    Orientation::from_exif_chunk(exif).unwrap_or(Orientation::NoTransforms)
}

/// Returns EXIF data with an orientation and nothing else: a TIFF file with one directory of one entry.
pub fn with_orientation(orientation: Orientation) -> [u8; 26] {
    let mut exif = *b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0";
    exif[19] = orientation.to_exif();
    exif
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_orientation_is_read_as_it_was_written() {
        for value in 1..=8 {
            let expected = Orientation::from_exif(value).unwrap();
            assert_eq!(orientation(&with_orientation(expected)), expected, "{value}");
        }
        for damaged in [&b""[..], b"MM", b"II*\0\xff\xff\xff\xff", &[0xff; 40]] {
            assert_eq!(orientation(damaged), Orientation::NoTransforms);
        }
    }
}
