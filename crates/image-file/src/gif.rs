//! GIF (GIF89a): blocks, of which frames and their timing are kept.

use crate::{Format, ImageFile, area, byte_reader::ByteReader};

/// Bytes that the decoder and the encoder of animations hold for each pixel of the canvas: four copies of RGBA.
const CANVAS_BYTES: u64 = 16;
const TRAILER: u8 = 0x3b;

pub fn read(bytes: &[u8]) -> Option<ImageFile> {
    let mut input = ByteReader::new(bytes);
    let start = input.rest();
    input.take(6)?;
    let (width, height) = (u32::from(input.u16_le()?), u32::from(input.u16_le()?));
    let [flags, _, _] = input.array()?;
    let table = color_table(flags);
    input.take(table)?;
    let mut kept = Vec::with_capacity(bytes.len());
    kept.extend_from_slice(&start[..13 + table]);
    let mut file = ImageFile::new(Format::Gif, width, height, Vec::new());
    file.frames = 0;
    while let Some((block, kind)) = next(&mut input) {
        match kind {
            Block::Kept => kept.extend_from_slice(block),
            Block::Dropped => {}
            Block::Frame { right, bottom } => {
                file.frames += 1;
                file.has_frame_outside |= right > width || bottom > height;
                kept.extend_from_slice(block);
            }
        }
    }
    kept.push(TRAILER);
    file.decoded_bytes = area(width, height).saturating_mul(CANVAS_BYTES);
    file.bytes = kept;
    Some(file)
}

enum Block {
    Kept,
    Dropped,
    Frame { right: u32, bottom: u32 },
}

/// Reads a block. `None` at the end and at a malformed one.
fn next<'a>(input: &mut ByteReader<'a>) -> Option<(&'a [u8], Block)> {
    let start = input.rest();
    let kind = match input.u8()? {
        0x21 => extension(input)?,
        0x2c => frame(input)?,
        _ => return None,
    };
    Some((&start[..start.len() - input.rest().len()], kind))
}

/// Reads an extension. The timing of a frame and the repetition of an animation are kept; comments, plain text and data
/// of programs (XMP, colour profiles) are not.
fn extension(input: &mut ByteReader) -> Option<Block> {
    let label = input.u8()?;
    let data = input.rest();
    sub_blocks(input)?;
    let length = data.len() - input.rest().len();
    let is_kept = match label {
        0xf9 => length == 6,
        0xff => {
            length == 17
                && (data.starts_with(b"\x0bNETSCAPE2.0\x03") || data.starts_with(b"\x0bANIMEXTS1.0\x03"))
        }
        _ => false,
    };
    Some(if is_kept { Block::Kept } else { Block::Dropped })
}

fn frame(input: &mut ByteReader) -> Option<Block> {
    let mut field = || input.u16_le().map(u32::from);
    let (left, top, width, height) = (field()?, field()?, field()?, field()?);
    let flags = input.u8()?;
    input.take(color_table(flags))?;
    input.u8()?;
    sub_blocks(input)?;
    Some(Block::Frame { right: left + width, bottom: top + height })
}

/// Skips blocks of at most 255 bytes up to the empty one.
fn sub_blocks(input: &mut ByteReader) -> Option<()> {
    while let length @ 1.. = input.u8()? {
        input.take(usize::from(length))?;
    }
    Some(())
}

/// Returns the length of the colour table that follows these flags.
const fn color_table(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 6 << (flags & 7) }
}
