use std::{fs, path::Path};

use clap::{ArgMatches, Command};
use plexus_server::{
    config::ServeConfig,
    settings::{self, Settings, Source},
};
use toml::{Table, Value};

/// Fuzzes the configuration file `plexus.toml`.
pub fn settings(data: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plexus.toml");
    fs::write(&file, data).unwrap();
    let read = match read(&file) {
        Ok(read) => read,
        Err(error) => return assert!(format!("{error:#}").contains("plexus.toml"), "{error:#}"),
    };
    if let Err(error) = ServeConfig::from_settings(&read) {
        let words = format!("{error:#}");
        let names = |name: &str| words.contains(name);
        assert!(settings::all().any(|setting| names(setting.key) || names(setting.variable)), "{words}");
    }
    let table = read.table();
    assert!(table.iter().all(|(setting, value, source)| {
        !setting.secret || *source == Source::Default || value == "(set, not shown)"
    }));
    // Round trip: the same settings, serialized by this target, have the same meaning.
    let given = settings::all().filter_map(|setting| Some((setting.key, read.text(setting.key)?)));
    let given: Table = given.map(|(key, value)| (key.to_owned(), Value::from(value))).collect();
    fs::write(&file, given.to_string()).unwrap();
    let again = self::read(&file).expect("what we write we read");
    for setting in settings::all() {
        assert_eq!(again.text(setting.key), read.text(setting.key), "{}", setting.key);
    }
}

fn read(file: &Path) -> anyhow::Result<Settings> {
    Settings::read(&flags(), |_| None, file)
}

/// Returns flags with numeric addresses, which need no name lookup.
fn flags() -> ArgMatches {
    let given = ["plexus", "--listen", "127.0.0.1:3000", "--metrics-listen", "off"];
    Settings::flags(Command::new("plexus")).get_matches_from(given)
}
