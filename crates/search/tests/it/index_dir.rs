//! Tests of recovery after a restart, a crash and disk damage.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::common::{find, id, index, listing, put};
use plexus_search::{Error, Index, IndexChange, Listing};

#[test]
fn what_was_applied_is_there_after_opening_again() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path()).unwrap();
    assert_eq!((index.last_change(), index.len(), index.is_empty()), (0, 0, true));
    index.apply(&[put(listing(1, "Alpha")), put(listing(2, "Beta"))], 7).unwrap();
    index
        .apply(&[put(listing(1, "Gamma")), IndexChange::Remove(id(2)), IndexChange::Remove(id(9))], 9)
        .unwrap();
    for index in [index, Index::open(folder.path()).unwrap()] {
        assert_eq!((index.last_change(), index.len()), (9, 1));
        assert_eq!(find(&index, "gamma"), ["Gamma"]);
        assert_eq!(find(&index, "alpha").len() + find(&index, "beta").len(), 0);
    }
}

#[test]
fn an_index_in_memory_is_rebuilt_in_memory() {
    let index = index([listing(1, "Alpha")]);
    index.rebuild([Ok::<_, Error>(listing(2, "Beta"))], 2).unwrap();
    assert_eq!((index.last_change(), find(&index, "beta").len(), index.len()), (2, 1, 1));
}

#[test]
fn many_small_writes_stay_together_with_their_number() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path()).unwrap();
    for n in 0..40 {
        index.apply(&[put(listing(n % 30, &format!("Name{n}")))], u64::from(n)).unwrap();
        assert_eq!(index.last_change(), u64::from(n));
    }
    let index = Index::open(folder.path()).unwrap();
    assert_eq!((index.last_change(), index.len()), (39, 30));
    assert_eq!(find(&index, "name39"), ["Name39"]);
}

#[test]
fn a_copy_taken_in_mid_write_is_at_the_change_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path()).unwrap();
    index.apply(&[put(listing(1, "Alpha"))], 5).unwrap();
    // A process that crashes while writing leaves files that no commit refers to.
    let current = fs::read_to_string(folder.path().join("current")).unwrap();
    fs::write(folder.path().join(&current).join("00000000000000000000000000000000.idx"), b"half a segment")
        .unwrap();
    fs::write(folder.path().join("current.new"), b"v1-99").unwrap();
    fs::create_dir(folder.path().join("v1-99")).unwrap();
    drop(index);
    let index = Index::open(folder.path()).unwrap();
    assert_eq!((index.last_change(), find(&index, "alpha").len()), (5, 1));
    assert!(!folder.path().join("v1-99").exists());
    index.apply(&[put(listing(2, "Beta"))], 6).unwrap();
    assert_eq!(Index::open(folder.path()).unwrap().last_change(), 6);
}

#[test]
fn a_rebuild_takes_over_when_it_is_complete_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path()).unwrap();
    index.apply(&[put(listing(1, "Alpha"))], 5).unwrap();
    let broken = [Ok(listing(2, "Beta")), Err("the store went away")];
    assert!(matches!(index.rebuild(broken, 6), Err(Error::Source(_))));
    assert_eq!((index.last_change(), find(&index, "alpha").len()), (5, 1));
    index.rebuild((10..200).map(|n| Ok::<_, Error>(listing(n, "Fresh"))), 8).unwrap();
    for index in [index, Index::open(folder.path()).unwrap()] {
        assert_eq!((index.last_change(), index.len()), (8, 190));
        assert!(find(&index, "alpha").is_empty());
        index.apply(&[IndexChange::Remove(id(10))], 8).unwrap();
    }
    let folders =
        fs::read_dir(folder.path()).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(folders.count(), 1);
}

/// Returns all non-empty files.
fn files(folder: &Path) -> Vec<PathBuf> {
    let current = fs::read_to_string(folder.join("current")).unwrap();
    let inside = fs::read_dir(folder.join(current)).unwrap().map(|entry| entry.unwrap().path());
    inside.chain([folder.join("current")]).filter(|path| fs::metadata(path).unwrap().len() > 0).collect()
}

/// Creates an index in which all kinds of files have content.
fn full(folder: &Path) {
    let index = Index::open(folder).unwrap();
    let changes: Vec<IndexChange> =
        (0..50).map(|n| put(Listing { tags: vec!["tag".into()], ..listing(n, "Alpha") })).collect();
    index.apply(&changes, 3).unwrap();
    index.apply(&[IndexChange::Remove(id(1))], 4).unwrap();
}

#[test]
fn a_damaged_folder_is_empty_or_whole_but_never_a_crash() {
    let sample = tempfile::tempdir().unwrap();
    full(sample.path());
    for file in files(sample.path()) {
        for damage in [truncate as fn(&Path), flip, remove] {
            let folder = tempfile::tempdir().unwrap();
            copy(sample.path(), folder.path());
            let name = file.strip_prefix(sample.path()).unwrap();
            damage(&folder.path().join(name));
            let index = Index::open(folder.path()).unwrap();
            assert!(matches!((index.last_change(), index.len()), (4, 49) | (0, 0)), "{}", name.display());
            index.apply(&[put(listing(60, "Later"))], 5).unwrap();
            assert_eq!(find(&index, "later"), ["Later"]);
            assert_eq!(Index::open(folder.path()).unwrap().last_change(), 5);
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn truncate(file: &Path) {
    let bytes = fs::read(file).unwrap();
    fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
}

fn flip(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    fs::write(file, bytes).unwrap();
}

fn remove(file: &Path) {
    fs::remove_file(file).unwrap();
}

#[test]
fn a_folder_of_another_version_is_built_anew() {
    let folder = tempfile::tempdir().unwrap();
    full(folder.path());
    let current = fs::read_to_string(folder.path().join("current")).unwrap();
    fs::rename(folder.path().join(&current), folder.path().join("v0-0")).unwrap();
    fs::write(folder.path().join("current"), "v0-0").unwrap();
    let index = Index::open(folder.path()).unwrap();
    assert_eq!((index.last_change(), index.len()), (0, 0));
    assert!(!folder.path().join("v0-0").exists());
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, b"").unwrap();
    let error = Index::open(file.join("index")).err().unwrap().to_string();
    assert!(error.contains("file/index"), "{error}");
}
