//! Settings pages of a user.

pub mod account;
pub mod appearance;
pub mod chat_import;
pub mod model_keys;
pub mod sessions;
pub mod shares;
pub mod tokens;
pub mod usage;

use axum::response::Redirect;

pub async fn home() -> Redirect {
    Redirect::to("/settings/account")
}
