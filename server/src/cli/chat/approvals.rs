//! `plexus chat approvals`, `approve` and `deny`, and the prompt for a tool call while an answer is written.

use std::{
    collections::BTreeSet,
    io::{BufRead as _, IsTerminal as _, Write as _},
};

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command};
use serde_json::{Map, Value, json};

use super::{
    chat_text::{items, printable, word},
    option,
};
use crate::cli::{api_client::HubClient, output::print};

pub fn commands() -> [Command; 3] {
    let approval = || Arg::new("approval").required(true).value_name("ID").help("ID that `approvals` lists");
    [
        Command::new("approvals").about("List the tool calls and questions of tools that wait for you"),
        Command::new("approve")
            .about("Allow a tool call, or answer a question of a tool")
            .arg(approval())
            .arg(
                option("answer", "JSON")
                    .help("Values for the inputs of a question, such as '{\"port\": \"Husum\"}'"),
            ),
        Command::new("deny").about("Deny a tool call, or decline a question").arg(approval()),
    ]
}

/// Runs one of [`commands`].
pub async fn run(hub: &HubClient, action: &str, arguments: &ArgMatches, json: bool) -> anyhow::Result<()> {
    if action == "approvals" {
        return print(&hub.get("approvals").await?, json, |answer| {
            let lines: String = items(&answer["approvals"])
                .iter()
                .map(|approval| format!("{}\n", describe(approval)))
                .collect();
            if lines.is_empty() { "Nothing waits for you.\n".to_owned() } else { lines }
        });
    }
    let id = arguments.get_one::<String>("approval").map_or("", String::as_str);
    let answer = match arguments.try_get_one::<String>("answer").ok().flatten() {
        Some(text) => Some(serde_json::from_str(text).context("--answer must be a JSON object")?),
        None => None,
    };
    decide(hub, id, action == "approve", answer).await
}

async fn decide(
    hub: &HubClient,
    id: &str,
    allow: bool,
    answer: Option<Map<String, Value>>,
) -> anyhow::Result<()> {
    hub.tell(&format!("approvals/{id}"), &json!({ "allow": allow, "answer": answer })).await
}

/// Formats an approval request with everything that the decision is about.
fn describe(approval: &Value) -> String {
    let (id, tool) = (word(&approval["id"]), word(&approval["tool"]));
    let about = match &approval["question"] {
        Value::Null => format!("{tool} {}", approval["arguments"]),
        question => {
            let inputs: Vec<&str> = question["inputs"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|input| word(&input["name"]))
                .collect();
            let inputs =
                if inputs.is_empty() { String::new() } else { format!(" (inputs: {})", inputs.join(", ")) };
            format!("{tool} asks: {}{inputs}", word(&question["message"]))
        }
    };
    format!("{id} {}", printable(&about))
}

/// Asks for decisions on the terminal while an answer waits. Without a terminal, it prints how to decide.
pub struct ApprovalPrompt {
    chat: String,
    /// Requests that were shown.
    shown: BTreeSet<String>,
}

impl ApprovalPrompt {
    pub fn new(chat: &str) -> Self {
        Self { chat: chat.to_owned(), shown: BTreeSet::new() }
    }

    /// Shows the requests of the chat that are new.
    pub async fn check(&mut self, hub: &HubClient) -> anyhow::Result<()> {
        let waiting = hub.get("approvals").await?;
        for approval in items(&waiting["approvals"]).iter().filter(|approval| approval["chat"] == *self.chat)
        {
            let id = word(&approval["id"]);
            if !self.shown.insert(id.to_owned()) {
                continue;
            }
            writeln!(std::io::stderr(), "\nWaiting for your approval: {}", describe(approval))?;
            let has_inputs =
                approval["question"]["inputs"].as_array().is_some_and(|inputs| !inputs.is_empty());
            if has_inputs {
                writeln!(std::io::stderr(), "Answer with: plexus chat approve {id} --answer JSON")?;
            } else if std::io::stdin().is_terminal() {
                let allow = tokio::task::spawn_blocking(ask).await??;
                decide(hub, id, allow, None).await?;
            } else {
                writeln!(
                    std::io::stderr(),
                    "Decide with: plexus chat approve {id}, or plexus chat deny {id}"
                )?;
            }
        }
        Ok(())
    }
}

fn ask() -> std::io::Result<bool> {
    write!(std::io::stderr(), "Allow it? [y/N] ")?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_shown_with_its_arguments() {
        let call = json!({ "id": "7", "tool": "pay", "arguments": { "sum": 3, "to": "\u{1b}[8mx" }, "question": null });
        assert_eq!(describe(&call), "7 pay {\"sum\":3,\"to\":\"\\u001b[8mx\"}");
        let question = json!({ "id": "8", "tool": "book", "arguments": {},
            "question": { "message": "When?", "inputs": [{ "name": "day" }, { "name": "hour" }] } });
        assert_eq!(describe(&question), "8 book asks: When? (inputs: day, hour)");
    }
}
