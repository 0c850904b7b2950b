//! `plexus user`: accounts, from the hub's own machine.

use std::io::{Read as _, Write as _};

use clap::{Arg, ArgMatches, Command};
use plexus_domain::account::Role;
use plexus_hub::{Env, Hub, accounts};

use crate::{config::Serve, settings::Settings};

pub fn command() -> Command {
    let name = || Arg::new("name").required(true).value_name("NAME");
    let role =
        Arg::new("role").long("role").value_parser(["user", "moderator", "admin"]).default_value("user");
    Command::new("user")
        .about("Make accounts and give roles")
        .subcommand_required(true)
        .subcommand(
            Command::new("create")
                .about("Make an account; the password is read from standard input")
                .arg(name())
                .arg(role),
        )
        .subcommand(Command::new("make-admin").about("Make an account an administrator").arg(name()))
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let hub = Hub::open(Serve::from_settings(settings)?.hub, Env::system()).await?;
    let done = act(&hub, arguments).await;
    hub.close().await;
    writeln!(std::io::stdout(), "{}", done?)?;
    Ok(0)
}

async fn act(hub: &Hub, arguments: &ArgMatches) -> anyhow::Result<String> {
    let Some((action, arguments)) = arguments.subcommand() else { anyhow::bail!("nothing to do") };
    let name: &str = arguments.get_one::<String>("name").map_or("", String::as_str);
    if action == "make-admin" {
        accounts::set_role_by_operator(hub, name, Role::Admin).await?;
        return Ok(format!("{name} is an administrator."));
    }
    let role = arguments.get_one::<String>("role").and_then(|role| Role::parse(role)).unwrap_or(Role::User);
    let mut password = String::new();
    std::io::stdin().take(1_024).read_to_string(&mut password)?;
    accounts::create_by_operator(hub, name, password.trim_end_matches(['\r', '\n']).to_owned(), role).await?;
    Ok(format!("{name} can sign in."))
}
