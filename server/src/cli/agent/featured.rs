//! `plexus agent featured`: the agents that the home page shows first.

use std::io::Write as _;

use anyhow::Context as _;
use clap::{Arg, ArgAction, ArgMatches, Command};
use plexus_domain::Address;
use plexus_hub::{ClockRng, Hub, admin};
use serde_json::json;

use super::users::parse_address;
use crate::{
    admin_socket::FeaturedChange, cli::api_client::HubClient, config::ServeConfig, settings::Settings,
};

pub fn command() -> Command {
    let several = |id: &'static str, help: &'static str| {
        Arg::new(id)
            .long(id)
            .value_name("AGENT")
            .value_parser(parse_address)
            .action(ArgAction::Append)
            .help(help)
    };
    Command::new("featured")
        .about("List the featured agents of the home page, after adding and removing some")
        .arg(several("add", "Address of an agent to feature (repeatable)"))
        .arg(several("remove", "Address of an agent to feature no longer (repeatable)"))
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let several = |id| arguments.get_many::<Address>(id).into_iter().flatten().cloned().collect();
    let change = FeaturedChange { add: several("add"), remove: several("remove") };
    let config = ServeConfig::folder(settings)?;
    let featured: Vec<Address> = match HubClient::serving(&config.data_dir, None)? {
        Some(hub) => {
            let answer = hub.post("operator/featured", &json!(change)).await?;
            serde_json::from_value(answer["items"].clone())?
        }
        None => {
            let hub =
                Hub::open(config, ClockRng::system()).await.context("the hub's data cannot be opened")?;
            let featured = admin::change_featured_by_operator(&hub, &change.add, &change.remove).await;
            hub.close().await;
            featured?
        }
    };
    let mut out = std::io::stdout().lock();
    if featured.is_empty() {
        writeln!(out, "No agent is featured: the home page shows agents that run on the hub.")?;
    }
    for address in featured {
        writeln!(out, "{address}")?;
    }
    Ok(0)
}
