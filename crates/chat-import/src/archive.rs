//! ZIP archives: the conversations of an export, and the files beside them, within bounds.

use std::{collections::HashMap, io::Read};

use flate2::read::DeflateDecoder;
use rawzip::{
    CompressionMethod, Error, ErrorKind, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive, ZipSliceEntry,
};
use serde_json::value::RawValue;

use crate::{
    ImportError,
    bounded::BoundedMap,
    fields::{parse, text_of},
    limits::{MAX_ENTRIES, MAX_UNPACKED_BYTES},
    unknown_format,
};

/// File of an export of ChatGPT with the original names of its files.
const ASSET_NAMES: &str = "conversation_asset_file_names.json";
/// Maximum bytes of that file.
const MAX_ASSET_NAMES_BYTES: usize = 8 << 20;
/// Length of a UUID.
const UUID_LENGTH: usize = 36;

/// Returns whether these are the first bytes of a ZIP archive, which may be empty.
pub fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// A file in the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchivedFile {
    /// Position in the directory of the archive, which identifies the file.
    pub number: usize,
    wayfinder: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    is_encrypted: bool,
}

/// Reason why a file of the archive cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchivedFileError {
    /// Unpacked, it has more bytes than allowed.
    TooLarge,
    Damaged,
}

/// The directory of an archive.
pub struct Archive<'a> {
    archive: ZipSliceArchive<&'a [u8]>,
    /// Paths in the archive.
    entries: Vec<(String, ArchivedFile)>,
}

impl<'a> Archive<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, ImportError> {
        let archive = ZipArchive::from_slice(bytes).map_err(|error| damaged(&error))?;
        let mut entries = Vec::new();
        let mut found = archive.entries();
        while let Some(entry) = found.next_entry().map_err(|error| damaged(&error))? {
            if entries.len() == MAX_ENTRIES {
                return Err(ImportError::TooManyEntries);
            }
            let path = String::from_utf8_lossy(entry.file_path().as_bytes()).replace('\\', "/");
            let file = ArchivedFile {
                number: entries.len(),
                wayfinder: entry.wayfinder(),
                method: entry.compression_method(),
                is_encrypted: entry.flags().is_encrypted(),
            };
            entries.push((path, file));
        }
        Ok(Self { archive, entries })
    }

    /// Unpacks the documents with conversations, in the order of their names: the files `conversations.json`, or
    /// `conversations-000.json` and so on; without those, every JSON file.
    ///
    /// At most `max_bytes` are unpacked in all, so that a small archive cannot occupy much memory (ZIP bomb).
    pub fn read_conversations(&self, max_bytes: usize) -> Result<Vec<Vec<u8>>, ImportError> {
        let mut files: Vec<_> =
            self.entries.iter().filter(|(path, _)| is_conversations(name_of(path))).collect();
        if files.is_empty() {
            files = self.entries.iter().filter(|(path, _)| is_json(path)).collect();
        }
        if files.is_empty() {
            let paths = self.entries.iter().map(|(path, _)| path.as_str());
            return Err(unknown_format::of_archive(paths)
                .map_or(ImportError::NoConversationsFile, ImportError::OtherService));
        }
        files.sort_by_key(|(path, _)| path.as_str());
        let mut left = max_bytes.min(MAX_UNPACKED_BYTES);
        let mut documents = Vec::new();
        for (_, file) in files {
            if file.is_encrypted {
                return Err(ImportError::DamagedArchive("it is encrypted"));
            }
            let document = self.unpack(*file, left)?;
            left -= document.len();
            documents.push(document);
        }
        Ok(documents)
    }

    /// Returns the files by which messages may refer to them.
    pub fn files(&self) -> ArchivedFiles {
        let mut files = ArchivedFiles::default();
        for (path, file) in self.entries.iter().filter(|(path, _)| !path.ends_with('/') && !is_metadata(path))
        {
            files.add(path, *file);
        }
        let names = self.entries.iter().find(|(path, _)| name_of(path) == ASSET_NAMES);
        if let Some(document) = names.and_then(|(_, file)| self.unpack(*file, MAX_ASSET_NAMES_BYTES).ok()) {
            files.add_names(&String::from_utf8_lossy(&document));
        }
        files
    }

    /// Unpacks a file of at most `max` bytes, and checks its checksum. Its declared size is not trusted.
    fn unpack(&self, file: ArchivedFile, max: usize) -> Result<Vec<u8>, ImportError> {
        let entry = self.archive.get_entry(file.wayfinder).map_err(|error| damaged(&error))?;
        let packed = reader(&entry, file.method)?;
        let mut document = Vec::new();
        let read = entry.verifying_reader(packed).take(max as u64 + 1).read_to_end(&mut document);
        if document.len() > max {
            return Err(ImportError::UnpackedTooLarge);
        }
        read.map_err(|_| ImportError::DamagedArchive("a file cannot be unpacked"))?;
        Ok(document)
    }
}

/// Unpacks a file of the archive to at most `max` bytes.
pub fn read_archived(archive: &[u8], file: ArchivedFile, max: usize) -> Result<Vec<u8>, ArchivedFileError> {
    let zip = ZipArchive::from_slice(archive).map_err(|_| ArchivedFileError::Damaged)?;
    if file.is_encrypted {
        return Err(ArchivedFileError::Damaged);
    }
    let archive = Archive { archive: zip, entries: Vec::new() };
    archive.unpack(file, max).map_err(|error| match error {
        ImportError::UnpackedTooLarge => ArchivedFileError::TooLarge,
        _ => ArchivedFileError::Damaged,
    })
}

fn reader<'a>(
    entry: &ZipSliceEntry<'a>,
    method: CompressionMethod,
) -> Result<Box<dyn Read + 'a>, ImportError> {
    match method {
        CompressionMethod::STORE => Ok(Box::new(entry.data())),
        CompressionMethod::DEFLATE => Ok(Box::new(DeflateDecoder::new(entry.data()))),
        _ => Err(ImportError::DamagedArchive("its compression is not supported")),
    }
}

/// The files of an archive by id and by name.
#[derive(Default)]
pub struct ArchivedFiles {
    by_id: HashMap<String, NamedFile>,
    /// `None` for a name that several files have.
    by_name: HashMap<String, Option<NamedFile>>,
}

#[derive(Clone)]
pub struct NamedFile {
    /// Name without the path and the id.
    pub name: String,
    pub file: ArchivedFile,
}

impl ArchivedFiles {
    /// Returns the file of the first id or name that is known.
    pub fn find(&self, ids: &[&str], name: Option<&str>) -> Option<&NamedFile> {
        let by_id = ids.iter().flat_map(|reference| ids_in(reference)).find_map(|id| self.by_id.get(id));
        by_id.or_else(|| self.by_name.get(name_of(name?))?.as_ref())
    }

    fn add(&mut self, path: &str, file: ArchivedFile) {
        let full = name_of(path);
        let mut name = full;
        for component in path.split('/') {
            let Some(id) = leading_id(component) else { continue };
            if component == full {
                name = component[id.len()..].trim_start_matches(['-', '_']);
            }
            let named = NamedFile { name: name_or(name, full), file };
            self.by_id.entry(id.to_owned()).or_insert(named);
        }
        let named = NamedFile { name: name_or(name, full), file };
        for name in [full, name] {
            let known = self.by_name.entry(name.to_owned()).or_insert_with(|| Some(named.clone()));
            if known.as_ref().is_some_and(|known| known.file.number != file.number) {
                *known = None;
            }
        }
    }

    /// Adds the original names of files, from a JSON object with the name in the archive as key.
    fn add_names(&mut self, json: &str) {
        let names: BoundedMap<&RawValue, MAX_ENTRIES> = parse(json).unwrap_or_default();
        for (stored, original) in names.entries {
            let Some(original) = text_of(original.get()) else { continue };
            let found = leading_id(name_of(&stored)).and_then(|id| self.by_id.get_mut(id));
            if let Some(named) = found {
                named.name = name_of(&original).to_owned();
            }
        }
    }
}

/// Returns the name, or the full name if only an extension is left of it.
fn name_or(name: &str, full: &str) -> String {
    if name.is_empty() || name.starts_with('.') { full.to_owned() } else { name.to_owned() }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the ids in a reference, such as `sediment://hash#file_0123#p_0.png`.
fn ids_in(reference: &str) -> impl Iterator<Item = &str> {
    reference.split(['/', '#', '?', ':']).filter_map(leading_id)
}

/// Returns the id with which a text begins: `file-ABC`, `file_abc`, or a UUID.
fn leading_id(text: &str) -> Option<&str> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric();
    if text.starts_with("file-") || text.starts_with("file_") {
        let length = text.bytes().skip(5).take_while(is_word).count();
        return (length >= 4).then(|| &text[..5 + length]);
    }
    let uuid = text.get(..UUID_LENGTH)?;
    let is_uuid = uuid.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    (is_uuid && !text.as_bytes().get(UUID_LENGTH).is_some_and(is_word)).then_some(uuid)
}

fn is_conversations(name: &str) -> bool {
    let Some(number) = name.strip_prefix("conversations").and_then(|rest| rest.strip_suffix(".json")) else {
        return false;
    };
    match number.as_bytes() {
        [] => true,
        [b'-' | b'_', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

fn is_json(path: &str) -> bool {
    let name = name_of(path).to_ascii_lowercase();
    !is_metadata(path) && (name.ends_with(".json") || name.ends_with(".jsonl") || name.ends_with(".ndjson"))
}

/// Returns whether macOS added the file.
fn is_metadata(path: &str) -> bool {
    path.starts_with("__MACOSX/") || name_of(path).starts_with("._")
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

    fn read_conversations(bytes: &[u8], max: usize) -> Result<Vec<Vec<u8>>, ImportError> {
        Archive::open(bytes)?.read_conversations(max)
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
        assert_eq!(read_conversations(&archive(&[("a.txt", b"")]), 9), Err(ImportError::NoConversationsFile));
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

    #[test]
    fn files_are_found_by_the_ids_that_messages_have() {
        let bytes = archive(&[
            ("conversations.json", b"[]"),
            ("file-AbCd1234-photo of me.png", b"1"),
            ("user-xyz/file_00000000aa-sanitized.jpg", b"2"),
            ("dalle-generations/file-Dalle123-0f0e8f7c-1111-2222-3333-444455556666.webp", b"3"),
            ("file-Data5678.dat", b"4"),
            ("conversation_asset_file_names.json", br#"{"file-Data5678.dat": "dalle-generations/cat.webp"}"#),
            ("images/0f0e8f7c-aaaa-2222-3333-444455556666__chart.png", b"5"),
            ("files/0f0e8f7c-bbbb-2222-3333-444455556666/report.pdf", b"6"),
            ("a/same.txt", b"7"),
            ("b/same.txt", b"8"),
            ("only.txt", b"9"),
        ]);
        let files = Archive::open(&bytes).unwrap().files();
        for (reference, name, expected) in [
            ("file-service://file-AbCd1234", None, Some(("photo of me.png", "1"))),
            ("sediment://file_00000000aa", None, Some(("sanitized.jpg", "2"))),
            ("sediment://0123abc#file_00000000aa#p_0.jpg", None, Some(("sanitized.jpg", "2"))),
            ("file-service://file-Dalle123", None, Some(("0f0e8f7c-1111-2222-3333-444455556666.webp", "3"))),
            ("file-Data5678", None, Some(("cat.webp", "4"))),
            ("0f0e8f7c-aaaa-2222-3333-444455556666", None, Some(("chart.png", "5"))),
            ("0f0e8f7c-bbbb-2222-3333-444455556666", None, Some(("report.pdf", "6"))),
            ("file-AbCd123", None, None),
            ("", Some("same.txt"), None),
            ("", Some("/images/user/only.txt"), Some(("only.txt", "9"))),
            ("", Some("unknown.txt"), None),
        ] {
            let found = files.find(&[reference], name);
            let read =
                found.map(|found| (found.name.as_str(), read_archived(&bytes, found.file, 9).unwrap()));
            let expected = expected.map(|(name, content): (&str, &str)| (name, content.as_bytes().to_vec()));
            assert_eq!(read, expected, "{reference} {name:?}");
        }
        let large = archive(&[("big.bin", &[0; 100])]);
        let files = Archive::open(&large).unwrap().files();
        let file = files.find(&[], Some("big.bin")).unwrap().file;
        assert_eq!(read_archived(&large, file, 99), Err(ArchivedFileError::TooLarge));
    }
}
