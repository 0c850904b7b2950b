//! ZIP archives: reads the conversations of an export, within bounds.

use std::io::Read;

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, Error, ErrorKind, ZipArchive, ZipSliceArchive, ZipSliceEntry};

use crate::{
    ImportError,
    limits::{MAX_ENTRIES, MAX_UNPACKED_BYTES},
};

/// Returns whether these are the first bytes of a ZIP archive, which may be empty.
pub fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Unpacks the files `conversations.json`, or `conversations-000.json` and so on, in the order of their names.
///
/// At most `max_bytes` are unpacked in all, so that a small archive cannot occupy much memory (ZIP bomb).
pub fn read_conversations(bytes: &[u8], max_bytes: usize) -> Result<Vec<Vec<u8>>, ImportError> {
    let archive = ZipArchive::from_slice(bytes).map_err(|error| damaged(&error))?;
    let mut files = find_conversations(&archive)?;
    files.sort_by_key(|(path, _)| *path);
    let mut left = max_bytes.min(MAX_UNPACKED_BYTES);
    let mut documents = Vec::new();
    for (_, place) in files {
        let file = archive.get_entry(place.wayfinder).map_err(|error| damaged(&error))?;
        let document = unpack(&file, place.method, left)?;
        left -= document.len();
        documents.push(document);
    }
    Ok(documents)
}

/// Place of a file in the archive.
struct FilePlace {
    wayfinder: rawzip::ZipArchiveEntryWayfinder,
    method: CompressionMethod,
}

/// Returns the files with conversations, each with its path.
fn find_conversations<'a>(
    archive: &'a ZipSliceArchive<&[u8]>,
) -> Result<Vec<(&'a [u8], FilePlace)>, ImportError> {
    let mut files = Vec::new();
    let mut entries = archive.entries();
    let mut count = 0;
    while let Some(entry) = entries.next_entry().map_err(|error| damaged(&error))? {
        count += 1;
        if count > MAX_ENTRIES {
            return Err(ImportError::TooManyEntries);
        }
        let path = entry.file_path().as_bytes();
        if !is_conversations(path) {
            continue;
        }
        if entry.flags().is_encrypted() {
            return Err(ImportError::DamagedArchive("it is encrypted"));
        }
        let place = FilePlace { wayfinder: entry.wayfinder(), method: entry.compression_method() };
        files.push((path, place));
    }
    if files.is_empty() { Err(ImportError::NoConversationsFile) } else { Ok(files) }
}

fn is_conversations(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or(path);
    let Some(rest) = name.strip_prefix(b"conversations") else { return false };
    let Some(number) = rest.strip_suffix(b".json") else { return false };
    match number {
        [] => true,
        [b'-' | b'_', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Unpacks a file of at most `max` bytes, and checks its checksum. Its declared size is not trusted.
fn unpack(file: &ZipSliceEntry<'_>, method: CompressionMethod, max: usize) -> Result<Vec<u8>, ImportError> {
    let packed: Box<dyn Read> = match method {
        CompressionMethod::STORE => Box::new(file.data()),
        CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(file.data())),
        _ => return Err(ImportError::DamagedArchive("its compression is not supported")),
    };
    let mut document = Vec::new();
    let read = file.verifying_reader(packed).take(max as u64 + 1).read_to_end(&mut document);
    if document.len() > max {
        return Err(ImportError::UnpackedTooLarge);
    }
    read.map_err(|_| ImportError::DamagedArchive("a file cannot be unpacked"))?;
    Ok(document)
}

fn damaged(error: &Error) -> ImportError {
    ImportError::DamagedArchive(match error.kind() {
        ErrorKind::MissingEndOfCentralDirectory => "its end is missing",
        ErrorKind::Eof => "it is incomplete",
        _ => "its directory is unreadable",
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::DeflateEncoder};
    use rawzip::ZipArchiveWriter;

    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut archive = ZipArchiveWriter::new(&mut bytes);
        for (name, content) in files {
            let file = archive.new_file(*name).compression_method(CompressionMethod::DEFLATE);
            let (mut entry, config) = file.start().unwrap();
            let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
            writer.write_all(content).unwrap();
            let (encoder, descriptor) = writer.finish().unwrap();
            encoder.finish().unwrap();
            entry.finish(descriptor).unwrap();
        }
        archive.finish().unwrap();
        bytes
    }

    #[test]
    fn files_with_conversations_are_unpacked_in_order() {
        let bytes = archive(&[
            ("export/conversations-001.json", b"two"),
            ("chat.html", b"no"),
            ("export/conversations-000.json", b"one"),
            ("shared_conversations.json", b"no"),
        ]);
        assert!(is_zip(&bytes));
        assert_eq!(read_conversations(&bytes, 100).unwrap(), [b"one".to_vec(), b"two".to_vec()]);
        assert_eq!(read_conversations(&bytes, 5), Err(ImportError::UnpackedTooLarge));
        assert_eq!(
            read_conversations(&archive(&[("a.json", b"")]), 9),
            Err(ImportError::NoConversationsFile)
        );
    }

    #[test]
    fn an_archive_that_is_a_bomb_is_unpacked_up_to_the_limit_only() {
        let bytes = archive(&[("conversations.json", &[b' '; 1 << 20])]);
        assert!(bytes.len() < 8_192, "{}", bytes.len());
        assert_eq!(read_conversations(&bytes, 1 << 19), Err(ImportError::UnpackedTooLarge));
    }

    #[test]
    fn a_cut_or_changed_archive_is_damaged_and_never_panics() {
        let bytes = archive(&[("conversations.json", b"[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]")]);
        for end in 0..bytes.len() {
            assert!(read_conversations(&bytes[..end], 100).is_err(), "{end}");
        }
        let whole = read_conversations(&bytes, 100).unwrap();
        for at in 0..bytes.len() {
            for flip in [0x01, 0x41, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                let read = read_conversations(&changed, 100);
                assert!(read.is_err() || read.as_ref() == Ok(&whole), "{at}");
            }
        }
    }
}
