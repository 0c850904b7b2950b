//! `plexus agent users`: the users that an agent with restricted access names.

use anyhow::Context as _;
use clap::{Arg, ArgAction, ArgMatches, Command};
use plexus_domain::Address;
use plexus_hub::{ClockRng, Hub, accounts, agents::named_users};
use serde_json::Value;

use crate::{
    api::named_users as api,
    cli::{
        api_client::{HubClient, with_account},
        output::print,
    },
    config::ServeConfig,
    settings::Settings,
};

pub fn command() -> Command {
    let several = |id: &'static str, help: &'static str| {
        Arg::new(id).long(id).value_name("USER").action(ArgAction::Append).help(help)
    };
    let agent = Arg::new("agent").required(true).value_name("AGENT").value_parser(parse_address);
    let command = Command::new("users")
        .about("List the users that an agent with access `listed` names, after adding and removing some")
        .arg(agent.help("Address of the agent: @owner/name"))
        .arg(several("add", "User of the hub to add (repeatable)"))
        .arg(several("remove", "User to remove (repeatable)"));
    with_account(command)
}

pub(super) fn parse_address(text: &str) -> Result<Address, String> {
    let whole = if text.starts_with('@') { text.to_owned() } else { format!("@{text}") };
    whole.parse().map_err(|_| "an address is written as @owner/name".to_owned())
}

/// The changes that the arguments name.
struct UserChanges<'a> {
    agent: &'a Address,
    added: Vec<&'a String>,
    removed: Vec<&'a String>,
}

impl<'a> UserChanges<'a> {
    fn new(arguments: &'a ArgMatches) -> anyhow::Result<Self> {
        let several = |id| arguments.get_many(id).into_iter().flatten().collect();
        let agent = arguments.get_one("agent").context("AGENT is missing")?;
        Ok(Self { agent, added: several("add"), removed: several("remove") })
    }

    async fn over_api(&self, hub: &HubClient) -> anyhow::Result<Value> {
        let path = format!("agents/{}/{}/users", self.agent.owner, self.agent.name);
        for user in &self.added {
            hub.tell(&path, &serde_json::json!({ "user": user })).await?;
        }
        for user in &self.removed {
            hub.delete(&path, &[("user", user.as_str())]).await?;
        }
        hub.get(&path).await
    }

    async fn here(&self, hub: &Hub, account: Option<&str>) -> anyhow::Result<Value> {
        let caller = accounts::impersonate(hub, account).await?;
        for user in &self.added {
            named_users::add(hub, &caller, self.agent, user).await?;
        }
        for user in &self.removed {
            named_users::remove(hub, &caller, self.agent, user).await?;
        }
        Ok(serde_json::to_value(api::of(hub, &caller, self.agent).await?)?)
    }
}

pub async fn run(settings: &Settings, arguments: &ArgMatches) -> anyhow::Result<u8> {
    let changes = UserChanges::new(arguments)?;
    let users = match HubClient::named(arguments)? {
        Some(hub) => changes.over_api(&hub).await?,
        None => on_this_machine(settings, arguments, &changes).await?,
    };
    print(&users, arguments.get_flag("json"), |users| for_people(changes.agent, users))?;
    Ok(0)
}

/// Performs the command on the hub of the data folder. Only one process can open the folder, so a running hub is
/// asked over its admin socket.
async fn on_this_machine(
    settings: &Settings,
    arguments: &ArgMatches,
    changes: &UserChanges<'_>,
) -> anyhow::Result<Value> {
    let config = ServeConfig::folder(settings)?;
    let account = arguments.get_one::<String>("as").map(String::as_str);
    if let Some(hub) = HubClient::serving(&config.data_dir, account)? {
        return changes.over_api(&hub).await;
    }
    let hub = Hub::open(config, ClockRng::system()).await.context("the hub's data cannot be opened")?;
    let done = changes.here(&hub, account).await;
    hub.close().await;
    done
}

fn for_people(agent: &Address, users: &Value) -> String {
    let names = users["items"].as_array().into_iter().flatten().filter_map(|user| user["name"].as_str());
    let names: String = names.map(|name| format!("{name}\n")).collect();
    if names.is_empty() { format!("{agent} names no users.\n") } else { names }
}
