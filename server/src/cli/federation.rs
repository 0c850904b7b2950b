//! `plexus federation`: shows the known hubs, sets rules and shares them.

use std::io::Write as _;

use clap::{Arg, ArgAction, ArgMatches, Command};
use plexus_app::components::format::{count, duration, grouped};
use plexus_domain::sanitized_text::{ellipsize, one_line};
use plexus_hub::federation::{self, Ruled};
use serde_json::{Value, json};

use super::{
    api_client::{self, HubClient},
    output::print,
    rule_lists::{self, here},
};
use crate::{config::ServeConfig, settings::Settings};

pub fn command() -> Command {
    Command::new("federation")
        .about("Show the known hubs, block hubs and agents, and share rules")
        .subcommand_required(true)
        .subcommand(hubs_command())
        .subcommand(block_command())
        .subcommand(unblock_command())
        .subcommand(rule_lists::command())
}

fn hubs_command() -> Command {
    Command::new("hubs").about("Show the known remote hubs").arg(json_flag()).args(api_client::arguments())
}

fn block_command() -> Command {
    let reason = Arg::new("reason").long("reason").value_name("TEXT").required(true);
    let allow = Arg::new("allow").long("allow").action(ArgAction::SetTrue);
    Command::new("block")
        .about("Block a hub, agent or tag (see also: unblock)")
        .arg(subject())
        .arg(reason.help("Reason for the rule"))
        .arg(allow.help("Allow it instead, overriding other rules"))
        .args(api_client::arguments())
}

fn unblock_command() -> Command {
    Command::new("unblock").about("Remove a rule").arg(subject()).args(api_client::arguments())
}

fn subject() -> Arg {
    let help = "A hub by its id or its domain, an agent as @owner/name@hub, or tag:WORD";
    Arg::new("subject").required(true).value_name("WHAT").help(help)
}

pub fn json_flag() -> Arg {
    Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON")
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let Some((action, arguments)) = arguments.subcommand() else { anyhow::bail!("nothing to do") };
    match action {
        "hubs" => show(settings, arguments, "hubs", table).await,
        "block" => rule(settings, arguments, false).await,
        "unblock" => rule(settings, arguments, true).await,
        _ => rule_lists::run(settings, arguments).await,
    }
}

/// Prints the response of an API path: as JSON with `--json`, else as a table.
pub async fn show(
    settings: &Settings,
    arguments: &ArgMatches,
    path: &str,
    table: fn(&Value) -> String,
) -> anyhow::Result<u8> {
    let (hub, _) = HubClient::reached(settings, arguments, None)?;
    let found = hub.get(path).await?;
    print(&found, arguments.get_flag("json"), table)?;
    Ok(0)
}

fn table(found: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut table = format!("this hub  {}\n", text(&found["local"]["id"]));
    for address in found["local"]["addresses"].as_array().into_iter().flatten() {
        table.push_str(&format!("          {}\n", text(address)));
    }
    if let Some(reachability) = found["local"]["reachability_text"].as_str() {
        table.push_str(&format!("reached   {reachability}\n"));
    }
    let hubs = found["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    if found["mode"].is_null() {
        table.push_str("\nFederation is disabled: PLEXUS_P2P_LISTEN is not set.\n");
    }
    table.push_str(&format!("\n{:<9} {:>6}  {:<10} {:<28} ID\n", "STATE", "AGENTS", "CONNECTED", "NAME"));
    for hub in hubs {
        let name = hub["domain"].as_str().or_else(|| hub["name"].as_str()).unwrap_or("-");
        let name = ellipsize(&one_line(name), 28);
        let connected = if hub["connected"] == true { "yes" } else { "no" };
        table.push_str(&format!(
            "{:<9} {:>6}  {connected:<10} {name:<28} {}\n",
            text(&hub["state"]),
            hub["agents"].as_u64().unwrap_or_default(),
            text(&hub["id"])
        ));
        let progress = &hub["replication"]["sync_progress"];
        if let (Some(fetched), Some(total)) = (progress["fetched"].as_u64(), progress["total"].as_u64()) {
            table.push_str(&format!(
                "{:<9} catching up: {} of {}\n",
                "",
                grouped(fetched),
                count(total, "listing", "listings")
            ));
        }
    }
    table.push_str(&latencies(&found["latencies"]));
    table
}

/// Formats the latency summaries of the federation that were measured.
fn latencies(found: &Value) -> String {
    let mut table = String::new();
    for (key, name) in [("propagation", "propagation"), ("dht_lookup", "DHT lookup"), ("sync", "sync")] {
        let figure = |name: &str| found[key][name].as_u64();
        let (Some(median), Some(p99), Some(samples)) =
            (figure("p50_ms"), figure("p99_ms"), figure("samples"))
        else {
            continue;
        };
        let (median, p99) = (duration(median), duration(p99));
        table.push_str(&format!("{name:<12} p50 {median:>8}  p99 {p99:>8}  of {}\n", grouped(samples)));
    }
    if table.is_empty() { table } else { format!("\n{table}") }
}

async fn rule(settings: &Settings, arguments: &ArgMatches, remove: bool) -> anyhow::Result<u8> {
    let subject = arguments.get_one::<String>("subject").map_or("", String::as_str);
    let reason = arguments.try_get_one::<String>("reason").ok().flatten().cloned().unwrap_or_default();
    let allow = arguments.try_get_one::<bool>("allow").ok().flatten().copied().unwrap_or(false);
    let action = match (remove, allow) {
        (true, _) => "remove",
        (false, true) => "allow",
        (false, false) => "block",
    };
    let config = ServeConfig::folder(settings)?;
    let remote = HubClient::named_or_serving(arguments, &config.data_dir)?;
    match remote {
        Some(hub) => {
            let rule = json!({ "subject": subject, "action": action, "reason": reason });
            hub.tell("hubs/rules", &rule).await?;
        }
        None => here(config, async |hub, caller| match action {
            "remove" => federation::unblock(hub, caller, subject, "").await,
            "allow" => federation::block(hub, caller, subject, Ruled::Allow, &reason, "").await,
            _ => federation::block(hub, caller, subject, Ruled::Block, &reason, "").await,
        })
        .await
        .map(drop)?,
    }
    let done = if remove { "Rule removed." } else { "Rule added." };
    writeln!(std::io::stdout(), "{done}")?;
    Ok(0)
}
