//! Methods of teams: launch, commands, log and share link.

use jsonrpsee::{RpcModule, core::RegisterMethodError};
use plexus_domain::ChatId;
use plexus_hub::{Caller, teams};
use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Nothing, add};
use crate::{
    api::{
        team_log,
        teams::{NewTeam, OwnerActionJson, begin, listed, say, seen},
    },
    app_state::AppState,
};

pub fn add_to(module: &mut RpcModule<AppState>) -> Result<(), RegisterMethodError> {
    add(module, "teams.list", list_teams)?;
    add(module, "teams.get", get_team)?;
    add(module, "teams.launch", launch_team)?;
    add(module, "teams.act", act_in_team)?;
    add(module, "teams.log", read_log)?;
    add(module, "teams.share", share_team)?;
    add(module, "teams.unshare", unshare_team)
}

async fn list_teams(site: AppState, caller: Caller, _: Nothing) -> Answer<Value> {
    Ok(listed(&teams::list(&site.hub, &caller).await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Look {
    team: ChatId,
    #[serde(default)]
    log_seq: Option<u64>,
}

async fn get_team(site: AppState, caller: Caller, asked: Look) -> Answer<Value> {
    Ok(seen(&site.hub, &caller, asked.team, asked.log_seq).await?)
}

async fn launch_team(site: AppState, caller: Caller, asked: NewTeam) -> Answer<Value> {
    Ok(begin(&site.hub, &caller, asked).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ActIn {
    team: ChatId,
    act: OwnerActionJson,
}

async fn act_in_team(site: AppState, caller: Caller, asked: ActIn) -> Answer<Value> {
    Ok(say(&site.hub, &caller, asked.team, asked.act).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Log {
    team: ChatId,
    #[serde(default)]
    after: Option<u64>,
}

async fn read_log(site: AppState, caller: Caller, asked: Log) -> Answer<Value> {
    Ok(team_log::page(&site.hub, &caller, asked.team, asked.after).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneTeam {
    team: ChatId,
}

async fn share_team(site: AppState, caller: Caller, asked: OneTeam) -> Answer<Value> {
    Ok(team_log::shared(&site, &caller, asked.team).await?)
}

async fn unshare_team(site: AppState, caller: Caller, asked: OneTeam) -> Answer<bool> {
    teams::unshare(&site.hub, &caller, asked.team).await?;
    Ok(true)
}
