//! Reads an archive entry by entry, and checks it.

use std::{
    fs::File,
    io::{self, BufReader, Read, Write},
    path::Path,
};

use flate2::read::GzDecoder;
use plexus_domain::Digest;
use tar::{Archive, EntryType};

use crate::{
    BackupError, BackupManifest, SECRET_KEY_BYTES, entry, hashing_reader::HashingReader,
    manifest::MAX_MANIFEST,
};

/// Receives the entries of an archive.
pub(crate) trait EntrySink {
    /// Called first.
    fn manifest(&mut self, manifest: &BackupManifest) -> Result<(), BackupError>;
    /// Returns where the database is written to.
    fn database(&mut self) -> Result<Box<dyn Write>, BackupError>;
    fn secret_key(&mut self, key: &[u8]) -> Result<(), BackupError>;
    /// Stores the content of a file, to its end, for [`Self::commit_file`].
    fn stage_file(&mut self, sha256: &Digest, content: &mut dyn Read) -> Result<(), BackupError>;
    /// Called after the digest of the staged file was checked.
    fn commit_file(&mut self, sha256: &Digest) -> Result<(), BackupError>;
}

/// Reads the whole archive, and checks its checksum, the digests of the database and of each file. Returns the
/// manifest. Does not open the database in it.
pub fn verify(archive: &Path) -> Result<BackupManifest, BackupError> {
    /// Drops what it receives.
    struct Discard;

    impl EntrySink for Discard {
        fn manifest(&mut self, _: &BackupManifest) -> Result<(), BackupError> {
            Ok(())
        }

        fn database(&mut self) -> Result<Box<dyn Write>, BackupError> {
            Ok(Box::new(io::sink()))
        }

        fn secret_key(&mut self, _: &[u8]) -> Result<(), BackupError> {
            Ok(())
        }

        fn stage_file(&mut self, _: &Digest, content: &mut dyn Read) -> Result<(), BackupError> {
            io::copy(content, &mut io::sink()).map(drop).map_err(damaged)
        }

        fn commit_file(&mut self, _: &Digest) -> Result<(), BackupError> {
            Ok(())
        }
    }

    let (manifest, _) = read(archive, &mut Discard)?;
    Ok(manifest)
}

/// Reads all entries into the sink. Returns the manifest and the number of files.
pub(crate) fn read(archive: &Path, sink: &mut impl EntrySink) -> Result<(BackupManifest, u64), BackupError> {
    let file = File::open(archive).map_err(BackupError::file(archive))?;
    let mut tar = Archive::new(GzDecoder::new(BufReader::new(file)));
    let mut entries = tar.entries().map_err(damaged)?;
    let manifest = match entries.next() {
        Some(Ok(mut first)) if name_of(&first)? == entry::MANIFEST => {
            BackupManifest::parse(&read_bounded(&mut first, MAX_MANIFEST)?)?
        }
        Some(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(damaged(error)),
        Some(Err(error)) => return Err(BackupError::NotABackup(error.to_string())),
        _ => return Err(BackupError::NotABackup(format!("it does not begin with {}", entry::MANIFEST))),
    };
    sink.manifest(&manifest)?;
    let mut contents = Contents::default();
    for next in entries {
        contents.read(&mut next.map_err(damaged)?, &manifest, sink)?;
    }
    contents.check(&manifest)?;
    // The checksum of gzip follows the last entry.
    io::copy(&mut tar.into_inner(), &mut io::sink()).map_err(damaged)?;
    Ok((manifest, contents.files))
}

/// Entries that were read so far.
#[derive(Default)]
struct Contents {
    has_database: bool,
    has_secret_key: bool,
    files: u64,
}

impl Contents {
    fn read(
        &mut self,
        entry: &mut tar::Entry<'_, impl Read>,
        manifest: &BackupManifest,
        sink: &mut impl EntrySink,
    ) -> Result<(), BackupError> {
        let name = name_of(entry)?;
        match name.as_str() {
            entry::DATABASE if !self.has_database => {
                self.has_database = true;
                read_database(entry, manifest, sink.database()?)
            }
            entry::SECRET_KEY if !self.has_secret_key => {
                self.has_secret_key = true;
                sink.secret_key(&read_bounded(entry, SECRET_KEY_BYTES)?)
            }
            _ => {
                let digest = name.strip_prefix(entry::FILES).and_then(|name| name.parse().ok());
                let digest: Digest = digest.ok_or_else(|| unexpected(&name))?;
                self.files += 1;
                let mut content = HashingReader::new(entry);
                sink.stage_file(&digest, &mut content)?;
                if content.digest() != digest {
                    return Err(damaged(io::Error::other(format!("{name} has another digest"))));
                }
                sink.commit_file(&digest)
            }
        }
    }

    fn check(&self, manifest: &BackupManifest) -> Result<(), BackupError> {
        if !self.has_database || self.has_secret_key != manifest.has_secret_key || self.files > manifest.files
        {
            return Err(damaged(io::Error::other("entries do not match its manifest")));
        }
        Ok(())
    }
}

fn read_database(
    entry: &mut impl Read,
    manifest: &BackupManifest,
    mut output: Box<dyn Write>,
) -> Result<(), BackupError> {
    let mut content = HashingReader::new(entry.take(manifest.database_bytes + 1));
    let bytes = io::copy(&mut content, &mut output).and_then(|bytes| output.flush().map(|()| bytes));
    if bytes.map_err(damaged)? != manifest.database_bytes || content.digest() != manifest.database_sha256 {
        return Err(damaged(io::Error::other("the database has another digest than its manifest says")));
    }
    Ok(())
}

/// Returns the name of a regular entry. It is compared with known names and never used as a path.
fn name_of(entry: &tar::Entry<'_, impl Read>) -> Result<String, BackupError> {
    let path = entry.path_bytes();
    let name = String::from_utf8_lossy(&path).into_owned();
    match entry.header().entry_type() {
        EntryType::Regular => Ok(name),
        _ => Err(unexpected(&name)),
    }
}

fn unexpected(name: &str) -> BackupError {
    BackupError::NotABackup(format!("unexpected entry {:?}", name.chars().take(100).collect::<String>()))
}

fn read_bounded(entry: &mut impl Read, limit: u64) -> Result<Vec<u8>, BackupError> {
    let mut bytes = Vec::new();
    entry.take(limit + 1).read_to_end(&mut bytes).map_err(damaged)?;
    if bytes.len() as u64 > limit {
        return Err(BackupError::NotABackup(format!("an entry has more than {limit} bytes")));
    }
    Ok(bytes)
}

pub(crate) const fn damaged(error: io::Error) -> BackupError {
    BackupError::Damaged(error)
}
