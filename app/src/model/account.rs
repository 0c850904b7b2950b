//! Signing in and signing up.

use super::Form;

/// Posted to `/login` with `name`, `password`, `next`.
#[derive(Clone, Debug)]
pub struct LoginPage {
    /// A path on this hub; anything else has become "/".
    pub next: String,
    pub form: Form,
}

/// Posted to `/signup` with `name`, `password`, and `reason`, `invite` or `admin` as the mode asks.
#[derive(Clone, Debug)]
pub struct SignupPage {
    pub mode: SignupMode,
    pub form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignupMode {
    Open,
    /// With a word to the administrator who decides.
    Approval,
    Invited {
        token: String,
    },
    /// Only with an invitation, and there is none.
    NeedsInvite,
    Closed,
    /// The one-time link that makes the first administrator.
    FirstAdmin {
        token: String,
    },
    /// That link was used, or is too old.
    DeadLink,
    /// Signed up, and waiting for an administrator.
    Waiting {
        name: String,
    },
}
