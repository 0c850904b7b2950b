//! Method of the caller's account.

use jsonrpsee::{RpcModule, core::RegisterMethodError};
use plexus_hub::Caller;

use super::{Answer, Nothing, add};
use crate::{
    api::account::{Account, who},
    app_state::AppState,
};

pub fn add_to(module: &mut RpcModule<AppState>) -> Result<(), RegisterMethodError> {
    add(module, "account.get", get_account)
}

async fn get_account(site: AppState, caller: Caller, _: Nothing) -> Answer<Account> {
    Ok(who(&site.hub, &caller).await?)
}
