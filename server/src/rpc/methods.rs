//! Registers all JSON-RPC methods: the operations of `/api/v1`, with the same names and results. Parameters
//! are an object, or an array in the order of the members of the types here.

mod account;
mod agents;
mod chats;
mod hubs;
mod rooms;
mod teams;

use std::future::Future;

use jsonrpsee::{
    Extensions, RpcModule,
    core::RegisterMethodError,
    types::{ErrorObjectOwned, Params},
};
use plexus_hub::Caller;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::{RawValue, to_raw_value};

use super::{chat_subscription, error::RpcError};
use crate::app_state::AppState;

type Answer<T> = Result<T, RpcError>;

pub fn all(site: &AppState) -> Result<RpcModule<AppState>, RegisterMethodError> {
    let mut module = RpcModule::new(site.clone());
    account::add_to(&mut module)?;
    chats::add_to(&mut module)?;
    rooms::add_to(&mut module)?;
    agents::add_to(&mut module)?;
    teams::add_to(&mut module)?;
    hubs::add_to(&mut module)?;
    module.register_subscription(
        "chats.subscribe",
        "chats.event",
        "chats.unsubscribe",
        chat_subscription::subscribe,
    )?;
    Ok(module)
}

fn add<P, T, F, Fut>(
    module: &mut RpcModule<AppState>,
    name: &'static str,
    method: F,
) -> Result<(), RegisterMethodError>
where
    P: DeserializeOwned + Send + 'static,
    T: Serialize,
    F: Fn(AppState, Caller, P) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Answer<T>> + Send,
{
    module.register_async_method(name, move |params, site, extensions| {
        let method = method.clone();
        async move {
            let asked = read(&params)?;
            let answer = method(AppState::clone(&site), caller(&extensions)?.clone(), asked).await?;
            Ok::<Box<RawValue>, ErrorObjectOwned>(to_raw_value(&answer).map_err(fault)?)
        }
    })?;
    Ok(())
}

fn fault(error: serde_json::Error) -> RpcError {
    plexus_hub::Error::fault(error).into()
}

/// Deserializes parameters. Missing parameters count as an empty object.
pub fn read<P: DeserializeOwned>(params: &Params<'_>) -> Result<P, RpcError> {
    serde_json::from_str(params.as_str().unwrap_or("{}")).map_err(RpcError::params)
}

/// Returns the caller, which the session attaches to each call.
pub fn caller(extensions: &Extensions) -> Result<&Caller, RpcError> {
    let missing = || std::io::Error::other("a call without a caller");
    extensions.get().ok_or_else(|| plexus_hub::Error::fault(missing()).into())
}

/// The parameters of a method without parameters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}
