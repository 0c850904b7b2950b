//! Sign-in, sign-up and OAuth consent pages.

mod consent;
mod email;
mod login;
mod recovery;
mod reset;
mod signup;
