//! `plexus user`: manages accounts from the hub's own machine.

use std::io::{Read as _, Write as _};

use clap::{Arg, ArgMatches, Command};
use plexus_domain::account::Role;
use plexus_hub::{ClockRng, Hub, HubConfig, accounts};
use serde_json::json;

use super::{api_client::HubClient, is_new};
use crate::{config::ServeConfig, settings::Settings};

pub fn command() -> Command {
    let name = || Arg::new("name").required(true).value_name("NAME");
    let role = || Arg::new("role").value_parser(Role::ALL.map(Role::as_str));
    Command::new("user")
        .about("Create accounts and assign roles")
        .subcommand_required(true)
        .subcommand(
            Command::new("create")
                .about("Create an account; the password is read from standard input")
                .arg(name())
                .arg(role().long("role").default_value(Role::User.as_str())),
        )
        .subcommand(
            Command::new("set-role")
                .about("Change the role of an account")
                .arg(name())
                .arg(role().required(true).value_name("ROLE")),
        )
}

/// Command for an account.
enum Act<'a> {
    Create { name: &'a str, password: String, role: Role },
    SetRole { name: &'a str, role: Role },
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let config = ServeConfig::folder(settings)?;
    let act = asked(arguments)?;
    let done = match HubClient::serving(&config.data_dir, None)? {
        Some(hub) => by_the_hub(&hub, &act).await,
        None => here(config, act).await,
    };
    writeln!(std::io::stdout(), "{}", done?)?;
    Ok(0)
}

fn asked(arguments: &ArgMatches) -> anyhow::Result<Act<'_>> {
    let Some((action, arguments)) = arguments.subcommand() else { anyhow::bail!("nothing to do") };
    let name: &str = arguments.get_one::<String>("name").map_or("", String::as_str);
    let role = arguments.get_one::<String>("role").and_then(|role| Role::parse(role)).unwrap_or(Role::User);
    if action == "set-role" {
        return Ok(Act::SetRole { name, role });
    }
    let mut password = String::new();
    std::io::stdin().take(1_024).read_to_string(&mut password)?;
    let password = password.trim_end_matches(['\r', '\n']).to_owned();
    Ok(Act::Create { name, password, role })
}

impl Act<'_> {
    fn said(&self) -> String {
        match self {
            Self::Create { name, .. } => format!("{name} can sign in."),
            Self::SetRole { name, role } => format!("{name} has the role {}.", role.as_str()),
        }
    }
}

/// Sends the command to the hub that serves the data folder.
async fn by_the_hub(hub: &HubClient, act: &Act<'_>) -> anyhow::Result<String> {
    match act {
        Act::Create { name, password, role } => {
            let body = json!({ "name": name, "password": password, "role": role.as_str() });
            hub.post("operator/users", &body).await?;
        }
        Act::SetRole { name, role } => {
            let path = format!("operator/users/{name}/role");
            hub.post(&path, &json!({ "role": role.as_str() })).await?;
        }
    }
    Ok(act.said())
}

async fn here(config: HubConfig, act: Act<'_>) -> anyhow::Result<String> {
    anyhow::ensure!(
        !(is_new(&config) && matches!(act, Act::SetRole { .. })),
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
        Act::SetRole { name, role } => accounts::set_role_by_operator(&hub, name, role).await,
    };
    hub.close().await;
    done?;
    Ok(said)
}
