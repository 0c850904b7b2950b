//! Validated configuration of the operator's programs: the `programs` table of `plexus.toml`.

use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context as _, bail, ensure};
use plexus_domain::Name;
use plexus_hub::config::{
    ProgramAccess, ProgramConfig, ProgramLimits, ProgramProtocol, ProgramTotal, SandboxedCommand,
};
use serde::{Deserialize, de::DeserializeOwned};

/// Folder in the data folder that holds the working folders of programs without a configured folder.
const FOLDERS: &str = "programs";
/// Value of `allowed_accounts` that allows every account.
const EVERYONE: &str = "everyone";

/// Former keys of a program's table, each with its present key.
const RENAMED_KEYS: [(&str, &str); 5] = [
    ("speaks", "protocol"),
    ("may_use", "allowed_accounts"),
    ("folder", "working_dir"),
    ("file_mib", "max_file_mib"),
    ("memory_mib", "max_memory_mib"),
];

#[derive(Deserialize)]
struct List<T> {
    programs: BTreeMap<String, T>,
}

/// The table `[programs.NAME]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    command: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    working_dir: Option<PathBuf>,
    #[serde(default)]
    read_only: Vec<PathBuf>,
    #[serde(default)]
    network: bool,
    #[serde(default)]
    protocol: Protocol,
    #[serde(default)]
    allowed_accounts: Vec<String>,
    max_memory_mib: Option<u64>,
    processes: Option<u64>,
    open_files: Option<u64>,
    cpu_seconds: Option<u64>,
    max_file_mib: Option<u64>,
    folder_mib: Option<u64>,
    folder_files: Option<u64>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Protocol {
    #[default]
    Acp,
    Mcp,
}

/// Paths of the hub's own data, which programs must not be able to read.
pub struct ProtectedPaths<'a> {
    pub data_dir: &'a Path,
    pub files_dir: &'a Path,
    pub key_file: &'a Path,
    /// Folder of scheduled backups.
    pub backup_dir: Option<&'a Path>,
}

/// Parses the programs: an inline table from the settings, or the content of a separate file with one
/// `[NAME]` table each.
pub fn read(text: Option<&str>, hidden: &ProtectedPaths<'_>) -> anyhow::Result<Vec<ProgramConfig>> {
    let Some(text) = text else { return Ok(Vec::new()) };
    refuse_renamed_keys(text)?;
    let entries: BTreeMap<String, Entry> = parse(text).context("programs is not a table of programs")?;
    entries.into_iter().map(|(name, entry)| listed(&name, entry, hidden)).collect()
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<BTreeMap<String, T>, toml::de::Error> {
    if text.trim_start().starts_with('{') {
        toml::from_str(&format!("programs = {text}")).map(|list: List<T>| list.programs)
    } else {
        toml::from_str(text)
    }
}

/// Refuses a former key, with an error that names the present one. Other mistakes are left to [`Entry`].
fn refuse_renamed_keys(text: &str) -> anyhow::Result<()> {
    let tables: BTreeMap<String, toml::Table> = parse(text).unwrap_or_default();
    for (name, table) in tables {
        for (former, present) in RENAMED_KEYS {
            ensure!(!table.contains_key(former), "programs.{name}: `{former}` is now `{present}`");
        }
    }
    Ok(())
}

fn listed(name: &str, entry: Entry, hidden: &ProtectedPaths<'_>) -> anyhow::Result<ProgramConfig> {
    let at = || format!("programs.{name}");
    let _: Name = name.parse().with_context(|| format!("{}: invalid program name", at()))?;
    ensure!(!entry.command.is_empty(), "{}: command is empty", at());
    for path in entry.working_dir.iter().chain(&entry.read_only) {
        check(path, hidden).with_context(at)?;
    }
    let own = || absolute(&hidden.data_dir.join(FOLDERS).join(name));
    let program = SandboxedCommand {
        name: name.to_owned(),
        limits: limits(&entry),
        command: entry.command,
        args: entry.args,
        env: entry.env,
        working_dir: entry.working_dir.unwrap_or_else(own),
        read_only: entry.read_only,
        network: entry.network,
    };
    let protocol = match entry.protocol {
        Protocol::Acp => ProgramProtocol::Acp,
        Protocol::Mcp => ProgramProtocol::Mcp,
    };
    let allowed_accounts = allowed_accounts(&entry.allowed_accounts).with_context(at)?;
    Ok(ProgramConfig { program, protocol, allowed_accounts })
}

fn limits(entry: &Entry) -> ProgramLimits {
    let usual = ProgramLimits::default();
    let mebibytes = |given: Option<u64>, usual| given.map_or(usual, |given| given.saturating_mul(1 << 20));
    ProgramLimits {
        memory_bytes: mebibytes(entry.max_memory_mib, usual.memory_bytes),
        processes: entry.processes.unwrap_or(usual.processes),
        open_files: entry.open_files.unwrap_or(usual.open_files),
        cpu_seconds: entry.cpu_seconds.unwrap_or(usual.cpu_seconds),
        file_bytes: mebibytes(entry.max_file_mib, usual.file_bytes),
        total: ProgramTotal {
            bytes: mebibytes(entry.folder_mib, usual.total.bytes),
            files: entry.folder_files.unwrap_or(usual.total.files),
        },
    }
}

fn allowed_accounts(names: &[String]) -> anyhow::Result<ProgramAccess> {
    if names.is_empty() {
        return Ok(ProgramAccess::Administrators);
    }
    if names.iter().any(|name| name == EVERYONE) {
        return Ok(ProgramAccess::Everyone);
    }
    let parse = |name: &String| {
        let bare = name.strip_prefix('@').unwrap_or(name);
        bare.parse::<Name>()
            .with_context(|| format!("allowed_accounts has \"{name}\", which is not an account name"))
    };
    Ok(ProgramAccess::named(names.iter().map(parse).collect::<Result<Vec<_>, _>>()?))
}

/// Rejects a path that contains the hub's own data or lies within it.
fn check(path: &Path, hidden: &ProtectedPaths<'_>) -> anyhow::Result<()> {
    ensure!(path.is_absolute(), "{} is not an absolute path", path.display());
    let steps_back = path.components().any(|step| step == Component::ParentDir);
    ensure!(!steps_back, "write {} without ..", path.display());
    let path = absolute(path);
    let (data, key) = (absolute(hidden.data_dir), absolute(hidden.key_file));
    let shows = |folder: &Path| path.starts_with(folder) || folder.starts_with(&path);
    let is_own = path.starts_with(data.join(FOLDERS)) && path != data.join(FOLDERS);
    let shows_backups = hidden.backup_dir.is_some_and(|folder| shows(&absolute(folder)));
    let shows_data = shows(&data) || shows(&absolute(hidden.files_dir)) || key.starts_with(&path);
    if shows_backups || (!is_own && shows_data) {
        bail!("{} would expose files of the hub to the program", path.display());
    }
    Ok(())
}

/// Returns the absolute path, with symbolic links resolved in the part that exists.
fn absolute(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let known = whole.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match known {
        Some((above, real)) => whole.strip_prefix(above).map_or(real.clone(), |rest| real.join(rest)),
        None => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden() -> ProtectedPaths<'static> {
        let [data_dir, files_dir, key_file] =
            ["/srv/hub", "/mnt/files/hub", "/keys/hub/secret.key"].map(Path::new);
        ProtectedPaths { data_dir, files_dir, key_file, backup_dir: Some(Path::new("/mnt/backups")) }
    }

    fn one(entry: &str) -> anyhow::Result<ProgramConfig> {
        Ok(read(Some(&format!("{{ poet = {{ {entry} }} }}")), &hidden())?.remove(0))
    }

    #[test]
    fn an_entry_says_what_is_run_and_for_whom() {
        let plain = one(r#"command = "poet""#).unwrap();
        assert_eq!(
            (plain.allowed_accounts, plain.protocol),
            (ProgramAccess::Administrators, ProgramProtocol::Acp)
        );
        assert_eq!(plain.program.working_dir, Path::new("/srv/hub/programs/poet"));
        assert_eq!((plain.program.network, plain.program.limits), (false, ProgramLimits::default()));

        let whole = "[poet]\ncommand = \"/opt/poet/bin/poet\"\nargs = [\"--acp\"]\nenv = { KEY = \"k\" }\n\
                     working_dir = \"/srv/poet\"\nread_only = [\"/opt/poet\"]\nnetwork = true\n\
                     protocol = \"mcp\"\nallowed_accounts = [\"@ada\", \"bob\"]\nmax_memory_mib = 64\n\
                     max_file_mib = 2\nprocesses = 8\n";
        let whole = read(Some(whole), &hidden()).unwrap().remove(0);
        let names = ["ada", "bob"].map(|name| name.parse::<Name>().unwrap());
        assert_eq!(whole.allowed_accounts, ProgramAccess::named(names));
        assert_eq!((whole.program.limits.memory_bytes, whole.program.limits.processes), (64 << 20, 8));
        assert_eq!(whole.program.limits.file_bytes, 2 << 20);
        assert_eq!(whole.program.working_dir, Path::new("/srv/poet"));
        assert_eq!((whole.program.env["KEY"].as_str(), whole.protocol), ("k", ProgramProtocol::Mcp));
        assert_eq!(
            one("command = \"p\", allowed_accounts = [\"everyone\"]").unwrap().allowed_accounts,
            ProgramAccess::Everyone
        );
    }

    #[test]
    fn a_former_key_is_refused_with_the_name_of_the_present_one() {
        for (former, value) in [
            ("speaks", "\"mcp\""),
            ("may_use", "[\"ada\"]"),
            ("folder", "\"/srv/poet\""),
            ("file_mib", "1"),
            ("memory_mib", "1"),
        ] {
            let present = RENAMED_KEYS.iter().find(|(key, _)| *key == former).unwrap().1;
            let words = format!("programs.poet: `{former}` is now `{present}`");
            let inline = one(&format!("command = \"p\", {former} = {value}")).unwrap_err();
            assert_eq!(inline.to_string(), words);
            let file = read(Some(&format!("[poet]\ncommand = \"p\"\n{former} = {value}\n")), &hidden());
            assert_eq!(file.unwrap_err().to_string(), words);
            assert!(one(&format!("command = \"p\", {present} = {value}")).is_ok(), "{present}");
        }
        let error = one("command = \"p\", speaks = \"acp\"").unwrap_err().to_string();
        assert_eq!(error, "programs.poet: `speaks` is now `protocol`");
    }

    #[test]
    fn what_would_show_the_hubs_own_data_is_refused() {
        for path in [
            "/",
            "/srv",
            "/srv/hub",
            "/srv/hub/blobs",
            "/srv/hub/programs",
            "/mnt",
            "/mnt/files/hub/ab",
            "/keys",
            "own",
            "/srv/x/../hub",
        ] {
            assert!(one(&format!("command = \"p\", working_dir = \"{path}\"")).is_err(), "{path}");
            assert!(one(&format!("command = \"p\", read_only = [\"{path}\"]")).is_err(), "{path}");
        }
        assert!(one("command = \"p\", working_dir = \"/srv/hub/programs/other\"").is_ok());
        for wrong in [
            "",
            "command = \"\"",
            "command = \"p\", allowed_accounts = [\"a b\"]",
            "command = \"p\", nets = 1",
        ] {
            assert!(one(wrong).is_err(), "{wrong}");
        }
        assert!(read(Some("{ \"a b\" = { command = \"p\" } }"), &hidden()).is_err());
    }
}
