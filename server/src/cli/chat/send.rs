//! `plexus chat send` and `retry`: sends messages, and prints the answers while they are written.

use std::{
    io::{BufRead as _, IsTerminal as _, Read as _, Write as _},
    path::PathBuf,
};

use anyhow::{Context as _, bail};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use plexus_domain::MessageId;
use plexus_hub::ClockRng;
use serde_json::{Value, json};
use url::Url;

use super::{
    answer_stream::PendingAnswers,
    chat_of,
    chat_text::{items, word},
    content, flag, option, query,
};
use crate::cli::{api_client::HubClient, output::print};

/// Exit code if there is no complete answer.
const NO_ANSWER: u8 = 3;

pub fn command() -> Command {
    Command::new("send")
        .about("Send a message and print the answer while it is written")
        .after_help(
            "Without TEXT, the message is read from standard input; on a terminal, each line is a message of the same \
             chat.\nInterrupting this command does not stop the answer: plexus chat stop does.\n\nExamples:\n  plexus \
             chat send \"15% of 240\" --to @plexus/calc\n  plexus chat send --to @ada/editor --file draft.md \"Shorten \
             this.\"\n  git diff | plexus chat send --to @ada/reviewer",
        )
        .arg(Arg::new("text").value_name("TEXT").help("The message"))
        .arg(option("to", "@OWNER/NAME").conflicts_with("chat").help("Agent that answers (default: the guide)"))
        .arg(option("chat", "ID").help("Chat to continue (default: a new chat)"))
        .arg(flag("temporary").conflicts_with("chat").help("Begin a chat that is in no list and is deleted soon"))
        .arg(
            option("file", "FILE")
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf))
                .help("File to attach (repeatable)"),
        )
}

pub fn retry_command() -> Command {
    Command::new("retry")
        .about("Ask for another answer to the last question of a chat")
        .arg(Arg::new("chat").required(true).value_name("ID").help("The chat"))
        .arg(option("to", "@OWNER/NAME").help("Agent that answers instead"))
}

pub async fn run(hub: &HubClient, pages: &Url, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let of = |name: &str| arguments.get_one::<String>(name).cloned();
    let mut chat = CurrentChat {
        hub,
        pages,
        id: of("chat"),
        to: of("to"),
        is_temporary: arguments.get_flag("temporary"),
        json: arguments.get_flag("json"),
    };
    let mut uploads = Vec::new();
    for file in arguments.get_many::<PathBuf>("file").into_iter().flatten() {
        let name = file.file_name().context("--file must name a file")?.to_string_lossy();
        let path = format!("uploads?{}", query(&[("name", &name)]));
        let upload = hub.upload(&path, content(file).await?).await;
        let upload = upload.with_context(|| format!("{} could not be attached", file.display()))?;
        uploads.push(upload["id"].clone());
    }
    if let Some(text) = arguments.get_one::<String>("text") {
        return chat.send(text, uploads).await;
    }
    if std::io::stdin().is_terminal() {
        return chat.converse(uploads).await;
    }
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .context("the message could not be read from standard input")?;
    chat.send(text.trim_end(), uploads).await
}

/// The chat that messages are sent to; it begins with the first one.
struct CurrentChat<'a> {
    hub: &'a HubClient,
    pages: &'a Url,
    id: Option<String>,
    to: Option<String>,
    is_temporary: bool,
    json: bool,
}

impl CurrentChat<'_> {
    /// Sends each line of the terminal until its input ends.
    async fn converse(&mut self, mut uploads: Vec<Value>) -> anyhow::Result<u8> {
        writeln!(std::io::stderr(), "Each line is a message. End with Ctrl+D.")?;
        loop {
            let Some(line) = tokio::task::spawn_blocking(read_line).await?? else { return Ok(0) };
            if !line.trim().is_empty()
                && let Err(error) = self.send(line.trim_end(), std::mem::take(&mut uploads)).await
            {
                writeln!(std::io::stderr(), "{error:#}")?;
            }
        }
    }

    async fn send(&mut self, text: &str, uploads: Vec<Value>) -> anyhow::Result<u8> {
        let id = ClockRng::system().id(MessageId::new);
        let (posted, after) = match &self.id {
            None => {
                let new = json!({ "id": id, "text": text, "uploads": uploads, "to": self.to, "temporary": self.is_temporary });
                let posted = self.hub.post("chats", &new).await?;
                let page = self.pages.join(&format!("/chat/{}", word(&posted["chat"])))?;
                writeln!(std::io::stderr(), "Chat {page}")?;
                (posted, 0)
            }
            Some(chat) => {
                let after = self.hub.get(&format!("chats/{chat}")).await?["seq"].as_i64().unwrap_or_default();
                let new = json!({ "id": id, "text": text, "uploads": uploads });
                (self.hub.post(&format!("chats/{chat}/messages"), &new).await?, after)
            }
        };
        let pending = PendingAnswers::to_message(&posted);
        self.id = Some(pending.chat.clone());
        finish(&pending.follow(self.hub, after, self.json).await?, self.json)
    }
}

pub async fn retry(hub: &HubClient, pages: &Url, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let chat = hub.get(&format!("chats/{}", chat_of(arguments))).await?;
    let Some(answer) = items(&chat["messages"]).iter().rfind(|message| !message["run"].is_null()) else {
        bail!("no agent has answered in {}", pages.join(&format!("/chat/{}", chat_of(arguments)))?);
    };
    let to = arguments.get_one::<String>("to").map(|to| query(&[("to", to)])).unwrap_or_default();
    let posted = hub.post(&format!("messages/{}/retry?{to}", word(&answer["id"])), &json!({})).await?;
    let (after, json) = (chat["seq"].as_i64().unwrap_or_default(), arguments.get_flag("json"));
    finish(&PendingAnswers::of_retry(&posted).follow(hub, after, json).await?, json)
}

/// Prints the answers as JSON if that is asked for, and returns the exit code.
fn finish(answers: &[Value], json: bool) -> anyhow::Result<u8> {
    if json {
        print(&json!(answers), true, |_| String::new())?;
    }
    let is_whole = answers.iter().all(|answer| answer["state"] == "done");
    Ok(if is_whole { 0 } else { NO_ANSWER })
}

/// Reads a line from the terminal after a prompt; `None` at the end of its input.
fn read_line() -> std::io::Result<Option<String>> {
    write!(std::io::stderr(), "> ")?;
    let mut line = String::new();
    Ok((std::io::stdin().lock().read_line(&mut line)? > 0).then_some(line))
}
