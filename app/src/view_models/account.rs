//! View models of the sign-in and sign-up pages.

use super::{Form, agent_query::percent_encode};

/// Returns the URL of the sign-in or sign-up page that leads to `next` afterwards.
pub fn entrance_href(page: &str, next: &str) -> String {
    let mut href = page.to_owned();
    if !matches!(next, "" | "/") {
        href.push_str("?next=");
        percent_encode(next, &mut href);
    }
    href
}

/// Sign-in page. Posts to `/login` with `name`, `password`, `next`.
#[derive(Clone, Debug)]
pub struct LoginPage {
    /// Path to return to. Anything but a path of this hub was replaced by "/" (open redirect).
    pub next: String,
    /// Whether the hub sends e-mail: an account is then named by its e-mail address as well, and recovered by it.
    pub sends_mail: bool,
    pub form: Form,
}

/// Request of a link that sets a new password. Posts to `/forgot` with `account`.
#[derive(Clone, Debug)]
pub struct RecoveryPage {
    /// Whether the hub sends e-mail. If not, the page names the other way.
    pub sends_mail: bool,
    /// What was entered, after the request.
    pub requested: Option<String>,
    pub form: Form,
}

/// New password by a link. Posts to `/reset` with `token` and `password`.
#[derive(Clone, Debug)]
pub struct ResetPage {
    /// Name of the account; none if the link does not work any more.
    pub name: Option<String>,
    pub token: String,
    pub sends_mail: bool,
    pub form: Form,
}

/// Confirmation of an e-mail address. Posts to `/email` with `token`.
#[derive(Clone, Debug)]
pub struct EmailPage {
    /// Name of the account and its new address; none if the link does not work any more.
    pub pending: Option<(String, String)>,
    pub token: String,
    pub form: Form,
}

/// Sign-up page. Posts to `/signup` with `name`, `password`, `email`, `next`, and `reason`, `invite` or `admin` depending on
/// the mode.
#[derive(Clone, Debug)]
pub struct SignupPage {
    pub mode: SignupMode,
    /// Path to go to afterwards; checked as that of [`LoginPage`].
    pub next: String,
    /// Whether the form asks for an e-mail address, as `email`.
    pub asks_email: bool,
    pub form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignupMode {
    Open,
    /// The user states a reason, and an administrator decides.
    Approval,
    Invited {
        token: String,
    },
    /// An invitation is required, and the request has none.
    NeedsInvite,
    Closed,
    /// One-time link that creates the first administrator.
    FirstAdmin {
        token: String,
    },
    /// The one-time link was used or has expired.
    DeadLink,
    /// Signed up; an administrator has not decided yet.
    Waiting {
        name: String,
    },
}
