//! Accounts: sign-up, sign-in, sessions, API tokens and account settings.

mod access;
mod delete;
mod first_administrator;
mod moved;
mod operator;
mod overview;
mod password;
mod preferences;
mod sessions;
mod sign_in;
mod sign_up;
mod tokens;

pub use access::{lets_in, until_shut_out};
pub use delete::delete;
pub(crate) use delete::erase_those_who_left;
pub use first_administrator::{first_administrator_link, is_first_administrator_token};
pub(crate) use moved::Moved;
pub use operator::act_for;
pub use overview::{Overview, overview};
pub use password::change_password;
pub use plexus_store::tokens::Token;
pub(crate) use preferences::asks_before_tools;
pub use preferences::set_asks_before_tools;
pub use sessions::{
    SessionRow, authenticate, list_sessions, revoke_other_sessions, revoke_session, sign_out,
};
pub(crate) use sessions::{person, still_lets_in};
pub use sign_in::{Device, SignedIn, sign_in};
pub use sign_up::{SignUp, create_by_operator, set_role_by_operator, sign_up};
pub use tokens::{NewToken, authenticate_token, create_token, list_tokens, revoke_token};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use plexus_domain::{Principal, PrincipalId};
use plexus_store::{Conn, principals};

use crate::{Hub, Result, caller::Asker};

/// Returns the requester behind a principal, if it is an active account.
pub(crate) async fn asker(conn: &mut Conn, principal: PrincipalId) -> Result<Option<Asker>> {
    let Some(Principal::Account { account }) = principals::find(conn, principal).await? else {
        return Ok(None);
    };
    Ok(sessions::person(conn, account).await?.as_ref().map(Asker::from))
}

/// Returns a random 256-bit token, for cookies, links and API tokens.
pub(crate) fn random_word(hub: &Hub) -> String {
    URL_SAFE_NO_PAD.encode(hub.env().bytes::<32>())
}
