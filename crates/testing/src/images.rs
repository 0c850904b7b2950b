//! Image files for tests: photos with the place where they were taken in each part of each format, and hostile files.
#![expect(clippy::expect_used, reason = "the files that tests make are small")]

use flate2::{Compress, Compression, Crc, FlushCompress};

/// The place in the photos. No file that the hub stores may have these bytes.
pub const PLACE: &[u8; 11] = b"48.8583701N";

/// Small images without metadata.
pub struct PlainImages {
    pub png: Vec<u8>,
    pub jpeg: Vec<u8>,
    pub gif: Vec<u8>,
    /// Simple format (one chunk of pixels).
    pub webp: Vec<u8>,
}

/// Returns photos with [`PLACE`] in one part each, with the format and the name of the part.
pub fn photos_with_place(plain: &PlainImages) -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let mut photos = Vec::new();
    let mut add = |format, photos_of: Vec<(&'static str, Vec<u8>)>| {
        photos.extend(photos_of.into_iter().map(|(part, bytes)| (format, part, bytes)));
    };
    add("png", png_photos(&plain.png));
    add("jpg", jpeg_photos(&plain.jpeg));
    add("gif", gif_photos(&plain.gif));
    add("webp", webp_photos(&plain.webp));
    add("heic", heif_photos(b"heic", b"hvc1"));
    add("avif", heif_photos(b"avif", b"av01"));
    photos
}

/// Returns EXIF data (a TIFF file) with a description, an orientation of 6 (turned right), and a directory of GPS data.
pub fn exif() -> Vec<u8> {
    let mut exif = b"MM\0*\0\0\0\x08\0\x03".to_vec();
    exif.extend_from_slice(b"\x01\x0e\0\x02\0\0\0\x0b\0\0\0\x44");
    exif.extend_from_slice(b"\x01\x12\0\x03\0\0\0\x01\0\x06\0\0");
    exif.extend_from_slice(b"\x88\x25\0\x04\0\0\0\x01\0\0\0\x32");
    exif.extend_from_slice(b"\0\0\0\0\0\x01");
    exif.extend_from_slice(b"\0\x1b\0\x07\0\0\0\x0b\0\0\0\x44");
    exif.extend_from_slice(b"\0\0\0\0");
    exif.resize(0x44, 0);
    exif.extend_from_slice(PLACE);
    exif
}

fn xmp() -> Vec<u8> {
    let place = String::from_utf8_lossy(PLACE);
    format!("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><exif:GPSLatitude>{place}</exif:GPSLatitude></x:xmpmeta>")
        .into_bytes()
}

/// Returns a PNG chunk.
pub fn png_chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(kind);
    crc.update(data);
    let length = u32::try_from(data.len()).expect("a short chunk");
    [&length.to_be_bytes()[..], kind, data, &crc.sum().to_be_bytes()].concat()
}

/// Returns a PNG header: the signature and the first chunk.
pub fn png_header(width: u32, height: u32, depth: u8, color: u8) -> Vec<u8> {
    let mut fields = [width.to_be_bytes(), height.to_be_bytes()].concat();
    fields.extend_from_slice(&[depth, color, 0, 0, 0]);
    [&b"\x89PNG\r\n\x1a\n"[..], &png_chunk(b"IHDR", &fields)].concat()
}

/// Inserts bytes after the header of a PNG.
pub fn png_with(png: &[u8], inserted: &[u8]) -> Vec<u8> {
    [&png[..33], inserted, &png[33..]].concat()
}

fn png_photos(png: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let text = |keyword: &[u8], between: &[u8]| [keyword, between, PLACE].concat();
    let inserted = |kind: &[u8; 4], data: &[u8]| png_with(png, &png_chunk(kind, data));
    let late =
        [&png[..png.len() - 12], &png_chunk(b"tEXt", &text(b"Comment", b"\0")), &png[png.len() - 12..]];
    vec![
        ("eXIf", inserted(b"eXIf", &exif())),
        ("tEXt", inserted(b"tEXt", &text(b"Location", b"\0"))),
        ("keyword of zTXt", inserted(b"zTXt", &text(b"", b""))),
        ("iTXt (XMP)", inserted(b"iTXt", &[&b"XML:com.adobe.xmp\0\0\0\0\0"[..], &xmp()].concat())),
        ("name of iCCP", inserted(b"iCCP", &text(b"", b""))),
        ("sPLT", inserted(b"sPLT", &text(b"", b""))),
        ("unknown chunk", inserted(b"plAc", &text(b"", b""))),
        ("long gAMA", inserted(b"gAMA", &text(b"\0\0\xb1\x8f", b""))),
        ("long pHYs", inserted(b"pHYs", &text(b"\0\0\xb1\x8f\0\0\xb1\x8f\x01", b""))),
        ("tEXt after the pixels", late.concat()),
        ("after the end", [png, &PLACE[..]].concat()),
    ]
}

/// Returns a JPEG marker segment.
pub fn jpeg_segment(marker: u8, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len() + 2).expect("a short segment");
    [&[0xff, marker][..], &length.to_be_bytes(), data].concat()
}

/// Inserts bytes after the start of a JPEG.
pub fn jpeg_with(jpeg: &[u8], inserted: &[u8]) -> Vec<u8> {
    [&jpeg[..2], inserted, &jpeg[2..]].concat()
}

fn jpeg_photos(jpeg: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let inserted =
        |marker, start: &[u8], data: &[u8]| jpeg_with(jpeg, &jpeg_segment(marker, &[start, data].concat()));
    let second = inserted(0xe1, b"Exif\0\0", &exif());
    let late = [&jpeg[..jpeg.len() - 2], &jpeg_segment(0xfe, PLACE), &jpeg[jpeg.len() - 2..]].concat();
    vec![
        ("EXIF", second.clone()),
        ("XMP", inserted(0xe1, b"http://ns.adobe.com/xap/1.0/\0", &xmp())),
        ("extended XMP", inserted(0xe1, b"http://ns.adobe.com/xmp/extension/\0", &xmp())),
        ("colour profile", inserted(0xe2, b"ICC_PROFILE\0\x01\x01", PLACE)),
        ("MPF", inserted(0xe2, b"MPF\0", PLACE)),
        ("second image", [jpeg, &second].concat()),
        ("IPTC", inserted(0xed, b"Photoshop 3.0\08BIM\x04\x04", PLACE)),
        ("comment", inserted(0xfe, b"", PLACE)),
        ("comment after the pixels", late),
        ("thumbnail", inserted(0xe0, b"JFXX\0\x10", PLACE)),
        ("long JFIF", inserted(0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0", PLACE)),
        ("long Adobe", inserted(0xee, b"Adobe\0\x64\0\0\0\0\0", PLACE)),
        ("APP11 (content credentials)", inserted(0xeb, b"JP\0\x01", PLACE)),
        ("bytes between segments", [&jpeg[..20], PLACE, &jpeg[20..]].concat()),
        ("after the end", [jpeg, &PLACE[..]].concat()),
    ]
}

fn gif_photos(gif: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let block = [&[PLACE.len() as u8][..], PLACE, &[0]].concat();
    let end = gif.len() - 1;
    let inserted = |start: &[u8], data: &[u8]| [&gif[..end], start, data, &gif[end..]].concat();
    // XMP is not in blocks: a trailer of descending bytes ends it (XMP specification, part 3).
    let trailer: Vec<u8> = [1].into_iter().chain((0..=255).rev()).chain([0]).collect();
    vec![
        ("comment", inserted(b"\x21\xfe", &block)),
        ("XMP", inserted(b"\x21\xff\x0bXMP DataXMP", &[xmp(), trailer].concat())),
        ("other program", inserted(b"\x21\xff\x0bICCRGBG1012", &block)),
        ("repetition with more data", inserted(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0", &block)),
        ("plain text", inserted(b"\x21\x01\x0c000000000000", &block)),
        ("after the end", [gif, &PLACE[..]].concat()),
    ]
}

/// Returns a WebP file of these chunks.
pub fn webp(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut body = b"WEBP".to_vec();
    for (kind, data) in chunks {
        let length = u32::try_from(data.len()).expect("a short chunk");
        body.extend_from_slice(&[&kind[..], &length.to_le_bytes(), data, &[0][..data.len() % 2]].concat());
    }
    let length = u32::try_from(body.len()).expect("a short file");
    [&b"RIFF"[..], &length.to_le_bytes(), &body].concat()
}

fn webp_photos(plain: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let kind: [u8; 4] = plain[12..16].try_into().expect("a chunk");
    let length = u32::from_le_bytes(plain[16..20].try_into().expect("a chunk"));
    let pixels = &plain[20..20 + length as usize];
    let bits = u32::from_le_bytes(pixels[1..5].try_into().expect("lossless pixels"));
    let (width, height) = (bits & 0x3fff, (bits >> 14) & 0x3fff);
    let mut header = vec![0x2c, 0, 0, 0];
    header.extend_from_slice(&width.to_le_bytes()[..3]);
    header.extend_from_slice(&height.to_le_bytes()[..3]);
    let with = |kind_of: &[u8; 4], data: &[u8]| webp(&[(b"VP8X", &header), (&kind, pixels), (kind_of, data)]);
    vec![
        ("EXIF", with(b"EXIF", &exif())),
        ("XMP", with(b"XMP ", &xmp())),
        ("colour profile", webp(&[(b"VP8X", &header), (b"ICCP", PLACE), (&kind, pixels)])),
        ("unknown chunk", with(b"PLAC", PLACE)),
        ("after the end", [plain, &PLACE[..]].concat()),
    ]
}

fn heif_box(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len() + 8).expect("a short box");
    [&length.to_be_bytes()[..], kind, content].concat()
}

/// Returns an HEIF file with a picture of 8 by 5 pixels (which no decoder reads), and EXIF and XMP items.
pub fn heif(brand: &[u8; 4], codec: &[u8; 4], before: &[u8], property: &[u8]) -> Vec<u8> {
    let parts = [b"pixels".to_vec(), [&[0; 4][..], &exif()].concat(), xmp(), PLACE.to_vec()];
    let item = |id: u8, kind: &[u8; 4], more: &[u8]| {
        heif_box(b"infe", &[&[2, 0, 0, 0, 0, id, 0, 0][..], kind, b"\0", more].concat())
    };
    let items =
        [item(1, codec, b""), item(2, b"Exif", b""), item(3, b"mime", b"application/rdf+xml\0")].concat();
    let head = |data_at: usize| {
        let mut places = b"\0\0\0\0\x44\0\0\x03".to_vec();
        let mut at = data_at;
        for (id, part) in (1_u16..).zip(&parts[..3]) {
            places.extend_from_slice(&id.to_be_bytes());
            places.extend_from_slice(b"\0\0\0\x01");
            places.extend_from_slice(&u32::try_from(at).expect("a short file").to_be_bytes());
            places.extend_from_slice(&u32::try_from(part.len()).expect("a short part").to_be_bytes());
            at += part.len();
        }
        let size = heif_box(b"ispe", b"\0\0\0\0\0\0\0\x08\0\0\0\x05");
        let properties = heif_box(b"ipco", &[&size[..], property].concat());
        let meta = [
            &[0; 4][..],
            &heif_box(b"hdlr", b"\0\0\0\0\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0"),
            &heif_box(b"pitm", b"\0\0\0\0\0\x01"),
            &heif_box(b"iinf", &[&b"\0\0\0\0\0\x03"[..], &items].concat()),
            &heif_box(
                b"iprp",
                &[&properties[..], &heif_box(b"ipma", b"\0\0\0\0\0\0\0\x01\0\x01\x01\x81")].concat(),
            ),
            &heif_box(b"iloc", &places),
        ]
        .concat();
        let kind = [&brand[..], b"\0\0\0\0", brand, b"mif1"].concat();
        [heif_box(b"ftyp", &kind), before.to_vec(), heif_box(b"meta", &meta)].concat()
    };
    let data_at = head(0).len() + 8;
    [head(data_at), heif_box(b"mdat", &parts.concat())].concat()
}

fn heif_photos(brand: &[u8; 4], codec: &[u8; 4]) -> Vec<(&'static str, Vec<u8>)> {
    let description = [&[0; 4][..], PLACE, b"\0"].concat();
    vec![
        ("EXIF, XMP, and between items", heif(brand, codec, b"", b"")),
        ("free space", heif(brand, codec, &heif_box(b"free", PLACE), b"")),
        ("unknown box", heif(brand, codec, &heif_box(b"uuid", PLACE), b"")),
        ("description", heif(brand, codec, b"", &heif_box(b"udes", &description))),
    ]
}

/// Returns a zlib stream that expands to so many mebibytes.
pub fn zlib_bomb(mebibytes: usize) -> Vec<u8> {
    const PIECE: usize = 1 << 20;
    let mut piece = Vec::with_capacity(PIECE);
    let zeros = vec![0; PIECE];
    let mut compress = Compress::new(Compression::best(), false);
    let packing = compress.compress_vec(&zeros, &mut piece, FlushCompress::Full);
    assert!(packing.is_ok() && compress.total_in() == PIECE as u64, "the output has room");
    [&[0x78, 0xda][..], &piece.repeat(mebibytes)].concat()
}

/// Returns a PNG whose colour profile expands to 480 MiB.
pub fn png_with_profile_bomb(png: &[u8]) -> Vec<u8> {
    png_with(png, &png_chunk(b"iCCP", &[b"p\0\0", &zlib_bomb(480)[..]].concat()))
}

/// Returns a GIF with a canvas and frames of other sizes, each of one colour.
pub fn gif(canvas: (u16, u16), frames: usize, frame: (u16, u16)) -> Vec<u8> {
    let mut gif = b"GIF89a".to_vec();
    gif.extend_from_slice(&[canvas.0.to_le_bytes(), canvas.1.to_le_bytes()].concat());
    gif.extend_from_slice(b"\x80\0\0\0\0\0\xff\xff\xff");
    for _ in 0..frames {
        gif.extend_from_slice(b"\x2c\0\0\0\0");
        gif.extend_from_slice(&[frame.0.to_le_bytes(), frame.1.to_le_bytes()].concat());
        gif.extend_from_slice(b"\0\x02");
        let codes = lzw_zeros(usize::from(frame.0) * usize::from(frame.1));
        for block in codes.chunks(255) {
            gif.push(u8::try_from(block.len()).expect("a short block"));
            gif.extend_from_slice(block);
        }
        gif.push(0);
    }
    gif.push(0x3b);
    gif
}

/// Returns GIF's LZW codes for so many pixels of colour 0: each code stands for a run that is one longer.
fn lzw_zeros(pixels: usize) -> Vec<u8> {
    const CLEAR: u32 = 4;
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u64, 0);
    let mut put = |code: u32, width: u32| {
        held |= u64::from(code) << bits;
        bits += width;
        while bits >= 8 {
            bytes.push((held & 0xff) as u8);
            held >>= 8;
            bits -= 8;
        }
    };
    let (mut left, mut width) = (pixels, 3);
    put(CLEAR, width);
    let (mut next, mut run) = (CLEAR + 2, 1_usize);
    while left > 0 {
        // The decoder adds an entry for each code but the first.
        put(if run == 1 { 0 } else { next }, width);
        left -= run.min(left);
        next += u32::from(run > 1);
        run += 1;
        if next == (1 << width) && width < 12 {
            width += 1;
        }
        if next >= 4_000 {
            put(CLEAR, width);
            (next, run, width) = (CLEAR + 2, 1, 3);
        }
    }
    put(CLEAR + 1, width);
    put(0, 8);
    bytes
}
