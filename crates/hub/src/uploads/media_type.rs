//! Media types of uploads.

use plexus_domain::media_type::{essence, is_valid};

use crate::blobs::UNKNOWN_TYPE;

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

/// Returns the declared type without parameters, in lower case. Without a valid one, the type of the file name.
pub(super) fn of_file(declared: Option<&str>, name: &str) -> String {
    let declared = essence(declared.unwrap_or_default());
    if is_valid(&declared) && declared != UNKNOWN_TYPE {
        return declared;
    }
    let extension = name.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    let known = BY_EXTENSION.iter().find(|(known, _)| extension.eq_ignore_ascii_case(known));
    known.map_or(UNKNOWN_TYPE, |(_, media_type)| media_type).to_owned()
}

/// Returns the file name with another extension.
pub(super) fn with_extension(name: &str, extension: &str) -> String {
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
            assert_eq!(of_file(declared, name), expected, "{declared:?} {name}");
        }
        assert_eq!(with_extension("a.b.webp", "jpg"), "a.b.jpg");
        assert_eq!(with_extension("a", "jpg"), "a.jpg");
    }
}
