//! `plexus team`: launches, lists, shows and stops teams.

use std::{collections::BTreeSet, io::Write as _, time::Duration};

use clap::{Arg, ArgAction, ArgMatches, Command};
use futures::StreamExt as _;
use plexus_domain::team::Pattern;
use serde_json::{Value, json};

use super::{
    api_client::{HubClient, with_account},
    output::print,
};
use crate::settings::Settings;

/// Exit code if the team ended without an answer.
const NO_ANSWER: u8 = 3;
const PAUSE: Duration = Duration::from_millis(200);

pub fn command() -> Command {
    let run = Command::new("run")
        .about("Launch a team, print its progress and its answer")
        .after_help(
            "Interrupting this command does not stop the team; cancel it on its page.\n\nExamples:\n  plexus \
             team run \"17 * 23\" --member @plexus/calc\n  plexus team run \"Find the tide times of Husum, \
             and convert the heights to feet\"",
        )
        .arg(Arg::new("goal").required(true).value_name("GOAL").help("The goal"))
        .arg(
            Arg::new("member")
                .long("member")
                .value_name("@OWNER/NAME")
                .action(ArgAction::Append)
                .help("Agent that takes part (repeatable; default: the hub finds members)"),
        )
        .arg(
            Arg::new("pattern")
                .long("pattern")
                .value_parser(Pattern::ALL.map(|pattern| pattern.as_str()))
                .default_value(Pattern::ALL[0].as_str())
                .help("Collaboration pattern"),
        );
    let show =
        Command::new("show").about("Show a team").arg(Arg::new("team").required(true).value_name("ID"));
    let stop =
        Command::new("stop").about("Cancel a team").arg(Arg::new("team").required(true).value_name("ID"));
    Command::new("team")
        .about("Run teams of agents that work on a goal")
        .subcommand_required(true)
        .subcommand(with_account(run))
        .subcommand(with_account(Command::new("list").about("List your teams, the newest first")))
        .subcommand(with_account(show))
        .subcommand(with_account(stop))
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let Some((action, arguments)) = arguments.subcommand() else { anyhow::bail!("nothing to do") };
    let account = arguments.get_one::<String>("as").map(String::as_str);
    let (hub, _) = HubClient::reached(settings, arguments, account)?;
    let team = || arguments.get_one::<String>("team").map(String::as_str).unwrap_or_default();
    let json = arguments.get_flag("json");
    match action {
        "run" => return launch(&hub, arguments, json).await,
        "list" => print(&hub.get("teams").await?, json, list)?,
        "show" => print(&hub.get(&format!("teams/{}", team())).await?, json, summary_line)?,
        _ => {
            let stopped = hub.post(&format!("teams/{}", team()), &json!({ "action": "cancel_team" })).await?;
            print(&stopped, json, summary_line)?;
        }
    }
    Ok(0)
}

async fn launch(hub: &HubClient, arguments: &ArgMatches, json: bool) -> anyhow::Result<u8> {
    let members: Vec<&String> = arguments.get_many("member").into_iter().flatten().collect();
    let (goal, pattern) = (arguments.get_one::<String>("goal"), arguments.get_one::<String>("pattern"));
    let new = json!({ "goal": goal, "members": members, "pattern": pattern });
    let mut team = hub.post("teams", &new).await?;
    let id = team["id"].as_str().unwrap_or_default().to_owned();
    let mut teller = ProgressPrinter::default();
    teller.tell(&team);
    while team["ended"].is_null() {
        // The hub ends each stream after a while; open the next one.
        let mut events = hub.read(&format!("events?chat={id}&after=0")).await?;
        while team["ended"].is_null() && events.next().await.is_some() {
            // Debounce: text events arrive by the hundred, so the team is fetched a few times per second at
            // most.
            tokio::time::sleep(PAUSE).await;
            team = hub.get(&format!("teams/{id}")).await?;
            teller.tell(&team);
        }
    }
    print(&team, json, summary_line)?;
    Ok(if team["answer"].is_null() { NO_ANSWER } else { 0 })
}

/// Prints each progress line once.
#[derive(Default)]
struct ProgressPrinter {
    said: BTreeSet<String>,
}

impl ProgressPrinter {
    fn tell(&mut self, team: &Value) {
        let mut err = std::io::stderr().lock();
        for line in lines(team) {
            if self.said.insert(line.clone()) {
                let _ = writeln!(err, "{line}");
            }
        }
    }
}

fn lines(team: &Value) -> Vec<String> {
    let all = |list: &str| team[list].as_array().cloned().unwrap_or_default();
    let members = all("members");
    let name = |seat: &Value| {
        let at = seat.as_u64().and_then(|seat| usize::try_from(seat).ok());
        at.and_then(|at| members.get(at)).map(|member| word(&member["name"])).unwrap_or_default()
    };
    let came = members.iter().map(|member| match word(&member["status"]).as_str() {
        "active" => format!("{} takes part.", word(&member["name"])),
        "declined" => format!("{} declined: {}", word(&member["name"]), word(&member["reason"])),
        "paused" => format!("{} is paused.", word(&member["name"])),
        "invited" => format!("{} is invited.", word(&member["name"])),
        _ => format!("{} left.", word(&member["name"])),
    });
    let assignments = all("assignments");
    let assignments = assignments.iter().map(|work| {
        let state = word(&work["state"]).replace('_', " ");
        let subteam = if work["team"].is_null() { "" } else { ", in a subteam" };
        format!("{} ({}): {state}{subteam}.", word(&work["title"]), name(&work["to"]))
    });
    let subteams = all("subteams");
    let subteams = subteams.iter().map(|team| {
        format!("Team {} ({}): {}.", word(&team["id"]), word(&team["title"]), word(&team["state"]))
    });
    came.chain(assignments).chain(subteams).collect()
}

fn list(answer: &Value) -> String {
    match answer["items"].as_array() {
        Some(items) if items.is_empty() => "No teams yet.\n".to_owned(),
        Some(items) => items
            .iter()
            .map(|team| {
                format!("{} {:<10} {}\n", word(&team["id"]), word(&team["state"]), word(&team["title"]))
            })
            .collect(),
        None => String::new(),
    }
}

/// Formats the team's answer, or its state.
fn summary_line(team: &Value) -> String {
    match (team["answer"].as_str(), team["failure"].as_str()) {
        (Some(answer), _) => format!("{answer}\n{}", file_lines(team)),
        (None, Some(failure)) => format!("The team has ended without an answer. {failure}\n"),
        (None, None) => format!("{}.\n{}", word(&team["phase"]), lines(team).join("\n") + "\n"),
    }
}

/// Formats the files and links of the team, one to a line.
fn file_lines(team: &Value) -> String {
    let files = team["files"].as_array().map(Vec::as_slice).unwrap_or_default();
    let line = |file: &Value| format!("File {}: {}\n", word(&file["name"]), word(&file["url"]));
    files.iter().map(line).collect()
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_team_reads_as_lines() {
        let team = json!({
            "phase": "waiting", "answer": null, "failure": null,
            "members": [{ "name": "@plexus/calc", "status": "active" }],
            "assignments": [{ "title": "The goal", "to": 0, "state": "timed_out" }],
        });
        assert_eq!(
            summary_line(&team),
            "waiting.\n@plexus/calc takes part.\nThe goal (@plexus/calc): timed out.\n"
        );
        assert_eq!(summary_line(&json!({ "answer": "391", "failure": null })), "391\n");
    }
}
