//! Each part of each format in which a photo tells its place.
#![expect(clippy::expect_used, reason = "a failure of a helper fails the test")]

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use plexus_image_file::{Format, ImageFile, Orientation, photo_format_with_metadata, reencode};
use plexus_testing::images::{PLACE, PlainImages, exif, jpeg_segment, jpeg_with, photos_with_place};
use proptest::prelude::*;

fn encoded(format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let image = RgbImage::from_fn(8, 5, |x, y| Rgb([20 * x as u8, 40 * y as u8, 7]));
    DynamicImage::ImageRgb8(image).write_to(&mut bytes, format).expect("it is encoded");
    bytes.into_inner()
}

fn plain() -> PlainImages {
    PlainImages {
        png: encoded(ImageFormat::Png),
        jpeg: encoded(ImageFormat::Jpeg),
        gif: encoded(ImageFormat::Gif),
        webp: encoded(ImageFormat::WebP),
    }
}

fn has_place(bytes: &[u8]) -> bool {
    bytes.windows(PLACE.len()).any(|window| window == PLACE)
}

#[test]
fn no_part_of_a_format_keeps_the_place() {
    let plain = plain();
    for (format, part, photo) in photos_with_place(&plain) {
        assert!(has_place(&photo), "{format}, {part}: the test has a place");
        let file = ImageFile::read(&photo).unwrap_or_else(|| panic!("{format}, {part}"));
        file.check().unwrap_or_else(|error| panic!("{format}, {part}: {error}"));
        assert!(!has_place(&file.bytes), "{format}, {part}");
        assert_eq!((file.width, file.height), (8, 5), "{format}, {part}");
        let again = ImageFile::read(&file.bytes).expect("it is still an image");
        assert_eq!(again.bytes, file.bytes, "{format}, {part}: reading it again changes nothing");
        if matches!(file.format, Format::Heic | Format::Avif) {
            assert_eq!(file.bytes.len(), photo.len(), "nothing moves");
            assert!(file.bytes.windows(6).any(|window| window == b"pixels"), "the picture stays");
            continue;
        }
        let pixels =
            image::load_from_memory(&file.bytes).unwrap_or_else(|error| panic!("{format}, {part}: {error}"));
        assert_eq!((pixels.width(), pixels.height()), (8, 5));
        let new = reencode(&photo).unwrap_or_else(|error| panic!("{format}, {part}: {error}"));
        assert!(!has_place(&new.bytes), "{format}, {part}");
        assert!(image::load_from_memory(&new.bytes).is_ok(), "{format}, {part}");
    }
}

#[test]
fn an_image_without_metadata_stays_as_it_is() {
    let plain = plain();
    for bytes in [plain.png, plain.jpeg, plain.gif, plain.webp] {
        assert_eq!(ImageFile::read(&bytes).expect("an image").bytes, bytes);
    }
}

#[test]
fn a_cleaned_jpeg_stays_as_it_is() {
    let header = [&b"\xff\xd8"[..], &jpeg_segment(0xc0, b"\x08\0\x02\0\x03\x01\x01\x11\0")].concat();
    let scan = [&header[..], &jpeg_segment(0xda, b"\x01\x01\0\0\x3f\0"), b"\x12\xff\0\x34"].concat();
    let frame = jpeg_segment(0xc0, b"\x08\0\x02\0\x03\x01\x01\x11\0");
    for (rest, kept) in [
        (&b"\xff"[..], &b""[..]),
        (b"\xff\xff\xff", b""),
        (b"\xff\xff\xd9", b"\xff\xd9"),
        (b"\xff\xff\0\x56\xff\xff\xd0\x56\xff\xd9", b"\xff\xff\0\x56\xff\xff\xd0\x56\xff\xd9"),
        // Segments that are left out, or end the file, after fill bytes.
        (b"\xff\xff\xfe\0\x03x\xff\xd9", b"\xff\xd9"),
        (b"\xff\xff\xfe\0\x09x", b""),
        (&[b"\xff", &frame[..]].concat(), b""),
    ] {
        let cleaned = ImageFile::read(&[&scan[..], rest].concat()).unwrap().bytes;
        assert_eq!(cleaned, [&scan[..], kept].concat(), "{}", rest.escape_ascii());
        assert_eq!(ImageFile::read(&cleaned).unwrap().bytes, cleaned, "{}", rest.escape_ascii());
    }
}

#[test]
fn a_photo_stays_upright() {
    let turned = jpeg_with(&plain().jpeg, &jpeg_segment(0xe1, &[b"Exif\0\0", &exif()[..]].concat()));
    let file = ImageFile::read(&turned).expect("a photo");
    assert_eq!((file.orientation, file.shown_size()), (Orientation::Rotate90, (5, 8)));
    assert_eq!(
        ImageFile::read(&file.bytes).expect("a photo").orientation,
        Orientation::Rotate90,
        "it is kept"
    );
    let new = reencode(&turned).expect("a photo");
    let pixels = image::load_from_memory(&new.bytes).expect("a photo").to_rgb8();
    assert_eq!(pixels.dimensions(), (5, 8), "its pixels are turned");
    // The lower left corner, which is dark red and light green, is now above.
    assert!(pixels.get_pixel(0, 0)[1] > 100 && pixels.get_pixel(4, 0)[1] < 60);
    assert_eq!(ImageFile::read(&new.bytes).expect("a photo").orientation, Orientation::NoTransforms);
}

#[test]
fn formats_that_keep_their_metadata_are_known() {
    for (bytes, name) in [
        (&b"II*\0\x08\0\0\0"[..], Some("TIFF")),
        (b"MM\0*\0\0\0\x08", Some("TIFF")),
        (b"\xff\x0a\0\0", Some("JPEG XL")),
        (b"\0\0\0\x0cJXL \r\n\x87\n", Some("JPEG XL")),
        (b"\0\0\0\x18ftypcrx \0\0\0\x01crx isom", Some("RAW")),
        (b"\0\0\0\x18ftypisom\0\0\0\x01isommp42", None),
        (b"BM", None),
    ] {
        assert_eq!(photo_format_with_metadata(bytes), name, "{bytes:?}");
        assert!(Format::detect(bytes).is_none(), "{bytes:?}");
    }
}

#[test]
fn an_image_whose_parts_are_not_understood_is_not_read() {
    let heic = |from: &[u8], to: &[u8]| {
        let mut bytes = plexus_testing::images::heif(b"heic", b"hvc1", b"", b"");
        let at = bytes.windows(from.len()).position(|window| window == from).expect("it has this part");
        bytes[at..at + to.len()].copy_from_slice(to);
        bytes
    };
    assert!(ImageFile::read(&heic(b"meta", b"meta")).is_some());
    for (from, to) in [
        (&b"meta"[..], &b"moov"[..]),
        (b"infe\x02", b"infe\x01"),
        (b"iloc\0", b"iloc\x02"),
        (b"iinf", b"iInf"),
        (b"ispe", b"xxxx"),
        (b"hvc1\0", b"jpeg\0"),
        (b"mdat", b"free"),
    ] {
        let read = ImageFile::read(&heic(from, to));
        assert!(read.is_none() || !has_place(&read.expect("read").bytes), "{from:?}");
    }
    for bytes in [
        &b"\0\0\0\x1cftypavif\0\0\0\0"[..],
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff",
        b"GIF89a",
        b"RIFF\x04\0\0\0WEBP",
    ] {
        assert!(ImageFile::read(bytes).is_none(), "{bytes:?}");
    }
}

proptest! {
    #![proptest_config(plexus_testing::cases(256))]

    #[test]
    fn damage_is_no_panic_and_cut_files_have_no_place(
        which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>(),
    ) {
        let photos = photos_with_place(&plain());
        let (format, part, mut photo) = which.get(&photos).clone();
        let cut_at = cut.index(photo.len());
        if let Some(file) = ImageFile::read(&photo[..cut_at]) {
            prop_assert!(!has_place(&file.bytes), "{format}, {part}, cut at {cut_at}");
        }
        let at = at.index(photo.len());
        photo[at] = byte;
        if let Some(file) = ImageFile::read(&photo) {
            prop_assert!(file.bytes.len() <= photo.len() + 40);
            let _ = file.check();
            let _ = reencode(&photo);
        }
    }
}
