//! View models of the OAuth consent page and of granted applications.

use plexus_domain::{OauthGrantId, Timestamp};

/// OAuth consent page. Posts to `/oauth/authorize` with `fields` and `decision` (`allow` or `deny`).
#[derive(Clone, Debug)]
pub struct ConsentPage {
    /// Name that the application gives itself.
    pub client: String,
    /// Host that serves the application's metadata: its only verified name. None if it registered itself.
    pub host: Option<String>,
    /// Where the response is sent.
    pub answer_to: String,
    /// Resource of this hub that it requests.
    pub resource: String,
    /// Requested permissions, as text.
    pub may: Vec<String>,
    /// Parameters of the authorization request, unchanged.
    pub fields: Vec<(String, String)>,
}

/// Invalid authorization request that cannot be granted.
#[derive(Clone, Debug)]
pub struct WrongRequestPage {
    /// Name that the application gives itself.
    pub client: String,
    /// Host that serves the application's metadata. None if it registered itself.
    pub host: Option<String>,
    /// Short name of the place that `back` leads to.
    pub answer_to: String,
    /// What is wrong, as a sentence.
    pub words: &'static str,
    /// URL that reports the error to the application.
    pub back: String,
}

/// Authorized application. Revoked at `/settings/tokens/end` with `id`.
#[derive(Clone, Debug)]
pub struct GrantRow {
    pub id: OauthGrantId,
    pub client: String,
    pub host: String,
    pub scopes: Vec<String>,
    pub resource: String,
    pub used: Option<Timestamp>,
}
