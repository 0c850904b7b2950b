//! `plexus model`: manages model providers from the hub's own machine.

use std::{
    fs,
    io::{Read as _, Write as _},
};

use anyhow::Context as _;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use plexus_hub::{
    ClockRng, Hub,
    config::DEFAULT_CONTEXT_TOKENS,
    model_providers::{PRESETS, ProviderPreset},
};
use serde_json::{Value, json};

use super::api_client::HubClient;
use crate::{
    config::ServeConfig,
    model_commands::{self, ModelChange, ModelCommand},
    settings::Settings,
};

const MAX_KEY_BYTES: u64 = 8 << 10;

pub fn command() -> Command {
    let name = || Arg::new("name").required(true).value_name("NAME");
    let json = || Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON");
    let known: Vec<&str> = PRESETS.iter().map(|preset| preset.id).collect();
    Command::new("model")
        .about("Manage model providers and the settings of their models")
        .subcommand_required(true)
        .subcommand(Command::new("list").about("List the model providers").arg(json()))
        .subcommand(
            Command::new("connect")
                .about("Connect a server with an OpenAI-compatible API, and test it")
                .after_help(format!("The address is known for: {}", known.join(", ")))
                .arg(name().help("Prefix of the names of its models"))
                .arg(
                    Arg::new("url")
                        .long("url")
                        .value_name("URL")
                        .help("Base URL, such as http://127.0.0.1:11434/v1"),
                )
                .arg(
                    Arg::new("key-file")
                        .long("key-file")
                        .value_name("FILE")
                        .help("File with the API key; - reads standard input"),
                )
                .arg(
                    Arg::new("model")
                        .long("model")
                        .value_name("MODEL")
                        .action(ArgAction::Append)
                        .help("Model that agents may use; repeatable (default: all that the server lists)"),
                )
                .arg(
                    Arg::new("context-tokens")
                        .long("context-tokens")
                        .value_name("N")
                        .value_parser(value_parser!(u64))
                        .help("Context window of its models (default: 32768)"),
                )
                .arg(
                    Arg::new("price")
                        .long("price")
                        .value_name("IN/OUT")
                        .help("Price of a million input and output tokens, such as 0.15/0.60"),
                )
                .arg(
                    Arg::new("own-keys")
                        .long("own-keys")
                        .value_name("POLICY")
                        .value_parser(["refused", "allowed", "required"])
                        .default_value("refused")
                        .help("Whether the provider takes API keys of users"),
                )
                .arg(
                    Arg::new("skip-test")
                        .long("skip-test")
                        .action(ArgAction::SetTrue)
                        .help("Connect it even if it does not answer"),
                ),
        )
        .subcommand(
            Command::new("test")
                .about("Test a provider: its model list, an answer, a tool call and an image")
                .arg(name())
                .arg(Arg::new("model").value_name("MODEL").help("Model to test, by its name on the server")),
        )
        .subcommand(Command::new("pause").about("Stop using a provider until it is resumed").arg(name()))
        .subcommand(Command::new("resume").about("Use a paused provider again").arg(name()))
        .subcommand(Command::new("remove").about("Remove a provider and its API key").arg(name()))
        .subcommands(settings_commands())
}

/// Returns the commands about single models of a provider.
fn settings_commands() -> [Command; 3] {
    let provider = || {
        let help = "Provider; - for the first server of the configuration";
        Arg::new("name").required(true).value_name("NAME").help(help)
    };
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON");
    [
        Command::new("models")
            .about("List the models of a provider with their settings")
            .arg(provider())
            .arg(json),
        set_command().arg(provider()).arg(model_name()),
        Command::new("reset").about("Reset the settings of a model").arg(provider()).arg(model_name()),
    ]
}

fn model_name() -> Arg {
    Arg::new("model").value_name("MODEL").required(true).help("Model by its name on the server")
}

fn set_command() -> Command {
    let text = |id: &'static str, value: &'static str, help: &'static str| {
        Arg::new(id).long(id).value_name(value).help(help)
    };
    let number = |id: &'static str, help: &'static str| {
        Arg::new(id).long(id).value_name("N").value_parser(value_parser!(u64)).help(help)
    };
    let flag = |id: &'static str, help: &'static str| {
        Arg::new(id).long(id).value_name("BOOL").value_parser(value_parser!(bool)).help(help)
    };
    Command::new("set")
        .about("Change settings of a model; settings that are not named stay")
        .arg(text("display-name", "NAME", "Name in the list of models"))
        .arg(number("context-tokens", "Context window"))
        .arg(text("price", "IN/OUT", "Price of a million input and output tokens"))
        .arg(flag("tools", "Whether it calls tools: true or false"))
        .arg(flag("images", "Whether it reads images"))
        .arg(flag("reasoning", "Whether it reasons before it answers"))
        .arg(flag("json-answers", "Whether its answers follow a JSON Schema"))
        .arg(flag("direct", "Whether people chat with it as agent @models/NAME"))
        .arg(flag("hidden", "Whether it is left out of the list of models"))
        .arg(text("access", "ACCESS", "everyone, moderators, administrators or named"))
        .arg(
            text("user", "USER", "User who may use it, with --access named; repeatable")
                .action(ArgAction::Append),
        )
        .arg(number("account-tokens", "Tokens a day of one user; 0 for no limit"))
        .arg(number("hub-tokens", "Tokens a day of all users; 0 for no limit"))
}

fn change(arguments: &ArgMatches) -> ModelChange {
    let text = |id: &str| arguments.get_one::<String>(id).cloned();
    let number = |id: &str| arguments.get_one::<u64>(id).copied();
    let flag = |id: &str| arguments.get_one::<bool>(id).copied();
    ModelChange {
        display_name: text("display-name"),
        context_tokens: number("context-tokens"),
        price: text("price"),
        tools: flag("tools"),
        images: flag("images"),
        reasoning: flag("reasoning"),
        json: flag("json-answers"),
        is_hidden: flag("hidden"),
        access: text("access"),
        users: arguments.get_many::<String>("user").map(|users| users.cloned().collect()),
        account_tokens: number("account-tokens"),
        hub_tokens: number("hub-tokens"),
        is_direct: flag("direct"),
    }
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let Some((action, arguments)) = arguments.subcommand() else { return Ok(2) };
    let name = arguments.try_get_one::<String>("name").ok().flatten().cloned().unwrap_or_default();
    let model = arguments.try_get_one::<String>("model").ok().flatten().cloned().unwrap_or_default();
    let command = match action {
        "list" => ModelCommand::List,
        "connect" => connect(name.clone(), arguments)?,
        "test" => ModelCommand::Test { name: name.clone(), model: arguments.get_one("model").cloned() },
        "pause" => ModelCommand::SetPaused { name: name.clone(), is_paused: true },
        "resume" => ModelCommand::SetPaused { name: name.clone(), is_paused: false },
        "remove" => ModelCommand::Remove { name: name.clone() },
        "models" => ModelCommand::ListModels { name: name.clone() },
        "set" => ModelCommand::SetModel {
            name: name.clone(),
            model: model.clone(),
            change: Box::new(change(arguments)),
        },
        "reset" => ModelCommand::ResetModel { name: name.clone(), model: model.clone() },
        _ => return Ok(2),
    };
    let result = execute(settings, command).await?;
    let text = match action {
        "list" => list(&result, arguments.get_flag("json"))?,
        "connect" => format!("{name} is connected. {}\n", verdict(&result)),
        "test" => format!("{}\n", verdict(&result)),
        "pause" => format!("{name} is paused.\n"),
        "resume" => format!("{name} is in use again.\n"),
        "models" => list_models(&result, arguments.get_flag("json"))?,
        "set" => format!("The settings of {model} are saved.\n"),
        "reset" => format!("The settings of {model} are reset.\n"),
        _ => format!("{name} is removed.\n"),
    };
    write!(std::io::stdout(), "{text}")?;
    let has_failed = action == "test" && !result["problem"].is_null();
    Ok(u8::from(has_failed))
}

/// Executes a command by the hub that serves the data folder, or here if none is running.
async fn execute(settings: &Settings, command: ModelCommand) -> anyhow::Result<Value> {
    let config = ServeConfig::from_settings(settings)?.hub;
    if let Some(hub) = HubClient::serving(&config.data_dir, None)? {
        return hub.post("operator/models", &json!(command)).await;
    }
    let hub = Hub::open(config, ClockRng::system()).await?;
    let result = model_commands::execute(&hub, command).await;
    hub.close().await;
    Ok(result?)
}

fn connect(name: String, arguments: &ArgMatches) -> anyhow::Result<ModelCommand> {
    let text = |id: &str| arguments.get_one::<String>(id).cloned();
    let known = ProviderPreset::find(&name).map(|preset| preset.base_url.to_owned());
    let base_url = text("url").or(known);
    let models = arguments.get_many::<String>("model").into_iter().flatten().cloned().collect();
    Ok(ModelCommand::Connect {
        base_url: base_url
            .with_context(|| format!("the address of {name} is not known; name it with --url"))?,
        api_key: text("key-file").map_or_else(|| Ok(String::new()), |file| read_key(&file))?,
        models,
        context_tokens: arguments.get_one("context-tokens").copied().unwrap_or(DEFAULT_CONTEXT_TOKENS),
        price: text("price").unwrap_or_default(),
        own_keys: text("own-keys").unwrap_or_default(),
        skip_test: arguments.get_flag("skip-test"),
        name,
    })
}

fn read_key(file: &str) -> anyhow::Result<String> {
    let mut key = String::new();
    if file == "-" {
        std::io::stdin().take(MAX_KEY_BYTES).read_to_string(&mut key)?;
    } else {
        let opened = fs::File::open(file).with_context(|| format!("opening {file}"))?;
        opened.take(MAX_KEY_BYTES).read_to_string(&mut key).with_context(|| format!("reading {file}"))?;
    }
    Ok(key.trim().to_owned())
}

fn list(result: &Value, as_json: bool) -> anyhow::Result<String> {
    let rows = result["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    if as_json {
        return Ok(serde_json::to_string_pretty(rows)? + "\n");
    }
    if rows.is_empty() {
        return Ok("No model providers. Connect one with `plexus model connect`.\n".to_owned());
    }
    let line = |row: &Value| {
        let state = match (row["source"].as_str(), row["paused"].as_bool(), &row["last_test"]) {
            (Some("configuration"), ..) => "from the configuration".to_owned(),
            (_, Some(true), _) => "paused".to_owned(),
            (_, _, Value::Null) => "not tested".to_owned(),
            (.., test) => verdict(test),
        };
        let name = row["name"].as_str().unwrap_or("(default)");
        format!("{name:<20} {:<48} {state}\n", row["base_url"].as_str().unwrap_or_default())
    };
    Ok(format!("{:<20} {:<48} {}\n", "NAME", "ADDRESS", "STATE") + &rows.iter().map(line).collect::<String>())
}

fn list_models(result: &Value, as_json: bool) -> anyhow::Result<String> {
    let rows = result["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    if as_json {
        return Ok(serde_json::to_string_pretty(rows)? + "\n");
    }
    let line = |row: &Value| {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let price = Some(text("price")).filter(|price| !price.is_empty()).unwrap_or_else(|| "-".to_owned());
        let hidden = if row["hidden"] == true { ", hidden" } else { "" };
        let address = row["address"].as_str().map(|address| format!(", {address}")).unwrap_or_default();
        format!(
            "{:<40} {:>12} {price:<12} {}{hidden}{address}\n",
            text("model"),
            row["context_tokens"],
            text("access")
        )
    };
    let head = format!("{:<40} {:>12} {:<12} {}\n", "MODEL", "CONTEXT", "PRICE", "ACCESS");
    Ok(head + &rows.iter().map(line).collect::<String>())
}

/// Returns the result of a test in one sentence.
fn verdict(test: &Value) -> String {
    if let Some(problem) = test["problem"].as_str() {
        return problem.to_owned();
    }
    let model = test["model"].as_str().unwrap_or_default();
    let tools = match test["calls_tools"].as_bool() {
        Some(true) => " and calls tools",
        Some(false) => ", but did not call a tool",
        None => "",
    };
    let images = match test["reads_images"].as_bool() {
        Some(true) => " It reads images.",
        Some(false) => " It does not read images.",
        None => "",
    };
    format!("{model} answers after {} ms{tools}.{images}", test["first_token_ms"])
}
