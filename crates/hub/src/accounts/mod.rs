//! Accounts: sign-up, sign-in, sessions, API tokens and account settings.

mod api_tokens;
mod bootstrap_admin;
mod deletion;
mod email;
mod impersonation;
mod link_token;
mod overview;
mod password;
mod password_reset;
mod preferences;
mod recovery;
mod revocation_watch;
mod sessions;
mod sign_in;
mod sign_up;
mod state_change;

pub use api_tokens::{NewToken, TOKEN_PREFIX, authenticate_token, create_token, list_tokens, revoke_token};
pub use bootstrap_admin::{first_administrator_link, is_first_administrator_token};
pub(crate) use deletion::DELETION_GRACE;
pub use deletion::delete;
pub use email::{PendingEmail, confirm_email, pending_email, remove_email, request_email};
pub use impersonation::impersonate;
pub use overview::{AccountOverview, overview};
pub use password::{change_password, set_password_by_operator};
pub use password_reset::{
    PasswordReset, create_password_reset, create_password_reset_by_operator, password_reset_name,
    reset_password,
};
pub use plexus_store::api_tokens::Token;
pub use preferences::set_asks_before_tools;
pub(crate) use preferences::{Preference, has_preference, set_preference};
pub use recovery::request_recovery;
pub use revocation_watch::{is_still_authorized, wait_until_revoked};
pub(crate) use sessions::still_lets_in;
pub use sessions::{
    SessionRow, authenticate, list_sessions, revoke_other_sessions, revoke_session, sign_out,
};
pub use sign_in::{ClientInfo, SignedIn, sign_in};
pub use sign_up::{SignUp, create_by_operator, sign_up};
pub(crate) use state_change::AccountStateChange;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use plexus_domain::{Principal, PrincipalId};
use plexus_store::{Conn, principals};

use crate::{
    Hub, Result,
    caller::{Requester, find_person},
};

/// Returns the requester behind a principal, if it is an active account.
pub(crate) async fn requester(conn: &mut Conn, principal: PrincipalId) -> Result<Option<Requester>> {
    let Some(Principal::Account { account }) = principals::find(conn, principal).await? else {
        return Ok(None);
    };
    Ok(find_person(conn, account).await?.as_ref().map(Requester::from))
}

/// Returns a random 256-bit token, for cookies, links and API tokens.
pub(crate) fn random_token(hub: &Hub) -> String {
    URL_SAFE_NO_PAD.encode(hub.env().bytes::<32>())
}
