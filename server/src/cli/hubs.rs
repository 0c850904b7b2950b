//! `plexus hubs`, `plexus block`, `plexus unblock`: the network, from the command line.

use std::io::Write as _;

use clap::{Arg, ArgAction, ArgMatches, Command};
use plexus_domain::text::{one_line, shorten};
use plexus_hub::{Env, Hub, accounts, federation};
use serde_json::{Value, json};

use super::remote::{self, Remote};
use crate::{config::Serve, settings::Settings};

pub fn command() -> Command {
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON, for programs");
    Command::new("hubs").about("Show the hubs that this one knows").arg(json).args(remote::arguments())
}

pub fn block_command() -> Command {
    let reason = Arg::new("reason").long("reason").value_name("TEXT").required(true);
    let allow = Arg::new("allow").long("allow").action(ArgAction::SetTrue);
    Command::new("block")
        .about("Keep out a hub, an agent or a tag; unblock undoes it at once")
        .arg(subject())
        .arg(reason.help("Why, for whoever looks at the rule later"))
        .arg(allow.help("Let it in instead, whatever else would keep it out"))
        .args(remote::arguments())
}

pub fn unblock_command() -> Command {
    Command::new("unblock").about("Take a rule back").arg(subject()).args(remote::arguments())
}

fn subject() -> Arg {
    let help = "A hub by its id or its domain, an agent as @owner/name@hub, or tag:WORD";
    Arg::new("subject").required(true).value_name("WHAT").help(help)
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let (hub, _) = Remote::reached(settings, arguments, None)?;
    let found = hub.get("hubs").await?;
    let mut out = std::io::stdout().lock();
    if arguments.get_flag("json") {
        writeln!(out, "{}", serde_json::to_string_pretty(&found)?)?;
        return Ok(0);
    }
    write!(out, "{}", table(&found))?;
    Ok(0)
}

fn table(found: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut table = format!("this hub  {}\n", text(&found["this"]["id"]));
    for address in found["this"]["addresses"].as_array().into_iter().flatten() {
        table.push_str(&format!("          {}\n", text(address)));
    }
    let hubs = found["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    if found["mode"].is_null() {
        table.push_str("\nIt takes no part in the network: PLEXUS_P2P_LISTEN is not set.\n");
    }
    table.push_str(&format!("\n{:<9} {:>6}  {:<10} {:<28} ID\n", "STATE", "AGENTS", "CONNECTED", "NAME"));
    for hub in hubs {
        let name = hub["domain"].as_str().or_else(|| hub["name"].as_str()).unwrap_or("-");
        let name = shorten(&one_line(name), 28);
        let connected = if hub["connected"] == true { "yes" } else { "no" };
        table.push_str(&format!(
            "{:<9} {:>6}  {connected:<10} {name:<28} {}\n",
            text(&hub["state"]),
            hub["agents"].as_u64().unwrap_or_default(),
            text(&hub["id"])
        ));
    }
    table
}

pub async fn rule(settings: &Settings, arguments: &ArgMatches, remove: bool) -> anyhow::Result<u8> {
    let subject = arguments.get_one::<String>("subject").map_or("", String::as_str);
    let reason = arguments.try_get_one::<String>("reason").ok().flatten().cloned().unwrap_or_default();
    let allow = arguments.try_get_one::<bool>("allow").ok().flatten().copied().unwrap_or(false);
    let action = match (remove, allow) {
        (true, _) => "remove",
        (false, true) => "allow",
        (false, false) => "block",
    };
    let config = Serve::folder(settings)?;
    let remote = match Remote::named(arguments)? {
        Some(hub) => Some(hub),
        None => Remote::serving(&config.data_dir, None)?,
    };
    match remote {
        Some(hub) => {
            let rule = json!({ "subject": subject, "action": action, "reason": reason });
            hub.tell("hubs/rules", &rule).await?;
        }
        None => here(config, subject, &reason, action).await?,
    }
    let done = if remove { "The rule is gone." } else { "The rule holds." };
    writeln!(std::io::stdout(), "{done}")?;
    Ok(0)
}

/// On a data folder that no hub serves.
async fn here(config: plexus_hub::Config, subject: &str, reason: &str, action: &str) -> anyhow::Result<()> {
    let hub = Hub::open(config, Env::system()).await?;
    let done = async {
        let caller = accounts::act_for(&hub, None).await?;
        match action {
            "remove" => federation::unblock(&hub, &caller, subject, "").await,
            "allow" => federation::block(&hub, &caller, subject, federation::Ruled::Allow, reason, "").await,
            _ => federation::block(&hub, &caller, subject, federation::Ruled::Block, reason, "").await,
        }
    };
    let done = done.await;
    hub.close().await;
    Ok(done.map(drop)?)
}
