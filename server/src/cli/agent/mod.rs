//! `plexus agent`: registers and lists agents, on the hub of the data folder or on a remote one.

mod backend;
mod featured;
mod new;
pub mod run;
mod users;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use plexus_domain::{agent::http_endpoint::Preset, page::PageSize};
use plexus_hub::{ClockRng, Hub, accounts};
use serde_json::{Value, json};

use crate::{
    api::{agent_lists, agents},
    cli::{
        api_client::{HubClient, with_account},
        output::print,
    },
    config::ServeConfig,
    settings::Settings,
};

pub fn command() -> Command {
    Command::new("agent")
        .about("Register, list and run agents")
        .subcommand_required(true)
        .subcommand(register())
        .subcommand(create())
        .subcommand(run::command())
        .subcommand(new::command())
        .subcommand(users::command())
        .subcommand(featured::command())
        .subcommand(with_account(
            Command::new("list").about("List the agents of an account, private ones included"),
        ))
}

fn register() -> Command {
    let url = Arg::new("url").required(true).value_name("URL").help("URL of the agent or of its card");
    let trust = Arg::new("trust-origins").long("trust-origins").action(ArgAction::SetTrue);
    let name = Arg::new("name").long("name").value_name("NAME");
    let command = Command::new("register")
        .about("Register a remote agent: an A2A agent with a card, or any HTTP endpoint")
        .arg(url)
        .args(endpoint())
        .arg(name.help("Name in its address (default: the card's)"))
        .arg(trust.help("Mark its origins as trusted, without verification (administrators)"));
    with_account(reach(command))
}

/// Arguments for an endpoint without an agent card.
fn endpoint() -> [Arg; 9] {
    let option = |id: &'static str, value: &'static str| Arg::new(id).long(id).value_name(value);
    let file = || value_parser!(PathBuf);
    [
        option("preset", "SOFTWARE")
            .value_parser(Preset::ALL.map(Preset::as_str))
            .requires("name")
            .conflicts_with("request-template")
            .help("Use the request template of this software"),
        option("request-template", "FILE")
            .value_parser(file())
            .requires("name")
            .help("JSON file with the request template"),
        option("title", "TEXT").help("Title in lists and on its page (default: its name)"),
        option("summary", "TEXT").help("One-line description"),
        option("model", "NAME").requires("preset").help("Model in the request"),
        option("tags", "TEXT").action(ArgAction::Append).help("Tag (repeatable)"),
        option("test-message", "MESSAGE").help("Test message: register the agent only if it answers"),
        option("secret-file", "FILE")
            .value_parser(file())
            .help("File with the credential sent on behalf of all users"),
        option("user", "NAME").requires("secret-file").help("User name of that credential"),
    ]
}

fn create() -> Command {
    let text = |id: &'static str, help: &'static str| Arg::new(id).long(id).value_name("TEXT").help(help);
    let several = |id: &'static str, long: &'static str, help: &'static str| {
        Arg::new(id).long(long).value_name("TEXT").action(ArgAction::Append).help(help)
    };
    let command = Command::new("create")
        .about("Create an agent from a model with instructions, or from a program listed by the operator")
        .arg(Arg::new("name").required(true).value_name("NAME").help("Name in its address"))
        .arg(text("instructions", "System instructions of the model").required_unless_present("program"))
        .arg(
            text("program", "Name of the program, as listed by the operator")
                .conflicts_with_all(["instructions", "model"]),
        )
        .arg(text("summary", "One-line description").required(true))
        .arg(text("title", "Title in lists and on its page (default: its name)"))
        .arg(text("model", "The model (default: the first of the hub)"))
        .arg(several("starters", "starter", "Example message (repeatable)"))
        .arg(several("tags", "tag", "Tag (repeatable)"));
    with_account(reach(command))
}

fn reach(command: Command) -> Command {
    let choice = |id: &'static str, values: [&'static str; 4], default: &'static str| {
        Arg::new(id).long(id).value_parser(values).default_value(default)
    };
    let visibility = choice("visibility", ["private", "unlisted", "public", "federated"], "private");
    let access = choice("access", ["owner", "listed", "accounts", "open"], "accounts");
    command.arg(visibility.help("Visibility")).arg(access.help("Access"))
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let Some((action, arguments)) = arguments.subcommand() else { anyhow::bail!("nothing to do") };
    match action {
        "run" => return run::run(settings, arguments).await,
        "new" => return new::run(arguments),
        "users" => return users::run(settings, arguments).await,
        "featured" => return featured::run(settings, arguments).await,
        _ => {}
    }
    let body = match action {
        "register" => Some(registration(arguments)?),
        "create" => Some(creation(arguments)),
        _ => None,
    };
    let answer = match HubClient::named(arguments)? {
        Some(hub) => over_api(&hub, body).await?,
        None => here(settings, arguments, body).await?,
    };
    print(&answer, arguments.get_flag("json"), for_people)?;
    Ok(0)
}

async fn over_api(hub: &HubClient, body: Option<Value>) -> anyhow::Result<Value> {
    match body {
        Some(body) => hub.post("agents", &body).await,
        None => {
            all(async |after| {
                let after = after.map(|cursor| format!("&after={cursor}")).unwrap_or_default();
                hub.get(&format!("agents?limit={}{after}", PageSize::MAX)).await
            })
            .await
        }
    }
}

/// Performs the command on this machine's hub. Only one process can open the data folder, so a running hub is
/// asked over its admin socket.
async fn here(settings: &Settings, arguments: &ArgMatches, body: Option<Value>) -> anyhow::Result<Value> {
    let config = ServeConfig::folder(settings)?;
    let account = arguments.get_one::<String>("as").map(String::as_str);
    if let Some(hub) = HubClient::serving(&config.data_dir, account)? {
        return over_api(&hub, body).await;
    }
    let hub = Hub::open(config, ClockRng::system()).await.context("the hub's data cannot be opened")?;
    let done = act(&hub, account, body).await;
    hub.close().await;
    done
}

async fn act(hub: &Hub, account: Option<&str>, body: Option<Value>) -> anyhow::Result<Value> {
    let caller = accounts::impersonate(hub, account).await?;
    Ok(match body {
        Some(body) => {
            serde_json::to_value(agents::register(hub, &caller, serde_json::from_value(body)?).await?)?
        }
        None => {
            let page = PageSize::new(PageSize::MAX)?;
            let ask = async |after: Option<String>| {
                let own = agent_lists::own(hub, &caller, after.as_deref(), page).await?;
                Ok(serde_json::to_value(own)?)
            };
            all(ask).await?
        }
    })
}

/// Fetches all pages of a list and concatenates them.
async fn all(ask: impl AsyncFn(Option<String>) -> anyhow::Result<Value>) -> anyhow::Result<Value> {
    let (mut items, mut next) = (Vec::new(), None);
    loop {
        let mut page = ask(next).await?;
        items.extend(page["items"].as_array_mut().map(std::mem::take).unwrap_or_default());
        next = page["next"].as_str().map(str::to_owned);
        if next.is_none() {
            return Ok(json!({ "items": items, "next": null }));
        }
    }
}

fn registration(arguments: &ArgMatches) -> anyhow::Result<Value> {
    let mut body = chosen(arguments);
    body["url"] = text(arguments, "url");
    body["trust_origins"] = json!(arguments.get_flag("trust-origins"));
    let read = |file: &PathBuf| {
        std::fs::read_to_string(file).with_context(|| format!("{} could not be read", file.display()))
    };
    if let Some(file) = arguments.get_one("request-template") {
        let request = read(file)?;
        body["request"] =
            serde_json::from_str(&request).with_context(|| format!("{} is not JSON", file.display()))?;
    }
    if let Some(file) = arguments.get_one("secret-file") {
        body["credentials"] = json!({ "secret": read(file)?.trim(), "shared": true });
        set(&mut body["credentials"], arguments, ["user"]);
    }
    set(&mut body, arguments, ["preset", "title", "summary", "model"]);
    if let Some(message) = arguments.get_one::<String>("test-message") {
        body["test_message"] = json!(message);
    }
    if let Some(tags) = arguments.get_many::<String>("tags") {
        body["tags"] = json!(tags.collect::<Vec<_>>());
    }
    Ok(body)
}

/// Copies the given arguments to the body.
fn set<const N: usize>(body: &mut Value, arguments: &ArgMatches, fields: [&str; N]) {
    for field in fields {
        let value = text(arguments, field);
        if !value.is_null() {
            body[field] = value;
        }
    }
}

fn creation(arguments: &ArgMatches) -> Value {
    let mut body = chosen(arguments);
    set(&mut body, arguments, ["instructions", "program", "summary", "title", "model"]);
    for field in ["starters", "tags"] {
        let values: Vec<&String> = arguments.get_many(field).into_iter().flatten().collect();
        body[field] = json!(values);
    }
    body
}

fn chosen(arguments: &ArgMatches) -> Value {
    json!({ "name": text(arguments, "name"), "visibility": text(arguments, "visibility"),
            "access": text(arguments, "access") })
}

fn text(arguments: &ArgMatches, id: &str) -> Value {
    json!(arguments.get_one::<String>(id))
}

fn for_people(answer: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let line = |agent: &Value| {
        let verified = if agent["verified"] == json!(true) { "verified" } else { "unverified" };
        format!(
            "{:<40} {:<8} {verified:<11} {}\n",
            word(&agent["address"]),
            word(&agent["kind"]),
            word(&agent["title"])
        )
    };
    match answer["items"].as_array() {
        Some(items) if items.is_empty() => "No agents yet.\n".to_owned(),
        Some(items) => items.iter().map(line).collect(),
        None => format!("{} is registered ({}).\n", word(&answer["address"]), word(&answer["visibility"])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(arguments: &[&str]) -> Value {
        let matches = command().get_matches_from([&["agent"], arguments].concat());
        match matches.subcommand() {
            Some(("register", arguments)) => registration(arguments).unwrap(),
            Some(("create", arguments)) => creation(arguments),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn commands_become_the_body_that_the_api_takes() {
        let sent = body(&[
            "register",
            "http://127.0.0.1:9/",
            "--as",
            "ada",
            "--trust-origins",
            "--visibility",
            "public",
        ]);
        assert_eq!(
            sent,
            json!({ "url": "http://127.0.0.1:9/", "name": null, "visibility": "public", "access": "accounts",
                    "trust_origins": true })
        );
        assert!(serde_json::from_value::<agents::NewAgent>(sent).is_ok());
        let called =
            body(&["register", "http://127.0.0.1:9/", "--name", "oi", "--preset", "openai", "--model", "m"]);
        assert_eq!((&called["preset"], &called["model"]), (&json!("openai"), &json!("m")));
        assert!(serde_json::from_value::<agents::NewAgent>(called).is_ok());
        let made =
            body(&["create", "tides", "--instructions", "Be brief.", "--summary", "Tides.", "--tag", "sea"]);
        assert_eq!((made["tags"].clone(), made["name"].clone()), (json!(["sea"]), json!("tides")));
        assert!(serde_json::from_value::<agents::NewAgent>(made).is_ok());
        let run = body(&["create", "poet", "--program", "poet", "--summary", "Rhymes."]);
        assert_eq!((&run["program"], run.get("instructions")), (&json!("poet"), None));
        assert!(serde_json::from_value::<agents::NewAgent>(run).is_ok());
    }

    #[test]
    fn answers_read_as_lines() {
        let agent = json!({ "address": "@ada/tide", "kind": "a2a", "title": "Tide", "verified": true });
        assert!(for_people(&json!({ "items": [agent] })).starts_with("@ada/tide "));
        assert_eq!(
            for_people(&json!({ "address": "@ada/tide", "visibility": "public" })),
            "@ada/tide is registered (public).\n"
        );
    }
}
