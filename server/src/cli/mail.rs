//! `plexus mail`: sends a test message with the settings of this hub.

use std::io::Write as _;

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command};
use plexus_hub::{
    ClockRng,
    mail::{self, EmailAddress},
};

use crate::{config::ServeConfig, settings::Settings};

pub fn command() -> Command {
    let address = Arg::new("address").required(true).value_name("ADDRESS").help("Recipient");
    let test = Command::new("test")
        .about("Send a test message through the mail server of the settings, and print its reply")
        .arg(address);
    Command::new("mail").about("Check the mail server").subcommand_required(true).subcommand(test)
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let config = ServeConfig::folder(settings)?;
    let server = config.mail.as_ref().context("smtp_url is not set, so this hub sends no e-mail")?;
    let Some(("test", arguments)) = arguments.subcommand() else { anyhow::bail!("unknown command") };
    let address: EmailAddress = arguments.get_one::<String>("address").map_or("", String::as_str).parse()?;
    mail::send_test(server, &config.hub_name, &config.public_url, address.clone(), &ClockRng::system())
        .await
        .context("the message was not sent")?;
    writeln!(std::io::stdout(), "The mail server accepted a message to {address}.")?;
    Ok(0)
}
