//! `plexus chat`: asks agents, and lists, shows, searches, exports, imports, changes and deletes chats.

mod answer_stream;
mod approvals;
mod chat_text;
mod send;

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, builder::BoolishValueParser, value_parser};
use futures::TryStreamExt as _;
use serde_json::{Map, Value, json};
use tokio::io::AsyncWriteExt as _;

use super::{
    api_client::{self, HubClient},
    output::print,
};
use crate::settings::Settings;

pub fn command() -> Command {
    let chat = || Arg::new("chat").required(true).value_name("ID").help("The chat");
    let of_chat = |name: &'static str, about: &'static str| Command::new(name).about(about).arg(chat());
    let commands = [
        send::command(),
        send::retry_command(),
        of_chat("stop", "Stop the answers of a chat that are being written; their text so far stays"),
        Command::new("list")
            .about("List your chats: pinned ones first, then the most recently active")
            .arg(flag("archived").help("List the archived chats instead"))
            .arg(
                option("folder", "NAME")
                    .conflicts_with("archived")
                    .help("List the chats of this folder only"),
            ),
        of_chat("show", "Print the messages of a chat"),
        Command::new("search")
            .about("Search your messages for words, newest first")
            .arg(Arg::new("words").required(true).num_args(1..).value_name("WORD")),
        export_command(),
        Command::new("import")
            .about("Import chats that ChatGPT, Claude, Open WebUI, LibreChat or a hub exported")
            .arg(
                Arg::new("file")
                    .required(true)
                    .value_name("FILE")
                    .value_parser(value_parser!(PathBuf))
                    .help("The exported file: JSON or a ZIP archive"),
            ),
        update_command(chat()),
        of_chat("delete", "Delete a chat; it can be restored for 24 hours")
            .arg(flag("permanently").help("Delete it at once; it cannot be restored")),
        of_chat("restore", "Restore a chat that was deleted in the last 24 hours"),
        of_chat("share", "Create a read-only link to a chat").arg(
            option("days", "DAYS")
                .value_parser(value_parser!(u16).range(0..=365))
                .help("Days until the link expires, 0 for never (default: 30)"),
        ),
    ];
    Command::new("chat")
        .about("Chat with agents, and manage your chats")
        .subcommand_required(true)
        .subcommands(commands.into_iter().chain(approvals::commands()).map(api_client::with_account))
}

fn export_command() -> Command {
    Command::new("export")
        .about("Export a chat with every message of each branch, or all chats as JSON lines")
        .arg(Arg::new("chat").value_name("ID").help("The chat (default: all chats)"))
        .arg(
            option("format", "FORMAT")
                .value_parser(["markdown", "json"])
                .default_value("markdown")
                .help("Format of one chat; all chats are always JSON"),
        )
        .arg(
            option("output", "FILE")
                .value_parser(value_parser!(PathBuf))
                .help("New file (default: standard output)"),
        )
}

fn update_command(chat: Arg) -> Command {
    let switch = |id: &'static str| option(id, "true|false").value_parser(BoolishValueParser::new());
    Command::new("update")
        .about("Rename, pin, archive or keep a chat, or move it to a folder")
        .arg(chat)
        .arg(option("title", "TITLE").help("New title"))
        .arg(option("folder", "NAME").help("Folder; an empty name takes it out of its folder"))
        .arg(switch("pinned").help("Whether the chat is before the others in the list"))
        .arg(switch("archived").help("Whether the chat is archived"))
        .arg(flag("keep").help("Keep a temporary chat"))
        .group(
            ArgGroup::new("change")
                .args(["title", "folder", "pinned", "archived", "keep"])
                .multiple(true)
                .required(true),
        )
}

fn option(id: &'static str, value: &'static str) -> Arg {
    Arg::new(id).long(id).value_name(value)
}

fn flag(id: &'static str) -> Arg {
    Arg::new(id).long(id).action(ArgAction::SetTrue)
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let Some((action, arguments)) = arguments.subcommand() else { anyhow::bail!("nothing to do") };
    let account = arguments.get_one::<String>("as").map(String::as_str);
    let (hub, pages) = HubClient::reached(settings, arguments, account)?;
    let json = arguments.get_flag("json");
    match action {
        "send" => return Box::pin(send::run(&hub, &pages, arguments)).await,
        "retry" => return Box::pin(send::retry(&hub, &pages, arguments)).await,
        "stop" => stop(&hub, chat_of(arguments)).await?,
        "list" => print(&hub.get(&list_path(arguments)).await?, json, chat_text::chat_list)?,
        "show" => {
            print(&hub.get(&format!("chats/{}", chat_of(arguments))).await?, json, chat_text::messages)?;
        }
        "search" => {
            let words: Vec<&str> =
                arguments.get_many("words").into_iter().flatten().map(String::as_str).collect();
            let path = format!("chats/search?{}", query(&[("q", &words.join(" "))]));
            print(&hub.get(&path).await?, json, chat_text::found)?;
        }
        "export" => export(&hub, arguments).await?,
        "import" => {
            let file: &PathBuf = arguments.get_one("file").context("FILE is missing")?;
            print(&hub.upload("chats/import", content(file).await?).await?, json, chat_text::import)?;
        }
        "update" => update(&hub, arguments).await?,
        "delete" => {
            let restorable = if arguments.get_flag("permanently") { "false" } else { "true" };
            hub.delete(&format!("chats/{}", chat_of(arguments)), &[("restorable", restorable)]).await?;
        }
        "restore" => hub.tell(&format!("chats/{}/restore", chat_of(arguments)), &json!({})).await?,
        "share" => {
            let new = json!({ "expires_in_days": arguments.get_one::<u16>("days") });
            let link = hub.post(&format!("chats/{}/share", chat_of(arguments)), &new).await?;
            print(&link, json, |link| format!("{}\n", chat_text::word(&link["url"])))?;
        }
        _ => approvals::run(&hub, action, arguments, json).await?,
    }
    Ok(0)
}

fn chat_of(arguments: &ArgMatches) -> &str {
    arguments.get_one::<String>("chat").map_or("", String::as_str)
}

fn list_path(arguments: &ArgMatches) -> String {
    let mut pairs = Vec::new();
    if arguments.get_flag("archived") {
        pairs.push(("archived", "true"));
    }
    if let Some(folder) = arguments.get_one::<String>("folder") {
        pairs.push(("folder", folder));
    }
    format!("chats?{}", query(&pairs))
}

async fn stop(hub: &HubClient, chat: &str) -> anyhow::Result<()> {
    let chat = hub.get(&format!("chats/{chat}")).await?;
    let open = chat_text::items(&chat["messages"]).iter().filter(|message| message["state"] == "open");
    let runs: Vec<&str> = open.filter_map(|message| message["run"]["id"].as_str()).collect();
    ensure!(!runs.is_empty(), "no answer of this chat is being written");
    for run in runs {
        hub.tell(&format!("runs/{run}/stop"), &json!({})).await?;
    }
    Ok(())
}

async fn update(hub: &HubClient, arguments: &ArgMatches) -> anyhow::Result<()> {
    let mut changes = Map::new();
    for name in ["title", "folder"] {
        if let Some(value) = arguments.get_one::<String>(name) {
            changes.insert(name.to_owned(), json!(value));
        }
    }
    for name in ["pinned", "archived"] {
        if let Some(value) = arguments.get_one::<bool>(name) {
            changes.insert(name.to_owned(), json!(value));
        }
    }
    if arguments.get_flag("keep") {
        changes.insert("temporary".to_owned(), json!(false));
    }
    hub.patch(&format!("chats/{}", chat_of(arguments)), &Value::Object(changes)).await
}

async fn export(hub: &HubClient, arguments: &ArgMatches) -> anyhow::Result<()> {
    let format = arguments.get_one::<String>("format").map_or("markdown", String::as_str);
    let path = match arguments.get_one::<String>("chat") {
        Some(chat) => format!("chats/{chat}/export?format={format}"),
        None => "chats/export".to_owned(),
    };
    // Before the file is created, so that an unknown chat leaves no file.
    let mut pieces = hub.read(&path).await?;
    let Some(file) = arguments.get_one::<PathBuf>("output") else {
        while let Some(piece) = pieces.try_next().await? {
            std::io::stdout().write_all(&piece)?;
        }
        return Ok(());
    };
    let failed = || format!("{} could not be written", file.display());
    let mut written = tokio::fs::File::create_new(file).await.with_context(failed)?;
    while let Some(piece) = pieces.try_next().await? {
        written.write_all(&piece).await.with_context(failed)?;
    }
    written.sync_all().await.with_context(failed)
}

async fn content(file: &Path) -> anyhow::Result<Vec<u8>> {
    tokio::fs::read(file).await.with_context(|| format!("{} could not be read", file.display()))
}

fn query(pairs: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}
