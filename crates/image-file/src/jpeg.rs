//! JPEG (ITU-T T.81): marker segments, of which only those are kept that pixels need.

use crate::{Format, ImageFile, Orientation, area, byte_reader::ByteReader, exif};

/// Length of a JFIF segment without a thumbnail, and of an Adobe segment, without the marker.
const JFIF_BYTES: usize = 16;
const ADOBE_BYTES: usize = 14;

/// Frame header: what the pixels cost.
struct FrameHeader {
    width: u32,
    height: u32,
    decoded_bytes: u64,
}

/// Reads up to the end of the first image. A second one, which phones append (CIPA DC-007), has metadata of its own.
pub fn read(bytes: &[u8]) -> Option<ImageFile> {
    let mut input = ByteReader::new(bytes);
    let mut kept = Vec::with_capacity(bytes.len());
    kept.extend_from_slice(input.take(2)?);
    let (mut frame, mut orientation, mut scans) = (None, Orientation::NoTransforms, 0);
    while let Some(marker) = next_marker(&mut input) {
        if marker == 0xd9 {
            kept.extend_from_slice(&[0xff, marker]);
            break;
        }
        let start = input.rest();
        let Some(length) = input.u16().map(usize::from).filter(|length| *length >= 2) else { break };
        let Some(data) = input.take(length - 2) else { break };
        match marker {
            0xe1 if data.starts_with(b"Exif\0\0") => orientation = exif::orientation(&data[6..]),
            0xc0..=0xc2 if frame.is_none() => frame = Some(frame_header(marker, data)?),
            // A second frame, arithmetic coding, or a hierarchy: no decoder reads it.
            0xc0..=0xc3 | 0xc5..=0xcf => break,
            _ => {}
        }
        if is_kept(marker, data, length) {
            kept.extend_from_slice(&[0xff, marker]);
            kept.extend_from_slice(&start[..length]);
        }
        if marker == 0xda {
            scans += 1;
            let coded = coded_bytes(input.rest());
            kept.extend_from_slice(input.take(coded)?);
        }
    }
    let frame = frame?;
    if orientation != Orientation::NoTransforms {
        let exif = exif::with_orientation(orientation);
        let segment = [&b"\xff\xe1\0\x22Exif\0\0"[..], &exif].concat();
        kept.splice(2..2, segment);
    }
    let file = ImageFile::new(Format::Jpeg, frame.width, frame.height, kept);
    Some(ImageFile { orientation, scans, decoded_bytes: frame.decoded_bytes, ..file })
}

/// Returns whether pixels need a segment: tables, the frame, scans, and the colour model that JFIF or Adobe names.
fn is_kept(marker: u8, data: &[u8], length: usize) -> bool {
    match marker {
        0xe0 => length == JFIF_BYTES && data.starts_with(b"JFIF\0"),
        0xee => length == ADOBE_BYTES && data.starts_with(b"Adobe"),
        0xc0..=0xc2 | 0xc4 | 0xda | 0xdb | 0xdd => true,
        _ => false,
    }
}

/// Returns the next marker, after fill bytes and bytes that belong to no segment, which decoders skip too.
fn next_marker(input: &mut ByteReader) -> Option<u8> {
    loop {
        let skipped = input.rest().iter().position(|byte| *byte == 0xff)?;
        input.take(skipped + 1)?;
        let fill = input.rest().iter().position(|byte| *byte != 0xff)?;
        input.take(fill)?;
        let marker = input.u8()?;
        // A zero is no marker; restart markers and the start of an image have no segment.
        if !matches!(marker, 0 | 1 | 0xd0..=0xd8) {
            return Some(marker);
        }
    }
}

/// Returns the length of entropy-coded data, with its restart markers. Fill bytes belong to the marker after them.
fn coded_bytes(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| *byte == 0xff) {
        at += found;
        let marker = bytes[at..].iter().position(|byte| *byte != 0xff);
        match marker.map(|length| (length, bytes[at + length])) {
            Some((length, 0 | 0xd0..=0xd7)) => at += length + 1,
            _ => return at,
        }
    }
    bytes.len()
}

fn frame_header(marker: u8, data: &[u8]) -> Option<FrameHeader> {
    let mut fields = ByteReader::new(data);
    fields.u8()?;
    let (height, width) = (u32::from(fields.u16()?), u32::from(fields.u16()?));
    let components = fields.u8()?;
    let mut factors = Vec::new();
    for _ in 0..components {
        let [_, sampling, _] = fields.array()?;
        factors.push((u64::from(sampling >> 4), u64::from(sampling & 15)));
    }
    let pixels = area(width, height);
    let widest = factors.iter().map(|(wide, _)| *wide).max()?.max(1);
    let tallest = factors.iter().map(|(_, tall)| *tall).max()?.max(1);
    // A progressive decoder holds a coefficient of two bytes for each sample until the last scan.
    let coefficients: u64 =
        factors.iter().map(|(wide, tall)| 2 * pixels.saturating_mul(wide * tall) / (widest * tallest)).sum();
    let shown = pixels.saturating_mul(if components == 1 { 1 } else { 3 });
    let decoded_bytes = if marker == 0xc2 { shown.saturating_add(coefficients) } else { shown };
    Some(FrameHeader { width, height, decoded_bytes })
}
