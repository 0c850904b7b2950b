//! PNG (W3C PNG, third edition): chunks, of which only those are kept that pixels need.

use crate::{Format, ImageFile, Orientation, area, byte_reader::ByteReader, exif};

const SIGNATURE_BYTES: usize = 8;
/// Chunks that are kept, with their maximum length. They have no room for other data.
const KEPT: [(&[u8; 4], usize); 13] = [
    (b"IHDR", 13),
    (b"PLTE", 768),
    (b"tRNS", 256),
    (b"IDAT", usize::MAX),
    (b"IEND", 0),
    (b"acTL", 8),
    (b"fcTL", 26),
    (b"fdAT", usize::MAX),
    (b"gAMA", 4),
    (b"cHRM", 32),
    (b"sRGB", 1),
    (b"cICP", 4),
    (b"pHYs", 9),
];

struct Chunk<'a> {
    kind: [u8; 4],
    data: &'a [u8],
    /// Length, type, data and checksum.
    whole: &'a [u8],
}

pub fn read(bytes: &[u8]) -> Option<ImageFile> {
    let mut input = ByteReader::new(bytes);
    let signature = input.take(SIGNATURE_BYTES)?;
    let header = next(&mut input).filter(|chunk| chunk.kind == *b"IHDR")?;
    let mut fields = ByteReader::new(header.data);
    let (width, height, depth, color) = (fields.u32()?, fields.u32()?, fields.u8()?, fields.u8()?);
    let mut kept = Vec::with_capacity(bytes.len());
    kept.extend_from_slice(signature);
    kept.extend_from_slice(header.whole);
    let mut file = ImageFile::new(Format::Png, width, height, Vec::new());
    let mut has_transparency = false;
    while let Some(chunk) = next(&mut input) {
        let most = KEPT.iter().find(|(kind, _)| **kind == chunk.kind).map(|(_, most)| *most);
        if most.is_some_and(|most| chunk.data.len() <= most) {
            kept.extend_from_slice(chunk.whole);
        }
        match &chunk.kind {
            b"tRNS" => has_transparency = true,
            b"eXIf" => file.orientation = exif::orientation(chunk.data),
            b"fcTL" => file.has_frame_outside |= !is_within(chunk.data, width, height),
            b"IEND" => break,
            _ => {}
        }
    }
    let channels = match color {
        0 => 1 + u64::from(has_transparency),
        4 => 2,
        2 | 3 => 3 + u64::from(has_transparency),
        _ => 4,
    };
    let copies = if file.orientation == Orientation::NoTransforms { 1 } else { 2 };
    let channel_bytes = if depth == 16 { 2 } else { 1 };
    file.decoded_bytes = area(width, height).saturating_mul(channels * channel_bytes * copies);
    file.bytes = kept;
    Some(file)
}

fn next<'a>(input: &mut ByteReader<'a>) -> Option<Chunk<'a>> {
    let start = input.rest();
    let length = usize::try_from(input.u32()?).ok()?;
    let kind = input.array()?;
    let data = input.take(length)?;
    input.take(4)?;
    Some(Chunk { kind, data, whole: &start[..length + 12] })
}

/// Returns whether a frame lies within the canvas. Its header has a sequence number, then width, height, and offsets.
fn is_within(frame: &[u8], width: u32, height: u32) -> bool {
    let mut fields = ByteReader::new(frame);
    let numbers: Option<[u32; 5]> =
        (|| Some([fields.u32()?, fields.u32()?, fields.u32()?, fields.u32()?, fields.u32()?]))();
    numbers.is_some_and(|[_, w, h, x, y]| {
        let end = |at: u32, length: u32| u64::from(at) + u64::from(length);
        end(x, w) <= u64::from(width) && end(y, h) <= u64::from(height)
    })
}
