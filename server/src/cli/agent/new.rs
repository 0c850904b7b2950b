//! `plexus agent new`: writes a working agent as a template.

use std::{fs, io::Write as _, path::Path};

use anyhow::{Context as _, bail};
use clap::{Arg, ArgMatches, Command};
use plexus_domain::Name;

/// The templates: files with their paths, and the start command, of each language.
const LANGUAGES: [Template; 3] = [
    Template {
        language: "python",
        files: &[("agent.py", include_str!("../../../../examples/python/agent.py"))],
        start: "python3 agent.py",
    },
    Template {
        language: "javascript",
        files: &[("agent.mjs", include_str!("../../../../examples/javascript/agent.mjs"))],
        start: "node agent.mjs",
    },
    Template {
        language: "rust",
        files: &[
            ("Cargo.toml", include_str!("../../../../examples/rust/Cargo.toml")),
            ("src/main.rs", include_str!("../../../../examples/rust/src/main.rs")),
        ],
        start: "cargo run --quiet --release",
    },
];

struct Template {
    language: &'static str,
    files: &'static [(&'static str, &'static str)],
    start: &'static str,
}

pub fn command() -> Command {
    Command::new("new")
        .about("Create a folder with a working example agent")
        .arg(Arg::new("name").required(true).value_name("NAME").help("Name of the agent and the folder"))
        .arg(
            Arg::new("language")
                .long("language")
                .value_parser(LANGUAGES.map(|template| template.language))
                .default_value("python")
                .help("Programming language"),
        )
}

pub fn run(arguments: &ArgMatches) -> anyhow::Result<u8> {
    let name: Name = arguments.get_one::<String>("name").map(String::as_str).unwrap_or_default().parse()?;
    let language = arguments.get_one::<String>("language").map(String::as_str);
    let template = LANGUAGES.iter().find(|template| Some(template.language) == language);
    let template = template.context("choose a language")?;
    write(Path::new(name.as_str()), template)?;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "Wrote {}.\n\nRun it on the hub of this machine:\n  cd {name}\n  plexus agent run {name} --protocol \
         jsonl -- {}\n\nFor a remote hub add --hub URL and --token TOKEN; create a token at /settings/tokens \
         there.",
        template.files.iter().map(|(file, _)| format!("{name}/{file}")).collect::<Vec<_>>().join(" and "),
        template.start,
    )?;
    Ok(0)
}

/// Writes the files of a template. Existing files are never overwritten.
fn write(folder: &Path, template: &Template) -> anyhow::Result<()> {
    if folder.exists() {
        bail!("{} already exists; choose another name or folder", folder.display());
    }
    for (file, text) in template.files {
        let place = folder.join(file);
        let parent = place.parent().unwrap_or(folder);
        fs::create_dir_all(parent).with_context(|| format!("making the folder {}", parent.display()))?;
        fs::write(&place, text).with_context(|| format!("writing {}", place.display()))?;
    }
    Ok(())
}
