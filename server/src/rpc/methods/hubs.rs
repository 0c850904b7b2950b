//! Methods of the federation: hubs, rules and rule lists.

use jsonrpsee::{RpcModule, core::RegisterMethodError};
use plexus_hub::{Caller, federation};
use serde::Deserialize;

use super::{Answer, Nothing, add};
use crate::{
    api::{
        federation_rules::{
            self, ImportedRules, NewRule, NewRuleSubscription, RuleListUrl, RuleSubscriptions, Rules,
            SignedRules,
        },
        hubs::{self, HubDetails, Network},
    },
    app_state::AppState,
};

pub fn add_to(module: &mut RpcModule<AppState>) -> Result<(), RegisterMethodError> {
    add(module, "hubs.list", list_hubs)?;
    add(module, "hubs.show", show_hub)?;
    add(module, "hubs.rules", list_rules)?;
    add(module, "hubs.rules.set", make_rule)?;
    add(module, "hubs.rules.export", export_rules)?;
    add(module, "hubs.rules.import", import_rules)?;
    add(module, "hubs.rules.subscriptions", list_subscriptions)?;
    add(module, "hubs.rules.subscribe", subscribe)?;
    add(module, "hubs.rules.unsubscribe", unsubscribe)
}

async fn list_hubs(site: AppState, caller: Caller, _: Nothing) -> Answer<Network> {
    Ok(hubs::known(&site.hub, &caller).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneHub {
    hub: String,
}

async fn show_hub(site: AppState, caller: Caller, asked: OneHub) -> Answer<HubDetails> {
    Ok(hubs::one(&site.hub, &caller, &asked.hub).await?)
}

async fn list_rules(site: AppState, caller: Caller, _: Nothing) -> Answer<Rules> {
    Ok(federation_rules::made(&site.hub, &caller).await?)
}

async fn make_rule(site: AppState, caller: Caller, asked: NewRule) -> Answer<bool> {
    federation_rules::make(&site.hub, &caller, asked).await?;
    Ok(true)
}

async fn export_rules(site: AppState, caller: Caller, _: Nothing) -> Answer<SignedRules> {
    Ok(federation_rules::signed(&site.hub, &caller).await?)
}

async fn import_rules(site: AppState, caller: Caller, asked: SignedRules) -> Answer<ImportedRules> {
    Ok(federation_rules::take_over(&site.hub, &caller, &asked).await?)
}

async fn list_subscriptions(site: AppState, caller: Caller, _: Nothing) -> Answer<RuleSubscriptions> {
    Ok(federation_rules::followed(&site.hub, &caller).await?)
}

async fn subscribe(site: AppState, caller: Caller, asked: NewRuleSubscription) -> Answer<RuleListUrl> {
    Ok(federation_rules::follow(&site.hub, &caller, &asked).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneList {
    url: String,
}

async fn unsubscribe(site: AppState, caller: Caller, asked: OneList) -> Answer<bool> {
    federation::unsubscribe(&site.hub, &caller, &asked.url, "").await?;
    Ok(true)
}
