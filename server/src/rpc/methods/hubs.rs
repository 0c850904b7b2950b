//! Methods of the federation: hubs, rules and rule lists.

use jsonrpsee::{RpcModule, core::RegisterMethodError};
use plexus_hub::{Caller, federation};
use serde::Deserialize;

use super::{Answer, Nothing, add};
use crate::{
    api::{
        hub_rules::{
            self, ImportedRules, NewRule, NewRuleList, RuleListPlace, RuleLists, Rules, SignedRules,
        },
        hubs::{self, HubDetails, Network},
    },
    state::Site,
};

pub fn add_to(module: &mut RpcModule<Site>) -> Result<(), RegisterMethodError> {
    add(module, "hubs.list", list_hubs)?;
    add(module, "hubs.show", show_hub)?;
    add(module, "hubs.rules", list_rules)?;
    add(module, "hubs.rule", make_rule)?;
    add(module, "hubs.rules.export", export_rules)?;
    add(module, "hubs.rules.import", import_rules)?;
    add(module, "hubs.lists", list_lists)?;
    add(module, "hubs.subscribe", subscribe)?;
    add(module, "hubs.unsubscribe", unsubscribe)
}

async fn list_hubs(site: Site, caller: Caller, _: Nothing) -> Answer<Network> {
    Ok(hubs::known(&site.hub, &caller).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneHub {
    hub: String,
}

async fn show_hub(site: Site, caller: Caller, asked: OneHub) -> Answer<HubDetails> {
    Ok(hubs::one(&site.hub, &caller, &asked.hub).await?)
}

async fn list_rules(site: Site, caller: Caller, _: Nothing) -> Answer<Rules> {
    Ok(hub_rules::made(&site.hub, &caller).await?)
}

async fn make_rule(site: Site, caller: Caller, asked: NewRule) -> Answer<bool> {
    hub_rules::make(&site.hub, &caller, asked).await?;
    Ok(true)
}

async fn export_rules(site: Site, caller: Caller, _: Nothing) -> Answer<SignedRules> {
    Ok(hub_rules::signed(&site.hub, &caller).await?)
}

async fn import_rules(site: Site, caller: Caller, asked: SignedRules) -> Answer<ImportedRules> {
    Ok(hub_rules::take_over(&site.hub, &caller, &asked).await?)
}

async fn list_lists(site: Site, caller: Caller, _: Nothing) -> Answer<RuleLists> {
    Ok(hub_rules::followed(&site.hub, &caller).await?)
}

async fn subscribe(site: Site, caller: Caller, asked: NewRuleList) -> Answer<RuleListPlace> {
    Ok(hub_rules::follow(&site.hub, &caller, &asked).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneList {
    url: String,
}

async fn unsubscribe(site: Site, caller: Caller, asked: OneList) -> Answer<bool> {
    federation::unsubscribe(&site.hub, &caller, &asked.url, "").await?;
    Ok(true)
}
