//! WebP (RFC 9649): chunks, of which only pixels and the frames of an animation are kept.

use crate::{Format, ImageFile, area, byte_reader::ByteReader, exif};

/// Bytes that the decoder holds for each pixel: the result and its own planes.
const PIXEL_BYTES: u64 = 8;
/// Flags of the extended header for a colour profile, EXIF and XMP.
const METADATA_FLAGS: u8 = 0x20 | 0x08 | 0x04;
/// Length of the header of a frame of an animation.
const FRAME_HEADER_BYTES: usize = 16;

pub fn read(bytes: &[u8]) -> Option<ImageFile> {
    let mut input = ByteReader::new(bytes);
    input.take(12)?;
    let mut kept = b"RIFF\0\0\0\0WEBP".to_vec();
    let mut canvas: Option<(u32, u32)> = None;
    let mut file = ImageFile::new(Format::WebP, 0, 0, Vec::new());
    let mut coded = 0;
    while let Some((kind, data)) = next(&mut input) {
        match &kind {
            b"VP8X" if canvas.is_none() => {
                let mut header: [u8; 10] = data.try_into().ok()?;
                header[0] &= !METADATA_FLAGS;
                let mut sides = ByteReader::new(&header[4..]);
                canvas = Some((sides.u24_le()? + 1, sides.u24_le()? + 1));
                append(&mut kept, kind, &header);
            }
            b"VP8 " | b"VP8L" => {
                let (width, height) = coded_size(kind, data)?;
                coded = coded.max(area(width, height));
                let (wide, tall) = *canvas.get_or_insert((width, height));
                file.has_frame_outside |= width > wide || height > tall;
                append(&mut kept, kind, data);
            }
            b"ALPH" => append(&mut kept, kind, data),
            b"ANIM" if data.len() == 6 => append(&mut kept, kind, data),
            b"ANMF" => {
                let (wide, tall) = canvas?;
                let Some((frame, right, bottom)) = frame(data) else { break };
                file.has_frame_outside |= right > wide || bottom > tall;
                append(&mut kept, kind, &frame);
            }
            b"EXIF" => file.orientation = exif::orientation(data.strip_prefix(b"Exif\0\0").unwrap_or(data)),
            _ => {}
        }
    }
    (file.width, file.height) = canvas?;
    let length = u32::try_from(kept.len() - 8).ok()?;
    kept[4..8].copy_from_slice(&length.to_le_bytes());
    // Only the first frame is decoded.
    file.decoded_bytes = area(file.width, file.height).max(coded).saturating_mul(PIXEL_BYTES);
    file.bytes = kept;
    Some(file)
}

/// Reads a chunk. A last one without its padding is read too.
fn next<'a>(input: &mut ByteReader<'a>) -> Option<([u8; 4], &'a [u8])> {
    let kind = input.array()?;
    let length = usize::try_from(input.u32_le()?).ok()?;
    let data = input.take(length)?;
    if length % 2 == 1 {
        input.take(1);
    }
    Some((kind, data))
}

fn append(kept: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    kept.extend_from_slice(&kind);
    kept.extend_from_slice(&u32::try_from(data.len()).unwrap_or(u32::MAX).to_le_bytes());
    kept.extend_from_slice(data);
    if data.len() % 2 == 1 {
        kept.push(0);
    }
}

/// Returns a frame of an animation without other chunks than its pixels, and its right and lower edge.
fn frame(data: &[u8]) -> Option<(Vec<u8>, u32, u32)> {
    let mut fields = ByteReader::new(data);
    let (left, top) = (fields.u24_le()? * 2, fields.u24_le()? * 2);
    let (width, height) = (fields.u24_le()? + 1, fields.u24_le()? + 1);
    let (mut kept, rest) = (data.get(..FRAME_HEADER_BYTES)?.to_vec(), data.get(FRAME_HEADER_BYTES..)?);
    let mut input = ByteReader::new(rest);
    let (mut right, mut bottom) = (left + width, top + height);
    while let Some((kind, data)) = next(&mut input) {
        match &kind {
            b"VP8 " | b"VP8L" => {
                let (width, height) = coded_size(kind, data)?;
                (right, bottom) = (right.max(left + width), bottom.max(top + height));
                append(&mut kept, kind, data);
            }
            b"ALPH" => append(&mut kept, kind, data),
            _ => {}
        }
    }
    Some((kept, right, bottom))
}

/// Returns the size in the header of the coded pixels.
fn coded_size(kind: [u8; 4], data: &[u8]) -> Option<(u32, u32)> {
    let mut fields = ByteReader::new(data);
    if kind == *b"VP8L" {
        fields.u8().filter(|signature| *signature == 0x2f)?;
        let bits = fields.u32_le()?;
        return Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1));
    }
    fields.take(6)?;
    let side = |word: u16| u32::from(word & 0x3fff);
    Some((side(fields.u16_le()?), side(fields.u16_le()?)))
}
