//! Letting a program act for somebody.

use plexus_domain::{OauthGrantId, Timestamp};

/// Posted to `/oauth/authorize` with `fields` and `decision` (`allow` or `deny`).
#[derive(Clone, Debug)]
pub struct ConsentPage {
    /// What the program calls itself.
    pub client: String,
    /// Where it says so: the only name of it that is proved.
    pub host: String,
    /// Where the answer goes.
    pub answer_to: String,
    /// What of this hub it wants to use.
    pub resource: String,
    /// What it may do, in words.
    pub may: Vec<String>,
    /// The request as it came.
    pub fields: Vec<(String, String)>,
}

/// A program asked in a way that nobody can agree to.
#[derive(Clone, Debug)]
pub struct WrongRequestPage {
    /// What the program calls itself.
    pub client: String,
    /// Where it says so.
    pub host: String,
    /// Where `back` leads, in a word.
    pub answer_to: String,
    /// What is wrong, as a sentence.
    pub words: &'static str,
    /// Where the program is told.
    pub back: String,
}

/// A program that acts for somebody; ended at `/settings/tokens/end` with `id`.
#[derive(Clone, Debug)]
pub struct GrantRow {
    pub id: OauthGrantId,
    pub client: String,
    pub host: String,
    pub scopes: Vec<String>,
    pub resource: String,
    pub used: Option<Timestamp>,
}
