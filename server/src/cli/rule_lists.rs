//! `plexus block --export`, `plexus block --import`: rules about other hubs as signed lists.

use std::io::{Read as _, Write as _};

use anyhow::Context as _;
use clap::{Arg, ArgMatches};
use plexus_hub::{Caller, Env, Hub, Result, accounts, federation};
use serde_json::{Value, json};

use super::remote::Remote;
use crate::{config::Serve, settings::Settings};

pub const WAYS: [&str; 2] = ["export", "import"];
/// Larger than any list.
const MAX_FILE_BYTES: u64 = 2 << 20;

pub fn arguments() -> [Arg; 2] {
    let file = |name: &'static str| Arg::new(name).long(name).value_name("FILE");
    [
        file("export")
            .conflicts_with_all(["import", "subject"])
            .help("Write this hub's rules as a list that it signs"),
        file("import").conflicts_with("subject").help("Take over the rules that another hub signed"),
    ]
}

pub enum Way {
    Export(String),
    Import(String),
}

impl Way {
    pub fn of(arguments: &ArgMatches) -> Option<Self> {
        let file = |name| arguments.get_one::<String>(name).cloned();
        file("export").map(Self::Export).or_else(|| file("import").map(Self::Import))
    }
}

pub async fn run(settings: &Settings, arguments: &ArgMatches, way: &Way) -> anyhow::Result<u8> {
    let config = Serve::folder(settings)?;
    let remote = match Remote::named(arguments)? {
        Some(hub) => Some(hub),
        None => Remote::serving(&config.data_dir, None)?,
    };
    match way {
        Way::Export(file) => {
            let list = match remote {
                Some(hub) => {
                    hub.get("hubs/rules/signed").await?["document"].as_str().unwrap_or_default().to_owned()
                }
                None => here(config, async |hub, caller| federation::export_rules(hub, caller).await).await?,
            };
            std::fs::write(file, list).with_context(|| format!("writing {file}"))?;
            writeln!(std::io::stdout(), "The rules of this hub are in {file}.")?;
        }
        Way::Import(file) => {
            let document = read(file)?;
            let done = match remote {
                Some(hub) => hub.post("hubs/rules/signed", &json!({ "document": document })).await?,
                None => {
                    let done = async |hub: &Hub, caller: &Caller| {
                        federation::import_rules(hub, caller, &document, "").await
                    };
                    shown(&here(config, done).await?)
                }
            };
            writeln!(std::io::stdout(), "{}", told(&done))?;
        }
    }
    Ok(0)
}

fn read(file: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    let opened = std::fs::File::open(file).with_context(|| format!("reading {file}"))?;
    opened.take(MAX_FILE_BYTES).read_to_string(&mut text).with_context(|| format!("reading {file}"))?;
    Ok(text)
}

/// As the API says it.
fn shown(done: &federation::Imported) -> Value {
    json!({ "from": done.from.to_string(), "taken": done.taken, "kept": done.kept, "left_out": done.left_out })
}

fn told(done: &Value) -> String {
    let number = |name: &str| done[name].as_u64().unwrap_or_default();
    format!(
        "Signed by {}: {} taken over, {} that this hub had its own rules about, {} left out.",
        done["from"].as_str().unwrap_or_default(),
        number("taken"),
        number("kept"),
        number("left_out")
    )
}

/// Does something as the operator on a data folder that no hub serves.
pub async fn here<T>(
    config: plexus_hub::Config,
    act: impl AsyncFnOnce(&Hub, &Caller) -> Result<T>,
) -> anyhow::Result<T> {
    let hub = Hub::open(config, Env::system()).await?;
    let done = match accounts::act_for(&hub, None).await {
        Ok(caller) => act(&hub, &caller).await,
        Err(error) => Err(error),
    };
    hub.close().await;
    Ok(done?)
}
