//! Signed rule lists: `plexus block --export`, `--import` and `--follow`, `plexus unblock --follow`, `plexus
//! hubs --lists`.

use std::io::{Read as _, Write as _};

use anyhow::Context as _;
use clap::{Arg, ArgMatches};
use plexus_domain::sanitized_text::{ellipsize, one_line};
use plexus_hub::{Caller, ClockRng, Hub, Result, accounts, federation};
use serde_json::{Value, json};

use super::api_client::HubClient;
use crate::{config::ServeConfig, settings::Settings};

pub const WAYS: [&str; 3] = ["export", "import", "follow"];
/// Maximum size of an imported file, larger than any valid list.
const MAX_FILE_BYTES: u64 = 2 << 20;

pub fn arguments() -> [Arg; 4] {
    let file = |name: &'static str| Arg::new(name).long(name).value_name("FILE");
    let signer = Arg::new("signer").long("signer").value_name("ID").requires("follow");
    [
        file("export")
            .conflicts_with_all(["import", "follow", "subject"])
            .help("Export this hub's rules as a signed rule list"),
        file("import")
            .conflicts_with_all(["follow", "subject"])
            .help("Import the rules of a signed rule list"),
        follow().help("Subscribe to a signed rule list (URL or hub), refreshed daily"),
        signer.help("Expected signer of the list (default: the current signer)"),
    ]
}

pub fn follow() -> Arg {
    Arg::new("follow").long("follow").value_name("LIST").conflicts_with("subject")
}

pub enum RuleListCommand {
    Export(String),
    Import(String),
    Follow { list: String, signer: Option<String> },
    Leave(String),
}

impl RuleListCommand {
    /// Returns the rule list command in the arguments, if any. `remove`: the command unsubscribes.
    pub fn of(arguments: &ArgMatches, remove: bool) -> Option<Self> {
        if remove {
            return arguments.get_one::<String>("follow").cloned().map(Self::Leave);
        }
        let given = |name| arguments.get_one::<String>(name).cloned();
        let follow = || Some(Self::Follow { list: given("follow")?, signer: given("signer") });
        given("export").map(Self::Export).or_else(|| given("import").map(Self::Import)).or_else(follow)
    }
}

pub async fn run(settings: &Settings, arguments: &ArgMatches, way: &RuleListCommand) -> anyhow::Result<u8> {
    let config = ServeConfig::folder(settings)?;
    let remote = HubClient::named_or_serving(arguments, &config.data_dir)?;
    match way {
        RuleListCommand::Export(file) => {
            let list = match remote {
                Some(hub) => {
                    hub.get("hubs/rules/signed").await?["document"].as_str().unwrap_or_default().to_owned()
                }
                None => here(config, async |hub, caller| federation::export_rules(hub, caller).await).await?,
            };
            std::fs::write(file, list).with_context(|| format!("writing {file}"))?;
            writeln!(std::io::stdout(), "The rules of this hub are in {file}.")?;
        }
        RuleListCommand::Import(file) => {
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
            writeln!(std::io::stdout(), "{}", import_summary(&done))?;
        }
        RuleListCommand::Follow { list, signer } => {
            let url = match remote {
                Some(hub) => {
                    let done = hub.post("hubs/lists", &json!({ "list": list, "signer": signer })).await?;
                    done["url"].as_str().unwrap_or_default().to_owned()
                }
                None => {
                    let done = async |hub: &Hub, caller: &Caller| {
                        federation::subscribe(hub, caller, list, signer.as_deref(), "").await
                    };
                    here(config, done).await?
                }
            };
            writeln!(
                std::io::stdout(),
                "Subscribed to {url}. `plexus unblock --follow {url}` unsubscribes."
            )?;
        }
        RuleListCommand::Leave(url) => {
            match remote {
                Some(hub) => hub.delete("hubs/lists", &[("url", url)]).await?,
                None => {
                    let done = async |hub: &Hub, caller: &Caller| {
                        federation::unsubscribe(hub, caller, url, "").await
                    };
                    here(config, done).await?;
                }
            }
            writeln!(std::io::stdout(), "Unsubscribed. The rules of that list were removed.")?;
        }
    }
    Ok(0)
}

/// Formats the rule subscriptions of a hub as a table.
pub fn table(found: &Value) -> String {
    let lists = found["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    if lists.is_empty() {
        return "No subscribed rule lists. `plexus block --follow LIST` subscribes to one.\n".to_owned();
    }
    let mut table = format!("{:>5}  {:<24} {:<52} LIST\n", "RULES", "NAME", "SIGNED BY");
    for list in lists {
        let text = |name: &str| one_line(list[name].as_str().unwrap_or_default());
        let (rules, name) = (list["rules"].as_u64().unwrap_or_default(), ellipsize(&text("name"), 24));
        table.push_str(&format!("{rules:>5}  {name:<24} {:<52} {}\n", text("signer"), text("url")));
        if !list["problem"].is_null() {
            table.push_str(&format!("       last refresh failed: {}\n", text("problem")));
        }
    }
    table
}

fn read(file: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    let opened = std::fs::File::open(file).with_context(|| format!("reading {file}"))?;
    opened.take(MAX_FILE_BYTES).read_to_string(&mut text).with_context(|| format!("reading {file}"))?;
    Ok(text)
}

/// Returns the result of an import in the format of the API.
fn shown(done: &federation::RuleImport) -> Value {
    json!({ "from": done.from.to_string(), "taken": done.taken, "kept": done.kept, "left_out": done.left_out })
}

fn import_summary(done: &Value) -> String {
    let number = |name: &str| done[name].as_u64().unwrap_or_default();
    format!(
        "Signed by {}: {} imported, {} already present, {} invalid.",
        done["from"].as_str().unwrap_or_default(),
        number("taken"),
        number("kept"),
        number("left_out")
    )
}

/// Runs an action as the operator on a data folder that no hub serves.
pub async fn here<T>(
    config: plexus_hub::HubConfig,
    act: impl AsyncFnOnce(&Hub, &Caller) -> Result<T>,
) -> anyhow::Result<T> {
    let hub = Hub::open(config, ClockRng::system()).await?;
    let done = match accounts::impersonate(&hub, None).await {
        Ok(caller) => act(&hub, &caller).await,
        Err(error) => Err(error),
    };
    hub.close().await;
    Ok(done?)
}
