//! Formats of image files, by their first bytes.

/// Format whose metadata this crate removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Png,
    Jpeg,
    Gif,
    WebP,
    /// Kept as it is, without metadata: there is no decoder.
    Avif,
    /// HEIC and other HEIF images. Kept as they are, without metadata: there is no decoder.
    Heic,
}

/// Brands of an HEIF file (ISO/IEC 23008-12) with pictures of HEVC or of an unknown codec.
const HEIF_BRANDS: [&[u8]; 11] =
    [b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"mif2", b"msf1"];

impl Format {
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            return Some(Self::Png);
        }
        if bytes.starts_with(b"\xff\xd8\xff") {
            return Some(Self::Jpeg);
        }
        if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
            return Some(Self::Gif);
        }
        if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            return Some(Self::WebP);
        }
        let brands = brands(bytes)?;
        let is_avif = |brand: &[u8]| matches!(brand, b"avif" | b"avis");
        if brands.clone().any(is_avif) {
            return Some(Self::Avif);
        }
        brands.into_iter().any(|brand| HEIF_BRANDS.contains(&brand)).then_some(Self::Heic)
    }

    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
            Self::Avif => "image/avif",
            Self::Heic => "image/heic",
        }
    }

    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Gif => "gif",
            Self::WebP => "webp",
            Self::Avif => "avif",
            Self::Heic => "heic",
        }
    }
}

/// Returns the brands of an ISO base media file, the main one first.
fn brands(bytes: &[u8]) -> Option<impl Iterator<Item = &[u8]> + Clone> {
    if bytes.get(4..8) != Some(b"ftyp") {
        return None;
    }
    let length = bytes.first_chunk().map(|length| u32::from_be_bytes(*length))?;
    let end = usize::try_from(length).ok()?.clamp(12, 512).min(bytes.len());
    let compatible = bytes.get(16..end).unwrap_or_default().chunks_exact(4);
    Some(bytes.get(8..12).into_iter().chain(compatible))
}

/// Returns the name of a format of photos whose metadata this crate cannot remove.
pub fn photo_format_with_metadata(bytes: &[u8]) -> Option<&'static str> {
    const KNOWN: [(&[u8], &str); 11] = [
        (b"II*\0", "TIFF"),
        (b"MM\0*", "TIFF"),
        (b"II+\0", "TIFF"),
        (b"MM\0+", "TIFF"),
        (b"IIU\0", "RAW"),
        (b"IIRO", "RAW"),
        (b"IIRS", "RAW"),
        (b"FUJIFILMCCD-RAW", "RAW"),
        (b"\xff\x0a", "JPEG XL"),
        (b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL"),
        (b"\0\0\0\x0cjP  \r\n\x87\n", "JPEG 2000"),
    ];
    let known = KNOWN.into_iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, name)| name);
    let is_canon = || brands(bytes).is_some_and(|mut brands| brands.next() == Some(b"crx "));
    known.or_else(|| is_canon().then_some("RAW"))
}
