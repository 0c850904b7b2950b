//! ZIP archives (APPNOTE 6.3): reads the conversations of an export, within bounds.
//!
//! Only what exports use: files that are stored or deflated, without encryption and without ZIP64.

use std::io::Read as _;

use flate2::{Crc, read::DeflateDecoder};

use crate::{
    ImportError,
    limits::{MAX_ENTRIES, MAX_UNPACKED_BYTES},
};

const LOCAL_HEADER: u32 = 0x0403_4b50;
const DIRECTORY_HEADER: u32 = 0x0201_4b50;
const END_OF_DIRECTORY: [u8; 4] = *b"PK\x05\x06";
/// Size of the record at the end of the archive, without its comment.
const END_BYTES: usize = 22;
const MAX_COMMENT_BYTES: usize = u16::MAX as usize;

/// Returns whether these are the first bytes of a ZIP archive, which may be empty.
pub fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(&END_OF_DIRECTORY)
}

/// Unpacks the files `conversations.json`, or `conversations-000.json` and so on, in the order of their names.
///
/// At most `max_bytes` are unpacked in all, so that a small archive cannot occupy much memory (ZIP bomb).
pub fn read_conversations(bytes: &[u8], max_bytes: usize) -> Result<Vec<Vec<u8>>, ImportError> {
    let mut entries: Vec<Entry<'_>> =
        directory(bytes)?.into_iter().filter(|entry| is_conversations(entry.path)).collect();
    entries.sort_by_key(|entry| entry.path);
    if entries.is_empty() {
        return Err(ImportError::NoConversationsFile);
    }
    let mut left = max_bytes.min(MAX_UNPACKED_BYTES);
    let mut documents = Vec::new();
    for entry in entries {
        let document = unpack(bytes, &entry, left)?;
        left -= document.len();
        documents.push(document);
    }
    Ok(documents)
}

/// A file in the directory of the archive.
struct Entry<'a> {
    path: &'a [u8],
    flags: u16,
    method: u16,
    crc32: u32,
    packed_bytes: usize,
    /// Position of its local header.
    offset: usize,
}

/// Reads the directory at the end of the archive.
fn directory(bytes: &[u8]) -> Result<Vec<Entry<'_>>, ImportError> {
    let tail = bytes.len().saturating_sub(END_BYTES + MAX_COMMENT_BYTES);
    let end = bytes[tail..].windows(END_OF_DIRECTORY.len()).rposition(|four| four == END_OF_DIRECTORY);
    let end = tail + end.ok_or_else(|| damaged("its end is missing"))?;
    slice(bytes, end, END_BYTES)?;
    let count = usize::from(u16_at(bytes, end + 10)?);
    if count > MAX_ENTRIES {
        return Err(ImportError::TooManyEntries);
    }
    let mut at = u32_at(bytes, end + 16)? as usize;
    let mut entries = Vec::with_capacity(count);
    for _ in 0..count {
        if u32_at(bytes, at)? != DIRECTORY_HEADER {
            return Err(damaged("its directory is unreadable"));
        }
        let [name, extra, comment] =
            [u16_at(bytes, at + 28)?, u16_at(bytes, at + 30)?, u16_at(bytes, at + 32)?];
        let begin = at + 46;
        entries.push(Entry {
            path: slice(bytes, begin, usize::from(name))?,
            flags: u16_at(bytes, at + 8)?,
            method: u16_at(bytes, at + 10)?,
            crc32: u32_at(bytes, at + 16)?,
            packed_bytes: u32_at(bytes, at + 20)? as usize,
            offset: u32_at(bytes, at + 42)? as usize,
        });
        at = begin + usize::from(name) + usize::from(extra) + usize::from(comment);
    }
    Ok(entries)
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

/// Unpacks a file of at most `max` bytes. Its declared size is not trusted.
fn unpack(bytes: &[u8], entry: &Entry<'_>, max: usize) -> Result<Vec<u8>, ImportError> {
    if entry.flags & 1 == 1 {
        return Err(damaged("it is encrypted"));
    }
    if u32_at(bytes, entry.offset)? != LOCAL_HEADER {
        return Err(damaged("a file is missing"));
    }
    let lengths = [u16_at(bytes, entry.offset + 26)?, u16_at(bytes, entry.offset + 28)?];
    let begin = entry.offset + 30 + lengths.map(usize::from).iter().sum::<usize>();
    let packed = slice(bytes, begin, entry.packed_bytes)?;
    let mut document = Vec::new();
    let most = max as u64 + 1;
    let read = match entry.method {
        0 => packed.take(most).read_to_end(&mut document),
        8 => DeflateDecoder::new(packed).take(most).read_to_end(&mut document),
        _ => return Err(damaged("its compression is not supported")),
    };
    read.map_err(|_| damaged("a file cannot be unpacked"))?;
    if document.len() > max {
        return Err(ImportError::UnpackedTooLarge);
    }
    let mut crc = Crc::new();
    crc.update(&document);
    if crc.sum() == entry.crc32 { Ok(document) } else { Err(damaged("a checksum is wrong")) }
}

fn slice(bytes: &[u8], at: usize, length: usize) -> Result<&[u8], ImportError> {
    bytes.get(at..).and_then(|rest| rest.get(..length)).ok_or_else(|| damaged("it is incomplete"))
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, ImportError> {
    let two = slice(bytes, at, 2)?;
    Ok(u16::from_le_bytes([two[0], two[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, ImportError> {
    let four = slice(bytes, at, 4)?;
    Ok(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

const fn damaged(problem: &'static str) -> ImportError {
    ImportError::DamagedArchive(problem)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::DeflateEncoder};

    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = Vec::new();
        let mut directory = Vec::new();
        for (name, content) in files {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(content).unwrap();
            let packed = encoder.finish().unwrap();
            let mut crc = Crc::new();
            crc.update(content);
            let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap().to_le_bytes();
            let offset = length(&archive);
            let common = [
                &[20, 0, 0, 0, 8, 0, 0, 0, 0, 0][..],
                &crc.sum().to_le_bytes(),
                &length(&packed),
                &length(content),
                &length(name.as_bytes()),
            ]
            .concat();
            archive.extend([&b"PK\x03\x04"[..], &common, name.as_bytes(), &packed].concat());
            directory
                .extend([&b"PK\x01\x02\x14\0"[..], &common, &[0; 10], &offset, name.as_bytes()].concat());
        }
        let count = u16::try_from(files.len()).unwrap().to_le_bytes();
        let place = u32::try_from(archive.len()).unwrap().to_le_bytes();
        let size = u32::try_from(directory.len()).unwrap().to_le_bytes();
        let end = [&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &size, &place, &[0, 0]].concat();
        [archive, directory, end].concat()
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
