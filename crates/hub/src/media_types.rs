//! Media types of files, and sizes of images.

use plexus_domain::{
    ImageSize,
    media_type::{essence, is_valid},
};
use plexus_image_file::ImageFile;

/// Type of a file of which nothing is known.
pub(crate) const UNKNOWN_TYPE: &str = "application/octet-stream";
/// Raster image types: browsers show them, because they cannot contain scripts. All other types are downloaded.
const SHOWN: [&str; 5] = ["image/avif", "image/gif", "image/jpeg", "image/png", "image/webp"];

/// Types of files that agents commonly read, by the extension of their names.
const BY_EXTENSION: [(&str, &str); 20] = [
    ("csv", "text/csv"),
    ("flac", "audio/flac"),
    ("gif", "image/gif"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("mp3", "audio/mpeg"),
    ("ogg", "audio/ogg"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("tsv", "text/tab-separated-values"),
    ("txt", "text/plain"),
    ("wav", "audio/wav"),
    ("webp", "image/webp"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xml", "application/xml"),
];

/// Returns the type of an image that browsers show, in its canonical spelling.
pub fn inline_type(media_type: &str) -> Option<&'static str> {
    SHOWN.into_iter().find(|shown| media_type.trim().eq_ignore_ascii_case(shown))
}

/// Returns the size of an image of a type that browsers show, as they show it.
pub(crate) fn image_size(media_type: Option<&str>, file: &ImageFile) -> Option<ImageSize> {
    // Properties that turn an AVIF image are not read.
    inline_type(media_type?).filter(|shown| *shown == file.format.media_type() && *shown != "image/avif")?;
    let (width, height) = file.shown_size();
    Some(ImageSize { width, height })
}

/// Returns the declared type without parameters, in lower case. Without a valid one, the type of the file name.
pub(crate) fn type_of_file(declared: Option<&str>, name: &str) -> String {
    let declared = essence(declared.unwrap_or_default());
    if is_valid(&declared) && declared != UNKNOWN_TYPE {
        return declared;
    }
    let extension = name.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    let known = BY_EXTENSION.iter().find(|(known, _)| extension.eq_ignore_ascii_case(known));
    known.map_or(UNKNOWN_TYPE, |(_, media_type)| media_type).to_owned()
}

/// Returns the file name with another extension.
pub(crate) fn with_extension(name: &str, extension: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    format!("{stem}.{extension}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_that_is_missing_or_malformed_comes_from_the_name() {
        for (declared, name, expected) in [
            (Some("Text/CSV; charset=utf-8"), "a", "text/csv"),
            (Some("application/octet-stream"), "a.PDF", "application/pdf"),
            (Some("text/html\r\nx: y"), "a.md", "text/markdown"),
            (None, "a.unknown", UNKNOWN_TYPE),
            (Some("text"), "a", UNKNOWN_TYPE),
        ] {
            assert_eq!(type_of_file(declared, name), expected, "{declared:?} {name}");
        }
        assert_eq!(with_extension("a.b.webp", "jpg"), "a.b.jpg");
        assert_eq!(with_extension("a", "jpg"), "a.jpg");
    }
}
