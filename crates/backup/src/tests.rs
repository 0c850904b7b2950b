//! Tests of archives: complete, cut, changed, hostile, and of other hubs.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

use crate::{
    BackupAuthor, BackupContents, BackupError, BackupManifest, HubStorage, copy_database, restore,
    restore_for_test, verify, write_stopped,
};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use plexus_domain::{Digest, Timestamp};
use plexus_store::{
    Store, StoreConfig, blobs,
    blobs::Blob,
    testing::{self, World},
    transfer,
};
use tempfile::TempDir;

const FILE: &[u8] = b"the content of a file";

/// A hub's data in a temporary folder.
struct Data {
    folder: TempDir,
    storage: HubStorage,
}

impl Data {
    fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = folder.path().join("data");
        let storage = HubStorage {
            database_url: None,
            files_dir: data_dir.join("blobs"),
            secret_key_file: data_dir.join("secret.key"),
            data_dir,
        };
        Self { folder, storage }
    }

    /// Has an account, a chat with messages, a file and a secret key.
    async fn filled() -> Self {
        let data = Self::empty();
        let store = data.open().await;
        let mut world = World::new(store.clone());
        let ada = world.person("ada").await;
        let chat = world.chat(&ada, &[]).await;
        for text in ["first", "zweite", "第三"] {
            world.say(chat, ada.principal, None, text).await;
        }
        let sha256 = Digest::of(FILE);
        let place = blobs::place(&sha256);
        let path = data.storage.files_dir.join(&place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, FILE).unwrap();
        let mut tx = world.write().await;
        let blob = Blob { sha256, size: FILE.len() as u64, media_type: "text/plain".to_owned(), place };
        blobs::insert(&mut tx, &blob).await.unwrap();
        tx.commit().await.unwrap();
        store.close().await;
        fs::write(&data.storage.secret_key_file, [7; 32]).unwrap();
        data
    }

    async fn open(&self) -> Store {
        let url = self.storage.database_url.as_deref();
        Store::open(&StoreConfig::parse(url, &self.storage.data_dir).unwrap()).await.unwrap()
    }

    async fn contents(&self) -> Vec<transfer::TableDigest> {
        let store = self.open().await;
        let contents = transfer::contents(&mut store.snapshot().await.unwrap()).await.unwrap();
        store.close().await;
        contents
    }

    async fn archive(&self, contents: BackupContents) -> PathBuf {
        let path = self.folder.path().join("backup.tar.gz");
        let made_by = BackupAuthor { program: "1.2.3", now: Timestamp::from_millis(1_790_000_000_000) };
        let output = fs::File::create(&path).unwrap();
        write_stopped(&self.storage, made_by, contents, output, |_| ()).await.unwrap();
        path
    }

    /// Checks that nothing was restored.
    async fn expect_empty(&self) {
        let store = self.open().await;
        transfer::check_empty(&store).await.unwrap();
        store.close().await;
        assert!(!self.storage.secret_key_file.exists());
    }
}

#[tokio::test]
async fn an_archive_restores_everything() {
    let (from, to) = (Data::filled().await, Data::empty());
    let archive = from.archive(BackupContents::WithSecretKey).await;
    let manifest = verify(&archive).unwrap();
    assert_eq!((manifest.files, manifest.has_secret_key, manifest.program.as_str()), (1, true, "1.2.3"));

    let restored = restore(&archive, &to.storage, |_| ()).await.unwrap();
    assert_eq!((restored.files, restored.has_secret_key), (1, true));
    assert_eq!(to.contents().await, from.contents().await);
    assert_eq!(fs::read(to.storage.files_dir.join(blobs::place(&Digest::of(FILE)))).unwrap(), FILE);
    assert_eq!(fs::read(&to.storage.secret_key_file).unwrap(), [7; 32]);
    let left: Vec<_> =
        fs::read_dir(&to.storage.data_dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with("restore-")), "{left:?}");
}

#[tokio::test]
async fn an_archive_moves_a_hub_to_postgres_and_back() {
    let Some(database) = testing::Database::new().await else { return };
    let (from, mut middle, last) = (Data::filled().await, Data::empty(), Data::empty());
    let plexus_store::StoreUrl::Postgres { url } = database.url() else { unreachable!("this is Postgres") };
    middle.storage.database_url = Some(url.to_string());

    let archive = from.archive(BackupContents::WithSecretKey).await;
    restore(&archive, &middle.storage, |_| ()).await.unwrap();
    assert_eq!(middle.contents().await, from.contents().await);
    let archive = middle.archive(BackupContents::WithSecretKey).await;
    restore(&archive, &last.storage, |_| ()).await.unwrap();
    assert_eq!(last.contents().await, from.contents().await);

    let again = copy_database(&from.storage, &middle.storage, |_| ()).await.unwrap_err();
    assert!(again.to_string().contains("is not empty"), "{again}");
    database.drop().await;
}

#[tokio::test]
async fn without_the_key_the_archive_names_none() {
    let (from, to) = (Data::filled().await, Data::empty());
    let archive = from.archive(BackupContents::WithoutSecretKey).await;
    let mut bytes = Vec::new();
    GzDecoder::new(fs::File::open(&archive).unwrap()).read_to_end(&mut bytes).unwrap();
    assert!(!bytes.windows(32).any(|window| window == [7; 32]));
    let restored = restore(&archive, &to.storage, |_| ()).await.unwrap();
    assert!(!restored.has_secret_key);
}

#[tokio::test]
async fn the_key_of_another_hub_is_not_overwritten() {
    let (from, to) = (Data::filled().await, Data::empty());
    let archive = from.archive(BackupContents::WithSecretKey).await;
    fs::create_dir_all(&to.storage.data_dir).unwrap();
    fs::write(&to.storage.secret_key_file, [8; 32]).unwrap();
    let error = restore(&archive, &to.storage, |_| ()).await.unwrap_err();
    assert!(matches!(error, BackupError::OtherSecretKey { .. }), "{error}");
    assert_eq!(fs::read(&to.storage.secret_key_file).unwrap(), [8; 32]);
    fs::remove_file(&to.storage.secret_key_file).unwrap();
    to.expect_empty().await;
}

#[tokio::test]
async fn a_hub_with_data_is_not_overwritten() {
    let (from, to) = (Data::filled().await, Data::filled().await);
    let before = to.contents().await;
    let archive = from.archive(BackupContents::WithSecretKey).await;
    let error = restore(&archive, &to.storage, |_| ()).await.unwrap_err();
    assert!(error.to_string().contains("is not empty"), "{error}");
    assert_eq!(to.contents().await, before);
}

#[tokio::test]
async fn a_cut_archive_is_refused_and_restores_nothing() {
    let (from, to) = (Data::filled().await, Data::empty());
    let archive = from.archive(BackupContents::WithSecretKey).await;
    let whole = fs::read(&archive).unwrap();
    for part in [1, 3, 5, 7] {
        fs::write(&archive, &whole[..whole.len() * part / 8]).unwrap();
        let error = verify(&archive).unwrap_err();
        assert!(matches!(error, BackupError::Damaged(_)), "{part}/8: {error}");
    }
    // Only the checksum at the end is missing.
    fs::write(&archive, &whole[..whole.len() - 4]).unwrap();
    assert!(matches!(verify(&archive).unwrap_err(), BackupError::Damaged(_)));
    assert!(matches!(restore(&archive, &to.storage, |_| ()).await.unwrap_err(), BackupError::Damaged(_)));
    to.expect_empty().await;
}

#[tokio::test]
async fn what_is_no_backup_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let missing = verify(&path).unwrap_err();
    assert!(matches!(missing, BackupError::File { .. }), "{missing}");
    for bytes in [&b""[..], b"some text", &[0; 4096], &[0x1f, 0x8b, 8, 0]] {
        fs::write(&path, bytes).unwrap();
        assert!(verify(&path).is_err());
    }
    for (name, content) in [("other.json", "{}"), ("manifest.json", "{}"), ("manifest.json", "[1, 2")] {
        write_tar(&path, &[(name, content.as_bytes())]);
        let error = verify(&path).unwrap_err();
        assert!(matches!(error, BackupError::NotABackup(_)), "{name} {content}: {error}");
    }
    write_tar(&path, &[("manifest.json", &vec![b' '; 2 << 20])]);
    assert!(verify(&path).unwrap_err().to_string().contains("more than 1048576 bytes"));
}

#[tokio::test]
async fn a_backup_of_a_newer_version_names_it() {
    let from = Data::filled().await;
    let archive = from.archive(BackupContents::WithSecretKey).await;
    for (format, schema) in [(2, 1), (1, 1_000_000)] {
        let mut manifest = serde_json::to_value(verify(&archive).unwrap()).unwrap();
        manifest["format"] = format.into();
        manifest["schema"] = schema.into();
        // A newer manifest may have other fields.
        manifest.as_object_mut().unwrap().remove("files");
        let path = from.folder.path().join("newer.tar.gz");
        write_tar(&path, &[("manifest.json", manifest.to_string().as_bytes())]);
        let error = verify(&path).unwrap_err();
        assert!(error.to_string().contains("Restore it with Plexus 1.2.3 or a newer version"), "{error}");
    }
}

#[tokio::test]
async fn an_archive_cannot_write_outside_its_folders() {
    let (from, to) = (Data::filled().await, Data::empty());
    let archive = from.archive(BackupContents::WithSecretKey).await;
    let manifest = verify(&archive).unwrap();
    let database = entry_of(&archive, "plexus.sqlite3");
    let json = serde_json::to_vec(&BackupManifest { has_secret_key: false, ..manifest }).unwrap();
    let digest = format!("files/{}", Digest::of(b"other"));
    for name in ["../evil", "/tmp/evil", "files/../../evil", "files/abc", "plexus.sqlite3", digest.as_str()] {
        let path = from.folder.path().join("hostile.tar.gz");
        write_tar(&path, &[("manifest.json", &json), ("plexus.sqlite3", &database), (name, b"evil")]);
        let error = restore(&path, &to.storage, |_| ()).await.unwrap_err();
        assert!(matches!(error, BackupError::NotABackup(_) | BackupError::Damaged(_)), "{name}: {error}");
        to.expect_empty().await;
    }
    let digest = blobs::place(&Digest::of(b"other"));
    assert!(!to.storage.files_dir.join(digest).exists(), "a file with a wrong digest is not stored");
    assert!(!to.folder.path().join("evil").exists() && !Path::new("/tmp/evil").exists());
}

#[tokio::test]
async fn a_restore_for_a_test_leaves_nothing() {
    let (from, folder) = (Data::filled().await, tempfile::tempdir().unwrap());
    let archive = from.archive(BackupContents::WithoutSecretKey).await;
    let restored = restore_for_test(&archive, folder.path()).await.unwrap();
    assert_eq!((restored.files, restored.manifest.files), (1, 1));
    let whole = fs::read(&archive).unwrap();
    fs::write(&archive, &whole[..whole.len() / 2]).unwrap();
    let cut = restore_for_test(&archive, folder.path()).await.unwrap_err();
    assert!(matches!(cut, BackupError::Damaged(_)), "{cut}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_changed_database_is_refused() {
    let (from, to) = (Data::filled().await, Data::empty());
    let archive = from.archive(BackupContents::WithoutSecretKey).await;
    let json = entry_of(&archive, "manifest.json");
    let mut database = entry_of(&archive, "plexus.sqlite3");
    let last = database.len() - 1;
    database[last] ^= 1;
    write_tar(&archive, &[("manifest.json", &json), ("plexus.sqlite3", &database)]);
    let error = restore(&archive, &to.storage, |_| ()).await.unwrap_err();
    assert!(matches!(error, BackupError::Damaged(_)), "{error}");
    to.expect_empty().await;
}

/// Writes entries with the given names, which need not be valid paths.
fn write_tar(path: &Path, entries: &[(&str, &[u8])]) {
    let mut tar = Vec::new();
    for (name, content) in entries {
        let mut header = tar::Header::new_ustar();
        header.as_ustar_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_mode(0o600);
        header.set_size(content.len() as u64);
        header.set_entry_type(tar::EntryType::Regular);
        header.set_cksum();
        tar.extend_from_slice(header.as_bytes());
        tar.extend_from_slice(content);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    let mut gzip = GzEncoder::new(fs::File::create(path).unwrap(), Compression::fast());
    gzip.write_all(&tar).unwrap();
    gzip.finish().unwrap();
}

fn entry_of(archive: &Path, name: &str) -> Vec<u8> {
    let mut tar = tar::Archive::new(GzDecoder::new(fs::File::open(archive).unwrap()));
    let mut entries = tar.entries().unwrap();
    let found = entries.find(|entry| entry.as_ref().unwrap().path_bytes() == name.as_bytes());
    let mut bytes = Vec::new();
    found.unwrap().unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}
