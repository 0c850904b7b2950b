//! HEIC and AVIF: HEIF files (ISO/IEC 23008-12) of boxes (ISO/IEC 14496-12).
//!
//! Other parts of the file refer to its bytes by their position. Therefore metadata is overwritten by zeros, and nothing
//! moves: all bytes but those of pictures.

use std::ops::Range;

use crate::{Format, ImageFile, area, byte_reader::ByteReader};

/// Types of items that hold a picture or derive it from others.
const PICTURES: [&[u8; 4]; 7] = [b"hvc1", b"hev1", b"av01", b"grid", b"iden", b"iovl", b"tmap"];
/// Type that metadata items get. Decoders ignore items of unknown types.
const IGNORED: &[u8; 4] = b"skip";
/// Boxes below `meta` that describe pictures; others are overwritten.
const DESCRIPTIONS: [&[u8; 4]; 9] =
    [b"hdlr", b"pitm", b"iloc", b"iinf", b"iref", b"iprp", b"idat", b"grpl", b"dinf"];
/// Properties of pictures; others, which may be text, are overwritten.
const PROPERTIES: [&[u8; 4]; 16] = [
    b"ispe", b"pixi", b"colr", b"hvcC", b"lhvC", b"av1C", b"auxC", b"irot", b"imir", b"clap", b"pasp",
    b"clli", b"mdcv", b"lsel", b"a1op", b"a1lx",
];
/// Maximum number of boxes and extents.
const MAX_PARTS: usize = 20_000;

struct BoxAt {
    kind: [u8; 4],
    /// Position of the content in the file.
    content: Range<usize>,
}

/// Item with the position of its type in the file.
struct Item {
    id: u32,
    kind: [u8; 4],
    kind_at: usize,
}

/// Where the bytes of an item are.
struct Location {
    item: u32,
    /// Positions in the file, or in the `idat` box.
    extents: Vec<Range<usize>>,
    is_in_meta: bool,
}

/// Returns `None` if the file is not understood completely, since metadata may then be anywhere.
pub fn read(bytes: &[u8], format: Format) -> Option<ImageFile> {
    let top = boxes(bytes, 0..bytes.len())?;
    let mut metas = top.iter().filter(|found| found.kind == *b"meta");
    let meta = metas.next()?;
    if metas.next().is_some() {
        return None;
    }
    let inner = boxes(bytes, meta.content.start.checked_add(4)?..meta.content.end)?;
    let find = |kind: &[u8; 4]| inner.iter().find(|found| found.kind == *kind);
    let items = items(bytes, &find(b"iinf")?.content)?;
    let locations = locations(bytes.get(find(b"iloc")?.content.clone())?)?;
    let data_box = find(b"idat").map(|found| found.content.clone());
    let pictures = picture_ranges(&items, &locations, data_box.as_ref())?;

    let mut erased: Vec<Range<usize>> = Vec::new();
    for found in &top {
        match &found.kind {
            b"ftyp" | b"meta" => {}
            b"mdat" => erased.extend(gaps(&found.content, &pictures)),
            // Image sequences have tracks with metadata of their own.
            b"moov" | b"moof" => return None,
            _ => erased.push(found.content.clone()),
        }
    }
    for found in &inner {
        match &found.kind {
            b"idat" => erased.extend(gaps(&found.content, &pictures)),
            b"iprp" => erased.extend(other_properties(bytes, found)?),
            kind if DESCRIPTIONS.contains(&kind) => {}
            _ => erased.push(found.content.clone()),
        }
    }
    let mut kept = bytes.to_vec();
    for range in erased {
        kept.get_mut(range)?.fill(0);
    }
    for item in items.iter().filter(|item| !PICTURES.contains(&&item.kind)) {
        kept.get_mut(item.kind_at..item.kind_at + 4)?.copy_from_slice(IGNORED);
    }
    let (width, height) = largest_size(bytes, find(b"iprp")?)?;
    Some(ImageFile::new(format, width, height, kept))
}

/// Reads the boxes that fill a range.
fn boxes(bytes: &[u8], range: Range<usize>) -> Option<Vec<BoxAt>> {
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let mut input = ByteReader::new(bytes.get(at..range.end)?);
        let available = range.end - at;
        let (short, kind) = (input.u32()?, input.array()?);
        let length = match short {
            0 => available,
            1 => usize::try_from(input.number(8)?).ok()?,
            short => usize::try_from(short).ok()?,
        };
        let header = available - input.rest().len();
        if length < header || length > available || found.len() == MAX_PARTS {
            return None;
        }
        found.push(BoxAt { kind, content: at + header..at + length });
        at += length;
    }
    Some(found)
}

/// Reads the types of all items (`iinf`, with `infe` boxes of version 2 or 3).
fn items(bytes: &[u8], content: &Range<usize>) -> Option<Vec<Item>> {
    let version = *bytes.get(content.start)?;
    let entries = content.start + if version == 0 { 6 } else { 8 };
    let item = |entry: BoxAt| {
        let mut fields = ByteReader::new(bytes.get(entry.content.clone())?);
        let [version, ..]: [u8; 4] = fields.array()?;
        let id = match version {
            2 => u32::from(fields.u16()?),
            3 => fields.u32()?,
            _ => return None,
        };
        fields.u16()?;
        let kind_at = entry.content.end - fields.rest().len();
        (entry.kind == *b"infe").then_some(Item { id, kind: fields.array()?, kind_at })
    };
    boxes(bytes, entries..content.end)?.into_iter().map(item).collect()
}

/// Reads where items are (`iloc`).
fn locations(content: &[u8]) -> Option<Vec<Location>> {
    let mut input = ByteReader::new(content);
    let [version, ..]: [u8; 4] = input.array()?;
    let [sizes, more_sizes] = input.array()?;
    let (offset_size, length_size) = (usize::from(sizes >> 4), usize::from(sizes & 15));
    let base_size = usize::from(more_sizes >> 4);
    let index_size = if version == 0 { 0 } else { usize::from(more_sizes & 15) };
    let count = if version < 2 { u32::from(input.u16()?) } else { input.u32()? };
    let (mut found, mut parts) = (Vec::new(), 0);
    for _ in 0..count {
        let item = if version < 2 { u32::from(input.u16()?) } else { input.u32()? };
        let method = if version == 0 { 0 } else { input.u16()? & 15 };
        let source = input.u16()?;
        if method > 1 || source != 0 {
            return None;
        }
        let base = input.number(base_size)?;
        let extents = (0..input.u16()?).map(|_| {
            parts += 1;
            input.number(index_size)?;
            let start = base.checked_add(input.number(offset_size)?)?;
            let length = input.number(length_size).filter(|length| *length > 0 && parts <= MAX_PARTS)?;
            Some(usize::try_from(start).ok()?..usize::try_from(start.checked_add(length)?).ok()?)
        });
        let extents = extents.collect::<Option<_>>()?;
        found.push(Location { item, extents, is_in_meta: method == 1 });
    }
    Some(found)
}

/// Returns the positions in the file of all bytes of pictures, in order.
fn picture_ranges(
    items: &[Item],
    locations: &[Location],
    data_box: Option<&Range<usize>>,
) -> Option<Vec<Range<usize>>> {
    let pictures: std::collections::BTreeSet<u32> =
        items.iter().filter(|item| PICTURES.contains(&&item.kind)).map(|item| item.id).collect();
    let mut ranges = Vec::new();
    for location in locations.iter().filter(|location| pictures.contains(&location.item)) {
        let base = if location.is_in_meta { data_box?.start } else { 0 };
        for extent in &location.extents {
            ranges.push(base.checked_add(extent.start)?..base.checked_add(extent.end)?);
        }
    }
    ranges.sort_unstable_by_key(|range| range.start);
    (!ranges.is_empty()).then_some(ranges)
}

/// Returns the parts of a box that belong to no picture. `pictures` are in order.
fn gaps(content: &Range<usize>, pictures: &[Range<usize>]) -> Vec<Range<usize>> {
    let (mut at, mut found) = (content.start, Vec::new());
    for picture in pictures {
        let (start, end) = (picture.start.clamp(at, content.end), picture.end.clamp(at, content.end));
        // A range that ends before this box does not split it.
        if end > at {
            found.push(at..start);
            at = end;
        }
    }
    found.push(at..content.end);
    found.retain(|gap| !gap.is_empty());
    found
}

fn other_properties(bytes: &[u8], properties: &BoxAt) -> Option<Vec<Range<usize>>> {
    let all = property_boxes(bytes, properties)?;
    Some(
        all.into_iter()
            .filter(|found| !PROPERTIES.contains(&&found.kind))
            .map(|found| found.content)
            .collect(),
    )
}

fn property_boxes(bytes: &[u8], properties: &BoxAt) -> Option<Vec<BoxAt>> {
    let inner = boxes(bytes, properties.content.clone())?;
    let container = inner.into_iter().find(|found| found.kind == *b"ipco")?;
    boxes(bytes, container.content)
}

fn largest_size(bytes: &[u8], properties: &BoxAt) -> Option<(u32, u32)> {
    let size = |found: &BoxAt| {
        let mut fields = ByteReader::new(bytes.get(found.content.clone())?);
        fields.u32()?;
        Some((fields.u32()?, fields.u32()?))
    };
    let sizes = property_boxes(bytes, properties)?;
    let sizes = sizes.iter().filter(|found| found.kind == *b"ispe").filter_map(size);
    sizes.max_by_key(|(width, height)| area(*width, *height))
}
