//! Hostile images: what they become is bounded, and small ones are refused before anything is decoded.
#![expect(clippy::expect_used, reason = "a failure of a helper fails the test")]

use std::io::Cursor;

use image::{DynamicImage, ImageFormat};
use plexus_image_file::{ImageFile, ImageFileError, reencode};
use plexus_testing::{
    cost::measure,
    images::{
        gif, jpeg_segment, jpeg_with, png_chunk, png_header, png_with, png_with_profile_bomb, webp, zlib_bomb,
    },
};

fn encoded(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::new_rgb8(width, height).write_to(&mut bytes, format).expect("it is encoded");
    bytes.into_inner()
}

/// Returns a JPEG header of a frame with these factors of three components.
fn jpeg_of(marker: u8, width: u16, height: u16, factors: [u8; 3]) -> Vec<u8> {
    let mut fields = vec![8];
    fields.extend_from_slice(&height.to_be_bytes());
    fields.extend_from_slice(&width.to_be_bytes());
    fields.push(3);
    for (id, factor) in (1..).zip(factors) {
        fields.extend_from_slice(&[id, factor, 0]);
    }
    [b"\xff\xd8", &jpeg_segment(marker, &fields)[..], b"\xff\xd9"].concat()
}

#[test]
fn what_pixels_cost_is_known_before_they_are_decoded() {
    let png = |width, height, depth, color| png_header(width, height, depth, color);
    let small = encoded(8, 5, ImageFormat::Jpeg);
    let scan = {
        let at = small.windows(2).position(|window| window == b"\xff\xda").expect("a scan");
        &small[at..small.len() - 2]
    };
    let scans = [&small[..small.len() - 2], &scan.repeat(300), b"\xff\xd9"].concat();
    let frame = |width: u32| {
        let sides = [&(width - 1).to_le_bytes()[..3], &(width - 1).to_le_bytes()[..3]].concat();
        let bits = (16_382_u32 | 16_382 << 14).to_le_bytes();
        let pixels = [&[0x2f][..], &bits, &[0; 5]].concat();
        let chunk = [&b"VP8L\x0a\0\0\0"[..], &pixels].concat();
        [&[0; 6][..], &sides, &[0; 4], &chunk].concat()
    };
    let canvas = [&[2, 0, 0, 0][..], &[9, 0, 0], &[9, 0, 0]].concat();
    let animation = webp(&[(b"VP8X", &canvas), (b"ANIM", &[0; 6]), (b"ANMF", &frame(10))]);
    let fc = |width: u32| [&[0, 0, 0, 0][..], &width.to_be_bytes(), &1_u32.to_be_bytes(), &[0; 14]].concat();
    let apng = png_with(&encoded(8, 5, ImageFormat::Png), &png_chunk(b"fcTL", &fc(9)));
    for (name, bytes, expected) in [
        ("PNG", png(30_000, 30_000, 8, 2), Err(ImageFileError::TooManyPixels)),
        ("thin PNG", png(1, 50_000, 8, 2), Err(ImageFileError::TooManyPixels)),
        ("wide numbers", png(u32::MAX, u32::MAX, 16, 6), Err(ImageFileError::TooManyPixels)),
        ("empty PNG", png(0, 5, 8, 2), Err(ImageFileError::Damaged)),
        ("49 million pixels of 8 bytes", png(7_000, 7_000, 16, 6), Err(ImageFileError::TooMuchMemory)),
        ("49 million pixels of 3 bytes", png(7_000, 7_000, 8, 2), Ok(())),
        ("frame of an APNG", apng, Err(ImageFileError::FrameOutside)),
        ("JPEG", jpeg_of(0xc0, 65_000, 65_000, [0x11; 3]), Err(ImageFileError::TooManyPixels)),
        ("JPEG of a phone", jpeg_of(0xc0, 8_160, 6_120, [0x22, 0x11, 0x11]), Ok(())),
        (
            "large progressive JPEG",
            jpeg_of(0xc2, 8_000, 6_000, [0x11; 3]),
            Err(ImageFileError::TooMuchMemory),
        ),
        ("progressive JPEG", jpeg_of(0xc2, 6_000, 4_000, [0x22, 0x11, 0x11]), Ok(())),
        ("300 scans", scans, Err(ImageFileError::TooManyScans)),
        ("GIF", gif((60_000, 60_000), 1, (1, 1)), Err(ImageFileError::TooManyPixels)),
        (
            "frames larger than the canvas",
            gif((1, 1), 12, (10_000, 10_000)),
            Err(ImageFileError::FrameOutside),
        ),
        ("pixels of all frames", gif((2_000, 2_000), 13, (1, 1)), Err(ImageFileError::TooManyPixels)),
        ("large canvas of a GIF", gif((5_000, 5_000), 1, (1, 1)), Err(ImageFileError::TooMuchMemory)),
        ("number of frames", gif((1, 1), 2_001, (1, 1)), Err(ImageFileError::TooManyFrames)),
        ("no frame", gif((1, 1), 0, (1, 1)), Err(ImageFileError::Damaged)),
        ("frames of a WebP", animation, Err(ImageFileError::FrameOutside)),
    ] {
        let file = ImageFile::read(&bytes).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(file.check(), expected, "{name}");
        if let Err(expected) = expected {
            assert_eq!(reencode(&bytes).err(), Some(expected), "{name}");
        }
    }
}

#[test]
fn what_is_no_pixel_is_never_inflated() {
    let png = encoded(10, 10, ImageFormat::Png);
    let text = png_chunk(b"zTXt", &[b"t\0\0", &zlib_bomb(480)[..]].concat());
    let jpeg = encoded(10, 10, ImageFormat::Jpeg);
    let profile = jpeg_segment(0xe2, &[&b"ICC_PROFILE\0\x01\xff"[..], &[0; 60_000]].concat());
    let chunks = png_chunk(b"tEXt", b"a\0b").repeat(200_000);
    for (name, bytes) in [
        ("colour profile", png_with_profile_bomb(&png)),
        ("text", png_with(&png, &text)),
        ("200,000 chunks", png_with(&png, &chunks)),
        ("profile of a JPEG", jpeg_with(&jpeg, &profile.repeat(250))),
        ("200,000 comments", jpeg_with(&jpeg, &jpeg_segment(0xfe, b"x").repeat(200_000))),
    ] {
        let mut new = None;
        let time = measure(|| new = Some(reencode(&bytes)));
        let new = new.expect("it ran");
        assert!(new.is_ok_and(|new| new.bytes.len() < 1_000), "{name}");
        assert!(time.as_millis() < 1_000, "{name}: {time:?}");
    }
}

#[test]
fn damaged_pixels_are_an_error() {
    let mut cut = encoded(400, 400, ImageFormat::Png);
    cut.truncate(cut.len() / 2);
    let broken = [png_header(10, 10, 8, 2), png_chunk(b"IDAT", b"no zlib"), png_chunk(b"IEND", b"")].concat();
    let short = [png_header(10, 10, 8, 2), png_chunk(b"IEND", b"")].concat();
    let arithmetic = jpeg_of(0xc9, 10, 10, [0x11; 3]);
    let nothing = jpeg_of(0xc0, 10, 10, [0x11; 3]);
    for (name, bytes) in
        [("cut", cut), ("broken", broken), ("short", short), ("arithmetic", arithmetic), ("nothing", nothing)]
    {
        assert_eq!(reencode(&bytes).err(), Some(ImageFileError::Damaged), "{name}");
    }
}

#[test]
fn an_animation_keeps_its_frames() {
    let bytes = gif((40, 30), 5, (40, 30));
    assert_eq!(ImageFile::read(&bytes).expect("a GIF").frames, 5);
    let new = reencode(&bytes).expect("a GIF");
    assert_eq!(ImageFile::read(&new.bytes).expect("a GIF").frames, 5);
}
