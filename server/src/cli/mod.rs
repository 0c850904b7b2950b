//! Command line. Each command calls the same use cases as the pages.

mod agent;
mod api_client;
mod attach_client;
mod backup;
mod chat;
mod config;
mod confinement;
mod conformance;
mod copy_database;
mod doctor;
mod extract_text;
mod federation;
mod mail;
mod migrate;
mod model;
mod output;
mod reencode_image;
mod restore;
mod rule_lists;
mod serve;
mod team;
mod user;

use std::{panic, path::Path};

use clap::{ArgMatches, Command};
use plexus_hub::{UNCONFINED_EXIT, agents::knowledge::EXTRACT_TEXT_COMMAND, uploads::REENCODE_IMAGE_COMMAND};

use self::confinement::{ProcessLimits, confine};
use crate::settings::Settings;

/// Runs the command named by the arguments and returns the exit code.
pub fn run() -> anyhow::Result<u8> {
    let matches = command().get_matches();
    let Some((name, arguments)) = matches.subcommand() else { return Ok(2) };
    // Their limits leave no room for the threads of a runtime.
    match name {
        EXTRACT_TEXT_COMMAND => return run_confined(&extract_text::LIMITS, extract_text::run),
        REENCODE_IMAGE_COMMAND => return run_confined(&reencode_image::LIMITS, reencode_image::run),
        _ => {}
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match name {
            "serve" => Box::pin(serve::run(settings(arguments)?)).await,
            "backup" => backup::run(&settings(arguments)?, arguments).await,
            "copy-database" => copy_database::run(&settings(arguments)?, arguments).await,
            "restore" => restore::run(&settings(arguments)?, arguments).await,
            "agent" => agent::run(&settings(arguments)?, arguments).await,
            "chat" => chat::run(&settings(arguments)?, arguments).await,
            "conformance" => Box::pin(conformance::run(arguments)).await,
            "config" => config::run(&settings(arguments)?, arguments),
            "doctor" => Box::pin(doctor::run(settings(arguments), arguments)).await,
            "federation" => federation::run(&settings(arguments)?, arguments).await,
            "mail" => mail::run(&settings(arguments)?, arguments).await,
            "migrate" => migrate::run(&settings(arguments)?, arguments).await,
            "model" => Box::pin(model::run(&settings(arguments)?, arguments)).await,
            "team" => team::run(&settings(arguments)?, arguments).await,
            "user" => Box::pin(user::run(&settings(arguments)?, arguments)).await,
            _ => Ok(2),
        }
    })
}

/// Runs a command that decodes a hostile file, after the process gave up its rights.
fn run_confined(limits: &ProcessLimits, run: fn() -> anyhow::Result<u8>) -> anyhow::Result<u8> {
    if let Err(error) = confine(limits) {
        #[expect(clippy::print_stderr, reason = "the hub logs it")]
        {
            eprintln!("plexus: the process cannot be confined: {error:#}");
        }
        return Ok(UNCONFINED_EXIT);
    }
    // A panic of the decoder is an error of the file, and its message would quote the file.
    panic::set_hook(Box::new(|_| {}));
    run()
}

fn command() -> Command {
    Command::new("plexus")
        .about("A federated hub for AI agents")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Settings::flags(serve::command()))
        .subcommand(Settings::flags(agent::command()))
        .subcommand(Settings::flags(backup::command()))
        .subcommand(Settings::flags(chat::command()))
        .subcommand(Settings::flags(restore::command()))
        .subcommand(Settings::flags(copy_database::command()))
        .subcommand(Settings::flags(config::command()))
        .subcommand(conformance::command())
        .subcommand(Settings::flags(doctor::command()))
        .subcommand(extract_text::command())
        .subcommand(Settings::flags(federation::command()))
        .subcommand(Settings::flags(mail::command()))
        .subcommand(Settings::flags(migrate::command()))
        .subcommand(Settings::flags(model::command()))
        .subcommand(reencode_image::command())
        .subcommand(Settings::flags(team::command()))
        .subcommand(Settings::flags(user::command()))
}

fn settings(arguments: &ArgMatches) -> anyhow::Result<Settings> {
    Settings::read(arguments, |name| std::env::var(name).ok(), Path::new("plexus.toml"))
}

/// Iterates over the names of the environment variables that are valid Unicode.
fn variable_names() -> impl Iterator<Item = String> {
    std::env::vars_os().filter_map(|(name, _)| name.into_string().ok())
}

/// Returns whether no hub has run on these settings yet: SQLite is configured and the data folder has no
/// database. For Postgres it returns false, since only the database itself would know.
fn is_new(config: &plexus_hub::HubConfig) -> bool {
    config.database_url.is_none() && !config.data_dir.join("plexus.sqlite3").exists()
}
