//! `plexus user`: manages accounts from the hub's own machine.

use std::io::{IsTerminal as _, Read as _, Write as _};

use clap::{Arg, ArgAction, ArgMatches, Command};
use plexus_domain::{Timestamp, account::Role};
use plexus_hub::{
    ClockRng, Hub, HubConfig, accounts,
    admin::{self, AccountModeration},
};
use serde_json::{Value, json};

use super::{api_client::HubClient, is_new};
use crate::{
    admin_socket::{account_details_json, account_json},
    config::ServeConfig,
    settings::Settings,
};

pub fn command() -> Command {
    let name = || Arg::new("name").required(true).value_name("NAME");
    let role = || Arg::new("role").value_parser(Role::ALL.map(Role::as_str));
    let of_account =
        |command: &'static str, about: &'static str| Command::new(command).about(about).arg(name());
    Command::new("user")
        .about("Manage accounts: create, list, suspend, restore, delete, set roles and passwords")
        .subcommand_required(true)
        .subcommand(
            of_account("create", "Create an account; the password is read from standard input")
                .arg(role().long("role").default_value(Role::User.as_str()))
                .arg(
                    Arg::new("new-hub")
                        .long("new-hub")
                        .action(ArgAction::SetTrue)
                        .help("Create a hub if none has run on the data folder yet"),
                ),
        )
        .subcommand(
            Command::new("list")
                .about("List accounts: those pending approval first, then the newest")
                .arg(Arg::new("name").value_name("WORDS").help("Part of the name"))
                .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON")),
        )
        .subcommand(
            of_account("set-role", "Change the role of an account")
                .arg(role().required(true).value_name("ROLE")),
        )
        .subcommand(of_account(
            "set-password",
            "Set the password of an account, read from standard input, and end its sessions",
        ))
        .subcommand(of_account(
            "reset",
            "Print a link with which the person sets a new password, once, within 24 hours",
        ))
        .subcommand(of_account("approve", "Activate an account that is pending approval"))
        .subcommand(of_account(
            "suspend",
            "Suspend an account: end its sessions and runs, and hide its agents",
        ))
        .subcommand(of_account("restore", "Restore a suspended account"))
        .subcommand(of_account(
            "delete",
            "Delete an account: end its sessions and runs, hide its agents, and erase it after 30 days",
        ))
        .subcommand(
            of_account("show", "Show an account and its agents")
                .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON")),
        )
}

/// Command for an account.
enum Act<'a> {
    Create { name: &'a str, password: String, role: Role },
    SetPassword { name: &'a str, password: String },
    Moderate { name: &'a str, act: AccountModeration },
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let config = ServeConfig::folder(settings)?;
    let hub = HubClient::serving(&config.data_dir, None)?;
    if let Some(("list", arguments)) = arguments.subcommand() {
        let words = arguments.get_one::<String>("name").map_or("", String::as_str);
        let rows = match hub {
            Some(hub) => hub.post("operator/users/list", &json!({ "words": words })).await?["items"].clone(),
            None => list_here(config, words).await?,
        };
        let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
        write!(std::io::stdout(), "{}", table(rows, arguments.get_flag("json"))?)?;
        return Ok(0);
    }
    if let Some(("show", arguments)) = arguments.subcommand() {
        let name = arguments.get_one::<String>("name").map_or("", String::as_str);
        let account = match hub {
            Some(hub) => hub.get(&format!("operator/users/{name}")).await?,
            None => show_here(config, name).await?,
        };
        write!(std::io::stdout(), "{}", details(&account, arguments.get_flag("json"))?)?;
        return Ok(0);
    }
    if let Some(("reset", arguments)) = arguments.subcommand() {
        let name = arguments.get_one::<String>("name").map_or("", String::as_str);
        writeln!(std::io::stdout(), "{}", reset_link(settings, hub, name).await?)?;
        return Ok(0);
    }
    if let Some(("create", arguments)) = arguments.subcommand()
        && hub.is_none()
    {
        confirm_new_hub(settings, &config, arguments.get_flag("new-hub"))?;
    }
    let act = asked(arguments)?;
    let done = match hub {
        Some(hub) => by_the_hub(&hub, &act).await,
        None => here(config, act).await,
    };
    writeln!(std::io::stdout(), "{}", done?)?;
    Ok(0)
}

/// Checks that a hub is created only on purpose: in a folder that was named, or after a question on the terminal. In the
/// wrong working folder, the default `./data` would become an empty hub.
fn confirm_new_hub(settings: &Settings, config: &HubConfig, is_confirmed: bool) -> anyhow::Result<()> {
    if is_confirmed || !is_new(config) || settings.is_given("data_dir") {
        return Ok(());
    }
    let folder = std::env::current_dir().unwrap_or_default().join(&config.data_dir);
    let folder = folder.display();
    if std::io::stdin().is_terminal() {
        let mut error = std::io::stderr();
        write!(error, "No hub has run on {folder} yet. Create one there? [y/N] ")?;
        error.flush()?;
        let mut answer = String::new();
        std::io::stdin().read_line(&mut answer)?;
        if matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
            return Ok(());
        }
    }
    anyhow::bail!(
        "no hub has run on {folder} yet. Name the folder of your hub with --data-dir or PLEXUS_DATA_DIR, or add --new-hub to \
         create a hub there"
    )
}

/// Returns a reset link. The public URL in it comes from the settings of the hub that creates it.
async fn reset_link(settings: &Settings, hub: Option<HubClient>, name: &str) -> anyhow::Result<String> {
    if let Some(hub) = hub {
        let created = hub.post(&format!("operator/users/{name}/reset-link"), &json!({})).await?;
        return Ok(created["link"].as_str().unwrap_or_default().to_owned());
    }
    let hub = Hub::open(ServeConfig::from_settings(settings)?.hub, ClockRng::system()).await?;
    let created = accounts::create_password_reset_by_operator(&hub, name).await;
    hub.close().await;
    Ok(created?.link)
}

fn asked(arguments: &ArgMatches) -> anyhow::Result<Act<'_>> {
    let Some((action, arguments)) = arguments.subcommand() else { anyhow::bail!("nothing to do") };
    let name: &str = arguments.get_one::<String>("name").map_or("", String::as_str);
    let role = || {
        let word = arguments.try_get_one::<String>("role").ok().flatten();
        word.and_then(|role| Role::parse(role)).unwrap_or(Role::User)
    };
    Ok(match action {
        "create" => Act::Create { name, password: read_password()?, role: role() },
        "set-password" => Act::SetPassword { name, password: read_password()? },
        "set-role" => Act::Moderate { name, act: AccountModeration::SetRole(role()) },
        "approve" => Act::Moderate { name, act: AccountModeration::Approve },
        "suspend" => Act::Moderate { name, act: AccountModeration::Suspend },
        "restore" => Act::Moderate { name, act: AccountModeration::Restore },
        "delete" => Act::Moderate { name, act: AccountModeration::Delete },
        other => anyhow::bail!("unknown command {other}"),
    })
}

fn read_password() -> anyhow::Result<String> {
    let mut password = String::new();
    std::io::stdin().take(1_024).read_to_string(&mut password)?;
    Ok(password.trim_end_matches(['\r', '\n']).to_owned())
}

impl Act<'_> {
    fn said(&self) -> String {
        match self {
            Self::Create { name, .. } => format!("{name} can sign in."),
            Self::SetPassword { name, .. } => {
                format!("{name} has a new password, and is signed out everywhere. API tokens stay valid.")
            }
            Self::Moderate { name, act: AccountModeration::SetRole(role) } => {
                format!("{name} has the role {}.", role.as_str())
            }
            Self::Moderate { name, act: AccountModeration::Suspend } => format!("{name} is suspended."),
            Self::Moderate { name, act: AccountModeration::Approve | AccountModeration::Restore } => {
                format!("{name} is active.")
            }
            Self::Moderate { name, act: AccountModeration::Delete } => format!(
                "{name} is deleted, and erased after 30 days. Signing in before then cancels it, unless the account is \
                 suspended."
            ),
        }
    }
}

/// Sends the command to the hub that serves the data folder.
async fn by_the_hub(hub: &HubClient, act: &Act<'_>) -> anyhow::Result<String> {
    let state = |name: &str, state: &str| (format!("operator/users/{name}/state"), json!({ "state": state }));
    let (path, body) = match act {
        Act::Create { name, password, role } => (
            "operator/users".to_owned(),
            json!({ "name": name, "password": password, "role": role.as_str() }),
        ),
        Act::SetPassword { name, password } => {
            (format!("operator/users/{name}/password"), json!({ "password": password }))
        }
        Act::Moderate { name, act: AccountModeration::SetRole(role) } => {
            (format!("operator/users/{name}/role"), json!({ "role": role.as_str() }))
        }
        Act::Moderate { name, act: AccountModeration::Approve } => state(name, "approved"),
        Act::Moderate { name, act: AccountModeration::Suspend } => state(name, "suspended"),
        Act::Moderate { name, act: AccountModeration::Restore } => state(name, "restored"),
        Act::Moderate { name, act: AccountModeration::Delete } => state(name, "deleted"),
    };
    hub.post(&path, &body).await?;
    Ok(act.said())
}

async fn here(config: HubConfig, act: Act<'_>) -> anyhow::Result<String> {
    anyhow::ensure!(
        !is_new(&config) || matches!(act, Act::Create { .. }),
        "no hub has run on {} yet, so it has no accounts. Create the first one with `plexus user create NAME \
         --role admin`, or name another folder with PLEXUS_DATA_DIR",
        config.data_dir.display()
    );
    let hub = Hub::open(config, ClockRng::system()).await?;
    let said = act.said();
    let done = match act {
        Act::Create { name, password, role } => {
            accounts::create_by_operator(&hub, name, password, role).await.map(drop)
        }
        Act::SetPassword { name, password } => accounts::set_password_by_operator(&hub, name, password).await,
        Act::Moderate { name, act } => admin::act_on_person_by_operator(&hub, name, act).await,
    };
    hub.close().await;
    done?;
    Ok(said)
}

async fn list_here(config: HubConfig, words: &str) -> anyhow::Result<Value> {
    anyhow::ensure!(!is_new(&config), "no hub has run on {} yet", config.data_dir.display());
    let hub = Hub::open(config, ClockRng::system()).await?;
    let rows = admin::list_people_by_operator(&hub, words).await;
    hub.close().await;
    Ok(rows?.iter().map(account_json).collect())
}

async fn show_here(config: HubConfig, name: &str) -> anyhow::Result<Value> {
    anyhow::ensure!(!is_new(&config), "no hub has run on {} yet", config.data_dir.display());
    let hub = Hub::open(config, ClockRng::system()).await?;
    let found = admin::find_person_by_operator(&hub, name).await;
    hub.close().await;
    Ok(account_details_json(&found?))
}

/// Formats one account with a line for each fact, or as JSON.
fn details(account: &Value, as_json: bool) -> anyhow::Result<String> {
    if as_json {
        return Ok(serde_json::to_string_pretty(account)? + "\n");
    }
    let agents = account["agents"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let agents = agents.collect::<Vec<_>>().join(" ");
    let facts = [
        ("name", text(&account["name"])),
        ("role", text(&account["role"])),
        ("state", text(&account["state"])),
        ("created", day(&account["created"])),
        ("e-mail", text(&account["email"])),
        ("last seen", day(&account["last_seen"])),
        ("reason", text(&account["reason"])),
        ("agents", agents),
    ];
    let shown = facts.iter().filter(|(_, value)| !value.is_empty());
    Ok(shown.map(|(name, value)| format!("{name:<10} {value}\n")).collect())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Formats a time in milliseconds as its day.
fn day(value: &Value) -> String {
    let at = value.as_i64().map(Timestamp::from_millis);
    at.map_or_else(|| "never".to_owned(), Timestamp::to_date)
}

/// Formats accounts as a table, or as JSON.
fn table(rows: &[Value], as_json: bool) -> anyhow::Result<String> {
    if as_json {
        return Ok(serde_json::to_string_pretty(rows)? + "\n");
    }
    if rows.is_empty() {
        return Ok("No accounts.\n".to_owned());
    }
    let line = |row: &Value| {
        format!(
            "{:<24} {:<10} {:<10} {:>6}  {:<10} {}\n",
            text(&row["name"]),
            text(&row["role"]),
            text(&row["state"]),
            row["agents"],
            day(&row["created"]),
            day(&row["last_seen"])
        )
    };
    let head = format!(
        "{:<24} {:<10} {:<10} {:>6}  {:<10} {}\n",
        "NAME", "ROLE", "STATE", "AGENTS", "CREATED", "SEEN"
    );
    Ok(head + &rows.iter().map(line).collect::<String>())
}
