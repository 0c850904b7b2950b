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
use serde::Deserialize;

/// Folder in the data folder that holds the working folders of programs without a configured folder.
const FOLDERS: &str = "programs";
/// Value of `may_use` that allows every account.
const EVERYONE: &str = "everyone";

#[derive(Deserialize)]
struct List {
    programs: BTreeMap<String, Entry>,
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
    folder: Option<PathBuf>,
    #[serde(default)]
    read_only: Vec<PathBuf>,
    #[serde(default)]
    network: bool,
    #[serde(default)]
    speaks: Protocol,
    #[serde(default)]
    may_use: Vec<String>,
    memory_mib: Option<u64>,
    processes: Option<u64>,
    open_files: Option<u64>,
    cpu_seconds: Option<u64>,
    file_mib: Option<u64>,
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
}

/// Parses the programs: an inline table from the settings, or the content of a separate file with one
/// `[NAME]` table each.
pub fn read(text: Option<&str>, hidden: &ProtectedPaths<'_>) -> anyhow::Result<Vec<ProgramConfig>> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let entries = if text.trim_start().starts_with('{') {
        toml::from_str(&format!("programs = {text}")).map(|list: List| list.programs)
    } else {
        toml::from_str(text)
    };
    let entries: BTreeMap<String, Entry> = entries.context("programs is not a table of programs")?;
    entries.into_iter().map(|(name, entry)| listed(&name, entry, hidden)).collect()
}

fn listed(name: &str, entry: Entry, hidden: &ProtectedPaths<'_>) -> anyhow::Result<ProgramConfig> {
    let at = || format!("programs.{name}");
    let _: Name = name.parse().with_context(|| format!("{}: invalid program name", at()))?;
    ensure!(!entry.command.is_empty(), "{}: command is empty", at());
    for path in entry.folder.iter().chain(&entry.read_only) {
        check(path, hidden).with_context(at)?;
    }
    let own = || absolute(&hidden.data_dir.join(FOLDERS).join(name));
    let program = SandboxedCommand {
        name: name.to_owned(),
        limits: limits(&entry),
        command: entry.command,
        args: entry.args,
        env: entry.env,
        folder: entry.folder.unwrap_or_else(own),
        read_only: entry.read_only,
        network: entry.network,
    };
    let speaks = match entry.speaks {
        Protocol::Acp => ProgramProtocol::Acp,
        Protocol::Mcp => ProgramProtocol::Mcp,
    };
    Ok(ProgramConfig { program, speaks, may_use: may_use(&entry.may_use).with_context(at)? })
}

fn limits(entry: &Entry) -> ProgramLimits {
    let usual = ProgramLimits::default();
    let mebibytes = |given: Option<u64>, usual| given.map_or(usual, |given| given.saturating_mul(1 << 20));
    ProgramLimits {
        memory_bytes: mebibytes(entry.memory_mib, usual.memory_bytes),
        processes: entry.processes.unwrap_or(usual.processes),
        open_files: entry.open_files.unwrap_or(usual.open_files),
        cpu_seconds: entry.cpu_seconds.unwrap_or(usual.cpu_seconds),
        file_bytes: mebibytes(entry.file_mib, usual.file_bytes),
        total: ProgramTotal {
            bytes: mebibytes(entry.folder_mib, usual.total.bytes),
            files: entry.folder_files.unwrap_or(usual.total.files),
        },
    }
}

fn may_use(names: &[String]) -> anyhow::Result<ProgramAccess> {
    if names.is_empty() {
        return Ok(ProgramAccess::Administrators);
    }
    if names.iter().any(|name| name == EVERYONE) {
        return Ok(ProgramAccess::Everyone);
    }
    let parse = |name: &String| {
        let bare = name.strip_prefix('@').unwrap_or(name);
        bare.parse::<Name>().with_context(|| format!("may_use has \"{name}\", which is not an account name"))
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
    if !is_own && (shows(&data) || shows(&absolute(hidden.files_dir)) || key.starts_with(&path)) {
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
        ProtectedPaths { data_dir, files_dir, key_file }
    }

    fn one(entry: &str) -> anyhow::Result<ProgramConfig> {
        Ok(read(Some(&format!("{{ poet = {{ {entry} }} }}")), &hidden())?.remove(0))
    }

    #[test]
    fn an_entry_says_what_is_run_and_for_whom() {
        let plain = one(r#"command = "poet""#).unwrap();
        assert_eq!((plain.may_use, plain.speaks), (ProgramAccess::Administrators, ProgramProtocol::Acp));
        assert_eq!(plain.program.folder, Path::new("/srv/hub/programs/poet"));
        assert_eq!((plain.program.network, plain.program.limits), (false, ProgramLimits::default()));

        let whole = "[poet]\ncommand = \"/opt/poet/bin/poet\"\nargs = [\"--acp\"]\nenv = { KEY = \"k\" }\n\
                     folder = \"/srv/poet\"\nread_only = [\"/opt/poet\"]\nnetwork = true\n\
                     speaks = \"mcp\"\nmay_use = [\"@ada\", \"bob\"]\nmemory_mib = 64\nprocesses = 8\n";
        let whole = read(Some(whole), &hidden()).unwrap().remove(0);
        let names = ["ada", "bob"].map(|name| name.parse::<Name>().unwrap());
        assert_eq!(whole.may_use, ProgramAccess::named(names));
        assert_eq!((whole.program.limits.memory_bytes, whole.program.limits.processes), (64 << 20, 8));
        assert_eq!((whole.program.env["KEY"].as_str(), whole.speaks), ("k", ProgramProtocol::Mcp));
        assert_eq!(
            one("command = \"p\", may_use = [\"everyone\"]").unwrap().may_use,
            ProgramAccess::Everyone
        );
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
            assert!(one(&format!("command = \"p\", folder = \"{path}\"")).is_err(), "{path}");
            assert!(one(&format!("command = \"p\", read_only = [\"{path}\"]")).is_err(), "{path}");
        }
        assert!(one("command = \"p\", folder = \"/srv/hub/programs/other\"").is_ok());
        for wrong in
            ["", "command = \"\"", "command = \"p\", may_use = [\"a b\"]", "command = \"p\", nets = 1"]
        {
            assert!(one(wrong).is_err(), "{wrong}");
        }
        assert!(read(Some("{ \"a b\" = { command = \"p\" } }"), &hidden()).is_err());
    }
}
