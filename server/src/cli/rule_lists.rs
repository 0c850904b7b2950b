//! `plexus federation rules`: exports, imports and subscribes to signed rule lists.

use std::io::{Read as _, Write as _};

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command};
use plexus_domain::sanitized_text::{ellipsize, one_line};
use plexus_hub::{Caller, ClockRng, Hub, Result, accounts, federation};
use serde_json::{Value, json};

use super::{
    api_client::{self, HubClient},
    federation::{json_flag, show},
};
use crate::{config::ServeConfig, settings::Settings};

/// Maximum size of an imported file, larger than any valid list.
const MAX_FILE_BYTES: u64 = 2 << 20;

pub fn command() -> Command {
    let value = |id: &'static str, name: &'static str| Arg::new(id).required(true).value_name(name);
    let signer = Arg::new("expected-signer").long("expected-signer").value_name("ID");
    let export = Command::new("export")
        .about("Export this hub's rules as a signed rule list")
        .arg(value("file", "FILE"));
    let import =
        Command::new("import").about("Import the rules of a signed rule list").arg(value("file", "FILE"));
    let subscribe = Command::new("subscribe")
        .about("Subscribe to a signed rule list, refreshed daily")
        .arg(value("list", "LIST").help("URL of the list, or a hub that publishes its rules"))
        .arg(signer.help("Hub that must have signed the list (default: the current signer)"));
    let unsubscribe = Command::new("unsubscribe")
        .about("Unsubscribe from a rule list and remove its rules")
        .arg(value("url", "URL").help("URL of the list"));
    let list = Command::new("list").about("Show the subscribed rule lists").arg(json_flag());
    Command::new("rules")
        .about("Export and import rules, and subscribe to rule lists of other hubs")
        .subcommand_required(true)
        .subcommands(
            [export, import, subscribe, unsubscribe, list]
                .map(|command| command.args(api_client::arguments())),
        )
}

enum RuleListCommand {
    Export(String),
    Import(String),
    Subscribe { list: String, expected_signer: Option<String> },
    Unsubscribe(String),
}

impl RuleListCommand {
    /// Returns the command of these arguments; `None` for `list`.
    fn of(action: &str, arguments: &ArgMatches) -> Option<Self> {
        let given = |name| arguments.get_one::<String>(name).cloned();
        match action {
            "export" => given("file").map(Self::Export),
            "import" => given("file").map(Self::Import),
            "subscribe" => {
                Some(Self::Subscribe { list: given("list")?, expected_signer: given("expected-signer") })
            }
            "unsubscribe" => given("url").map(Self::Unsubscribe),
            _ => None,
        }
    }
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let Some((action, arguments)) = arguments.subcommand() else { anyhow::bail!("nothing to do") };
    match RuleListCommand::of(action, arguments) {
        Some(command) => perform(settings, arguments, &command).await,
        None => show(settings, arguments, "hubs/rule-subscriptions", table).await,
    }
}

async fn perform(
    settings: &Settings,
    arguments: &ArgMatches,
    command: &RuleListCommand,
) -> anyhow::Result<u8> {
    let config = ServeConfig::folder(settings)?;
    let remote = HubClient::named_or_serving(arguments, &config.data_dir)?;
    match command {
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
        RuleListCommand::Subscribe { list, expected_signer } => {
            let url = match remote {
                Some(hub) => {
                    let done = hub
                        .post("hubs/rule-subscriptions", &json!({ "list": list, "signer": expected_signer }))
                        .await?;
                    done["url"].as_str().unwrap_or_default().to_owned()
                }
                None => {
                    let done = async |hub: &Hub, caller: &Caller| {
                        federation::subscribe(hub, caller, list, expected_signer.as_deref(), "").await
                    };
                    here(config, done).await?
                }
            };
            writeln!(
                std::io::stdout(),
                "Subscribed to {url}. `plexus federation rules unsubscribe {url}` unsubscribes."
            )?;
        }
        RuleListCommand::Unsubscribe(url) => {
            match remote {
                Some(hub) => hub.delete("hubs/rule-subscriptions", &[("url", url)]).await?,
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
fn table(found: &Value) -> String {
    let lists = found["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    if lists.is_empty() {
        return "No subscribed rule lists. `plexus federation rules subscribe LIST` subscribes to one.\n"
            .to_owned();
    }
    let mut table = format!("{:>5}  {:<24} {:<52} LIST\n", "RULES", "NAME", "SIGNED BY");
    for list in lists {
        let text = |name: &str| one_line(list[name].as_str().unwrap_or_default());
        let (rules, name) = (list["rules"].as_u64().unwrap_or_default(), ellipsize(&text("name"), 24));
        table.push_str(&format!("{rules:>5}  {name:<24} {:<52} {}\n", text("signer"), text("url")));
        if !list["last_error"].is_null() {
            table.push_str(&format!("       last refresh failed: {}\n", text("last_error")));
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
    json!({
        "signer": done.signer.to_string(),
        "imported": done.imported,
        "already_present": done.already_present,
        "invalid": done.invalid,
    })
}

fn import_summary(done: &Value) -> String {
    let number = |name: &str| done[name].as_u64().unwrap_or_default();
    format!(
        "Signed by {}: {} imported, {} already present, {} invalid.",
        done["signer"].as_str().unwrap_or_default(),
        number("imported"),
        number("already_present"),
        number("invalid")
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
