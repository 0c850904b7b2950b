//! `plexus hubs`, `plexus block` and `plexus unblock`: federation commands.

use std::io::Write as _;

use clap::{Arg, ArgAction, ArgMatches, Command};
use plexus_app::components::format::{count, duration, grouped};
use plexus_domain::sanitized_text::{ellipsize, one_line};
use plexus_hub::federation::{self, Ruled};
use serde_json::{Value, json};

use super::{
    api_client::{self, HubClient},
    rule_lists::{self, here},
};
use crate::{config::ServeConfig, settings::Settings};

pub fn command() -> Command {
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON");
    let lists = Arg::new("lists").long("lists").action(ArgAction::SetTrue);
    let lists = lists.help("Show the subscribed rule lists instead");
    Command::new("hubs").about("Show the known remote hubs").args([json, lists]).args(api_client::arguments())
}

pub fn block_command() -> Command {
    let reason =
        Arg::new("reason").long("reason").value_name("TEXT").required_unless_present_any(rule_lists::WAYS);
    let allow = Arg::new("allow").long("allow").action(ArgAction::SetTrue);
    Command::new("block")
        .about("Block a hub, agent or tag (see also: unblock)")
        .arg(subject().required_unless_present_any(rule_lists::WAYS))
        .arg(reason.help("Reason for the rule"))
        .arg(allow.help("Allow it instead, overriding other rules"))
        .args(rule_lists::arguments())
        .args(api_client::arguments())
}

pub fn unblock_command() -> Command {
    Command::new("unblock")
        .about("Remove a rule")
        .arg(subject().required_unless_present("follow"))
        .arg(rule_lists::follow().help("Unsubscribe from the rule list at this URL"))
        .args(api_client::arguments())
}

fn subject() -> Arg {
    let help = "A hub by its id or its domain, an agent as @owner/name@hub, or tag:WORD";
    Arg::new("subject").value_name("WHAT").help(help)
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let (hub, _) = HubClient::reached(settings, arguments, None)?;
    let lists = arguments.get_flag("lists");
    let found = hub.get(if lists { "hubs/lists" } else { "hubs" }).await?;
    let mut out = std::io::stdout().lock();
    if arguments.get_flag("json") {
        writeln!(out, "{}", serde_json::to_string_pretty(&found)?)?;
        return Ok(0);
    }
    write!(out, "{}", if lists { rule_lists::table(&found) } else { table(&found) })?;
    Ok(0)
}

fn table(found: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut table = format!("this hub  {}\n", text(&found["this"]["id"]));
    for address in found["this"]["addresses"].as_array().into_iter().flatten() {
        table.push_str(&format!("          {}\n", text(address)));
    }
    if let Some(reached) = found["this"]["reached"].as_str() {
        table.push_str(&format!("reached   {reached}\n"));
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
        let progress = &hub["carried"]["catching_up"];
        if let (Some(got), Some(wanted)) = (progress["got"].as_u64(), progress["wanted"].as_u64()) {
            table.push_str(&format!(
                "{:<9} catching up: {} of {}\n",
                "",
                grouped(got),
                count(wanted, "listing", "listings")
            ));
        }
    }
    table.push_str(&speeds(&found["speeds"]));
    table
}

/// Formats the latency summaries of the federation that were measured.
fn speeds(found: &Value) -> String {
    let mut table = String::new();
    for (key, name) in [("spread", "news"), ("look_up", "look-up"), ("catch_up", "catching up")] {
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

pub async fn rule(settings: &Settings, arguments: &ArgMatches, remove: bool) -> anyhow::Result<u8> {
    if let Some(way) = rule_lists::RuleListCommand::of(arguments, remove) {
        return rule_lists::run(settings, arguments, &way).await;
    }
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
